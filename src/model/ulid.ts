/**
 * Identifiers: how a ULID is made, recognised and written. Knows nothing of what it identifies.
 */
import { randomFillSync } from 'node:crypto';

/** 128 bits in 26 characters leave the first one 3 bits: a larger one cannot be a ULID. */
const SHAPE = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/;

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** All pairs of digits: ten bits in one look-up. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, i) => `${DIGITS[i >> 5]}${DIGITS[i & 31]}`);
/** Random numbers are drawn many at a time: each drawing costs more than an identifier. */
const DRAWN = new Uint32Array(1024);

let drawn = DRAWN.length;
let milliseconds = 0;
/** The time and the first 50 random bits, which stay as they are within a millisecond. */
let head = '';
/** The last 30 bits: begin below half of their range and count up, so that they never run over. */
let tail = 0;

function draw(): number {
  if (drawn === DRAWN.length) {
    randomFillSync(DRAWN);
    drawn = 0;
  }
  return DRAWN[drawn++] as number;
}

/** So many pairs of digits, the last ones of a number below 2^50. */
function pairs(value: number, count: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < count; i++) {
    text = PAIRS[rest % 1024] + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

/** Monotonic, so that what one process made later also sorts later, even when the clock steps back. */
export function newUlid(): string {
  const now = Date.now();
  if (now > milliseconds) {
    milliseconds = now;
    head = pairs(now, 5) + pairs(draw() % 2 ** 20, 2) + pairs(draw() % 2 ** 30, 3);
    tail = draw() % 2 ** 29;
  } else tail++;
  return `${head}${PAIRS[tail >>> 20]}${PAIRS[(tail >>> 10) & 1023]}${PAIRS[tail & 1023]}`;
}

/** The ULID in upper case, the one form in which ids are kept and compared; undefined when the text is none. */
export function parseUlid(text: string): string | undefined {
  return SHAPE.test(text) ? text.toUpperCase() : undefined;
}
