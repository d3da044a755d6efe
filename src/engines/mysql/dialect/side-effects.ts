/**
 * Detects tables without transactions (MyISAM, MEMORY, Aria …), which keep what a failed statement
 * has written. Searches for names in the text without parsing SQL.
 */
import type { Connection, RunOptions } from '../../contract/engine.ts';
import { TextRows } from '../../contract/rows.ts';

const COLUMNS = [{ name: 'n', kind: 'text' }] as const;

const lasting = (schemas: string): string =>
  `SELECT LOWER(t.TABLE_NAME) FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE t.TABLE_SCHEMA IN (${schemas}) AND t.TABLE_TYPE = 'BASE TABLE' AND COALESCE(e.TRANSACTIONS, 'NO') <> 'YES'`;

/** Views and triggers, which write to tables that the text does not name. */
const hiding = (schemas: string): string =>
  `SELECT LOWER(TABLE_NAME) FROM information_schema.VIEWS WHERE TABLE_SCHEMA IN (${schemas})
    UNION SELECT LOWER(EVENT_OBJECT_TABLE) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA IN (${schemas})`;

const NAME = '`(?:[^`]|``)+`|[\\p{L}\\p{N}_$]+';
const NAMES = new RegExp(NAME, 'gu');
/** A name before a dot may be a database. */
const QUALIFIERS = new RegExp(`(${NAME})\\s*\\.`, 'gu');

export async function mayHaveSideEffects(connection: Connection, text: string, options: RunOptions): Promise<boolean> {
  const schemas = new Set(Array.from(text.matchAll(QUALIFIERS), ([, name = '']) => plain(name)));
  const names = new Set(Array.from(text.matchAll(NAMES), ([name]) => plain(name)));
  const found = await namesOf(connection, lasting, schemas, options);
  if (found.size === 0) return false;
  return hasOneOf(names, found) || hasOneOf(names, await namesOf(connection, hiding, schemas, options));
}

function plain(name: string): string {
  return (name.startsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : name).toLowerCase();
}

function hasOneOf(names: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const name of names) if (wanted.has(name)) return true;
  return false;
}

async function namesOf(
  connection: Connection,
  textOf: (schemas: string) => string,
  schemas: ReadonlySet<string>,
  options: RunOptions,
): Promise<ReadonlySet<string>> {
  const rows = new TextRows();
  const literals = Array.from(schemas, (name) => `0x${Buffer.from(name).toString('hex')}`);
  await connection.run({ text: textOf(['DATABASE()', ...literals].join(', ')), types: [], columns: COLUMNS }, [], options, rows);
  return new Set(rows.rows.map(([name]) => name ?? ''));
}
