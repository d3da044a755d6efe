/** Generates, recognises and normalises ULIDs. */
import { randomFillSync } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;
/** 26 characters of 5 bits hold 130 bits, so the first character of a 128-bit ULID is at most 7. */
const MAX_FIRST = 0x37;
const UPPER = 1;
const LOWER = 2;
/** Case of a digit by character code; 0 if the character is not a digit. */
const CASES = new Uint8Array(128);
for (const digit of DIGITS.toLowerCase()) CASES[digit.charCodeAt(0)] = LOWER;
for (const digit of DIGITS) CASES[digit.charCodeAt(0)] = UPPER;
/** All pairs of digits: ten bits per lookup. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, i) => `${DIGITS[i >> 5]}${DIGITS[i & 31]}`);
/** Number of random values drawn at once: a single draw costs more than an identifier. */
const DRAW_COUNT = 1024;

/** Returns the last digits of a number below 2^50, two per pair. */
function pairs(value: number, count: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < count; i++) {
    text = PAIRS[rest % 1024] + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

class UlidGenerator {
  readonly #random = new Uint32Array(DRAW_COUNT);
  #drawn = DRAW_COUNT;
  #milliseconds = 0;
  /** Timestamp and the first 50 random bits, which do not change within a millisecond. */
  #head = '';
  /**
   * Last 30 bits. They start in the lower half of their range and count up, so they never overflow.
   */
  #tail = 0;

  next(): string {
    const now = Date.now();
    if (now > this.#milliseconds) {
      this.#milliseconds = now;
      this.#head = pairs(now, 5) + pairs(this.#draw() % 2 ** 20, 2) + pairs(this.#draw() % 2 ** 30, 3);
      this.#tail = this.#draw() % 2 ** 29;
    } else this.#tail++;
    const tail = this.#tail;
    return `${this.#head}${PAIRS[tail >>> 20]}${PAIRS[(tail >>> 10) & 1023]}${PAIRS[tail & 1023]}`;
  }

  #draw(): number {
    if (this.#drawn === DRAW_COUNT) {
      randomFillSync(this.#random);
      this.#drawn = 0;
    }
    return this.#random[this.#drawn++] as number;
  }
}

/** One generator per process: the ids of all services in it are unique and monotonic. */
const generator = new UlidGenerator();

/** Monotonic within a process, even if the clock steps back. */
export function newUlid(): string {
  return generator.next();
}

/**
 * Returns the ULID in upper case, as ids are stored and compared, or `undefined` if the text is not
 * one.
 */
export function parseUlid(text: string): string | undefined {
  if (text.length !== LENGTH || text.charCodeAt(0) > MAX_FIRST) return undefined;
  let cases = 0;
  for (let i = 0; i < LENGTH; i++) {
    const code = text.charCodeAt(i);
    const digitCase = code < 128 ? (CASES[code] as number) : 0;
    if (digitCase === 0) return undefined;
    cases |= digitCase;
  }
  return (cases & LOWER) === 0 ? text : text.toUpperCase();
}
