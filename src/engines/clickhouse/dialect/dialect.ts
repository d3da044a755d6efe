/**
 * ClickHouse's SQL where it differs: typed parameters, comparisons that keep to SQL's rules for NULL and to values that the column
 * can hold, mutations, and inserts as one block. Nothing of a request becomes text.
 */
import type { Column, Table } from '../../../model/table.ts';
import type { Binder, Dialect, Ready } from '../../../sql/dialect.ts';
import type { Comparison, InsertPlan, Operator } from '../../../sql/plan.ts';
import { RowValues } from '../../../sql/rows.ts';
import type { InsertBlock } from '../../../sql/statement.ts';
import { DbFailure } from '../../engine.ts';
import { encodeBlock } from '../protocol/block.ts';
import { type Fit, fitOf } from '../types/fit.ts';
import { isSortable } from '../types/kinds.ts';
import { type ChType, innerType, parameterType, parseType, quoteName } from '../types/type-text.ts';
import { joinCounted } from './counted.ts';

const TEXT_TYPE = { kind: 'text', cast: 'String' } as const;
const COUNT_TYPE = { kind: 'int', cast: 'UInt64' } as const;

export const clickhouseDialect: Dialect = {
  textType: TEXT_TYPE,
  intType: COUNT_TYPE,
  quote: quoteName,
  table: (table: Table) => `${quoteName(table.schema)}.${quoteName(table.name)}`,
  placeholder,
  selectItem,
  comparison,
  orderItem,
  page: (limit, offset, bind) => ` LIMIT ${bind.int(limit)}${offset === 0 ? '' : ` OFFSET ${bind.int(offset)}`}`,
  insert,
  update: (table, set, where) => {
    return joinCounted({ count: countOf(table, where), writes: [`ALTER TABLE ${table} UPDATE ${set} WHERE ${where}`] });
  },
  // A lightweight DELETE only marks rows; table engines that cannot (Memory) rewrite instead.
  delete: (table, where) => {
    const writes = [`DELETE FROM ${table} WHERE ${where}`, `ALTER TABLE ${table} DELETE WHERE ${where}`];
    return joinCounted({ count: countOf(table, where), writes });
  },
};

