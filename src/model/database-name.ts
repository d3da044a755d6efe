/** `db_name` as it stands in paths and queries: for PostgreSQL a schema may follow (`shop.sales`). */
import type { DbType, Entry } from './entry.ts';
import { entryKey, findEntry, type ProjectContext } from './project.ts';

export interface Located {
  readonly entry: Entry;
  /** Undefined: the engine's default schema. */
  readonly schema: string | undefined;
}

/** A name with a dot may also be the whole name of a database: that one is looked for first. */
export function locateDatabase(context: ProjectContext, type: DbType, name: string): Located {
  const whole = context.entries.get(entryKey(type, name));
  if (whole !== undefined) return { entry: whole, schema: undefined };
  const dot = type === 'pg' ? name.lastIndexOf('.') : -1;
  if (dot <= 0) return { entry: findEntry(context, type, name), schema: undefined };
  return { entry: findEntry(context, type, name.slice(0, dot)), schema: name.slice(dot + 1) };
}

/** Types that are named but not to be had. */
export const ANNOUNCED: ReadonlySet<string> = new Set(['or', 'ss', 'md']);
