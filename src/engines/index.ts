/** The engines that Millrace speaks, by the type that a database entry names. */
import type { DbType } from '../model/entry.ts';
import type { Engine } from './engine.ts';
import { postgresEngine } from './postgres/index.ts';

export const ENGINES: ReadonlyMap<DbType, Engine> = new Map([postgresEngine].map((engine) => [engine.type, engine]));
