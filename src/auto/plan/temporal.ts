/**
 * Checks dates and times. Only ISO 8601 is accepted. Results are `YYYY-MM-DD`, `hh:mm:ss[.f]` or
 * `YYYY-MM-DDThh:mm:ss[.f]`, with `Z` or `±hh:mm` if the type has a zone. Pure.
 */
import type { Column } from '../../model/table.ts';

/** Reason why a value does not fit, as part of a sentence. */
export class InvalidValue extends Error {}

const DATE = /^(\d{4,6})-(\d\d)-(\d\d)$/;
const TIMESTAMP = /^(\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const TIME = /^(-?)(\d{2,3}):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
/** Notation of the engines for values that ISO 8601 cannot express. Accepted as it was returned. */
const OWN_DATES: Readonly<Record<NonNullable<Column['ownDates']>, RegExp>> = {
  unbounded: /^(?:-?infinity|\d{4,6}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|\+00)?)? BC)$/,
  zero: /^0000-00-00(?:[T ]00:00:00(?:\.0+)?Z?)?$/,
};

const isOwnDate = ({ ownDates }: Column, text: string): boolean => ownDates !== undefined && OWN_DATES[ownDates].test(text);

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function checkDay(year: string, month: string, day: string): void {
  const m = Number(month);
  const d = Number(day);
  const y = Number(year);
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  if (y < 1 || m < 1 || m > 12 || d < 1 || d > (DAYS[m - 1] ?? 0) || (m === 2 && d === 29 && !leap))
    throw new InvalidValue('there is no such day');
}

export function checkDate(column: Column, text: string): string {
  const match = DATE.exec(text);
  if (match === null) {
    if (isOwnDate(column, text)) return text;
    throw new InvalidValue('it must be a date of the form YYYY-MM-DD');
  }
  checkDay(match[1] ?? '', match[2] ?? '', match[3] ?? '');
  return text;
}

export function checkTime(column: Column, text: string): string {
  const match = TIME.exec(text);
  if (match === null) throw new InvalidValue('it must be a time of the form hh:mm:ss');
  const [, sign, hours, minutes = '', seconds = '00', fraction = '', zone = ''] = match;
  if (Number(minutes) > 59 || Number(seconds) > 59) throw new InvalidValue('there is no such time of day');
  checkFraction(column, fraction);
  return `${sign}${hours}:${minutes}:${seconds}${fraction === '' ? '' : `.${fraction}`}${zone}`;
}

export function checkTimestamp(column: Column, text: string): string {
  const match = TIMESTAMP.exec(text);
  if (match === null) {
    if (isOwnDate(column, text)) return text;
    throw new InvalidValue('it must be a timestamp of the form YYYY-MM-DDThh:mm:ss, with an offset if need be');
  }
  const [, year = '', month = '', day = '', hours = '00', minutes = '00', seconds = '00', fraction = '', zone = ''] = match;
  checkDay(year, month, day);
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) throw new InvalidValue('there is no such time of day');
  checkFraction(column, fraction);
  const tail = fraction === '' ? '' : `.${fraction}`;
  const offset = normalOffset(zone);
  if (column.kind === 'timestamptz') return `${year}-${month}-${day}T${hours}:${minutes}:${seconds}${tail}${offset === '' ? 'Z' : offset}`;
  if (offset === '' || offset === 'Z') return `${year}-${month}-${day}T${hours}:${minutes}:${seconds}${tail}`;
  return `${inUtc(year, month, day, hours, minutes, seconds, offset)}${tail}`;
}

function checkFraction(column: Column, fraction: string): void {
  const kept = column.fraction ?? 9;
  if (/[1-9]/.test(fraction.slice(kept))) throw new InvalidValue(`the type keeps ${kept} digits of a second's fraction`);
}

function normalOffset(zone: string): string {
  if (zone === '' || zone === 'Z' || zone === 'z') return zone.toUpperCase();
  const hours = zone.slice(0, 3);
  const minutes = zone.slice(3).replace(':', '') || '00';
  if (Number(hours.slice(1)) > 15 || Number(minutes) > 59) throw new InvalidValue('there is no such offset');
  return `${hours}:${minutes}`;
}

/** A type without a zone stores UTC, the time zone of every session. */
function inUtc(year: string, month: string, day: string, hours: string, minutes: string, seconds: string, offset: string): string {
  const sign = offset.startsWith('-') ? 1 : -1;
  const shift = sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)));
  const time = new Date(0);
  time.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  time.setUTCHours(Number(hours), Number(minutes) + shift, Number(seconds));
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  const date = `${pad(time.getUTCFullYear(), 4)}-${pad(time.getUTCMonth() + 1)}-${pad(time.getUTCDate())}`;
  return `${date}T${pad(time.getUTCHours())}:${pad(time.getUTCMinutes())}:${pad(time.getUTCSeconds())}`;
}
