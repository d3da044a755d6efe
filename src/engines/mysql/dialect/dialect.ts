/**
 * SQL dialect of MySQL and MariaDB. A text depends only on the shape of a request, so that the
 * server has the statement prepared. No I/O.
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
const MAX_SHORT_LENGTH = 512;

function isShort({ kind, maxLength = Number.POSITIVE_INFINITY }: Column): boolean {
  return !LONG.has(kind) || maxLength <= MAX_SHORT_LENGTH;
}

/** Orders enums and sets as text, as they are compared: otherwise keyset pages would skip rows. */
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
  // Equal text may differ in case or accents.
  equalityColumn: (column: MysqlColumn): MysqlColumn => (TEXTS.has(column.kind) ? { ...column, kind: 'bytes', isWeight: true } : column),
  // The limit is part of the text: the servers plan each execution, faster with fewer parameters.
  // It is validated, and few limits occur.
  page: (limit, offset, bind) => ` LIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${bind.int(offset)}`}`,
  // The page becomes a temporary table, where columns take their whole width, or are on disk.
  prefersJoin: ({ columns }) => columns.every(isShort),
  // MariaDB estimates the rows that it reads, MySQL also the percentage that matches.
  keysFirst: true,
  estimate: {
    // The default format is a setting of the server.
    explain: (select) => `EXPLAIN FORMAT=TRADITIONAL ${select}`,
    rows: ([first]) => {
      const rows = first?.get('rows');
      return rows === undefined ? undefined : Math.round((Number(rows ?? 0) * Number(first?.get('filtered') ?? 100)) / 100);
    },
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

/** Fails the statement if an existing row does not match. */
function upsertMatching({ table, onConflict, upsert }: InsertPlan, bound: BoundStatement): BoundStatement {
  const [key] = upsert ?? [];
  if (onConflict?.where === undefined || key === undefined || !('upsert' in bound.statement)) return bound;
  const bind = new Parameters(mysqlDialect, bound);
  const matches = qualifiedCondition(onConflict.where, table, mysqlDialect, bind);
  const text = `${bound.statement.text}, ${keptIf(matches, table, key)}`;
  return { statement: { ...bound.statement, text, types: bind.types }, params: bind.values };
}
