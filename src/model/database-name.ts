/** A `db_name` in a path or query. Where a database has schemas, the name of one may follow (`shop.sales`). */
import type { DbType, Entry } from './entry.ts';
import { entryKey, findEntry, type ProjectContext } from './project.ts';

export interface Located {
  readonly entry: Entry;
  /** Undefined for the engine's default schema. */
  readonly schema: string | undefined;
}

/** `schemas` says whether the engine has schemas, so that one may follow. */
interface Naming {
  readonly type: DbType;
  readonly capabilities: { readonly schemas: boolean };
}

/** A database whose own name contains the dot comes first. */
export function locateDatabase(context: ProjectContext, { type, capabilities }: Naming, name: string): Located {
  const whole = context.entries.get(entryKey(type, name));
  if (whole !== undefined) return { entry: whole, schema: undefined };
  const dot = capabilities.schemas ? name.lastIndexOf('.') : -1;
  if (dot <= 0) return { entry: findEntry(context, type, name), schema: undefined };
  return { entry: findEntry(context, type, name.slice(0, dot)), schema: name.slice(dot + 1) };
}
