/**
 * Upserts by one key, in SQL of both servers, and their row counts. ON DUPLICATE KEY UPDATE reacts
 * to every unique key, so the statement fails if the existing row has another value of the intended
 * key.
 */
import type { Column, Table } from '../../../model/table.ts';
import { DbFailure } from '../../contract/engine.ts';
import { quote, tableName } from './names.ts';

const CLAUSE = ' ON DUPLICATE KEY UPDATE ';
const ANY_CLAUSE = /\son\s+duplicate\s+key\s+update\s/i;
const RECORDS = /^Records: (\d+)/;
const NULL_REFUSED: ReadonlySet<string> = new Set(['1048', '1263', '3673']);
const OUT_OF_RANGE = '1690';

/**
 * Key columns come first: the servers assign from left to right. NULL equals nothing, as in a
 * unique key.
 */
export function upsertClause(table: Table, key: readonly Column[], others: readonly Column[]): string {
  const kept = key.map((column) => {
    const name = quote(column.name);
    return keptIf(`${tableName(table)}.${name} = VALUES(${name})`, table, column);
  });
  const taken = others.map(({ name }) => `${quote(name)} = VALUES(${quote(name)})`);
  return `${CLAUSE}${[...kept, ...taken].join(', ')}`;
}

/**
 * Keeps the value of a key column if the condition holds, and fails the statement otherwise: by a
 * NULL that the column rejects, or by a number out of range if it is nullable (see `strict.ts`).
 */
export function keptIf(condition: string, table: Table, { name, nullable }: Column): string {
  const value = `${tableName(table)}.${quote(name)}`;
  if (!nullable) return `${quote(name)} = IF(${condition}, ${value}, NULL)`;
  return `${quote(name)} = IF(~0 + ((${condition}) IS NOT TRUE), ${value}, ${value})`;
}

/** `true` if a definition's SQL is an upsert. */
export function isUpsert(text: string): boolean {
  return ANY_CLAUSE.test(text);
}

/** Returns the number of rows of an upsert: the server counts an updated row twice. */
export function upsertedRows(info: string): number {
  const records = RECORDS.exec(info)?.[1];
  return records === undefined ? 1 : Number(records);
}

/** Returns the failure of an upsert whose existing row has another key. */
export function otherKeyFailure(failure: DbFailure): DbFailure {
  const isOurs = NULL_REFUSED.has(failure.code) || (failure.code === OUT_OF_RANGE && failure.kind !== 'stale');
  if (!isOurs) return failure;
  return new DbFailure('duplicate', 'A row with another key has the same value of a unique key', {
    code: failure.code,
    cause: failure,
  });
}
