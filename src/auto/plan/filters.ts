/**
 * Turns parsed filters into conditions: looks up columns and checks values against their types.
 * Every error names the column; no filter is dropped.
 */
import { apiError } from '../../errors.ts';
import type { Column, Kind, Table } from '../../model/table.ts';
import { OPERATORS, type Operator } from '../../sql/operators.ts';
import type { Condition } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import type { RawFilter, RawValue } from '../request/filter-syntax.ts';
import { fromText, InvalidValue } from './values.ts';

/** A table or anything else with named columns. */
type QueryableTable = Pick<Table, 'byName' | 'viewRights'>;

const TEXT_KINDS = new Set(['text', 'enum', 'set']);

export function findColumn(table: QueryableTable, name: string): Column {
  const column = table.byName.get(name);
  if (column === undefined) throw apiError('column_unknown', name);
  return column;
}

/** Finds a column that may be used in filters, orders, groups and aggregates. */
export function findQueryable(table: QueryableTable, name: string): Column {
  const column = findColumn(table, name);
  if (table.viewRights?.readable.has(column) === false) throw apiError('column_unknown', name);
  if (table.viewRights?.masked.has(column)) throw apiError('column_masked', name);
  return column;
}

/** Combines filters with AND; `undefined` for an empty list. */
export function conditionOf(filters: readonly RawFilter[], table: QueryableTable): Condition | undefined {
  const [first] = filters;
  if (first === undefined) return undefined;
  return filters.length === 1 ? toCondition(first, table) : { op: 'and', of: filters.map((filter) => toCondition(filter, table)) };
}

function toCondition(filter: RawFilter, table: QueryableTable): Condition {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, of: filter.of.map((part) => toCondition(part, table)) };
    case 'not':
      return { op: 'not', of: toCondition(filter.of, table) };
    case 'null':
    case 'notnull':
      return { op: filter.op, column: findQueryable(table, filter.column) };
    case 'has':
    case 'hasnot':
      if (filter.condition === undefined) throw new Error('the relation was not resolved');
      return filter.condition;
    default:
      return comparison(filter.op, findQueryable(table, filter.column), filter.values);
  }
}

export function comparison(op: Operator, column: Column, raw: readonly RawValue[]): Condition {
  const { columns, values } = OPERATORS[op];
  if (columns === 'text') {
    if (!TEXT_KINDS.has(column.kind)) throw apiError('column_not_text', column.name, op);
    return { op, column, values: [raw[0]?.text ?? ''] };
  }
  if (!column.sortable) throw apiError('column_not_comparable', column.name, op);
  if (values === 'range') return { op, column, values: range(column, raw) };
  return { op, column, values: raw.map(({ text }) => checkOperand(column, text)) };
}

export function checkOperand(column: Column, text: string): Operand {
  try {
    return fromText(column, text, 'compare');
  } catch (error) {
    if (error instanceof InvalidValue) throw apiError('value_invalid', column.name, error.message);
    throw error;
  }
}

function tryOperand(column: Column, text: string): Operand | undefined {
  try {
    return fromText(column, text, 'compare');
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
}

const PLAIN_DATE = /^\d{4,6}-\d\d-\d\d$/;
const TIMESTAMPS: ReadonlySet<Kind> = new Set<Kind>(['timestamp', 'timestamptz']);

/** A timestamp range that ends with a date includes that whole day. */
function endOfDay({ kind, fraction = 9 }: Column, text: string): string {
  if (!TIMESTAMPS.has(kind) || !PLAIN_DATE.test(text)) return text;
  return `${text}T23:59:59${fraction === 0 ? '' : `.${'9'.repeat(fraction)}`}`;
}

const MAX_SPLITS = 64;

/** Splits an unquoted range at the only dot where both halves fit the column's type. */
function range(column: Column, raw: readonly RawValue[]): readonly Operand[] {
  const [low, high] = raw;
  if (low === undefined) throw apiError('range_invalid', column.name);
  if (high !== undefined) return [checkOperand(column, low.text), checkOperand(column, endOfDay(column, high.text))];
  const { text } = low;
  let result: readonly Operand[] | undefined;
  let splits = 0;
  for (let dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', dot + 1)) {
    if (++splits > MAX_SPLITS) throw apiError('range_ambiguous', column.name);
    const from = tryOperand(column, text.slice(0, dot));
    const to = tryOperand(column, endOfDay(column, text.slice(dot + 1)));
    if (from === undefined || to === undefined) continue;
    if (result !== undefined) throw apiError('range_ambiguous', column.name);
    result = [from, to];
  }
  if (result === undefined) throw apiError('range_invalid', column.name);
  return result;
}
