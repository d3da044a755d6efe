/** Rows as points of a chart: exact texts to read, and positions to draw. Pure. */
import { add, parseDecimal, writeDecimal } from '../../ui/decimal.ts';
import { Digits, type Exact } from '../../ui/exact.ts';
import type { Chart } from '../page/document.ts';
import { type Row, textOf, valueAt } from '../page/fill.ts';

export interface Point {
  readonly x: Exact;
  /** A date, a number or a text, as the axis takes it. */
  readonly at: Date | number | string;
  readonly y: Exact;
  /** `null` is a gap. */
  readonly height: number | null;
  readonly series: string;
}

export type Scale = 'time' | 'linear' | 'categories';

export interface Points {
  readonly points: readonly Point[];
  readonly scale: Scale;
  readonly series: readonly string[];
  readonly notes: readonly string[];
}

const MAX_SERIES = 8;
const OTHER = 'Other';
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const isTime = (value: Exact): boolean => typeof value === 'string' && TIME.test(value);

function scaleOf(values: readonly Exact[]): Scale {
  if (values.length > 0 && values.every(isTime)) return 'time';
  return values.length > 0 && values.every((value) => value instanceof Digits) ? 'linear' : 'categories';
}

function dateOf(text: string): Date {
  const instant = text.replace(' ', 'T');
  return new Date(/^\d{4}-\d{2}-\d{2}$/.test(instant) || /(?:Z|[+-]\d{2}:?\d{2})$/.test(instant) ? instant : `${instant}Z`);
}

const positionOf = (value: Exact, scale: Scale): Date | number | string =>
  scale === 'time' ? dateOf(textOf(value)) : scale === 'linear' ? Number(textOf(value)) : textOf(value);

export function pointsOf(chart: Chart, rows: readonly Row[]): Points {
  const ys = Array.isArray(chart.y) ? (chart.y as readonly string[]) : [chart.y as string];
  const placed = rows.filter((row) => valueAt(row, chart.x) != null);
  const scale = scaleOf(placed.map((row) => valueAt(row, chart.x) ?? null));
  const points = placed.flatMap((row) =>
    ys.map((y): Point => {
      const [x, value] = [valueAt(row, chart.x) ?? null, valueAt(row, y) ?? null];
      const series = chart.series === undefined ? y : seriesName(valueAt(row, chart.series));
      return { x, at: positionOf(x, scale), y: value, height: heightOf(value), series };
    }),
  );
  const left = rows.length - placed.length;
  const notes =
    left === 0 ? [] : [`${left} ${left === 1 ? 'row has' : 'rows have'} no ${chart.x} and ${left === 1 ? 'is' : 'are'} left out.`];
  return merged(chart, points, scale, notes);
}

const seriesName = (value: Exact | undefined): string => (value === undefined || value === null ? '—' : textOf(value));

function heightOf(value: Exact): number | null {
  if (value === null) return null;
  const number = Number(textOf(value));
  return Number.isFinite(number) ? number : null;
}

/** Beyond eight series or slices the smallest are added up. */
function merged(chart: Chart, points: readonly Point[], scale: Scale, notes: readonly string[]): Points {
  const nameOf = (point: Point): string => (chart.kind === 'pie' ? textOf(point.x) : point.series);
  const sizes = new Map<string, number>();
  for (const point of points) sizes.set(nameOf(point), (sizes.get(nameOf(point)) ?? 0) + Math.abs(point.height ?? 0));
  const names = [...sizes.keys()];
  if (names.length <= MAX_SERIES) return { points, scale, series: names, notes };
  const kept = new Set([...names].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)).slice(0, MAX_SERIES - 1));
  const groups = new Map<string, Point>();
  const result: Point[] = [];
  for (const point of points) {
    if (kept.has(nameOf(point))) {
      result.push(point);
      continue;
    }
    const key = chart.kind === 'pie' ? '' : textOf(point.x);
    const before = groups.get(key);
    groups.set(key, before === undefined ? renamed(chart, point) : sumOf(before, point));
  }
  const series = [...names.filter((name) => kept.has(name)), OTHER];
  const count = names.length - kept.size;
  return { points: [...result, ...groups.values()], scale, series, notes: [...notes, `The ${count} smallest are merged into ${OTHER}.`] };
}

const renamed = (chart: Chart, point: Point): Point =>
  chart.kind === 'pie' ? { ...point, x: OTHER, at: OTHER } : { ...point, series: OTHER };

/** Sums are exact, like the values. */
function sumOf(a: Point, b: Point): Point {
  const [left, right] = [a.y, b.y].map((value) => (value === null ? undefined : parseDecimal(textOf(value))));
  const y = left === undefined ? b.y : right === undefined ? a.y : new Digits(writeDecimal(add(left, right)));
  return { ...a, y, height: heightOf(y) };
}
