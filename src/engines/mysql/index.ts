/** Registers MySQL: the entry of this folder. The driver detects MariaDB when it connects. */
import type { Engine } from '../contract/engine.ts';
import { checkStatement } from './check-statement.ts';
import { mysqlCatalog } from './dialect/catalog.ts';
import { mysqlDialect } from './dialect/dialect.ts';
import { mayHaveSideEffects } from './dialect/side-effects.ts';
import { mysqlSyntax } from './dialect/syntax.ts';
import { mysqlBinder } from './dialect/template.ts';
import { MysqlConnection } from './driver.ts';

export const mysqlEngine: Engine = {
  type: 'ms',
  names: ['mysql'],
  label: 'MySQL',
  defaultPort: 3306,
  capabilities: {
    transactions: true,
    transactionalDdl: false,
    schemas: false,
    sharedReads: false,
    returning: [],
    readsBack: true,
    pipelining: ['read'],
    bulkyWrites: 4,
  },
  dialect: mysqlDialect,
  syntax: mysqlSyntax,
  templateBinder: mysqlBinder,
  catalog: mysqlCatalog,
  mayHaveSideEffects,
  checkStatement,
  connect: (entry, options) => MysqlConnection.open(entry, options),
};
