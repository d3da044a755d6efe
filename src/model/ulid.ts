/**
 * Makes, recognises and normalises ULIDs. Knows nothing of what they identify.
 */
import { randomFillSync } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;
/** 128 bits in 26 characters leave 3 bits for the first one. A larger one is not a ULID. */
const LARGEST_FIRST = 0x37;
const UPPER = 1;
const LOWER = 2;
/** By character code, whether it is a digit, and of which case. */
const CASES = new Uint8Array(128);
for (const digit of DIGITS.toLowerCase()) CASES[digit.charCodeAt(0)] = LOWER;
for (const digit of DIGITS) CASES[digit.charCodeAt(0)] = UPPER;
/** All pairs of digits: ten bits in one look-up. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, i) => `${DIGITS[i >> 5]}${DIGITS[i & 31]}`);
/** Random numbers are drawn in bulk: a single draw costs more than an identifier. */
const DRAWN = new Uint32Array(1024);

let drawn = DRAWN.length;
let milliseconds = 0;
/** The time and the first 50 random bits, which stay as they are within a millisecond. */
let head = '';
/** The last 30 bits start in the lower half of their range and count up, so that they never overflow. */
let tail = 0;

function draw(): number {
  if (drawn === DRAWN.length) {
    randomFillSync(DRAWN);
    drawn = 0;
  }
  return DRAWN[drawn++] as number;
}

/** The last digits of a number below 2^50, as this many pairs. */
function pairs(value: number, count: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < count; i++) {
    text = PAIRS[rest % 1024] + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

/** Monotonic within a process, even when the clock steps back. */
export function newUlid(): string {
  const now = Date.now();
  if (now > milliseconds) {
    milliseconds = now;
    head = pairs(now, 5) + pairs(draw() % 2 ** 20, 2) + pairs(draw() % 2 ** 30, 3);
    tail = draw() % 2 ** 29;
  } else tail++;
  return `${head}${PAIRS[tail >>> 20]}${PAIRS[(tail >>> 10) & 1023]}${PAIRS[tail & 1023]}`;
}

/** The ULID in upper case, the one form in which ids are stored and compared; undefined when the text is not one. */
export function parseUlid(text: string): string | undefined {
  if (text.length !== LENGTH || text.charCodeAt(0) > LARGEST_FIRST) return undefined;
  let cases = 0;
  for (let i = 0; i < LENGTH; i++) {
    const code = text.charCodeAt(i);
    const found = code < 128 ? (CASES[code] as number) : 0;
    if (found === 0) return undefined;
    cases |= found;
  }
  return (cases & LOWER) === 0 ? text : text.toUpperCase();
}
