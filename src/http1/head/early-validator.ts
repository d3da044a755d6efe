/**
 * Checks whether an incomplete head can still become a request. A TLS greeting, a bare line feed,
 * HTTP/0.9 or an unknown method is rejected at once instead of after the time limit for heads.
 */

import { RequestRejected } from '../request-rejected.ts';
import { IN_TARGET, IN_TOKEN, IN_VALUE, SPACE, skip, TAB } from './characters.ts';
import { KNOWN_METHODS, LONGEST_METHOD } from './methods.ts';

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SLASH = 0x2f;
const VERSION = /^ HTTP\/1\.[01]$/;
const ABSOLUTE = /^https?:/i;

export class EarlyValidator {
  /** Start of the first line that is not checked yet. */
  #line = 0;
  /** That line has no line feed before this position. */
  #scanned = 0;

  /** Throws RequestRejected if no head can begin with these bytes. */
  check(bytes: Buffer): void {
    for (let feed = bytes.indexOf(LF, this.#scanned); feed >= 0; feed = bytes.indexOf(LF, this.#line)) {
      const end = feed - 1;
      if (end < this.#line || bytes[end] !== CR) throw new RequestRejected('malformed');
      if (this.#line === 0) checkRequestLine(bytes, end);
      else checkHeaderLine(bytes, this.#line, end);
      this.#line = feed + 1;
    }
    this.#scanned = bytes.length;
    if (this.#line === 0) checkMethod(bytes);
  }

  /** Call this when the next head begins. */
  reset(): void {
    this.#line = 0;
    this.#scanned = 0;
  }
}

function checkMethod(bytes: Buffer): void {
  const end = skip(bytes.subarray(0, LONGEST_METHOD + 1), 0, IN_TOKEN);
  const word = bytes.toString('latin1', 0, end);
  const known = end < bytes.length ? bytes[end] === SPACE && KNOWN_METHODS.has(word) : beginsMethod(word);
  const first = bytes[end + 1];
  if (!known || (first !== undefined && first !== SLASH && first !== 0x68 && first !== 0x48)) throw new RequestRejected('malformed');
}

function beginsMethod(word: string): boolean {
  for (const method of KNOWN_METHODS.keys()) if (method.startsWith(word)) return true;
  return false;
}

function checkRequestLine(bytes: Buffer, end: number): void {
  const methodEnd = skip(bytes, 0, IN_TOKEN);
  const targetEnd = skip(bytes, methodEnd + 1, IN_TARGET);
  const isTarget = bytes[methodEnd + 1] === SLASH || ABSOLUTE.test(bytes.toString('latin1', methodEnd + 1, methodEnd + 8));
  const isGood = KNOWN_METHODS.has(bytes.toString('latin1', 0, methodEnd)) && bytes[methodEnd] === SPACE && isTarget;
  if (!isGood || targetEnd > end || !VERSION.test(bytes.toString('latin1', targetEnd, end))) throw new RequestRejected('malformed');
}

function checkHeaderLine(bytes: Buffer, start: number, end: number): void {
  const nameEnd = skip(bytes, start, IN_TOKEN);
  if (nameEnd === start || bytes[nameEnd] !== COLON || skip(bytes, nameEnd + 1, IN_VALUE) !== end) throw new RequestRejected('malformed');
}

/** Number of bytes of empty lines before a request: some clients send one after a body. */
export function emptyLinesLength(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  if (bytes[at] === LF || bytes[at] === SPACE || bytes[at] === TAB) throw new RequestRejected('malformed');
  return at;
}
