/** The key by which an upsert knows rows: the primary key, or another unique key that the request names. */
import { apiError } from '../../errors.ts';
import type { Column, Table } from '../../model/table.ts';
import type { UpsertTarget } from '../request/request.ts';
import { findColumn } from './filters.ts';

/** Empty for a table without the key that was asked for. */
export type UpsertKey = readonly Column[];

export function upsertKey(wanted: UpsertTarget, table: Table): UpsertKey {
  if (wanted === 'primary key') return table.primaryKey;
  const named = wanted.map((name) => findColumn(table, name));
  const keys = keysOf(table);
  const found = keys.find((key) => key.length === named.length && key.every((column) => named.includes(column)));
  if (found !== undefined) return found;
  // Rows of such a table are known by no key whatever is named: that it has none is told where its engine is known.
  if (table.sortedBy.length > 0) return [];
  throw apiError('upsert_key', namesOf(named), keys.map(namesOf).join(' or '));
}

/** Those of which the caller may know. */
function keysOf({ primaryKey, unique, byName }: Table): readonly UpsertKey[] {
  return [primaryKey, ...unique].filter((key) => key.length > 0 && key.every(({ name }) => byName.has(name)));
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(',');
