/**
 * Converts dates and timestamps between ISO 8601 and ClickHouse's counts (days, ticks). Exact,
 * proleptic Gregorian, UTC only. Pure.
 */
import { daysOf } from '../../../util/text/fast-timestamp.ts';

export interface Instant {
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  readonly nanos: number;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?$/;
const CLOCK = /^(-?)(\d{1,3}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/;
const DAY_SECONDS = 86_400;

/** Returns days since 1970-01-01. `undefined` if the text is not a date of the calendar. */
export function parseDate(text: string): number | undefined {
  return DATE.test(text) ? daysOf(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)) : undefined;
}

/** Parses digits; the caller has validated them. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - 48;
  return value;
}

/** Parses a timestamp. Without a zone it is UTC. Digits after the ninth are dropped. */
export function parseInstant(text: string): Instant | undefined {
  if (!INSTANT.test(text)) return dateAsInstant(text);
  const days = daysOf(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
  const hours = digits(text, 11, 13);
  const minutes = digits(text, 14, 16);
  const seconds = text[16] === ':' ? digits(text, 17, 19) : 0;
  if (days === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return { seconds: days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds - offsetOf(text), nanos: nanosOf(text) };
}

const FRACTION_AT = 20;

function nanosOf(text: string): number {
  if (text[FRACTION_AT - 1] !== '.') return 0;
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const digit = text.charCodeAt(FRACTION_AT + i) - 48;
    if (!(digit >= 0 && digit <= 9)) return value * 10 ** (9 - i);
    value = value * 10 + digit;
  }
  return value;
}

const OFFSET = /([+-])(\d{2}):?(\d{2})?$/;

/** Returns the offset from UTC in seconds. */
function offsetOf(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  if (last === 0x5a || last === 0x7a) return 0;
  // Skips the hyphens of the date, which look like a sign.
  const match = OFFSET.exec(text.slice(FRACTION_AT - 4));
  if (match === null) return 0;
  return (match[1] === '-' ? -60 : 60) * (Number(match[2]) * 60 + Number(match[3] ?? '0'));
}

function dateAsInstant(text: string): Instant | undefined {
  const days = parseDate(text);
  return days === undefined ? undefined : { seconds: days * DAY_SECONDS, nanos: 0 };
}

/** Parses `hhh:mm:ss[.fraction]`. Both results are negative for a negative text. */
export function parseClock(text: string): Instant | undefined {
  const match = CLOCK.exec(text);
  if (match === null || Number(match[3]) > 59 || Number(match[4]) > 59) return undefined;
  const sign = match[1] === '-' ? -1 : 1;
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4]);
  return { seconds: sign * seconds, nanos: sign * Number((match[5] ?? '').padEnd(9, '0')) };
}

/** `YYYY-MM-DD` of a day within the years 0000 to 9999. */
export function dateText(days: number): string {
  const iso = new Date(days * 86_400_000).toISOString();
  return iso.slice(0, iso.indexOf('T'));
}

/** `YYYY-MM-DD hh:mm:ss[.fraction]` in UTC with `scale` digits; finer ones are truncated. */
export function instantText(instant: Instant, scale: number): string {
  const iso = new Date(instant.seconds * 1000).toISOString();
  const whole = iso.slice(0, iso.indexOf('.')).replace('T', ' ');
  return scale === 0 ? whole : `${whole}.${String(instant.nanos).padStart(9, '0').slice(0, scale)}`;
}

/** Powers of ten. */
const POWERS: readonly number[] = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);

/**
 * Returns 10^-scale seconds since 1970, rounded down. A bigint only if a number would not be exact.
 */
export function ticks(instant: Instant, scale: number): number | bigint {
  const part = Math.trunc(instant.nanos / (POWERS[9 - scale] as number));
  const count = instant.seconds * (POWERS[scale] as number) + part;
  return Number.isSafeInteger(count) ? count : BigInt(instant.seconds) * 10n ** BigInt(scale) + BigInt(part);
}

/** Days that each date type holds: 1970-01-01 to 2149-06-06, and 1900-01-01 to 2299-12-31. */
export const DATE_RANGES: Readonly<Record<string, readonly [first: number, last: number]>> = {
  Date: [0, 65_535],
  Date32: [-25_567, 120_529],
};

const FIRST_SECOND = -2_208_988_800;
const LAST_SECOND = 10_413_791_999;
/** With nanoseconds, 64 bits end in the year 2262. */
const LAST_NANO_SECOND = 9_223_372_035;

const PLAIN_RANGE: readonly [first: number, last: number] = [0, 4_294_967_295];
const WIDE_RANGE: readonly [first: number, last: number] = [FIRST_SECOND, LAST_SECOND];
const NANO_RANGE: readonly [first: number, last: number] = [FIRST_SECOND, LAST_NANO_SECOND];

/** Seconds that DateTime (`scale` undefined) and DateTime64 hold. */
export function secondRange(scale: number | undefined): readonly [first: number, last: number] {
  if (scale === undefined) return PLAIN_RANGE;
  return scale >= 9 ? NANO_RANGE : WIDE_RANGE;
}
