// The meaning of filters, reimplemented in TypeScript: SQL's three-valued logic over rows in
// memory, and the order of pages. Shares no code with the service, so that the two can disagree.
import type { LogicalType, LogicalValue } from './logical-types.ts';

export interface LogicalColumn {
  readonly name: string;
  readonly type: LogicalType;
  readonly nullable: boolean;
}

export interface LogicalRow {
  readonly id: number;
  readonly values: readonly (LogicalValue | null)[];
}

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'gt' | 'le' | 'ge' | 'bw' | 'in' | 'nin' | 'li' | 'rli' | 'nli' | 'il';

export const ORDER_OPERATORS = ['eq', 'ne', 'lt', 'gt', 'le', 'ge', 'bw', 'in', 'nin'] as const;
export const TEXT_OPERATORS = ['li', 'rli', 'nli', 'il'] as const;

export type Filter =
  | { readonly op: ComparisonOperator; readonly column: number; readonly values: readonly LogicalValue[] }
  | { readonly op: 'null' | 'notnull'; readonly column: number }
  | { readonly op: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly op: 'not'; readonly of: readonly Filter[] };

/** Undefined is SQL's unknown. */
type Truth = boolean | undefined;

type Test = (compare: (value: LogicalValue) => number, text: string, values: readonly LogicalValue[]) => boolean;

/** `compare(value)` is the cell against the value: negative when the cell is less. */
const TESTS: Readonly<Record<ComparisonOperator, Test>> = {
  eq: (compare, _, [value = 0]) => compare(value) === 0,
  ne: (compare, _, [value = 0]) => compare(value) !== 0,
  lt: (compare, _, [value = 0]) => compare(value) < 0,
  gt: (compare, _, [value = 0]) => compare(value) > 0,
  le: (compare, _, [value = 0]) => compare(value) <= 0,
  ge: (compare, _, [value = 0]) => compare(value) >= 0,
  bw: (compare, _, [low = 0, high = 0]) => compare(low) >= 0 && compare(high) <= 0,
  in: (compare, _, values) => values.some((value) => compare(value) === 0),
  nin: (compare, _, values) => values.every((value) => compare(value) !== 0),
  li: (_, text, [value = '']) => text.includes(String(value)),
  rli: (_, text, [value = '']) => text.startsWith(String(value)),
  nli: (_, text, [value = '']) => !text.includes(String(value)),
  il: (_, text, [value = '']) => text.toLowerCase().includes(String(value).toLowerCase()),
};

function truth(filter: Filter, row: LogicalRow, columns: readonly LogicalColumn[]): Truth {
  switch (filter.op) {
    case 'and':
    case 'or':
      return joined(filter.op, filter.of, row, columns);
    case 'not': {
      const inner = joined('and', filter.of, row, columns);
      return inner === undefined ? undefined : !inner;
    }
    case 'null':
    case 'notnull':
      return (row.values[filter.column] === null) === (filter.op === 'null');
    default:
      return compared(filter, row, columns);
  }
}

function compared(filter: Extract<Filter, { values: unknown }>, row: LogicalRow, columns: readonly LogicalColumn[]): Truth {
  const cell = row.values[filter.column] ?? null;
  const type = columns[filter.column]?.type;
  if (cell === null || type === undefined) return undefined;
  return TESTS[filter.op]((value) => type.compare(cell, value), String(cell), filter.values);
}

function joined(op: 'and' | 'or', parts: readonly Filter[], row: LogicalRow, columns: readonly LogicalColumn[]): Truth {
  const decisive = op === 'or';
  let result: Truth = !decisive;
  for (const part of parts) {
    const found = truth(part, row, columns);
    if (found === decisive) return decisive;
    if (found === undefined) result = undefined;
  }
  return result;
}

/** The rows that match all filters. */
export function matching(rows: readonly LogicalRow[], filters: readonly Filter[], columns: readonly LogicalColumn[]): LogicalRow[] {
  return rows.filter((row) => joined('and', filters, row, columns) === true);
}

/** Number of rows in a group, and aggregates of one column. */
export interface Sums {
  readonly group: LogicalValue | null;
  readonly rows: number;
  readonly values: number;
  readonly different: number;
  readonly least: LogicalValue | null;
  readonly most: LogicalValue | null;
}

/**
 * Groups rows by one column and aggregates another. Without a column to group by there is exactly
 * one group, even without rows.
 */
export function summed(rows: readonly LogicalRow[], by: number | undefined, of: number, columns: readonly LogicalColumn[]): Sums[] {
  const type = columns[of]?.type;
  const groups: { group: LogicalValue | null; rows: LogicalRow[] }[] = by === undefined ? [{ group: null, rows: [] }] : [];
  for (const row of rows) {
    const value = by === undefined ? null : (row.values[by] ?? null);
    const known = groups.find(({ group }) => compareCells(group, value, by === undefined ? undefined : columns[by]?.type) === 0);
    if (known === undefined) groups.push({ group: value, rows: [row] });
    else known.rows.push(row);
  }
  return groups.map(({ group, rows: found }) => {
    const values = found.flatMap((row) => row.values[of] ?? []).sort((a, b) => type?.compare(a, b) ?? 0);
    const different = values.filter((value, i) => i === 0 || type?.compare(values[i - 1] as LogicalValue, value) !== 0).length;
    return { group, rows: found.length, values: values.length, different, least: values[0] ?? null, most: values.at(-1) ?? null };
  });
}

export interface OrderBy {
  /** Undefined is the column `id`. */
  readonly column: number | undefined;
  readonly direction: 'asc' | 'desc';
}

/** NULL sorts before every value in ascending order. */
export function ordered(rows: readonly LogicalRow[], order: readonly OrderBy[], columns: readonly LogicalColumn[]): LogicalRow[] {
  return [...rows].sort((a, b) => {
    for (const { column, direction } of order) {
      const found =
        column === undefined ? a.id - b.id : compareCells(a.values[column] ?? null, b.values[column] ?? null, columns[column]?.type);
      if (found !== 0) return direction === 'asc' ? found : -found;
    }
    return 0;
  });
}

function compareCells(a: LogicalValue | null, b: LogicalValue | null, type: LogicalType | undefined): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return type?.compare(a, b) ?? 0;
}
