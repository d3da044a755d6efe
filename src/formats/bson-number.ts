/**
 * Numbers and instants as BSON, from text. Each function appends the bytes and returns the type,
 * or returns `undefined` and appends nothing if the type cannot hold the value exactly. Pure.
 */
import { type ByteWriter, viewOf } from '../util/bytes/byte-writer.ts';

const DOUBLE = 0x01;
const DATETIME = 0x09;
const INT32 = 0x10;
const INT64 = 0x12;
const DECIMAL128 = 0x13;

const MINUS = 0x2d;
const ZERO = 0x30;
const TWO_32 = 2 ** 32;
/** Decimal digits that a double always holds without rounding. */
const SAFE_DIGITS = 15;

export function appendInt32(value: number, out: ByteWriter): void {
  out.reserve(4);
  out.view.setInt32(out.length, value, true);
  out.length += 4;
}

function appendInt64(value: number, out: ByteWriter): void {
  const high = Math.floor(value / TWO_32);
  appendInt32((value - high * TWO_32) | 0, out);
  appendInt32(high | 0, out);
}

function appendBigint64(value: bigint, out: ByteWriter): void {
  appendInt32(Number(BigInt.asIntN(32, value)), out);
  appendInt32(Number(BigInt.asIntN(32, value >> 32n)), out);
}

/** Appends a whole number within ±2^53. */
export function appendInteger(value: number, out: ByteWriter): number {
  if (value === (value | 0)) {
    appendInt32(value, out);
    return INT32;
  }
  appendInt64(value, out);
  return INT64;
}

export function appendBigint(value: bigint, out: ByteWriter): number | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined;
  appendBigint64(value, out);
  return INT64;
}

/** Appends a whole number as int32 or int64, or as decimal128 if it is larger. */
export function appendIntegerText(source: Buffer, from: number, to: number, out: ByteWriter): number | undefined {
  const negative = source[from] === MINUS;
  const start = negative ? from + 1 : from;
  if (to - start > SAFE_DIGITS) {
    const text = to - start <= 19 ? source.toString('latin1', from, to) : '';
    // Text that is not a number stays text, whatever type the server reports.
    const type = WHOLE.test(text) ? appendBigint(BigInt(text), out) : undefined;
    return type ?? appendDecimal128(source, from, to, out);
  }
  let value = 0;
  for (let at = start; at < to; at++) value = value * 10 + ((source[at] as number) - ZERO);
  return appendInteger(negative ? -value : value, out);
}

export function appendDouble(value: number, out: ByteWriter): number {
  out.reserve(8);
  out.view.setFloat64(out.length, value, true);
  out.length += 8;
  return DOUBLE;
}

const WHOLE = /^-?\d+$/;
const DIGITS = 34;
const BIAS = 6176;
const LARGEST_BIASED = 12287;
const NAN_HIGH = 0x7c00_0000;
const INFINITY_HIGH = 0x7800_0000;

/**
 * decimal128 in its binary encoding: 1 bit sign, 14 bits exponent, 113 bits coefficient. The scale
 * is kept: `0.10` has the coefficient 10. Trailing zeros are dropped only if there are more than 34
 * digits.
 */
export function appendDecimal128(source: Buffer, from: number, to: number, out: ByteWriter): number | undefined {
  const negative = source[from] === MINUS;
  let at = negative ? from + 1 : from;
  const first = source[at] as number;
  if (first > 0x39) return appendSpecial(first === 0x4e ? NAN_HIGH : INFINITY_HIGH, negative, out);
  let exponent = 0;
  let point = -1;
  let coefficient = 0;
  let count = 0;
  const start = at;
  for (; at < to; at++) {
    const byte = source[at] as number;
    if (byte === 0x2e) point = at;
    else if (byte > 0x39) break;
    else {
      if (count <= SAFE_DIGITS) coefficient = coefficient * 10 + (byte - ZERO);
      if (coefficient > 0) count++;
    }
  }
  if (point >= 0) exponent = point + 1 - at;
  const digitsEnd = at;
  if (at < to) exponent += Number(source.toString('latin1', at + 1, to));
  if (count > SAFE_DIGITS) return appendLong(source.toString('latin1', start, digitsEnd), exponent, negative, out);
  if (exponent < -BIAS || exponent > LARGEST_BIASED - BIAS) return undefined;
  appendInt64(coefficient, out);
  appendInt32(0, out);
  appendInt32(signAndExponent(negative, exponent), out);
  return DECIMAL128;
}

/** The upper 32 bits without the coefficient's part. */
function signAndExponent(negative: boolean, exponent: number): number {
  return (negative ? 0x8000_0000 : 0) | ((exponent + BIAS) << 17);
}

