/**
 * PostgreSQL's SQL dialect. Parameters are untyped text: unless a cast says otherwise, the server
 * infers their type from the column.
 */
import type { Column, Table } from '../../../model/table.ts';
import type { AggregateFunction } from '../../../sql/aggregates.ts';
import { Parameters, paramType, qualifiedCondition, returningClause } from '../../../sql/compile/compile.ts';
import { InsertStatements } from '../../../sql/compile/insert-statements.ts';
import { changedColumns } from '../../../sql/compile/update-rows.ts';
import type { BoundStatement, Dialect, ParamBinder } from '../../../sql/dialect.ts';
import type { Condition, InsertPlan, UpdateRowsPlan } from '../../../sql/plan.ts';
import type { Operand, ParamType, ParamValue, StatementParam } from '../../../sql/statement.ts';
import { binaryArray } from '../types/array-binary.ts';
import { columnLiteral } from '../types/array-literal.ts';
import { isArray, isComposite, toServerNotation } from './notation.ts';
import { PostgresPredicates } from './predicates.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };

export const quote = (identifier: string): string => `"${identifier.includes('"') ? identifier.replaceAll('"', '""') : identifier}"`;

/**
 * Number of pages whose offset is part of the SQL text. A statement without parameters is planned
 * once; an unknown offset is planned on each execution.
 */
const PRINTED_PAGES = 10;

function isPrinted(limit: number, offset: number | bigint): boolean {
  return offset < limit * PRINTED_PAGES;
}

export const postgresDialect: Dialect = {
  textType: TEXT,
  intType: { kind: 'int', cast: 'int8' },
  quote,
  table: (table: Table) => `${quote(table.schema)}.${quote(table.name)}`,
  placeholder: (index: number) => `$${index}`,

  selectItem(column: Column): string {
    const name = quote(column.name);
    return isArray(column) || isComposite(column) ? `to_json(${name})` : name;
  },

  // Casts a strict value to the planned type. Otherwise the server would use the current type of
  // the column: '2024-13' is a time if the column has become one.
  predicates: (column, name, bind, how) => new PostgresPredicates(column, name, bind, how === 'strict' ? `::${column.cast}` : ''),

  orderItem(column: Column, direction: 'asc' | 'desc', name = quote(column.name)): string {
    if (!column.nullable) return direction === 'asc' ? name : `${name} DESC`;
    return direction === 'asc' ? `${name} ASC NULLS FIRST` : `${name} DESC NULLS LAST`;
  },

  memberOfArray(column, name, values, bind) {
    // Digits need no quotes.
    if (column.kind === 'int') return `${name} = ANY (${bind.text(`{${values.join(',')}}`)}::${column.cast}[])`;
    const text = (value: Operand): string =>
      typeof value === 'string' ? String(toServerNotation(column, value)) : `\\x${Buffer.from(value).toString('hex')}`;
    const items = values.map((value) => `"${text(value).replace(/["\\]/g, '\\$&')}"`);
    return `${name} = ANY (${bind.text(`{${items.join(',')}}`)}::${column.cast}[])`;
  },

  // The limit is part of the text, for better plans. It is validated, and few different limits
  // occur.
  page(limit, offset, bind): string {
    if (offset === 0) return ` LIMIT ${limit}`;
    return ` LIMIT ${limit} OFFSET ${isPrinted(limit, offset) ? offset : bind.int(offset)}`;
  },

  // Beyond those pages the server plans each execution, which takes longer for a join than a second
  // statement.
  prefersJoin: ({ limit, offset }) => isPrinted(limit, offset),

  estimate: {
    explain: (select) => `EXPLAIN ${select}`,
    rows: ([first]) => numberOf(/\brows=(\d+)/.exec(first?.values().next().value ?? '')?.[1]),
  },
  // The session's time zone is UTC.
  truncate(column, part): string {
    const start = `date_trunc('${part}', ${quote(column.name)})`;
    return column.kind === 'date' ? `${start}::date` : start;
  },
  aggregate,
  aggregateType: ({ kind }) =>
    kind === 'float' ? { type: 'double precision', cast: '"pg_catalog"."float8"' } : { type: 'numeric', cast: '"pg_catalog"."numeric"' },

  insert(plan: InsertPlan): readonly BoundStatement[] {
    if (plan.columns.length === 0) return Array.from({ length: plan.rows.count }, () => defaultsOnly(plan));
    if (plan.onConflict?.where !== undefined) return [upsertMatching(plan, plan.onConflict.where)];
    return [insertRows(plan)];
  },

  updateRows,
  assignedValue: (column: Column, value: ParamValue, bind: ParamBinder) =>
    fromJson(column, bind.value(column, toServerNotation(column, value))),
};

function defaultsOnly(plan: InsertPlan): BoundStatement {
  const { text, columns } = returned(plan);
  return {
    statement: { text: `INSERT INTO ${postgresDialect.table(plan.table)} DEFAULT VALUES${text}`, types: [], ...columns },
    params: [],
  };
}

const insertRows = (plan: InsertPlan): BoundStatement => (plan.rows.count === 1 ? insertOne(plan) : insertMany(plan));

function insertOne(plan: InsertPlan): BoundStatement {
  return { statement: ONE_ROW.of(plan), params: plan.columns.map((column, index) => toServerNotation(column, plan.rows.value(index))) };
}

const ONE_ROW = new InsertStatements((plan) => {
  const values = plan.columns.map((column, index) => fromJson(column, `$${index + 1}`));
  return { text: insertFrom(plan, `VALUES (${values.join(', ')})`), types: plan.columns.map(paramType), ...returned(plan).columns };
});

/**
 * Passes one array per column, so that any number of rows is one statement with as many parameters
 * as columns.
 */
