/**
 * Strings as bytes. To a program a string is a sequence of bytes that usually hold UTF-8; here it is a JavaScript string, with a byte
 * that is no part of valid UTF-8 as a lone low surrogate (U+DC80 to U+DCFF, an "escaped byte"). Each sequence of bytes has one such
 * form only, so that equality, keys and searches for whole characters need no bytes at all. What counts bytes works on the
 * byte text: a string with one unit for each byte, which for ASCII is the string itself.
 */
import { isUtf8 } from 'node:buffer';

/** A byte that is no part of a character, as a unit: this and the byte. */
const ESCAPE = 0xdc00;
/** Up to here a loop is faster than a call of the engine. */
const SHORT = 24;

export function isAscii(text: string): boolean {
  if (text.length > SHORT) return Buffer.byteLength(text) === text.length;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** Whether it has bytes that are no part of a character. */
export function isCut(text: string): boolean {
  return !text.isWellFormed();
}

/** As text that can leave: U+FFFD for each byte that is no part of a character. */
export function readable(text: string): string {
  return text.toWellFormed();
}

/** The byte text of a string. */
export function toBytes(text: string): string {
  if (isAscii(text)) return text;
  return isCut(text) ? escapedBytes(text).toString('latin1') : Buffer.from(text).toString('latin1');
}

/** The bytes of a string that may have escaped ones: what stands between those is written as it is. */
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

/** The string of a byte text. */
export function fromBytes(bytes: string): string {
  return isAscii(bytes) ? bytes : decode(Buffer.from(bytes, 'latin1'));
}

/** The string that consists of these bytes. */
export function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  let done = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    at += length || 1;
    if (length > 0) continue;
    text += bytes.toString('utf8', done, at - 1) + byteString(bytes[at - 1] ?? 0);
    done = at;
  }
  return text + bytes.toString('utf8', done);
}

/** The bytes of the character that begins here, or 0 where none does. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  // Not in more bytes than needed, no surrogates, nothing beyond U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 2; i < length; i++) if ((bytes[at + i] ?? 0) >> 6 !== 2) return 0;
  return length;
}

const SINGLE = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte < 0x80 ? byte : ESCAPE + byte));

/** The string of one byte. */
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

/** Puts together what may have come apart: to be used on the result of any operation that joins strings, if some string is cut. */
export function mend(text: string): string {
  return isCut(text) ? decode(escapedBytes(text)) : text;
}

/** A character has at most three bytes on either side of a cut. */
const REACH = 3;

/** Two strings, one after the other, where both may be cut. */
export function joinCut(a: string, b: string): string {
  let to = 0;
  while (to < REACH && isEscaped(b, to)) to++;
  if (to === 0) return a + b;
  let from = a.length;
  while (a.length - from < REACH && isEscaped(a, from - 1)) from--;
  return from === a.length ? a + b : a.slice(0, from) + mend(a.slice(from) + b.slice(0, to)) + b.slice(to);
}

/** Whether the unit at a position is a byte of its own, not the second half of a pair. */
function isEscaped(text: string, at: number): boolean {
  return isEscape(text.charCodeAt(at)) && !isFirstHalf(text.charCodeAt(at - 1));
}

const SURROGATES = /[\ud800-\udfff]/;

/** Whether the engine's own order of units may differ from that of the bytes. */
export function hasOwnOrder(text: string): boolean {
  return SURROGATES.test(text);
}

/** Negative, zero or positive, by bytes, which is also the order of code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return hasOwnOrder(a) || hasOwnOrder(b) ? compareUnits(a, b) : a < b ? -1 : 1;
}

/** Units within which strings that differ at once do so in their bytes: four for the bytes of a character, and a half of a pair. */
const ENOUGH = 5;

function compareUnits(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  let at = 0;
  while (at < common && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === common) return a.length - b.length;
  const x = a.charCodeAt(at);
  const y = b.charCodeAt(at);
  if (!isSurrogate(x) && !isSurrogate(y)) return x - y;
  // From the beginning of the character: where two pairs differ in their second half only, the first is before it.
  const from = isFirstHalf(a.charCodeAt(at - 1)) ? at - 1 : at;
  return Buffer.compare(escapedBytes(a.slice(from, from + ENOUGH)), escapedBytes(b.slice(from, from + ENOUGH)));
}

/** The code point that a program sees: U+FFFD for a byte that is part of none. */
export function runeOf(point: string): number {
  const code = point.codePointAt(0) ?? 0;
  return isSurrogate(code) ? 0xfffd : code;
}

interface Known {
  readonly text: string;
  readonly bytes: string;
}

const NOTHING: Known = { text: '', bytes: '' };

/** The strings of one run as bytes. The last byte texts are kept: a loop over the positions of a string asks for the same ones again and again. */
export class ByteTexts {
  readonly #pay: (steps: number) => void;
  #first: Known = NOTHING;
  #second: Known = NOTHING;
  #third: Known = NOTHING;
  /** Whether the run has ever cut a character: as long as it has not, nothing that is joined needs a look. */
  cut = false;

  constructor(pay: (steps: number) => void) {
    this.#pay = pay;
  }

  /** The byte text of a string. */
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
      this.#pay(text.length >> 4);
      bytes = toBytes(text);
    }
    this.#keep(text, bytes);
    return bytes;
  }

  /** The string of a byte text. */
  from(bytes: string): string {
    const text = fromBytes(bytes);
    if (!this.cut && isCut(text)) this.cut = true;
    return text;
  }

  /** One byte of a byte text, as a string. */
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
    // A part of ASCII is ASCII, which a loop that goes on with it need not find out again.
    if (part.length > SHORT) this.#keep(part, part);
    return part;
  }

  join(a: string, b: string): string {
    if (!this.cut) return a + b;
    this.#pay((a.length + b.length) >> 6);
    return joinCut(a, b);
  }

  /** What was put together of several strings, with the characters whole that met in it. */
  joined(text: string): string {
    if (!this.cut) return text;
    this.#pay(text.length >> 4);
    return mend(text);
  }

  /** Whether a string must be looked for byte by byte: it holds a part of a character. Whole ones are found as they are. */
  isPart(text: string): boolean {
    return this.cut && isCut(text);
  }

  #keep(text: string, bytes: string): void {
    this.#third = this.#second;
    this.#second = this.#first;
    this.#first = { text, bytes };
  }
}