function appendLong(text: string, scale: number, negative: boolean, out: ByteWriter): number | undefined {
  let digits = text.replace('.', '').replace(/^0+/, '');
  let exponent = scale;
  const spare = digits.length - DIGITS;
  if (spare > 0) {
    if (exponent > -spare || !digits.endsWith('0'.repeat(spare))) return undefined;
    digits = digits.slice(0, DIGITS);
    exponent += spare;
  }
  if (exponent < -BIAS || exponent > LARGEST_BIASED - BIAS) return undefined;
  if (!WHOLE.test(digits)) return undefined;
  const coefficient = BigInt(digits);
  appendBigint64(BigInt.asIntN(64, coefficient), out);
  const high = coefficient >> 64n;
  appendInt32(Number(BigInt.asIntN(32, high)), out);
  appendInt32(Number(high >> 32n) | signAndExponent(negative, exponent), out);
  return DECIMAL128;
}

function appendSpecial(high: number, negative: boolean, out: ByteWriter): number {
  for (let i = 0; i < 3; i++) appendInt32(0, out);
  appendInt32(high | (negative ? 0x8000_0000 : 0), out);
  return DECIMAL128;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAY_MS = 86_400_000;

/**
 * `YYYY-MM-DDThh:mm:ss[.fraction][Z|±hh[:mm[:ss]]]`. UTC without a zone; digits beyond milliseconds
 * are cut.
 */
export function appendInstant(source: Buffer, from: number, to: number, out: ByteWriter): number | undefined {
  const instant = readInstant(source, from, to);
  if (Number.isNaN(instant)) return undefined;
  appendInt64(instant, out);
  return DATETIME;
}

/** Milliseconds since 1970. NaN unless the text is an instant in the years 0 to 9999. */
export function readInstant(source: Buffer, from: number, to: number): number {
  if (to - from < 19 || source[from + 10] !== 0x54) return Number.NaN;
  const words = viewOf(source);
  const year = pair(words, from) * 100 + pair(words, from + 2);
  const month = pair(words, from + 5);
  const day = pair(words, from + 8);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const monthDays = (MONTH_DAYS[month - 1] ?? Number.NaN) + (leap && month === 2 ? 1 : 0);
  if (!(day >= 1 && day <= monthDays) || source[from + 4] !== MINUS || source[from + 7] !== MINUS) return Number.NaN;
  const hour = pair(words, from + 11);
  const minute = pair(words, from + 14);
  const second = pair(words, from + 17);
  if (!(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  let at = from + 19;
  let fraction = 0;
  if (at < to && source[at] === 0x2e) {
    let weight = 100;
    for (at++; at < to && isDigit(source[at] as number); at++) {
      fraction += weight >= 1 ? ((source[at] as number) - ZERO) * weight : 0;
      weight = weight > 1 ? weight / 10 : 0;
    }
  }
  return days(year, month, day) * DAY_MS + (hour * 3600 + minute * 60 + second) * 1000 + fraction - readOffset(source, at, to);
}

/**
 * Days since 1970 (proleptic Gregorian). Years begin in March, so that the leap day is the last
 * day.
 */
function days(year: number, month: number, day: number): number {
  const y = (month > 2 ? year : year - 1) + 400;
  const ofYear = (((153 * ((month + 9) % 12) + 2) / 5) | 0) + day - 1;
  return y * 365 + (y >> 2) - ((y / 100) | 0) + ((y / 400) | 0) + ofYear - 865_565;
}

/** Offset of the zone in milliseconds. NaN if the text is not a zone. */
function readOffset(source: Buffer, from: number, to: number): number {
  if (from === to || (source[from] === 0x5a && from + 1 === to)) return 0;
  const words = viewOf(source);
  const sign = source[from] === MINUS ? -1 : source[from] === 0x2b ? 1 : Number.NaN;
  let seconds = 0;
  let weight = 3600;
  for (let at = from + 1; at < to; at += 3) {
    if (at + 2 > to || (at > from + 1 && source[at - 1] !== 0x3a)) return Number.NaN;
    seconds += pair(words, at) * weight;
    weight /= 60;
  }
  return sign * seconds * 1000;
}

/**
 * Two digits as a number, otherwise NaN. Tests both bytes at once: values above 9 exceed 0x7f in
 * the sum.
 */
function pair(words: DataView, at: number): number {
  const digits = words.getUint16(at, true) ^ 0x3030;
  return ((digits | (digits + 0x7676)) & 0x8080) === 0 ? (digits & 0xff) * 10 + (digits >> 8) : Number.NaN;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}
