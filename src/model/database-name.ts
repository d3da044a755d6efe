/** `db_name` as paths and queries give it: where a database has schemas, the name of one may follow (`shop.sales`). */
import type { DbType, Entry } from './entry.ts';
import { entryKey, findEntry, type ProjectContext } from './project.ts';

export interface Located {
  readonly entry: Entry;
  /** Undefined: the engine's default schema. */
  readonly schema: string | undefined;
}

/** What a name means depends on the engine: `schemas` says whether a schema may follow. */
interface Naming {
  readonly type: DbType;
  readonly capabilities: { readonly schemas: boolean };
}

/** A name with a dot may also be the whole name of a database: that one is looked for first. */
export function locateDatabase(context: ProjectContext, { type, capabilities }: Naming, name: string): Located {
  const whole = context.entries.get(entryKey(type, name));
  if (whole !== undefined) return { entry: whole, schema: undefined };
  const dot = capabilities.schemas ? name.lastIndexOf('.') : -1;
  if (dot <= 0) return { entry: findEntry(context, type, name), schema: undefined };
  return { entry: findEntry(context, type, name.slice(0, dot)), schema: name.slice(dot + 1) };
}
