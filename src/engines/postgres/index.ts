/** Registers PostgreSQL: the entry of this folder. */
import type { Entry } from '../../model/entry.ts';
import type { ConnectOptions, Engine } from '../contract/engine.ts';
import { checkStatement } from './check-statement.ts';
import { DEFAULT_SCHEMA, postgresCatalog } from './dialect/catalog.ts';
import { postgresDialect } from './dialect/dialect.ts';
import { postgresSyntax } from './dialect/syntax.ts';
import { postgresBinder } from './dialect/template.ts';
import { PostgresConnection } from './driver.ts';
import { logIn } from './protocol/login.ts';

export const postgresEngine: Engine = {
  type: 'pg',
  names: ['postgres', 'postgresql'],
  label: 'PostgreSQL',
  defaultPort: 5432,
  capabilities: {
    transactions: true,
    transactionalDdl: true,
    schemas: true,
    defaultSchema: DEFAULT_SCHEMA,
    sharedReads: false,
    returning: ['insert', 'update', 'delete'],
    readsBack: false,
    pipelining: ['read', 'write'],
    bulkyWrites: 8,
  },
  dialect: postgresDialect,
  syntax: postgresSyntax,
  templateBinder: postgresBinder,
  catalog: postgresCatalog,
  checkStatement,
  connect: async (entry: Entry, options: ConnectOptions) => new PostgresConnection(await logIn(entry, options)),
};
