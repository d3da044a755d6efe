/**
 * Fast path for timestamps in their usual notation (`YYYY-MM-DDThh:mm:ss[.f]Z`): reads them from
 * the bytes of a body without creating a string.
 */

const DASH = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
/** Characters of `YYYY-MM-DDThh:mm:ss`. */
const SECONDS_END = 19;
const DAY_SECONDS = 86_400;

/** Two digits as a number, or NaN. */
function twoDigits(source: Buffer, at: number): number {
  const tens = (source[at] as number) - 0x30;
  const ones = (source[at + 1] as number) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/**
 * `true` for a timestamp with `Z`, at most `digits` fractional digits, and a day that every month
 * has.
 */
export function isCommonTimestamp(source: Buffer, from: number, to: number, digits: number): boolean {
  if (to - from < SECONDS_END + 1 || source[to - 1] !== LETTER_Z || !isMarked(source, from)) return false;
  if (to - from > SECONDS_END + 1 && !isFraction(source, from + SECONDS_END, to - 1, digits)) return false;
  const century = twoDigits(source, from);
  const month = twoDigits(source, from + 5);
  const day = twoDigits(source, from + 8);
  if (!(century >= 1 && twoDigits(source, from + 2) >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 28)) return false;
  return twoDigits(source, from + 11) < 24 && twoDigits(source, from + 14) < 60 && twoDigits(source, from + 17) < 60;
}

/** `true` if the separators are in their places. */
function isMarked(source: Buffer, from: number): boolean {
  if (source[from + 4] !== DASH || source[from + 7] !== DASH || source[from + 10] !== LETTER_T) return false;
  return source[from + 13] === COLON && source[from + 16] === COLON;
}

function isFraction(source: Buffer, from: number, to: number, digits: number): boolean {
  if (source[from] !== POINT || to - from < 2 || to - from > digits + 1) return false;
  for (let i = from + 1; i < to; i++) {
    const digit = (source[i] as number) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return false;
  }
  return true;
}

/**
 * Seconds since 1970 of `YYYY-MM-DDThh:mm:ss`, with or without `Z`; `undefined` for any other text.
 */
export function plainSeconds(source: Buffer, from: number, to: number): number | undefined {
  const isLong = to - from === SECONDS_END + 1 && source[to - 1] === LETTER_Z;
  return isLong || to - from === SECONDS_END ? secondsAt(source, from) : undefined;
}

function secondsAt(source: Buffer, from: number): number | undefined {
  if (!isMarked(source, from)) return undefined;
  const year = twoDigits(source, from) * 100 + twoDigits(source, from + 2);
  const days = daysOf(year, twoDigits(source, from + 5), twoDigits(source, from + 8));
  const hours = twoDigits(source, from + 11);
  const minutes = twoDigits(source, from + 14);
  const seconds = twoDigits(source, from + 17);
  if (days === undefined || !(hours < 24 && minutes < 60 && seconds < 60)) return undefined;
  const count = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds;
  return Number.isNaN(count) ? undefined : count;
}

const MICRO_DIGITS = 6;

/**
 * Microseconds since `epoch` (in seconds since 1970) of a timestamp with up to six fractional
 * digits. `undefined` for any other text and for a result that is not exact.
 */
export function plainMicroseconds(source: Buffer, from: number, to: number, epoch: number): number | undefined {
  const end = source[to - 1] === LETTER_Z ? to - 1 : to;
  const point = from + SECONDS_END;
  if (end < point || (end > point && !isFraction(source, point, end, MICRO_DIGITS))) return undefined;
  const seconds = secondsAt(source, from);
  if (seconds === undefined) return undefined;
  let fraction = 0;
  for (let i = 0; i < MICRO_DIGITS; i++) {
    const at = point + 1 + i;
    fraction = fraction * 10 + (at < end ? (source[at] as number) - 0x30 : 0);
  }
  const count = (seconds - epoch) * 1_000_000 + fraction;
  return Number.isSafeInteger(count) ? count : undefined;
}

const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Days from 0000-03-01, where the 400-year eras begin, to 1970-01-01. */
const EPOCH = 719_468;

/** Days since 1970-01-01, proleptic Gregorian; `undefined` if the calendar has no such day. */
export function daysOf(year: number, month: number, day: number): number | undefined {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && !leap ? 28 : (MONTH_LENGTHS[month - 1] ?? 0);
  if (!(day >= 1 && day <= last)) return undefined;
  // Years begin in March, so that the leap day is the last day of a year.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - EPOCH;
}
