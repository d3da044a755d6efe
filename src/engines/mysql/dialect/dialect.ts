/**
 * The SQL of MySQL and MariaDB where it differs from the other engines'. Texts depend on shapes only, so the servers' prepared statements
 * are found again. Refuses to know connections.
 */
import type { Column } from '../../../model/table.ts';
import { LIKE_ESCAPE, plainComparison } from '../../../sql/compile.ts';
import type { Binder, Dialect } from '../../../sql/dialect.ts';
import type { Comparison, Operator } from '../../../sql/plan.ts';
import type { Operand } from '../../../sql/statement.ts';
import { UNSIGNED } from '../protocol/parameters.ts';
import { GEOMETRY, NARROW_TEXT } from '../types/column-types.ts';
import { insertStatements } from './insert.ts';
import { placeholder, quote, tableName } from './names.ts';
import { guarded, typedBinder } from './strict.ts';

function selectItem(column: Column): string {
  const name = quote(column.name);
  return column.cast.startsWith(GEOMETRY) ? `ST_AsText(${name})` : name;
}

/** The highest character that every column of a set can hold; of the others only ASCII is taken for granted. */
const HIGHEST: Readonly<Record<string, number>> = {
  latin1: 0xff,
  utf8mb3: 0xffff,
  utf8: 0xffff,
  ucs2: 0xffff,
  utf16: 0x10ffff,
  utf32: 0x10ffff,
};

/**
 * The column as it is compared. The servers refuse to compare a column with a value that its character set cannot hold; it is widened
 * then, and only then, since a widened column finds no index.
 */
function left(column: Column, values: readonly Operand[]): string {
  const name = quote(column.name);
  if (!column.cast.startsWith(NARROW_TEXT)) return name;
  const collation = column.cast.slice(NARROW_TEXT.length + 1);
  const highest = HIGHEST[collation.split('_')[0] ?? ''] ?? 0x7f;
  if (values.every((value) => Array.from(String(value)).every((character) => (character.codePointAt(0) ?? 0) <= highest))) return name;
  const exact = /_(?:bin|cs)$/.test(collation) ? ' COLLATE utf8mb4_bin' : '';
  return `CONVERT(${name} USING utf8mb4)${exact}`;
}

/** `il` lowers both sides, which works for every collation; the other three follow the column's. */
function like(subject: string, pattern: string, op: 'li' | 'rli' | 'nli' | 'il', bind: Binder): string {
  if (op === 'il') return `LOWER(${subject}) LIKE LOWER(${bind.text(pattern)}) ESCAPE '${LIKE_ESCAPE}'`;
  return `${subject} ${op === 'nli' ? 'NOT LIKE' : 'LIKE'} ${bind.text(pattern)} ESCAPE '${LIKE_ESCAPE}'`;
}

function comparison(plan: Comparison, bind: Binder): string {
  const { column } = plan;
  const subject = left(column, plan.values);
  return plainComparison(
    plan,
    subject,
    (value) => bind.value(column, value),
    (pattern, op) => like(subject, pattern, op, bind),
  );
}

/** LIKE compares texts whatever it is given; every other operator needs its guard. */
const LIKES: ReadonlySet<Operator> = new Set(['li', 'rli', 'nli', 'il']);

function strictComparison(plan: Comparison, bind: Binder): string {
  return LIKES.has(plan.op) ? comparison(plan, bind) : guarded(comparison(plan, typedBinder(bind)), plan.column);
}

/** Enums and sets are compared as texts, so they are ordered as texts too, or pages that go by the last row would skip some. */
function orderItem(column: Column, direction: 'asc' | 'desc'): string {
  const name = quote(column.name);
  const ordered = column.kind === 'enum' || column.kind === 'set' ? `CONCAT(${name}, '')` : name;
  return direction === 'asc' ? ordered : `${ordered} DESC`;
}

export const mysqlDialect: Dialect = {
  textType: { kind: 'text', cast: 'text' },
  intType: { kind: 'int', cast: UNSIGNED },
  quote,
  table: tableName,
  placeholder: (_, cast) => placeholder(cast),
  selectItem,
  comparison,
  strictComparison,
  orderItem,
  // The limit is printed: the servers plan each execution, and do so quicker with fewer parameters. It is a number of ours, and few occur.
  page: (limit, offset, bind) => ` LIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${bind.int(offset)}`}`,
  insert: insertStatements,
  update: (table, set, where) => `UPDATE ${table} SET ${set} WHERE ${where}`,
  delete: (table, where) => `DELETE FROM ${table} WHERE ${where}`,
};
