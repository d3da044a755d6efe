/** The functions of `$agg` and the time parts of `$group`, one row each. Pure. */
import type { Column, Kind } from '../model/table.ts';

export interface AggregateRow {
  /**
   * Accepted column kinds; `comparable`: all sortable columns; `any`: all columns, or no column.
   */
  readonly kinds: ReadonlySet<Kind> | 'comparable' | 'any';
  /** Kind of the result for a column. */
  kind(column: Column): Kind;
  sql(name: string): string;
}

const NUMBERS: ReadonlySet<Kind> = new Set<Kind>(['int', 'decimal', 'float']);
const ORDERED: ReadonlySet<Kind> = new Set<Kind>([
  ...NUMBERS,
  'text',
  'enum',
  'set',
  'uuid',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'other',
]);

export const AGGREGATES = {
  count: { kinds: 'any', kind: () => 'int', sql: (name) => `count(${name})` },
  countd: { kinds: 'comparable', kind: () => 'int', sql: (name) => `count(DISTINCT ${name})` },
  sum: { kinds: NUMBERS, kind: ({ kind }) => kind, sql: (name) => `sum(${name})` },
  avg: { kinds: NUMBERS, kind: ({ kind }) => (kind === 'float' ? 'float' : 'decimal'), sql: (name) => `avg(${name})` },
  min: { kinds: ORDERED, kind: ({ kind }) => kind, sql: (name) => `min(${name})` },
  max: { kinds: ORDERED, kind: ({ kind }) => kind, sql: (name) => `max(${name})` },
} as const satisfies Readonly<Record<string, AggregateRow>>;

export type AggregateFunction = keyof typeof AGGREGATES;

export const isAggregate = (name: string): name is AggregateFunction => Object.hasOwn(AGGREGATES, name);

export function takes(fn: AggregateFunction, { kind, sortable }: Column): boolean {
  const { kinds }: AggregateRow = AGGREGATES[fn];
  if (kinds === 'any') return true;
  return sortable && (kinds === 'comparable' || kinds.has(kind));
}

export const TIME_PARTS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'] as const;
export type TimePart = (typeof TIME_PARTS)[number];

export const isTimePart = (name: string): name is TimePart => (TIME_PARTS as readonly string[]).includes(name);

/** `true` if the result is one of the column's own values. */
export const isOfColumn = (aggregate: AggregateFunction): boolean => aggregate === 'min' || aggregate === 'max';
