/**
 * Insert or update by primary key, in the words that both servers share, and how its rows are counted. MySQL's own clause fires on every
 * unique key; ours makes the statement fail when the row that is in the way has another primary key.
 */
import { DbFailure } from '../../engine.ts';

const CLAUSE = ' ON DUPLICATE KEY UPDATE ';
const ANY_CLAUSE = /\son\s+duplicate\s+key\s+update\s/i;
/** Tells our own upserts from those of a Custom definition. */
const MARK = '/* by primary key */';
const RECORDS = /^Records: (\d+)/;
const NULL_REFUSED: ReadonlySet<string> = new Set(['1048', '1263', '3673']);

/**
 * The clause for quoted names. A key column keeps its value if it is the same and becomes NULL, which a key refuses, if it is not. Key
 * columns come first: MySQL assigns from left to right.
 */
export function upsertClause(table: string, key: readonly string[], others: readonly string[]): string {
  const kept = key.map((name) => `${name} = IF(${table}.${name} <=> VALUES(${name}), ${table}.${name}, NULL)`);
  const taken = others.map((name) => `${name} = VALUES(${name})`);
  return `${CLAUSE}${MARK} ${[...kept, ...taken].join(', ')}`;
}

/** How many rows an upsert was given: the server counts an updated one twice. Undefined for other statements. */
export function upsertedRows(text: string, info: string): number | undefined {
  if (!ANY_CLAUSE.test(text)) return undefined;
  const records = RECORDS.exec(info)?.[1];
  return records === undefined ? 1 : Number(records);
}

/** The failure of one of our upserts, when a unique key other than the primary one was taken. */
export function otherKeyFailure(text: string, failure: DbFailure): DbFailure {
  if (!NULL_REFUSED.has(failure.code) || !text.includes(MARK)) return failure;
  return new DbFailure('duplicate', 'A row with another primary key has the same value of a unique key', {
    code: failure.code,
    cause: failure,
  });
}
