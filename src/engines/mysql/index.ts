/**
 * MySQL as an engine. MariaDB is the same with another name: the driver asks the server what it is.
 */
import type { Engine } from '../engine.ts';
import { mysqlCatalog } from './dialect/catalog.ts';
import { mysqlDialect } from './dialect/dialect.ts';
import { leavesTraces } from './dialect/traces.ts';
import { MysqlConnection } from './driver.ts';

export const mysqlEngine: Engine = {
  type: 'ms',
  label: 'MySQL',
  defaultPort: 3306,
  transactions: true,
  schemas: false,
  bulkyMost: 4,
  sharesReads: false,
  dialect: mysqlDialect,
  catalog: mysqlCatalog,
  leavesTraces,
  connect: (entry, options) => MysqlConnection.open(entry, options),
};
