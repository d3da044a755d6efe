/**
 * Strings as bytes. A program sees a sequence of bytes that usually hold UTF-8. Here it is a
 * JavaScript string in which a byte outside of valid UTF-8 is a lone low surrogate (U+DC80 to
 * U+DCFF, an "escaped byte").
 * Each byte sequence has exactly one such form, so equality, keys and searches for whole characters
 * work without bytes.
 * Operations that count bytes use the byte string: a string with one unit per byte, which for ASCII
 * is the string itself.
 */
import { isUtf8 } from 'node:buffer';

/** An escaped byte is this plus the byte. */
const ESCAPE = 0xdc00;
/** Length up to which a loop is faster than a call of the engine. */
const SHORT = 24;

export function isAscii(text: string): boolean {
  if (text.length > SHORT) return Buffer.byteLength(text) === text.length;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** `true` if the string has escaped bytes. */
export function isCut(text: string): boolean {
  return !text.isWellFormed();
}

/** Well-formed text for use outside: U+FFFD for each escaped byte. */
export function readable(text: string): string {
  return text.toWellFormed();
}

/** Byte string of a string. */
export function toBytes(text: string): string {
  if (isAscii(text)) return text;
  return isCut(text) ? escapedBytes(text).toString('latin1') : Buffer.from(text).toString('latin1');
}

/** Bytes of a string that may have escaped bytes; everything between them is encoded as UTF-8. */
function escapedBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let end = 0;
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isEscaped(text, at)) continue;
    end += bytes.write(text.slice(done, at), end);
    bytes[end++] = text.charCodeAt(at) - ESCAPE;
    done = at + 1;
  }
  end += bytes.write(text.slice(done), end);
  return bytes.subarray(0, end);
}

/** String of a byte string. */
export function fromBytes(bytes: string, pay?: (steps: number) => void): string {
  return isAscii(bytes) ? bytes : decode(Buffer.from(bytes, 'latin1'), pay);
}

/** Steps charged per byte of a text that is not UTF-8 and is decoded piece by piece. */
const PIECE_STEPS = 4;

/** String of these bytes. */
export function decode(bytes: Buffer, pay?: (steps: number) => void): string {
  pay?.(bytes.length >> 4);
  if (isUtf8(bytes)) return bytes.toString();
  pay?.(bytes.length * PIECE_STEPS);
  let text = '';
  let done = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    at += length || 1;
    if (length > 0) continue;
    if (done < at - 1) text += bytes.toString('utf8', done, at - 1);
    text += byteString(bytes[at - 1] ?? 0);
    done = at;
  }
  return text + bytes.toString('utf8', done);
}