/** Types with moments in them, of which a text can be cast as it is: nothing in it is escaped twice. */
const MOMENTS = /^(?!.*(?:String|Enum)).*\bDateTime64\(/;

/** Moments travel as texts: a mutation is kept as text itself, where the server writes one before 1970 in a way that it cannot read. */
function placeholder(index: number, cast: string): string {
  return MOMENTS.test(cast) ? `CAST({p${index}:String} AS ${cast})` : `{p${index}:${cast}}`;
}

function countOf(table: string, where: string): string {
  return `SELECT count() FROM ${table} WHERE ${where}`;
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
function orderItem(column: Column, direction: 'asc' | 'desc'): string {
  const name = quoteName(column.name);
  if (column.kind === 'float') return floatOrder(name, column.nullable, direction);
  if (!column.nullable) return `${name} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
  return direction === 'asc' ? `${name} ASC NULLS FIRST` : `${name} DESC NULLS LAST`;
}

/** NaN is above every number, as on PostgreSQL. The server puts it where NULLs go, so these are ordered before it by themselves. */
function floatOrder(name: string, nullable: boolean, direction: 'asc' | 'desc'): string {
  const floats = direction === 'asc' ? `${name} ASC NULLS LAST` : `${name} DESC NULLS FIRST`;
  return nullable ? `isNotNull(${name}) ${direction === 'asc' ? 'ASC' : 'DESC'}, ${floats}` : floats;
}

/** What stands left of an operator, and how a value of the column is bound for it. */
interface Side {
  readonly text: string;
  readonly bind: (value: string) => string;
}

function comparison(plan: Comparison, bind: Binder): string {
  const type = innerType(parseType(plan.column.type));
  const { op } = plan;
  // The engine has no type of raw bytes: every value is a text.
  const values = plan.values.map(String);
  const [first = '', second = ''] = values;
  if (op === 'li' || op === 'rli' || op === 'nli' || op === 'il') return pattern(op, plan.column, type, bind.text(first));
  const side = sideOf(plan.column, type, bind);
  if (plan.column.kind === 'float') return floatComparison(op, side, values);
  if (op === 'bw') return `${ordered('ge', side, type, first)} AND ${ordered('le', side, type, second)}`;
  if (op === 'in' || op === 'nin') return listed(op, side, type, values);
  if (op === 'eq' || op === 'ne') return listed(op === 'eq' ? 'in' : 'nin', side, type, [first]);
  return ordered(op, side, type, first);
}

/** Types that no typed parameter can spell. */
const COMPARED_BY_TEXT = /^(Interval\w+|Nothing|Map|JSON|Object|Variant|Dynamic|AggregateFunction|Geometry|QBit)$/;

/** Compared in the order that ORDER BY has, so that paging by key and filtering agree; what has no such order is compared by its text. */
function isComparedByText(type: ChType): boolean {
  return COMPARED_BY_TEXT.test(type.name) || !isSortable(type);
}

function sideOf(column: Column, type: ChType, bind: Binder): Side {
  const name = quoteName(column.name);
  if (type.name === 'String' || type.name === 'FixedString') return { text: name, bind: (value) => bind.text(value) };
  if (isComparedByText(type)) {
    return { text: column.kind === 'json' ? `toJSONString(${name})` : `toString(${name})`, bind: (value) => bind.text(value) };
  }
  const bound = { ...column, cast: parameterType(type) };
  return { text: name, bind: (value) => bind.value(bound, value) };
}

/** True, and false, for every value but NULL. */
const always = (side: Side): string => `${side.text} = ${side.text}`;
const never = (side: Side): string => `${side.text} <> ${side.text}`;

function listed(op: 'in' | 'nin', side: Side, type: ChType, values: readonly string[]): string {
  const held = values.map((value) => standingOf(type, value)).filter((found) => found.side === 'within' && found.exact);
  if (held.length === 0) return op === 'in' ? never(side) : always(side);
  const [only] = held;
  if (held.length === 1 && only !== undefined) return `${side.text} ${op === 'in' ? '=' : '<>'} ${side.bind(only.text)}`;
  return `${side.text} ${op === 'in' ? 'IN' : 'NOT IN'} (${held.map((found) => side.bind(found.text)).join(', ')})`;
}

type OrderOperator = Extract<Operator, 'lt' | 'le' | 'gt' | 'ge'>;

const SIGNS: Readonly<Record<OrderOperator, string>> = { lt: '<', le: '<=', gt: '>', ge: '>=' };

/** A value between two that the column can hold lies above the lower one: `< 1.5` of whole numbers is `<= 1`. */
const ROUNDED_SIGNS: Readonly<Record<OrderOperator, string>> = { lt: '<=', le: '<=', gt: '>', ge: '>' };

function ordered(op: OrderOperator, side: Side, type: ChType, value: string): string {
  const found = standingOf(type, value);
  if (found.side !== 'within') return (found.side === 'above') === (op === 'lt' || op === 'le') ? always(side) : never(side);
  return `${side.text} ${(found.exact ? SIGNS : ROUNDED_SIGNS)[op]} ${side.bind(found.text)}`;
}

const NAN = 'NaN';

/** Of floats NaN equals itself and is above every number, in the order of `floatOrder`; the server compares it with nothing. */
function floatComparison(op: Exclude<Operator, 'li' | 'rli' | 'nli' | 'il'>, side: Side, values: readonly string[]): string {
  const isNan = `isNaN(${side.text})`;
  const [first = '', second = ''] = values;
  switch (op) {
    case 'lt':
      return first === NAN ? `NOT ${isNan}` : `${side.text} < ${side.bind(first)}`;
    case 'le':
      return first === NAN ? `${isNan} IN (0, 1)` : `${side.text} <= ${side.bind(first)}`;
    case 'gt':
      return first === NAN ? `${isNan} NOT IN (0, 1)` : `(${side.text} > ${side.bind(first)} OR ${isNan})`;
    case 'ge':
      return first === NAN ? isNan : `(${side.text} >= ${side.bind(first)} OR ${isNan})`;
    case 'bw':
      return `${floatComparison('ge', side, [first])} AND ${floatComparison('le', side, [second])}`;
    case 'ne':
    case 'nin':
      return `NOT (${floatComparison('in', side, values)})`;
    default:
      return values.map((value) => (value === NAN ? isNan : `${side.text} = ${side.bind(value)}`)).join(' OR ');
  }
}

function standingOf(type: ChType, value: string): Fit {
  if (isComparedByText(type)) return { side: 'within', exact: true, text: value };
  const found = fitOf(type, value);
  if (found === undefined) throw new DbFailure('invalid', `the value is no ${type.name}`);
  return found;
}

/** Searches for the text itself: no pattern language, so nothing in it needs escaping. */
function pattern(op: 'li' | 'rli' | 'nli' | 'il', column: Column, type: ChType, placeholder: string): string {
  const name = quoteName(column.name);
  const text = type.name === 'String' ? name : type.name === 'FixedString' ? `CAST(${name}, ${castToText(column)})` : `toString(${name})`;
  switch (op) {
    case 'li':
      return `position(${text}, ${placeholder}) > 0`;
    case 'nli':
      return `position(${text}, ${placeholder}) = 0`;
    case 'rli':
      return `startsWith(${text}, ${placeholder})`;
    case 'il':
      return `position(lowerUTF8(${text}), lowerUTF8(${placeholder})) > 0`;
  }
}

function castToText(column: Column): string {
  return column.nullable ? `'Nullable(String)'` : `'String'`;
}

function insert(plan: InsertPlan): readonly Ready[] {
  if (plan.upsert) {
    throw new DbFailure('unsupported', 'ClickHouse has no unique keys, so a row cannot be updated by inserting it again ($upsert)');
  }
  const { text, block } = plan.absent === undefined ? wholeRows(plan) : rowsWithGaps(plan, plan.absent);
  encodeBlock(block);
  return [{ statement: { text, types: [], block }, params: [] }];
}

interface Insertion {
  readonly text: string;
  readonly block: InsertBlock;
}

const into = (plan: InsertPlan): string =>
  `INSERT INTO ${clickhouseDialect.table(plan.table)} (${plan.columns.map((column) => quoteName(column.name)).join(', ')})`;

const blockColumn = (column: Column) => ({ name: column.name, cast: column.type, kind: column.kind });

function wholeRows(plan: InsertPlan): Insertion {
  return { text: `${into(plan)} FORMAT Native`, block: { columns: plan.columns.map(blockColumn), rows: plan.rows } };
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
  const marks = gaps.map((index) => ({ name: `absent ${index}`, cast: 'UInt8', kind: 'int' }));
  const columns = [...plan.columns.map(blockColumn), ...marks];
  const items = plan.columns.map((column, index) => {
    const name = quoteName(column.name);
    if (!gaps.includes(index)) return name;
    return `if(${quoteName(`absent ${index}`)}, CAST((${column.default ?? 'NULL'}), ${literal(column.type)}), ${name})`;
  });
  const structure = columns.map(({ name, cast }) => `${quoteName(name)} ${cast}`).join(', ');
  return {
    text: `${into(plan)} SELECT ${items.join(', ')} FROM input(${literal(structure)}) FORMAT Native`,
    block: { columns, rows: RowValues.of(columns.length, rows) },
  };
}

/** Types and names of the catalogue as a text of the server's. */
function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
