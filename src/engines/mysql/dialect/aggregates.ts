/** Sums and date parts in MySQL's and MariaDB's SQL. The session's time zone is UTC. */
import type { Column } from '../../../model/table.ts';
import type { AggregateFunction, TimePart } from '../../../sql/aggregates.ts';
import { quote } from './names.ts';

/** Averages have four more digits than the column. */
const MIN_SCALE = 2;

export function aggregate(fn: AggregateFunction, { kind, scale, precision }: Column, name: string): string | undefined {
  if (fn !== 'avg' || kind === 'float' || (kind === 'decimal' && (scale ?? 0) >= MIN_SCALE)) return undefined;
  const digits = Math.min(65, (precision ?? 20) + MIN_SCALE);
  return `AVG(CAST(${name} AS DECIMAL(${digits}, ${MIN_SCALE})))`;
}

const DAYS: Readonly<Partial<Record<TimePart, (name: string) => string>>> = {
  year: (name) => `DATE(${name}) - INTERVAL DAYOFYEAR(${name}) - 1 DAY`,
  quarter: (name) => `DATE(${name}) - INTERVAL DAYOFMONTH(${name}) - 1 DAY - INTERVAL (MONTH(${name}) - 1) % 3 MONTH`,
  month: (name) => `DATE(${name}) - INTERVAL DAYOFMONTH(${name}) - 1 DAY`,
  week: (name) => `DATE(${name}) - INTERVAL WEEKDAY(${name}) DAY`,
  day: (name) => `DATE(${name})`,
};

const FORMATS: Readonly<Partial<Record<TimePart, string>>> = { hour: '%H:00:00', minute: '%H:%i:00' };

export function truncate(column: Column, part: TimePart): string {
  const name = quote(column.name);
  const day = DAYS[part]?.(name) ?? name;
  if (column.kind === 'date') return `CAST(${day} AS DATE)`;
  const time = FORMATS[part];
  return time === undefined ? `CAST(${day} AS DATETIME)` : `CAST(DATE_FORMAT(${day}, '%Y-%m-%d ${time}') AS DATETIME)`;
}

/** Formats a timestamp as text, since the servers have no cast to its type. */
export function shownPart({ kind }: Column, value: string): string {
  return kind === 'timestamptz' ? `DATE_FORMAT(${value}, '%Y-%m-%dT%H:%i:%sZ')` : value;
}
