/** Checks that bytes are one JSON value (RFC 8259), without building it. Allocates nothing. */
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE, WORDS } from './json-scan.ts';

const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
/** Position after something that is not JSON. */
const NOWHERE = -1;

const SPACES = new Uint8Array(256);
for (const character of ' \t\r\n') SPACES[character.charCodeAt(0)] = 1;
const ESCAPES = new Uint8Array(256);
for (const character of '"\\/bfnrt') ESCAPES[character.charCodeAt(0)] = 1;
const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = 1;

/** Deeper values are not checked, and count as invalid. */
const MAX_DEPTH = 10_000;
/** The closing bytes of the open lists and objects. No check is interrupted by another one. */
const CLOSES = new Uint8Array(MAX_DEPTH);

export function isJson(bytes: Buffer, from: number, to: number): boolean {
  let depth = 0;
  let at = afterSpace(bytes, from, to);
  for (;;) {
    const code = at < to ? (bytes[at] as number) : NOWHERE;
    if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (depth === MAX_DEPTH) return false;
      const close = code === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT;
      at = afterSpace(bytes, at + 1, to);
      if (bytes[at] !== close || at >= to) {
        CLOSES[depth++] = close;
        at = code === OPEN_OBJECT ? afterKey(bytes, at, to) : at;
        if (at === NOWHERE) return false;
        continue;
      }
      at++;
    } else at = afterSimple(bytes, at, to, code);
    if (at === NOWHERE) return false;
    for (;;) {
      at = afterSpace(bytes, at, to);
      if (depth === 0) return at === to;
      const next = at < to ? bytes[at] : NOWHERE;
      const close = CLOSES[depth - 1] as number;
      at++;
      if (next === COMMA) {
        at = afterSpace(bytes, at, to);
        if (close === CLOSE_OBJECT) at = afterKey(bytes, at, to);
        if (at === NOWHERE) return false;
        break;
      }
      if (next !== close) return false;
      depth--;
    }
  }
}

function afterSpace(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && SPACES[bytes[at] as number] === 1) at++;
  return at;
}

/** Position of the value after a key and its colon. */
function afterKey(bytes: Buffer, from: number, to: number): number {
  if (from >= to || bytes[from] !== QUOTE) return NOWHERE;
  const end = afterString(bytes, from, to);
  if (end === NOWHERE) return NOWHERE;
  const at = afterSpace(bytes, end, to);
  return at < to && bytes[at] === COLON ? afterSpace(bytes, at + 1, to) : NOWHERE;
}

function afterSimple(bytes: Buffer, at: number, to: number, code: number): number {
  if (code === QUOTE) return afterString(bytes, at, to);
  if (code === MINUS || (code >= ZERO && code <= NINE)) return afterNumber(bytes, at, to);
  const word = WORDS.get(code);
  if (word === undefined || at + word.length > to) return NOWHERE;
  for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return NOWHERE;
  return at + word.length;
}

function afterString(bytes: Buffer, from: number, to: number): number {
  for (let at = from + 1; at < to; at++) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at + 1;
    if (code < SPACE) return NOWHERE;
    if (code !== BACKSLASH) continue;
    at++;
    const kind = bytes[at] as number;
    if (at >= to || (ESCAPES[kind] !== 1 && kind !== LETTER_U)) return NOWHERE;
    if (kind !== LETTER_U) continue;
    if (at + 4 >= to) return NOWHERE;
    for (let i = 1; i <= 4; i++) if (HEX[bytes[at + i] as number] !== 1) return NOWHERE;
    at += 4;
  }
  return NOWHERE;
}

function afterNumber(bytes: Buffer, from: number, to: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  if (at < to && bytes[at] === ZERO) at++;
  else at = afterDigits(bytes, at, to);
  if (at !== NOWHERE && at < to && bytes[at] === DOT) at = afterDigits(bytes, at + 1, to);
  if (at === NOWHERE || at >= to || ((bytes[at] as number) | SPACE) !== LETTER_E) return at;
  const sign = bytes[at + 1];
  return afterDigits(bytes, at + (sign === MINUS || sign === 0x2b ? 2 : 1), to);
}

/** At least one digit is required. */
function afterDigits(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at === from ? NOWHERE : at;
}
