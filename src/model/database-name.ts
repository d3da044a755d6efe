/** Resolves a `db_name` of a path or query, which may include a schema (`shop.sales`). */
import type { DbType, Entry } from './entry.ts';
import { entryKey, findEntry, type ProjectContext } from './project.ts';

export interface Located {
  readonly entry: Entry;
  /** `undefined` means the default schema of the engine. */
  readonly schema: string | undefined;
}

interface Naming {
  readonly type: DbType;
  readonly capabilities: { readonly schemas: boolean };
}

/** A database whose own name contains the dot takes precedence. */
export function locateDatabase(context: ProjectContext, { type, capabilities }: Naming, name: string): Located {
  const whole = context.entries.get(entryKey(type, name));
  if (whole !== undefined) return { entry: whole, schema: undefined };
  const dot = capabilities.schemas ? name.lastIndexOf('.') : -1;
  if (dot <= 0) return { entry: findEntry(context, type, name), schema: undefined };
  return { entry: findEntry(context, type, name.slice(0, dot)), schema: name.slice(dot + 1) };
}
