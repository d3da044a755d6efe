/** The key that identifies rows of an upsert: the primary key or another unique key. Pure. */
import { apiError } from '../../errors.ts';
import type { Column, Table } from '../../model/table.ts';
import type { UpsertTarget } from '../request/request.ts';
import { findColumn } from './filters.ts';

/** Empty if the table has no such key. */
export type UpsertKey = readonly Column[];

export function upsertKey(target: UpsertTarget, table: Table): UpsertKey {
  if (target === 'primary key') return table.primaryKey;
  const named = target.map((name) => findColumn(table, name));
  const keys = keysOf(table);
  const found = keys.find((key) => key.length === named.length && key.every((column) => named.includes(column)));
  if (found !== undefined) return found;
  // Such a table has no unique key. The error that names the engine is thrown later.
  if (table.sortedBy.length > 0) return [];
  throw apiError('upsert_key', namesOf(named), keys.map(namesOf).join(' or '));
}

/** Keys whose columns the caller can see. */
function keysOf({ primaryKey, unique, byName }: Table): readonly UpsertKey[] {
  return [primaryKey, ...unique].filter((key) => key.length > 0 && key.every(({ name }) => byName.has(name)));
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(',');
