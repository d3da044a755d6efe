/** Ticks of a chart: at most five, at round values or dates. Pure. */

export const MAX_TICKS = 5;

export interface ValueScale {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

const ROUND = [1, 2, 5, 10];

/** A range that contains all values and ends at ticks. */
export function valueScale(values: readonly number[], startsAtZero: boolean): ValueScale {
  const all = startsAtZero || values.length === 0 ? [0, ...values] : values;
  let [low, high] = all.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as readonly [number, number]);
  if (low === high) [low, high] = low === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
  const power = 10 ** Math.floor(Math.log10((high - low) / (MAX_TICKS - 1)));
  const step = ROUND.map((factor) => factor * power).find((size) => ticksFrom(low, high, size).length <= MAX_TICKS) ?? 20 * power;
  const ticks = ticksFrom(low, high, step);
  return { domain: [ticks[0] ?? low, ticks.at(-1) ?? high], ticks };
}

function ticksFrom(low: number, high: number, step: number): readonly number[] {
  const first = Math.floor(low / step);
  const count = Math.ceil(high / step - 1e-9) - first + 1;
  // Division by a power of ten keeps the ticks free of noise, such as 0.30000000000000004.
  const inverse = step < 1 ? Math.round(1 / step) : undefined;
  return Array.from({ length: count }, (_, at) => (inverse === undefined ? (first + at) * step : (first + at) / inverse));
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type TimeUnit = 'year' | 'month' | 'day' | 'time';

export interface TimeTicks {
  readonly ticks: readonly Date[];
  readonly unit: TimeUnit;
}

const SHORT_STEPS = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 5, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14].map((count) => count * DAY),
];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

/** Round dates between the first and the last one. */
export function timeTicks(first: Date, last: Date): TimeTicks {
  const [start, end] = [first.getTime(), last.getTime()];
  const short = SHORT_STEPS.find((step) => Math.floor(end / step) - Math.ceil(start / step) < MAX_TICKS);
  if (short !== undefined) {
    const from = Math.ceil(start / short);
    const ticks = Array.from({ length: Math.floor(end / short) - from + 1 }, (_, at) => new Date((from + at) * short));
    return { ticks, unit: short < DAY ? 'time' : 'day' };
  }
  const [from, to] = [monthAfter(first), monthOf(last)];
  const step = MONTH_STEPS.find((size) => Math.floor(to / size) - Math.ceil(from / size) < MAX_TICKS) ?? 12_000;
  const begin = Math.ceil(from / step);
  const ticks = Array.from({ length: Math.floor(to / step) - begin + 1 }, (_, at) => firstOfMonth((begin + at) * step));
  return { ticks, unit: step < 12 ? 'month' : 'year' };
}

const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
const firstOfMonth = (month: number): Date => new Date(Date.UTC(Math.floor(month / 12), month % 12, 1));
const monthAfter = (date: Date): number => monthOf(date) + (firstOfMonth(monthOf(date)).getTime() < date.getTime() ? 1 : 0);

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
const MAX_BANDS = 400;

export interface Bands {
  readonly dates: readonly Date[];
  readonly unit: TimeUnit;
}

/** Evenly spaced dates that include all given ones, so that missing bars leave a gap. */
export function timeBands(given: readonly Date[]): Bands {
  const times = [...new Set(given.map((date) => date.getTime()))].sort((a, b) => a - b);
  const dates = times.map((time) => new Date(time));
  const isMonthly = dates.every((date) => firstOfMonth(monthOf(date)).getTime() === date.getTime());
  const places = isMonthly ? dates.map(monthOf) : times;
  const step = places.slice(1).reduce((size, place, at) => divisor(size, place - (places[at] ?? 0)), 0);
  const unit = isMonthly ? (step % 12 === 0 && step > 0 ? 'year' : 'month') : times.every((time) => time % DAY === 0) ? 'day' : 'time';
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const count = step === 0 ? 1 : (last - first) / step + 1;
  if (count > MAX_BANDS || dates.length === 0) return { dates, unit };
  const all = Array.from({ length: count }, (_, at) => first + at * step);
  return { dates: all.map((place) => (isMonthly ? firstOfMonth(place) : new Date(place))), unit };
}
