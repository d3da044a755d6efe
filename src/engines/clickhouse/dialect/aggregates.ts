/**
 * Sums and date parts in ClickHouse's SQL. Its sums overflow silently, so numbers are widened
 * first. Its aggregates over no rows are 0 instead of NULL, unless told otherwise.
 */
import type { Column } from '../../../model/table.ts';
import type { AggregateFunction, TimePart } from '../../../sql/aggregates.ts';
import { innerType, parseType, quoteName } from '../types/type-text.ts';

/** The widest decimal has 76 digits. */
const AVERAGE_SCALE = 10;

const averageScale = (scale: number): number => Math.max(AVERAGE_SCALE, scale);

function widened({ kind, scale }: Column, name: string): string {
  if (kind === 'int') return `toInt256(${name})`;
  return kind === 'decimal' ? `toDecimal256(${name}, ${scale ?? 0})` : name;
}

export function aggregateType({ kind, scale = 0 }: Column, fn: AggregateFunction): Pick<Column, 'type' | 'cast'> {
  const exact = fn === 'avg' ? `Decimal(76, ${averageScale(scale)})` : kind === 'int' ? 'Int256' : `Decimal(76, ${scale})`;
  const type = kind === 'float' ? 'Float64' : exact;
  return { type: `Nullable(${type})`, cast: type };
}

export function aggregate(fn: AggregateFunction, column: Column, name: string): string | undefined {
  switch (fn) {
    case 'sum':
      return `sumOrNull(${widened(column, name)})`;
    case 'avg':
      return column.kind === 'float' ? `avgOrNull(${name})` : average(column, name);
    case 'min':
    case 'max':
      return textOf(column, `${fn}OrNull(${name})`);
    case 'countd':
      return `uniqExact(${name})`;
    default:
      return undefined;
  }
}

function average(column: Column, name: string): string {
  const scale = averageScale(column.scale ?? 0);
  const sum = `toDecimal256(sumOrNull(${widened(column, name)}), ${column.scale ?? 0})`;
  return `divideDecimal(${sum}, toDecimal256(greatest(count(${name}), 1), 0), ${scale})`;
}

/** Removes the padding of a FixedString. */
function textOf(column: Column, expression: string): string {
  return innerType(parseType(column.type)).name === 'FixedString' ? `toString(${expression})` : expression;
}

const PARTS: Readonly<Record<TimePart, string>> = {
  year: 'toStartOfYear',
  quarter: 'toStartOfQuarter',
  month: 'toStartOfMonth',
  week: 'toMonday',
  day: 'toStartOfDay',
  hour: 'toStartOfHour',
  minute: 'toStartOfMinute',
};

export function truncate(column: Column, part: TimePart): string {
  const name = quoteName(column.name);
  if (column.kind === 'date') return part === 'day' ? name : `toDate32(${PARTS[part]}(toDateTime64(${name}, 0, 'UTC')))`;
  const begun = `${PARTS[part]}(toTimeZone(${name}, 'UTC'))`;
  const type = innerType(parseType(column.type));
  return type.name === 'DateTime64' ? `toDateTime64(${begun}, ${column.fraction ?? 0}, 'UTC')` : `toDateTime(${begun}, 'UTC')`;
}
