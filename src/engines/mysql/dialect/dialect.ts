/**
 * The SQL of MySQL and MariaDB where it differs from that of other engines. A text depends on the shape of a request alone, so the server finds
 * the statement prepared. Knows no connections.
 */
import type { Column } from '../../../model/table.ts';
import { Parameters, qualifiedCondition } from '../../../sql/compile/compile.ts';
import type { BoundStatement, Dialect } from '../../../sql/dialect.ts';
import type { InsertPlan } from '../../../sql/plan.ts';
import { UNSIGNED } from '../types/casts.ts';
import type { MysqlColumn } from '../types/column-types.ts';
import { aggregate, shownPart, truncate } from './aggregates.ts';
import { insertStatements } from './insert.ts';
import { geometryOf, quote, selectItem, tableName } from './names.ts';
import { MysqlPredicates } from './predicates.ts';
import { updateRows } from './update-rows.ts';
import { keptIf } from './upsert.ts';

const TEXTS: ReadonlySet<string> = new Set(['text', 'enum', 'set']);

const LONG: ReadonlySet<string> = new Set(['text', 'bytes', 'json', 'other']);
const SHORT_MOST = 512;

function isShort({ kind, maxLength = Number.POSITIVE_INFINITY }: Column): boolean {
  return !LONG.has(kind) || maxLength <= SHORT_MOST;
}

/** Enums and sets are compared as texts, so they are ordered as texts too, or pages that go by the last row would skip some. */
function orderItem(column: Column, direction: 'asc' | 'desc', name = quote(column.name)): string {
  const ordered = column.kind === 'enum' || column.kind === 'set' ? `CONCAT(${name}, '')` : name;
  return direction === 'asc' ? ordered : `${ordered} DESC`;
}

export const mysqlDialect: Dialect = {
  textType: { kind: 'text', cast: 'text' },
  intType: { kind: 'int', cast: UNSIGNED },
  quote,
  table: tableName,
  placeholder: () => '?',
  selectItem,
  predicates: (column, name, bind, how) => new MysqlPredicates(column, name, bind, how),
  orderItem,
  related: 'apart from writes',
  // Letters of another case, or with another accent, may be equal.
  equalityColumn: (column: MysqlColumn): MysqlColumn => (TEXTS.has(column.kind) ? { ...column, kind: 'bytes', isWeight: true } : column),
  // The limit is printed: the servers plan each execution, and do so quicker with fewer parameters. It is a number of ours, and few occur.
  page: (limit, offset, bind) => ` LIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${bind.int(offset)}`}`,
  // The page becomes a table in memory, where a column takes its whole width, or on disk.
  prefersJoin: ({ columns }) => columns.every(isShort),
  // MariaDB tells how many rows it reads, MySQL also which part of them it expects to match.
  keysFirst: true,
  estimate: {
    explain: (select) => `EXPLAIN ${select}`,
    rows: ([first]) => Math.round((Number(first?.get('rows') ?? 0) * Number(first?.get('filtered') ?? 100)) / 100),
  },
  truncate: truncate,
  formatPart: shownPart,
  aggregate,
  aggregateType: () => ({ type: 'decimal(65,30)', cast: 'decimal' }),
  insert: (plan) => insertStatements(plan).map((bound) => upsertMatching(plan, bound)),
  updateRows,
  generatedKeysQuery: 'SELECT LAST_INSERT_ID(), @@auto_increment_increment',
  generatedKey: 'LAST_INSERT_ID()',
  assignedValue: (column: MysqlColumn, value, bind) => geometryOf(column, bind.value(column, value)),
};

/** What is done to a row whose key is taken ends the statement: one row that does not match fails all of it. */
function upsertMatching({ table, onConflict, upsert }: InsertPlan, bound: BoundStatement): BoundStatement {
  const [key] = upsert ?? [];
  if (onConflict?.where === undefined || key === undefined || !('upsert' in bound.statement)) return bound;
  const bind = new Parameters(mysqlDialect, bound);
  const matches = qualifiedCondition(onConflict.where, table, mysqlDialect, bind);
  const text = `${bound.statement.text}, ${keptIf(matches, table, key)}`;
  return { statement: { ...bound.statement, text, types: bind.types }, params: bind.values };
}
