/**
 * Insert or update by one key, in SQL that both servers understand, and how its rows are counted. The servers' own clause reacts to every
 * unique key; ours makes the statement fail when the row in the way has another value of the key that is meant.
 */
import type { Column, Table } from '../../../model/table.ts';
import { DbFailure } from '../../contract/engine.ts';
import { quote, tableName } from './names.ts';

const CLAUSE = ' ON DUPLICATE KEY UPDATE ';
const ANY_CLAUSE = /\son\s+duplicate\s+key\s+update\s/i;
const RECORDS = /^Records: (\d+)/;
const NULL_REFUSED: ReadonlySet<string> = new Set(['1048', '1263', '3673']);
const OUT_OF_RANGE = '1690';

/** Key columns come first: the servers assign from left to right. NULL is equal to nothing, as in a unique key. */
export function upsertClause(table: Table, key: readonly Column[], others: readonly Column[]): string {
  const kept = key.map((column) => {
    const name = quote(column.name);
    return keptIf(`${tableName(table)}.${name} = VALUES(${name})`, table, column);
  });
  const taken = others.map(({ name }) => `${quote(name)} = VALUES(${quote(name)})`);
  return `${CLAUSE}${[...kept, ...taken].join(', ')}`;
}

/**
 * Keeps the value of a key column if the condition holds, and fails the statement if it does not: by a NULL that the column refuses, or, where it
 * takes one, by a number that is too large (see `strict.ts`).
 */
export function keptIf(condition: string, table: Table, { name, nullable }: Column): string {
  const value = `${tableName(table)}.${quote(name)}`;
  if (!nullable) return `${quote(name)} = IF(${condition}, ${value}, NULL)`;
  return `${quote(name)} = IF(~0 + ((${condition}) IS NOT TRUE), ${value}, ${value})`;
}

/** Is it an upsert that a definition has written? Asked once for a text. */
export function isUpsert(text: string): boolean {
  return ANY_CLAUSE.test(text);
}

/** How many rows an upsert was given: the server counts an updated one twice. */
export function upsertedRows(info: string): number {
  const records = RECORDS.exec(info)?.[1];
  return records === undefined ? 1 : Number(records);
}

/** The failure of an upsert, when the row in the way has another key. */
export function otherKeyFailure(failure: DbFailure): DbFailure {
  const isOurs = NULL_REFUSED.has(failure.code) || (failure.code === OUT_OF_RANGE && failure.kind !== 'stale');
  if (!isOurs) return failure;
  return new DbFailure('duplicate', 'A row with another key has the same value of a unique key', {
    code: failure.code,
    cause: failure,
  });
}
