/** The engines that Millrace speaks, by the type that a database entry names. */
import type { DbType } from '../model/entry.ts';
import { clickhouseEngine } from './clickhouse/index.ts';
import type { Engine } from './engine.ts';
import { mariadbEngine } from './mariadb/index.ts';
import { mysqlEngine } from './mysql/index.ts';
import { postgresEngine } from './postgres/index.ts';

export const ENGINES: ReadonlyMap<DbType, Engine> = new Map(
  [mysqlEngine, mariadbEngine, postgresEngine, clickhouseEngine].map((engine) => [engine.type, engine]),
);