function insertMany(plan: InsertPlan): BoundStatement {
  const { types, params } = columnArrays(plan);
  return { statement: { text: MANY_ROWS.of(plan), types, ...returned(plan).columns }, params };
}

function columnArrays({ rows, columns }: Pick<InsertPlan, 'rows' | 'columns'>): {
  readonly types: readonly ParamType[];
  readonly params: readonly StatementParam[];
} {
  const types: ParamType[] = [];
  const params = columns.map((column, index) => {
    const binary = isFlat(column) ? binaryArray(rows, index, column.cast) : undefined;
    types.push(binary === undefined ? TEXT : BINARY);
    return binary ?? columnLiteral(rows, index, (value) => toServerNotation(column, value));
  });
  return { types, params };
}

/** Uses generated column names that tables hardly use. */
function updateRows(plan: UpdateRowsPlan): readonly BoundStatement[] {
  const { columns, key } = plan;
  const table = postgresDialect.table(plan.table);
  const name = (index: number): string => `"given ${index}"`;
  const value = (column: Column, index: number): string => (isFlat(column) ? name(index) : fromText(column, name(index)));
  const lists = columns.map((column, i) => `unnest($${i + 1}::${isFlat(column) ? column.cast : 'text'}[]) AS ${name(i)}`);
  const set = changedColumns(plan).map((column) => `${quote(column.name)} = ${value(column, columns.indexOf(column))}`);
  if (set.length === 0) set.push(...key.slice(0, 1).map(({ name: same }) => `${quote(same)} = ${table}.${quote(same)}`));
  const found = key.map((column) => `${table}.${quote(column.name)} = ${value(column, columns.indexOf(column))}`);
  const [only] = key;
  // Repeats the keys in a condition, so that the planner uses their index instead of scanning the
  // table.
  if (only !== undefined && key.length === 1 && isFlat(only)) {
    const at = columns.indexOf(only);
    found.push(`${table}.${quote(only.name)} = ANY ($${at + 1}::${only.cast}[])`);
  }
  const text = `UPDATE ${table} SET ${set.join(', ')} FROM (SELECT ${lists.join(', ')}) AS "given" WHERE ${found.join(' AND ')}`;
  const { types, params } = columnArrays(plan);
  return [{ statement: { text, types }, params }];
}

const BINARY: ParamType = { kind: 'bytes', cast: '' };

/**
 * Set-returning functions in a SELECT list produce their rows one by one; in FROM they would be
 * materialized first.
 */
const MANY_ROWS = new InsertStatements((plan) => {
  const lists = plan.columns.map((column, index) => `unnest($${index + 1}::${isFlat(column) ? column.cast : 'text'}[])`);
  if (plan.columns.every(isFlat)) return insertFrom(plan, `SELECT ${lists.join(', ')}`);
  const named = lists.map((list, index) => `${list} AS c${index}`);
  const items = plan.columns.map((column, index) => (isFlat(column) ? `c${index}` : fromText(column, `c${index}`)));
  return insertFrom(plan, `SELECT ${items.join(', ')} FROM (SELECT ${named.join(', ')}) AS u`);
});

/**
 * `false` for columns whose values travel as text: `unnest` would flatten nested arrays, and boxes
 * use another separator.
 */
function isFlat(column: Column): boolean {
  return !isArray(column) && !isComposite(column) && !column.cast.endsWith('."box"');
}

/**
 * Converts JSON to a composite, because composites are shown as JSON. Other values are in the
 * server's notation.
 */
function fromJson(column: Column, source: string): string {
  return isComposite(column) ? `json_populate_record(NULL::${column.cast}, ${source}::json)` : source;
}

function fromText(column: Column, source: string): string {
  return isComposite(column) ? fromJson(column, source) : `${source}::${column.cast}`;
}

function insertFrom(plan: InsertPlan, source: string): string {
  const list = plan.columns.map((column) => quote(column.name)).join(', ');
  return `INSERT INTO ${postgresDialect.table(plan.table)} (${list}) ${source}${onConflict(plan)}${returned(plan).text}`;
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

const returned = ({ returning }: InsertPlan) => returningClause(returning, postgresDialect.selectItem);

/**
 * Upserts rows, but updates an existing row only if it matches. Rows that do not match are not
 * counted.
 */
function upsertMatching({ returning, ...plan }: InsertPlan, where: Condition): BoundStatement {
  const bound = insertRows(plan);
  const bind = new Parameters(postgresDialect, bound);
  const matches = qualifiedCondition(where, plan.table, postgresDialect, bind);
  const { text, columns } = returningClause(returning, postgresDialect.selectItem);
  const whole = `${bound.statement.text} WHERE ${matches}${text}`;
  return { statement: { ...bound.statement, text: whole, types: bind.types, ...columns }, params: bind.values };
}

/**
 * Fills gaps of the server's aggregates. UUIDs have no minimum, but their text has the same order.
 * An average has at least sixteen significant digits.
 */
function aggregate(fn: AggregateFunction, { kind }: Column, name: string): string | undefined {
  if (kind === 'uuid' && (fn === 'min' || fn === 'max')) return `${fn}(${name}::text COLLATE "C")::uuid`;
  return fn === 'avg' && kind !== 'float' ? `avg(${name} + 0.000000)` : undefined;
}

/** Updates rows whose key exists. Every row counts once. */
function onConflict(plan: InsertPlan): string {
  const key = plan.upsert;
  if (key === undefined) return '';
  const others = plan.onConflict?.set ?? plan.columns.filter((column) => !key.includes(column));
  const set = (others.length > 0 ? others : key).map((column) => `${quote(column.name)} = EXCLUDED.${quote(column.name)}`);
  return ` ON CONFLICT (${key.map((column) => quote(column.name)).join(', ')}) DO UPDATE SET ${set.join(', ')}`;
}
