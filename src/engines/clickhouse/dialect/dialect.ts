/**
 * ClickHouse's SQL dialect: typed parameters, mutations, and inserts as one block. No value of a
 * request becomes part of an SQL text.
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
  estimate: {
    explain: (select) => `EXPLAIN ESTIMATE ${select}`,
    rows: estimatedRows,
  },
  truncate: truncate,
  aggregate,
  aggregateType: aggregateType,
  insert,
  update: updateOf,
  delete: deleteOf,
};

/** Only the MergeTree family has estimates: a row for each table with parts to read. */
function estimatedRows(answer: readonly ReadonlyMap<string, string | null>[], { storage }: Table): number | undefined {
  if (answer.length === 0 && !storage.endsWith('MergeTree')) return undefined;
  return answer.reduce((sum, row) => sum + Number(row.get('rows') ?? 0), 0);
}

/** Types with timestamps whose text can be cast without double escaping. */
const TIMESTAMPS = /^(?!.*(?:String|Enum)).*\bDateTime64\(/;

/**
 * Passes timestamps as text: a mutation is stored as text, in which the server writes times before
 * 1970 in a form that it cannot parse.
 */
function placeholder(index: number, cast: string): string {
  return TIMESTAMPS.test(cast) ? `CAST({p${index}:String} AS ${cast})` : `{p${index}:${cast}}`;
}

/**
 * Functions that make a column readable: the state of an aggregate is binary, and a FixedString is
 * padded. The results have no alias, because it would also apply in the WHERE clause.
 */
const READ_THROUGH: Readonly<Record<string, string>> = { AggregateFunction: 'finalizeAggregation', FixedString: 'toString' };

function selectItem(column: Column): string {
  const name = quoteName(column.name);
  const through = READ_THROUGH[innerType(parseType(column.type)).name];
  return through === undefined ? name : `${through}(${name})`;
}

/**
 * NULLs first ascending, last descending. The SQL mentions it for nullable columns only, so that
 * other columns can be read in key order.
 */
function orderItem(column: Column, direction: 'asc' | 'desc', name = quoteName(column.name)): string {
  if (column.kind === 'float') return floatOrder(name, column.nullable, direction);
  if (!column.nullable) return `${name} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
  return direction === 'asc' ? `${name} ASC NULLS FIRST` : `${name} DESC NULLS LAST`;
}

/**
 * Orders NaN above every number, as PostgreSQL does. The server sorts NaN with NULL, so NULLs are
 * ordered by a separate term.
 */
function floatOrder(name: string, nullable: boolean, direction: 'asc' | 'desc'): string {
  const floats = direction === 'asc' ? `${name} ASC NULLS LAST` : `${name} DESC NULLS FIRST`;
  return nullable ? `isNotNull(${name}) ${direction === 'asc' ? 'ASC' : 'DESC'}, ${floats}` : floats;
}

/** Larger inserts gain nothing from company. */
const MAX_BATCHED_ROWS = 50;

function insert(plan: InsertPlan): readonly BoundStatement[] {
  if (plan.upsert !== undefined) {
    throw new DbFailure('unsupported', 'ClickHouse has no unique keys, so a row cannot be updated by inserting it again ($upsert)');
  }
  const { text, columns, rows } = plan.absent === undefined ? wholeRows(plan) : rowsWithGaps(plan, plan.absent);
  // Encodes before anything runs: a value that does not fit is rejected while nothing has been
  // written.
  const statement: ClickhouseStatement = { text, types: [], block: encodeBlock(columns, rows), isBatchable: isBatchable(plan) };
  return [{ statement, params: [] }];
}

/** Only MergeTree tables write a part for each insert. */
function isBatchable({ absent, rows, table }: InsertPlan): boolean {
  return absent === undefined && rows.count <= MAX_BATCHED_ROWS && table.storage.endsWith('MergeTree');
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
 * Inserts rows that lack columns of other rows. Each such column has a flag column, and the server
 * uses the default where it is set. The value in a gap is another row's, and is never read.
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

/** Returns a string literal for names and types of the catalog. */
function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