/** Length in bytes of the character at this offset, or 0 if the bytes are invalid. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  // Rejects overlong encodings, surrogates, and code points beyond U+10FFFF.
  const min = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const max = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < min || second > max) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 2; i < length; i++) if ((bytes[at + i] ?? 0) >> 6 !== 2) return 0;
  return length;
}

const SINGLE = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte < 0x80 ? byte : ESCAPE + byte));

/** String of one byte. */
export function byteString(byte: number): string {
  return SINGLE[byte] ?? '';
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isEscape(unit: number): boolean {
  return unit >= ESCAPE + 0x80 && unit <= ESCAPE + 0xff;
}

/**
 * Rejoins characters whose bytes met again. Required after every operation that joins strings if
 * some string is cut.
 */
export function mend(text: string, pay?: (steps: number) => void): string {
  if (!isCut(text)) return text;
  pay?.(text.length * PIECE_STEPS);
  return decode(escapedBytes(text), pay);
}

/** A character has at most three bytes on either side of a cut. */
const REACH = 3;

/** Joins two strings that may be cut. */
export function joinCut(a: string, b: string): string {
  let to = 0;
  while (to < REACH && isEscaped(b, to)) to++;
  if (to === 0) return a + b;
  let from = a.length;
  while (a.length - from < REACH && isEscaped(a, from - 1)) from--;
  return from === a.length ? a + b : a.slice(0, from) + mend(a.slice(from) + b.slice(0, to)) + b.slice(to);
}

/** `true` if the unit at a position is an escaped byte, not the second half of a pair. */
function isEscaped(text: string, at: number): boolean {
  return isEscape(text.charCodeAt(at)) && !isFirstHalf(text.charCodeAt(at - 1));
}

const SURROGATES = /[\ud800-\udfff]/;

/** `true` if comparing UTF-16 units may order the string differently from comparing its bytes. */
export function hasOwnOrder(text: string): boolean {
  return SURROGATES.test(text);
}

/** Negative, zero or positive, by bytes, which is also the order of code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return hasOwnOrder(a) || hasOwnOrder(b) ? compareUnits(a, b) : a < b ? -1 : 1;
}

/**
 * Units after which two strings that differ in a unit also differ in a byte: four bytes of a
 * character and half of a pair.
 */
const ENOUGH = 5;

function compareUnits(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  let at = 0;
  while (at < common && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === common) return a.length - b.length;
  const x = a.charCodeAt(at);
  const y = b.charCodeAt(at);
  if (!isSurrogate(x) && !isSurrogate(y)) return x - y;
  // Starts at the beginning of the character: two pairs may differ in their second half only.
  const from = isFirstHalf(a.charCodeAt(at - 1)) ? at - 1 : at;
  return Buffer.compare(escapedBytes(a.slice(from, from + ENOUGH)), escapedBytes(b.slice(from, from + ENOUGH)));
}

/** Code point visible to a program: U+FFFD for an escaped byte. */
export function runeOf(point: string): number {
  const code = point.codePointAt(0) ?? 0;
  return isSurrogate(code) ? 0xfffd : code;
}

interface Known {
  readonly text: string;
  readonly bytes: string;
}

const NOTHING: Known = { text: '', bytes: '' };

/**
 * Byte strings of the strings of one run. The most recent ones are cached, because a loop over the
 * positions of a string requests the same ones repeatedly.
 */
export class ByteStrings {
  readonly #pay: (steps: number) => void;
  #first: Known = NOTHING;
  #second: Known = NOTHING;
  #third: Known = NOTHING;
  /** `true` once this run has cut a character. Until then, joined strings need no repair. */
  cut = false;

  constructor(pay: (steps: number) => void) {
    this.#pay = pay;
  }

  /** Byte string of a string. */
  of(text: string): string {
    if (text.length <= SHORT && isAscii(text)) return text;
    if (text === this.#first.text) return this.#first.bytes;
    if (text === this.#second.text) {
      [this.#first, this.#second] = [this.#second, this.#first];
      return this.#first.bytes;
    }
    if (text === this.#third.text) {
      [this.#first, this.#second, this.#third] = [this.#third, this.#first, this.#second];
      return this.#first.bytes;
    }
    this.#pay(text.length >> 6);
    let bytes = text;
    if (!isAscii(text)) {
      this.#pay(this.cut && isCut(text) ? text.length * PIECE_STEPS : text.length >> 4);
      bytes = toBytes(text);
    }
    this.#keep(text, bytes);
    return bytes;
  }

  /** String of a byte string. */
  from(bytes: string): string {
    this.#pay(bytes.length >> 5);
    const text = fromBytes(bytes, this.#pay);
    if (!this.cut && isCut(text)) this.cut = true;
    return text;
  }

  /** One byte of a byte string, as a string. */
  byteAt(bytes: string, index: number): string {
    const byte = bytes.charCodeAt(index);
    if (byte > 0x7f) this.cut = true;
    return byteString(byte);
  }

  slice(text: string, from: number, to: number): string {
    const bytes = this.of(text);
    if (from === 0 && to >= bytes.length) return text;
    const part = bytes.slice(from, to);
    if (bytes !== text) return this.from(part);
    // A part of an ASCII string is ASCII; caching it spares a loop from testing it again.
    if (part.length > SHORT) this.#keep(part, part);
    return part;
  }

  join(a: string, b: string): string {
    if (!this.cut) return a + b;
    this.#pay((a.length + b.length) >> 6);
    return joinCut(a, b);
  }

  /** Repairs a joined string: rejoins characters whose bytes met. */
  joined(text: string): string {
    if (!this.cut) return text;
    this.#pay(text.length >> 3);
    return mend(text, this.#pay);
  }

  /** `true` if a string must be searched byte by byte because it holds part of a character. */
  isPart(text: string): boolean {
    if (!this.cut) return false;
    this.#pay(text.length >> 5);
    return isCut(text);
  }

  #keep(text: string, bytes: string): void {
    this.#third = this.#second;
    this.#second = this.#first;
    this.#first = { text, bytes };
  }
}
