/**
 * The SQL of MySQL and MariaDB where it differs from the other engines'. Texts depend on shapes only, so the servers' prepared statements
 * are found again. Refuses to know connections.
 */
import type { Column } from '../../model/table.ts';
import { LIKE_ESCAPE, plainComparison } from '../../sql/compile.ts';
import type { Binder, Dialect } from '../../sql/dialect.ts';
import type { Comparison } from '../../sql/plan.ts';
import { insertStatements } from './insert.ts';
import { placeholder, quote, tableName } from './names.ts';
import { UNSIGNED } from './parameters.ts';
import { GEOMETRY } from './types.ts';

function selectItem(column: Column): string {
  const name = quote(column.name);
  return column.cast.startsWith(GEOMETRY) ? `ST_AsText(${name})` : name;
}

/** `il` lowers both sides, which works for every collation; the other three follow the column's. */
function like(column: Column, pattern: string, op: 'li' | 'rli' | 'nli' | 'il', bind: Binder): string {
  const name = quote(column.name);
  if (op === 'il') return `LOWER(${name}) LIKE LOWER(${bind.text(pattern)}) ESCAPE '${LIKE_ESCAPE}'`;
  return `${name} ${op === 'nli' ? 'NOT LIKE' : 'LIKE'} ${bind.text(pattern)} ESCAPE '${LIKE_ESCAPE}'`;
}

function comparison(plan: Comparison, bind: Binder): string {
  const { column } = plan;
  return plainComparison(
    plan,
    quote(column.name),
    (value) => bind.value(column, value),
    (pattern, op) => like(column, pattern, op, bind),
  );
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
  orderItem,
  page: (limit, offset, bind) => ` LIMIT ${bind.int(BigInt(limit))} OFFSET ${bind.int(offset)}`,
  insert: insertStatements,
  update: (table, set, where) => `UPDATE ${table} SET ${set} WHERE ${where}`,
  delete: (table, where) => `DELETE FROM ${table} WHERE ${where}`,
};
