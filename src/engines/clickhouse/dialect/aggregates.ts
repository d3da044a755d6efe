/**
 * Sums and date parts in ClickHouse's SQL. Its sums overflow silently, so numbers are widened
 * first, and the widest are checked. Its aggregates over no rows are 0 instead of NULL, unless told
 * otherwise.
 */
import type { Column } from '../../../model/table.ts';
import type { AggregateFunction, TimePart } from '../../../sql/aggregates.ts';
import { innerType, parseType, quoteName } from '../types/type-text.ts';

/** The widest decimal has 76 digits. */
const AVERAGE_SCALE = 10;

const averageScale = (scale: number): number => Math.max(AVERAGE_SCALE, scale);

const typeOf = (column: Column): string => innerType(parseType(column.type)).name;

function widened(column: Column, name: string): string {
  const { kind, scale } = column;
  // Its values beyond those of Int256 would become negative.
  if (typeOf(column) === 'UInt256') return name;
  if (kind === 'int') return `toInt256(${name})`;
  return kind === 'decimal' ? `toDecimal256(${name}, ${scale ?? 0})` : name;
}

/** Sums that a type can hold, less the error of a sum of floats. */
const MAX_SUMS: Readonly<Record<string, number>> = { UInt256: 1.15e77, Int256: 5.78e76 };
/** Decimals with more digits have the widest type already. */
const NARROW_DIGITS = 38;

/** `undefined` if no number of rows reaches it. */
function maxSum(column: Column): number | undefined {
  if (column.kind !== 'decimal') return MAX_SUMS[typeOf(column)];
  return (column.precision ?? 0) > NARROW_DIGITS ? Number(`5.78e${76 - (column.scale ?? 0)}`) : undefined;
}

export const SUM_TOO_LARGE = 'the sum is too large';

const floatSum = (name: string): string => `abs(ifNull(sum(ifNull(toFloat64(${name}), 0)), 0))`;

/** Fails the statement instead of returning a wrong number. */
const unless = (condition: string, value: string): string => `if(throwIf(${condition}, '${SUM_TOO_LARGE}') = 0, ${value}, NULL)`;

function sum(column: Column, name: string): string {
  const total = `sumOrNull(${widened(column, name)})`;
  const max = maxSum(column);
  return max === undefined ? total : unless(`${floatSum(name)} > ${max}`, total);
}

export function aggregateType(column: Column, fn: AggregateFunction): Pick<Column, 'type' | 'cast'> {
  const { kind, scale = 0 } = column;
  const whole = typeOf(column) === 'UInt256' ? 'UInt256' : 'Int256';
  const exact = fn === 'avg' ? `Decimal(76, ${averageScale(scale)})` : kind === 'int' ? whole : `Decimal(76, ${scale})`;
  const type = kind === 'float' ? 'Float64' : exact;
  return { type: `Nullable(${type})`, cast: type };
}

export function aggregate(fn: AggregateFunction, column: Column, name: string): string | undefined {
  switch (fn) {
    case 'sum':
      return sum(column, name);
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
  const { scale = 0 } = column;
  const digits = averageScale(scale);
  const total = `toDecimal256(sumOrNull(${widened(column, name)}), ${scale})`;
  const count = `greatest(count(${name}), 1)`;
  const value = `divideDecimal(${total}, toDecimal256(${count}, 0), ${digits})`;
  if (maxSum(column) === undefined) return value;
  // Decimals have 76 digits.
  return unless(`${floatSum(name)} > 9.9e${75 - scale} OR ${floatSum(name)} / ${count} > 9.9e${75 - digits}`, value);
}

/** Removes the padding of a FixedString. */
function textOf(column: Column, expression: string): string {
  return typeOf(column) === 'FixedString' ? `toString(${expression})` : expression;
}

/** The server's own functions return dates between 1970 and 2149. */
const DAYS: Readonly<Record<TimePart, (day: string) => string>> = {
  year: (day) => `addDays(${day}, 1 - toDayOfYear(${day}))`,
  quarter: (day) => `addMonths(addDays(${day}, 1 - toDayOfMonth(${day})), -((toMonth(${day}) - 1) % 3))`,
  month: (day) => `addDays(${day}, 1 - toDayOfMonth(${day}))`,
  week: (day) => `addDays(${day}, 1 - toDayOfWeek(${day}))`,
  day: (day) => day,
  hour: (day) => day,
  minute: (day) => day,
};

/** Adds the time of day. */
const TIMES: Readonly<Partial<Record<TimePart, (start: string, time: string) => string>>> = {
  hour: (start, time) => `addHours(${start}, toHour(${time}))`,
  minute: (start, time) => `addMinutes(${start}, toHour(${time}) * 60 + toMinute(${time}))`,
};

export function truncate(column: Column, part: TimePart): string {
  const name = quoteName(column.name);
  if (column.kind === 'date') return part === 'day' ? name : DAYS[part](`toDate32(${name})`);
  const time = `toTimeZone(${name}, 'UTC')`;
  const start = `toDateTime64(${DAYS[part](`toDate32(${time})`)}, ${column.fraction ?? 0}, 'UTC')`;
  return TIMES[part]?.(start, time) ?? start;
}
