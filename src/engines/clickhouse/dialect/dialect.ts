/**
 * ClickHouse's SQL where it differs from that of other engines: typed parameters, mutations, and inserts as one block. No value of a request
 * becomes part of a text.
 */
import type { Column, Table } from '../../../model/table.ts';
import type { BoundStatement, Dialect } from '../../../sql/dialect.ts';
import type { InsertPlan } from '../../../sql/plan.ts';
import { RowValues } from '../../../sql/rows.ts';
import { DbFailure } from '../../contract/engine.ts';
import type { ClickhouseStatement } from '../statement.ts';
import { type ColumnShape, encodeBlock } from '../types/block.ts';
import { innerType, parseType, quoteName } from '../types/type-text.ts';
import { aggregate, aggregateType, truncate } from './aggregates.ts';
import { deleteOf, updateOf } from './changes.ts';
import { clickhousePredicates } from './predicates.ts';

const TEXT_TYPE = { kind: 'text', cast: 'String' } as const;
const COUNT_TYPE = { kind: 'int', cast: 'UInt64' } as const;

export const clickhouseDialect: Dialect = {
  textType: TEXT_TYPE,
  intType: COUNT_TYPE,
  quote: quoteName,
  table: (table: Table) => `${quoteName(table.schema)}.${quoteName(table.name)}`,
  placeholder,
  selectItem,
  predicates: clickhousePredicates,
  orderItem,
  related: 'uncorrelated',
  limitPerGroup: (limit, group) => `LIMIT ${limit} BY ${group.join(', ')}`,
  page: (limit, offset, bind) => ` LIMIT ${bind.int(limit)}${offset === 0 ? '' : ` OFFSET ${bind.int(offset)}`}`,
  // Only tables of the MergeTree family can tell.
  estimate: {
    explain: (select) => `EXPLAIN ESTIMATE ${select}`,
    rows: (answer) => (answer.length === 0 ? undefined : answer.reduce((sum, row) => sum + Number(row.get('rows') ?? 0), 0)),
  },
  truncate: truncate,
  aggregate,
  aggregateType: aggregateType,
  insert,
  update: updateOf,
  delete: deleteOf,
};

/** Types with moments in them, of which a text can be cast as it is: nothing in it is escaped twice. */
const MOMENTS = /^(?!.*(?:String|Enum)).*\bDateTime64\(/;

/** Moments travel as texts: a mutation is kept as text itself, where the server writes one before 1970 in a way that it cannot read. */
function placeholder(index: number, cast: string): string {
  return MOMENTS.test(cast) ? `CAST({p${index}:String} AS ${cast})` : `{p${index}:${cast}}`;
}

/**
 * A state of an aggregate is bytes of the server's own, and what a reader wants is its result; a FixedString's padding is no part of
 * its text. Neither gets a name, since a name would stand for the expression in the WHERE clause too.
 */
const READ_THROUGH: Readonly<Record<string, string>> = { AggregateFunction: 'finalizeAggregation', FixedString: 'toString' };

function selectItem(column: Column): string {
  const name = quoteName(column.name);
  const through = READ_THROUGH[innerType(parseType(column.type)).name];
  return through === undefined ? name : `${through}(${name})`;
}

/** NULLs first ascending and last descending; said only where there can be one, so that reading in key order stays possible. */
function orderItem(column: Column, direction: 'asc' | 'desc', name = quoteName(column.name)): string {
  if (column.kind === 'float') return floatOrder(name, column.nullable, direction);
  if (!column.nullable) return `${name} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
  return direction === 'asc' ? `${name} ASC NULLS FIRST` : `${name} DESC NULLS LAST`;
}

/** NaN is above every number, as on PostgreSQL. The server puts it where NULLs go, so these are ordered before it by themselves. */
function floatOrder(name: string, nullable: boolean, direction: 'asc' | 'desc'): string {
  const floats = direction === 'asc' ? `${name} ASC NULLS LAST` : `${name} DESC NULLS FIRST`;
  return nullable ? `isNotNull(${name}) ${direction === 'asc' ? 'ASC' : 'DESC'}, ${floats}` : floats;
}

function insert(plan: InsertPlan): readonly BoundStatement[] {
  if (plan.upsert !== undefined) {
    throw new DbFailure('unsupported', 'ClickHouse has no unique keys, so a row cannot be updated by inserting it again ($upsert)');
  }
  const { text, columns, rows } = plan.absent === undefined ? wholeRows(plan) : rowsWithGaps(plan, plan.absent);
  // Encoded before anything runs: a value that does not fit is found out while nothing has been written.
  const statement: ClickhouseStatement = { text, types: [], block: encodeBlock(columns, rows), isOneOfMany: plan.absent === undefined };
  return [{ statement, params: [] }];
}

interface Insertion {
  readonly text: string;
  readonly columns: readonly ColumnShape[];
  readonly rows: RowValues;
}

const into = (plan: InsertPlan): string =>
  `INSERT INTO ${clickhouseDialect.table(plan.table)} (${plan.columns.map((column) => quoteName(column.name)).join(', ')})`;

const shapeOf = ({ name, type }: Column): ColumnShape => ({ name, type });

function wholeRows(plan: InsertPlan): Insertion {
  return { text: `${into(plan)} FORMAT Native`, columns: plan.columns.map(shapeOf), rows: plan.rows };
}

/**
 * Rows that lack columns which others have: beside each such column travels a mark, and the server puts the column's default where it is
 * set. What stands in a gap is never read; it is a value that another row gives, so that it can be encoded.
 */
function rowsWithGaps(plan: InsertPlan, absent: readonly ReadonlySet<number>[]): Insertion {
  const gaps = plan.columns.flatMap((_, index) => (absent.some((missing) => missing.has(index)) ? [index] : []));
  const given = absent.map((_, at) => plan.rows.row(at));
  const fillers = plan.columns.map((_, index) => given.find((__, row) => absent[row]?.has(index) === false)?.[index] ?? null);
  const rows = given.map((row, at) => {
    const missing = absent[at] ?? new Set();
    const values = row.map((value, index) => (missing.has(index) ? (fillers[index] ?? null) : value));
    return [...values, ...gaps.map((index) => (missing.has(index) ? '1' : '0'))];
  });
  const marks = gaps.map((index) => ({ name: `absent ${index}`, type: 'UInt8' }));
  const columns = [...plan.columns.map(shapeOf), ...marks];
  const items = plan.columns.map((column, index) => {
    const name = quoteName(column.name);
    if (!gaps.includes(index)) return name;
    return `if(${quoteName(`absent ${index}`)}, CAST((${column.default ?? 'NULL'}), ${literal(column.type)}), ${name})`;
  });
  const structure = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  return {
    text: `${into(plan)} SELECT ${items.join(', ')} FROM input(${literal(structure)}) FORMAT Native`,
    columns,
    rows: RowValues.of(columns.length, rows),
  };
}

/** Types and names of the catalogue as a text of the server's. */
function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
