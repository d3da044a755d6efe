// A complete fifth engine: SQLite, whose databases are the files of a directory. It shows what an
// engine must define. No other file depends on it.
import { join } from 'node:path';
import type { Engine } from '../../../src/engines/contract/engine.ts';
import { sqliteCatalog } from './catalog.ts';
import { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { sqliteBinder, sqliteSyntax } from './template.ts';

export function sqliteEngine(directory: string): Engine {
  return {
    type: 'sq',
    names: ['sqlite'],
    label: 'SQLite',
    defaultPort: 1,
    capabilities: {
      transactions: true,
      transactionalDdl: true,
      schemas: false,
      sharedReads: false,
      returning: [],
      readsBack: false,
      pipelining: [],
      bulkyWrites: 1,
    },
    dialect: sqliteDialect,
    syntax: sqliteSyntax,
    templateBinder: sqliteBinder,
    catalog: sqliteCatalog,
    connect: async ({ database }) => new SqliteConnection(join(directory, `${database}.db`)),
  };
}
