/** The engines of Millrace, one line each. */
import { clickhouseEngine } from './clickhouse/index.ts';
import type { Engine, EngineNames } from './contract/engine.ts';
import { mariadbEngine } from './mariadb/index.ts';
import { mysqlEngine } from './mysql/index.ts';
import { postgresEngine } from './postgres/index.ts';
import { Engines } from './registry.ts';

export const OWN_ENGINES: readonly [Engine, ...Engine[]] = [mysqlEngine, mariadbEngine, postgresEngine, clickhouseEngine];

export const ANNOUNCED: readonly EngineNames[] = [
  { type: 'or', names: ['oracle'] },
  { type: 'ss', names: ['sqlserver'] },
  { type: 'md', names: ['mongodb'] },
];

export const ENGINES = new Engines(OWN_ENGINES, ANNOUNCED);
