/**
 * Dates and instants between ISO 8601 and ClickHouse's counts (days, ticks). Exact, proleptic Gregorian, UTC only; knows no time
 * zone database and no type.
 */
export interface Instant {
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  readonly nanos: number;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,}))?)?(?:Z|([+-])(\d{2}):?(\d{2})?)?$/i;
const CLOCK = /^(-?)(\d{1,3}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/;
const DAY_SECONDS = 86_400;

/** Days since 1970-01-01; undefined when the text is no date of the calendar. */
export function parseDate(text: string): number | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // Date.UTC takes years below 100 for the twentieth century, so the count is made from a year that it takes as it is.
  const shifted = Date.UTC(year + 400, month - 1, day) / 86_400_000 - 146_097;
  const back = new Date(Date.UTC(year + 400, month - 1, day));
  const real = month >= 1 && back.getUTCMonth() === month - 1 && back.getUTCDate() === day;
  return real ? shifted : undefined;
}

/** A text without zone is taken as UTC. Digits past the ninth are dropped. */
export function parseInstant(text: string): Instant | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return dateAsInstant(text);
  const days = parseDate(match[1] ?? '');
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4] ?? '0')];
  if (days === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const offset = (Number(match[7] ?? '0') * 60 + Number(match[8] ?? '0')) * 60 * (match[6] === '-' ? -1 : 1);
  return {
    seconds: days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds - offset,
    nanos: Number((match[5] ?? '').padEnd(9, '0').slice(0, 9)),
  };
}

function dateAsInstant(text: string): Instant | undefined {
  const days = parseDate(text);
  return days === undefined ? undefined : { seconds: days * DAY_SECONDS, nanos: 0 };
}

/** Seconds and nanoseconds of `hhh:mm:ss[.fraction]`, both negative for a negative text. */
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

/** `YYYY-MM-DD hh:mm:ss[.fraction]` in UTC with as many digits as asked for; finer ones are cut. */
export function instantText(instant: Instant, digits: number): string {
  const iso = new Date(instant.seconds * 1000).toISOString();
  const whole = iso.slice(0, iso.indexOf('.')).replace('T', ' ');
  return digits === 0 ? whole : `${whole}.${String(instant.nanos).padStart(9, '0').slice(0, digits)}`;
}

/** The count of 10^-digits seconds since 1970, rounded down. */
export function ticks(instant: Instant, digits: number): bigint {
  return BigInt(instant.seconds) * 10n ** BigInt(digits) + BigInt(Math.trunc(instant.nanos / 10 ** (9 - digits)));
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

/** Seconds that DateTime (digits undefined) and DateTime64 hold. */
export function secondRange(digits: number | undefined): readonly [first: number, last: number] {
  if (digits === undefined) return [0, 4_294_967_295];
  return [FIRST_SECOND, digits >= 9 ? LAST_NANO_SECOND : LAST_SECOND];
}
