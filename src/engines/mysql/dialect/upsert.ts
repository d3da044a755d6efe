/**
 * Insert or update by primary key, in SQL that both servers understand, and how its rows are counted. The servers' own clause reacts to every
 * unique key; ours makes the statement fail when the row in the way has another primary key.
 */
import { DbFailure } from '../../engine.ts';

const CLAUSE = ' ON DUPLICATE KEY UPDATE ';
const ANY_CLAUSE = /\son\s+duplicate\s+key\s+update\s/i;
const RECORDS = /^Records: (\d+)/;
const NULL_REFUSED: ReadonlySet<string> = new Set(['1048', '1263', '3673']);

/**
 * The clause for quoted names. A key column keeps its value if it is the same and becomes NULL, which a key refuses, if it is not. Key
 * columns come first: MySQL assigns from left to right.
 */
export function upsertClause(table: string, key: readonly string[], others: readonly string[]): string {
  const kept = key.map((name) => `${name} = IF(${table}.${name} <=> VALUES(${name}), ${table}.${name}, NULL)`);
  const taken = others.map((name) => `${name} = VALUES(${name})`);
  return `${CLAUSE}${[...kept, ...taken].join(', ')}`;
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

/** The failure of an upsert by primary key, when another unique key was taken. */
export function otherKeyFailure(failure: DbFailure): DbFailure {
  if (!NULL_REFUSED.has(failure.code)) return failure;
  return new DbFailure('duplicate', 'A row with another primary key has the same value of a unique key', {
    code: failure.code,
    cause: failure,
  });
}
