/**
 * Calendar and time zones, by the platform's zone data. Local time is always UTC, so that a program
 * gives the same result on every machine.
 */
import { BoundedMap } from '../../../util/bounded-map.ts';
import { clampInt64, ExprZone, Fault, Time, type ZoneState } from './value.ts';

const DAY = 86_400;
const BILLION = 1_000_000_000n;

export const UTC = new ExprZone('UTC', () => ({ offset: 0, abbreviation: 'UTC' }));

export function fixedZone(name: string, offset: number): ExprZone {
  return new ExprZone(name, () => ({ offset, abbreviation: name }));
}

/** Calendar date and clock time in a zone. */
export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Sunday is 0. */
  readonly weekday: number;
  /** From 1. */
  readonly yearDay: number;
  readonly offset: number;
  readonly abbreviation: string;
}

/**
 * Days since 1970-01-01 of a date in the proleptic Gregorian calendar. Month and day may be out of
 * range.
 */
export function daysOf(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1);
  const y = Math.floor(months / 12);
  const m = (((months % 12) + 12) % 12) + 1;
  const shifted = m <= 2 ? y - 1 : y;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (m + (m > 2 ? -3 : 9)) + 2) / 5);
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468 + day - 1;
}

function dateOf(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1 };
}

export function civilOf(time: Time): Civil {
  const { offset, abbreviation } = time.zone.offsetAt(time.seconds);
  const local = time.seconds + offset;
  const days = Math.floor(local / DAY);
  const rest = local - days * DAY;
  const date = dateOf(days);
  return {
    ...date,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysOf(date.year, 1, 1) + 1,
    offset,
    abbreviation,
  };
}

/**
 * Time at which a clock in the zone shows the fields; in a gap or overlap, one of the two
 * candidates.
 */
export function timeOf(fields: Pick<Civil, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'>, nanos: number, zone: ExprZone): Time {
  const local = daysOf(fields.year, fields.month, fields.day) * DAY + fields.hour * 3600 + fields.minute * 60 + fields.second;
  const guess = zone.offsetAt(local).offset;
  return new Time(local - zone.offsetAt(local - guess).offset, nanos, zone);
}

export function daysIn(year: number, month: number): number {
  return daysOf(year, month + 1, 1) - daysOf(year, month, 1);
}

export function nanosSinceEpoch(time: Time): bigint {
  return BigInt(time.seconds) * BILLION + BigInt(time.nanos);
}

export function fromNanos(nanos: bigint, zone: ExprZone): Time {
  const rest = ((nanos % BILLION) + BILLION) % BILLION;
  return new Time(Number((nanos - rest) / BILLION), Number(rest), zone);
}

export function addDuration(time: Time, nanos: bigint): Time {
  return fromNanos(nanosSinceEpoch(time) + nanos, time.zone);
}

/** Difference in nanoseconds, clamped to the range of durations. */
export function subtractTimes(a: Time, b: Time): bigint {
  return clampInt64(nanosSinceEpoch(a) - nanosSinceEpoch(b));
}

export function compareTimes(a: Time, b: Time): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

/** Abbreviations missing from the platform's English zone names. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  'Europe/Moscow': 'MSK',
  'Asia/Tokyo': 'JST',
  'Asia/Seoul': 'KST',
  'Asia/Shanghai': 'CST',
  'Asia/Hong_Kong': 'HKT',
  'Asia/Kolkata': 'IST',
  'Asia/Calcutta': 'IST',
  'Asia/Jakarta': 'WIB',
  'Asia/Karachi': 'PKT',
  'Asia/Manila': 'PST',
  'Africa/Johannesburg': 'SAST',
  'Africa/Lagos': 'WAT',
  'Africa/Nairobi': 'EAT',
};

const LOCALES: readonly (readonly [RegExp, string])[] = [
  [/^Europe\/|^Africa\/|^Atlantic\//, 'en-GB'],
  [/^Australia\//, 'en-AU'],
  [/^Pacific\/Auckland$/, 'en-NZ'],
  [/./, 'en-US'],
];

/**
 * Outside of these years the platform's calendar uses other eras, so the offset at the edge is
 * used.
 */
const FIRST_SECOND = daysOf(1, 1, 3) * DAY;
const LAST_SECOND = daysOf(9999, 12, 29) * DAY;
const UTC_NAMES = new Set(['', 'UTC', 'Local']);
const zones = new BoundedMap<string, ExprZone>(1000);

export function isZoneLoaded(name: string): boolean {
  return UTC_NAMES.has(name) || zones.get(name) !== undefined;
}

export function loadZone(name: string): ExprZone {
  const known = UTC_NAMES.has(name) ? UTC : zones.get(name);
  if (known !== undefined) return known;
  if (!/^[A-Za-z0-9_+\-/]{1,64}$/.test(name) || /^[+-]/.test(name)) throw new Fault(`the time zone ${JSON.stringify(name)} is not known`);
  const zone = new ExprZone(name, zoneReader(name));
  zones.set(name, zone);
  return zone;
}

function zoneReader(name: string): (seconds: number) => ZoneState {
  let format: Intl.DateTimeFormat;
  const locale = LOCALES.find(([pattern]) => pattern.test(name))?.[1] ?? 'en-US';
  try {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
    format = new Intl.DateTimeFormat(locale, { ...fields, timeZone: name, hourCycle: 'h23', timeZoneName: 'short' });
  } catch {
    throw new Fault(`the time zone ${JSON.stringify(name)} is not known`);
  }
  return (seconds) => {
    const at = Math.min(Math.max(seconds, FIRST_SECOND), LAST_SECOND);
    const parts = new Map<string, string>(format.formatToParts(new Date(at * 1000)).map((part) => [part.type, part.value]));
    const field = (part: string): number => Number(parts.get(part));
    const local = daysOf(field('year'), field('month'), field('day')) * DAY + field('hour') * 3600 + field('minute') * 60 + field('second');
    const offset = local - at;
    return { offset, abbreviation: abbreviate(name, parts.get('timeZoneName') ?? '', offset) };
  };
}

function abbreviate(name: string, platform: string, offset: number): string {
  // Before time zones existed, each place had its own local mean time with an offset in seconds.
  if (offset % 60 !== 0) return 'LMT';
  if (/^[A-Z]{3,5}$/.test(platform)) return platform;
  const known = ABBREVIATIONS[name];
  if (known !== undefined) return known;
  const minutes = Math.abs(Math.trunc(offset / 60));
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${String(Math.floor(minutes / 60)).padStart(2, '0')}${rest}`;
}
