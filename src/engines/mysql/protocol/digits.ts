/**
 * Writes numbers as ASCII digits into a buffer, without strings. Digits are written from the right,
 * so the start of a cell is known last. Pure.
 */
const ZERO = 48;
const DASH = 45;
const COLON = 58;
const BILLION = 1_000_000_000;

/** Writes n (0 ≤ n < 2^31) so that it ends before `end`, and returns where it begins. */
function smallBefore(bytes: Buffer, end: number, n: number): number {
  let at = end;
  let rest = n;
  while (rest >= 10) {
    const tenth = (rest / 10) | 0;
    bytes[--at] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  bytes[--at] = ZERO + rest;
  return at;
}

/** The same for integers up to 2^53. */
export function wholeBefore(bytes: Buffer, end: number, n: number): number {
  if (n < 0x80000000) return smallBefore(bytes, end, n);
  const high = Math.floor(n / BILLION);
  padded(bytes, end - 9, n - high * BILLION, 9);
  return wholeBefore(bytes, end - 9, high);
}

/** Writes n with leading zeros into `width` bytes, and returns the end. */
export function padded(bytes: Buffer, at: number, n: number, width: number): number {
  let rest = n;
  for (let i = at + width - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + width;
}

/** The two digits of 0 to 99, in memory order. */
const PAIRS = Int32Array.from({ length: 100 }, (_, n) => (ZERO + Math.floor(n / 10)) | ((ZERO + (n % 10)) << 8));
const pair = (n: number): number => PAIRS[n] as number;

/** Writes a date (`2024-05-06`), several bytes at a time, and returns the end. */
export function dateDigits(view: DataView, at: number, year: number, month: number, day: number): number {
  const century = (year / 100) | 0;
  view.setInt32(at, pair(century) | (pair(year - century * 100) << 16), true);
  view.setInt32(at + 4, DASH | (pair(month) << 8) | (DASH << 24), true);
  view.setInt16(at + 8, pair(day), true);
  return at + 10;
}

/** Writes a time of day (`07:08:09`, at most 99 hours) and returns the end. */
export function clockDigits(view: DataView, at: number, hours: number, minutes: number, seconds: number): number {
  view.setInt32(at, pair(hours) | (COLON << 16) | (pair(minutes) << 24), true);
  view.setInt32(at + 4, (pair(minutes) >> 8) | (COLON << 8) | (pair(seconds) << 16), true);
  return at + 8;
}

/** Returns the shortest decimal text that parses to the same 32-bit float. */
export function floatText(value: number): string {
  if (value === 0) return doubleText(value);
  for (let precision = 6; precision < 9; precision++) {
    const text = value.toPrecision(precision);
    if (Math.fround(Number(text)) === value) return doubleText(Number(text));
  }
  return doubleText(Number(value.toPrecision(9)));
}

/**
 * Returns the shortest decimal text that parses to the same double; a negative zero keeps its sign.
 */
export function doubleText(value: number): string {
  return value === 0 && 1 / value < 0 ? '-0' : String(value);
}
