/**
 * The grammar of JSON (RFC 8259) over a whole body: skips values, reads strings, checks numbers and
 * nesting, reports positions. Builds no values.
 */
import { isAscii, isUtf8 } from 'node:buffer';

/** Thrown when the body is not JSON, or not the JSON that is expected. */
export class JsonError extends Error {
  readonly reason: string;
  /** Offset in characters from the start of the text, or in bytes beyond the first MiB. */
  readonly position: number;

  constructor(reason: string, bytes: Buffer, at: number) {
    const { position, words } = placeOf(bytes, at);
    super(`${reason} at ${words}`);
    this.name = new.target.name;
    this.reason = reason;
    this.position = position;
  }
}

/** Thrown when arrays and objects are nested beyond the limit. */
export class JsonDepthError extends JsonError {}

export interface JsonLimits {
  /** Maximum nesting of arrays and objects, at most MAX_DEPTH_LIMIT. */
  readonly maxDepth: number;
}

/** The readers recurse once per level. The stack holds far more levels than this. */
const MAX_DEPTH_LIMIT = 512;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
/** Returned at the end of the input. */
const NOTHING = -1;
/** Maximum length of a character in UTF-8. */
const LONGEST_CHARACTER = 4;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_U = 0x75;
/** More digits than any database keeps. */
const MAX_DIGITS = 200_000;
/** Bytes of a key. Values are read in slices, but a key is read at once. */
const MAX_KEY = 1024 * 1024;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** 1 for characters that may follow a backslash, except `u`. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const character of '"\\/bfnrt') SHORT_ESCAPES[character.charCodeAt(0)] = 1;

/** The value of a hexadecimal digit plus 1; 0 for every other byte. */
const HEX_DIGITS = new Uint8Array(256);
for (const [value, digit] of [...'0123456789abcdef'].entries())
  for (const spelled of [digit, digit.toUpperCase()]) HEX_DIGITS[spelled.charCodeAt(0)] = value + 1;

/**
 * Beyond this offset, positions are given in bytes: counting lines would take as long as reading.
 */
const COUNTED = 1024 * 1024;

/** Lines and columns start at 1. */
function placeOf(bytes: Buffer, at: number): { readonly position: number; readonly words: string } {
  if (at > COUNTED) return { position: at, words: `byte ${at}` };
  const before = bytes.toString('utf8', 0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = 0; i < at; i++) if (bytes[i] === LINE_FEED) line++;
  return { position: before.length, words: `line ${line}, column ${before.length - lineStart + 1}` };
}

const WORD = 4;
const EACH = 0x01010101;
const TOP_BITS = 0x80808080 | 0;

/**
 * Returns `true` if none of four bytes is a quote, a backslash or a control character. A byte below
 * the compared one shows by the borrow from its top bit.
 */
function isPlain(word: number): boolean {
  const quote = word ^ (EACH * QUOTE);
  const backslash = word ^ (EACH * BACKSLASH);
  return ((((quote - EACH) & ~quote) | ((backslash - EACH) & ~backslash) | ((word - EACH * 0x20) & ~word)) & TOP_BITS) === 0;
}

const SEVEN_BITS = 0x7f7f7f7f;

/**
 * Returns `true` if all four bytes are white space. For bytes below 128, the top bit of a
 * difference plus 127 is clear only if the difference is zero.
 */
function isSpace(word: number): boolean {
  const others =
    ((word ^ (EACH * 0x20)) + SEVEN_BITS) &
    ((word ^ (EACH * LINE_FEED)) + SEVEN_BITS) &
    ((word ^ (EACH * 0x0d)) + SEVEN_BITS) &
    ((word ^ (EACH * 0x09)) + SEVEN_BITS);
  return ((others | word) & TOP_BITS) === 0;
}

/** White space up to this length, the indentation of most documents, is read byte by byte. */
const SHORT_SPACE = 64;

export class JsonScanner {
  readonly bytes: Buffer;
  /** The whole ASCII body as a string: slicing it is cheaper than decoding each part. */
  #text: string | undefined;
  readonly isAscii: boolean;
  /** The same bytes, four at a time. */
  #words: DataView | undefined;
  /** Offset of the next byte to read. */
  at = 0;
  /** `true` if the last string contained an escape. */
  escaped = false;
  /** `true` if the last number had neither a fraction nor an exponent. */
  integral = true;
  readonly maxDepth: number;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.bytes = bytes;
    this.isAscii = isAscii(bytes);
    this.maxDepth = Math.min(limits.maxDepth, MAX_DEPTH_LIMIT);
    if (this.isAscii) return;
    if (!isUtf8(bytes)) throw new JsonError('the body is not valid UTF-8', bytes, 0);
    if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) this.at = BYTE_ORDER_MARK.length;
  }

  slice(from: number, to: number): string {
    if (!this.isAscii) return this.bytes.toString('utf8', from, to);
    this.#text ??= this.bytes.toString('latin1');
    return this.#text.slice(from, to);
  }

  #inWords(): DataView {
    this.#words ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.#words;
  }

  fail(reason: string, position: number = this.at): never {
    throw new JsonError(reason, this.bytes, position);
  }

  /** Skips white space. Returns the next byte, or NOTHING at the end. */
  next(): number {
    const { bytes } = this;
    const { length } = bytes;
    let at = this.at;
    for (const far = at + SHORT_SPACE; at < length; at++) {
      const code = bytes[at] as number;
      if (code > 0x20 || (code !== 0x20 && code !== LINE_FEED && code !== 0x0d && code !== 0x09)) {
        this.at = at;
        return code;
      }
      if (at === far) return this.#afterLongSpace(at);
    }
    this.at = at;
    return NOTHING;
  }

  #afterLongSpace(from: number): number {
    const words = this.#inWords();
    let at = from;
    let before = 0;
    for (const last = this.bytes.length - WORD; at <= last; at += WORD) {
      const word = words.getInt32(at, true);
      if (word !== before && !isSpace(word)) break;
      before = word;
    }
    this.at = at;
    return this.next();
  }

  unexpected(wanted: string): never {
    if (this.at >= this.bytes.length) this.fail(`the text ends where ${wanted} should be`);
    const [found] = this.bytes.toString('utf8', this.at, this.at + LONGEST_CHARACTER);
    return this.fail(`${JSON.stringify(found)} where ${wanted} should be`);
  }

  /** Checks that only white space follows the document. */
  end(): void {
    this.next();
    if (this.at < this.bytes.length) this.unexpected('the end');
  }

  /** Checks the nesting limit on entering an array or object that `depth` already counts. */
  enter(depth: number): void {
    if (depth > this.maxDepth) throw new JsonDepthError(`nested deeper than ${this.maxDepth}`, this.bytes, this.at);
    this.at++;
  }

  /** Reads the string at the current offset. */
  string(): string {
    return this.#stringBefore(this.bytes.length + 1);
  }

  key(): string {
    return this.#stringBefore(this.at + 1 + MAX_KEY);
  }

  /** Reads a key, which must end before `end`. */
  #stringBefore(end: number): string {
    const { bytes } = this;
    const start = this.at + 1;
    for (let i = start; i < end; i++) {
      const code = bytes[i] as number;
      if (code === QUOTE) {
        this.at = i + 1;
        this.escaped = false;
        return this.slice(start, i);
      }
      if (code === BACKSLASH) return this.#escapedString(start, i, end);
      if (!(code >= 0x20)) this.#badStringCharacter(i);
    }
    return this.#longKey(start);
  }

  #longKey(start: number): never {
    this.fail(`a key of more than ${MAX_KEY} bytes`, start);
  }

  /**
   * Moves from inside a string to its closing quote, or to `until` if that is closer. Returns -1 if
   * the text in between needs decoding.
   */
  plainEnd(from: number, until: number): number {
    const { bytes } = this;
    let i = from;
    const words = this.#inWords();
    for (const last = Math.min(bytes.length, until) - WORD; i <= last && isPlain(words.getInt32(i, true)); ) i += WORD;
    for (; i < until; i++) {
      const code = bytes[i] as number;
      if (code === QUOTE) return i;
      if (code === BACKSLASH || !(code >= 0x20)) return -1;
    }
    return i;
  }

  /** Decoded parts of a string that is longer than a slice. */
  #parts: string[] | undefined;

  /** `true` while `textUntil` is in the middle of a string. */
  get isInText(): boolean {
    return this.#parts !== undefined;
  }

  /**
   * Reads a string, continuing one that an earlier call began. Returns `undefined` if it does not
   * end before `until`.
   */
  textUntil(until: number): string | undefined {
    const from = this.#parts === undefined ? this.at + 1 : this.at;
    let end = this.textEnd(from, until);
    // Cut only between characters.
    while (end >= until && ((this.bytes[end] as number) & 0xc0) === 0x80) end++;
    const part = this.escaped ? (JSON.parse(`"${this.slice(from, end)}"`) as string) : this.slice(from, end);
    if (end >= until) {
      (this.#parts ??= []).push(part);
      this.at = end;
      return undefined;
    }
    const text = this.#parts === undefined ? part : [...this.#parts, part].join('');
    this.escaped ||= this.#parts !== undefined;
    this.#parts = undefined;
    this.at = end + 1;
    return text;
  }

  /**
   * Reads the key at the current offset if its bytes are the expected ones (one character each).
   */
  isKey(expected: string): boolean {
    const { bytes } = this;
    const start = this.at + 1;
    const { length } = expected;
    for (let i = 0; i < length; i++) if ((bytes[start + i] as number) !== expected.charCodeAt(i)) return false;
    if ((bytes[start + length] as number) !== QUOTE) return false;
    this.at = start + length + 1;
    return true;
  }

  colon(): void {
    if (this.next() !== COLON) this.unexpected('a colon');
    this.at++;
  }

  number(): void {
    const { bytes } = this;
    let i = this.at;
    let code = bytes[i] as number;
    if (code === MINUS) code = bytes[++i] as number;
    if (code === ZERO) code = bytes[++i] as number;
    else i = this.#digits(i, 'a value');
    code = bytes[i] as number;
    this.integral = true;
    if (code === DOT) {
      this.integral = false;
      i = this.#digits(i + 1, 'a digit');
      code = bytes[i] as number;
    }
    if ((code | 0x20) === 0x65) {
      this.integral = false;
      code = bytes[++i] as number;
      i = this.#digits(code === PLUS || code === MINUS ? i + 1 : i, 'a digit');
    }
    this.at = i;
  }

  /** Moves past `null`, `true` or `false`. */
  word(expected: string): void {
    if (this.slice(this.at, this.at + expected.length) !== expected) this.unexpected('a value');
    this.at += expected.length;
  }

  /** Closing bytes of the containers being skipped, and whether the position is inside a string. */
  readonly #skipped: number[] = [];
  #isInSkippedText = false;

  /**
   * Checks a value and moves past it without building it. `depth` counts the arrays and objects
   * around it. Returns `false` when the value does not end before `until`; calling again continues.
   */
  skip(depth: number, until: number = Number.POSITIVE_INFINITY): boolean {
    const open = this.#skipped;
    while (this.at < until) {
      const code = this.#isInSkippedText ? QUOTE : this.next();
      if (code === OPEN_OBJECT || code === OPEN_LIST) {
        this.enter(depth + open.length + 1);
        const close = code + (CLOSE_LIST - OPEN_LIST);
        if (this.next() !== close) {
          open.push(close);
          if (code === OPEN_OBJECT) this.#skipKey();
          continue;
        }
        this.at++;
      } else if (code === QUOTE) {
        if (!this.#skipText(until)) return false;
      } else this.#skipSimple(code);
      if (this.#skipEnds(open)) return true;
    }
    return false;
  }

  /** Closes every container that ends here. Returns `true` when the outermost has ended. */
  #skipEnds(open: number[]): boolean {
    for (let close = open.at(-1); close !== undefined; close = open.at(-1)) {
      const code = this.next();
      if (code !== COMMA && code !== close) this.unexpected(close === CLOSE_LIST ? 'a comma or ]' : 'a comma or }');
      this.at++;
      if (code === COMMA) {
        if (close === CLOSE_OBJECT) this.#skipKey();
        return false;
      }
      open.pop();
    }
    return true;
  }

  #skipSimple(code: number): void {
    const word = WORDS.get(code);
    if (word === undefined) this.number();
    else this.word(word);
  }

  #skipKey(): void {
    if (this.next() !== QUOTE) this.unexpected('a key');
    const start = this.at + 1;
    const end = this.#skippedEnd(start, start + MAX_KEY);
    if (end >= start + MAX_KEY) this.#longKey(start);
    this.at = end + 1;
    this.colon();
  }

  /** Returns `false` when the string does not end before `until`; calling again continues. */
  #skipText(until: number): boolean {
    const end = this.#skippedEnd(this.#isInSkippedText ? this.at : this.at + 1, until);
    this.#isInSkippedText = end >= until;
    this.at = this.#isInSkippedText ? end : end + 1;
    return !this.#isInSkippedText;
  }

  #skippedEnd(from: number, until: number): number {
    const end = this.plainEnd(from, until);
    return end < 0 ? this.textEnd(from, until) : end;
  }

  #digits(from: number, wanted: string): number {
    const end = from + MAX_DIGITS;
    let i = from;
    for (let code = this.bytes[i] as number; code >= ZERO && code <= NINE && i < end; ) code = this.bytes[++i] as number;
    if (i === end) this.fail(`a number of more than ${MAX_DIGITS} digits`, from);
    if (i > from) return i;
    this.at = i;
    return this.unexpected(wanted);
  }

  #badStringCharacter(position: number): never {
    if (position >= this.bytes.length) this.fail('a string without its closing quote', position);
    return this.fail('a control character in a string (write it as an escape)', position);
  }

  /** Lets the runtime decode a checked string into one flat string. */
  #escapedString(start: number, firstEscape: number, before: number): string {
    const end = this.textEnd(firstEscape, before);
    if (end >= before) this.#longKey(start);
    this.at = end + 1;
    this.escaped = true;
    return JSON.parse(this.slice(start - 1, end + 1)) as string;
  }

  /**
   * Moves from inside a string to its closing quote, or to `until` if that is closer. Checks every
   * escape on the way.
   */
  textEnd(from: number, until: number): number {
    const { bytes } = this;
    let i = from;
    this.escaped = false;
    while (i < until) {
      const code = bytes[i] as number;
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        this.escaped = true;
        i += SHORT_ESCAPES[bytes[i + 1] as number] === 1 ? 2 : this.#unicodeEscape(i);
      } else if (code >= 0x20) i++;
      else this.#badStringCharacter(i);
    }
    return i;
  }

  /**
   * Length of `\uXXXX`, or of a surrogate pair. Rejects an unpaired surrogate, which UTF-8 cannot
   * hold.
   */
  #unicodeEscape(position: number): number {
    const high = this.#hex(position);
    if (high < 0xd800 || high > 0xdfff) return 6;
    const low =
      high <= 0xdbff && this.bytes[position + 6] === BACKSLASH && this.bytes[position + 7] === LETTER_U ? this.#hex(position + 6) : 0;
    if (low < 0xdc00 || low > 0xdfff) this.fail('half of a surrogate pair', position);
    return 12;
  }

  #hex(position: number): number {
    const { bytes } = this;
    let value = 0;
    let known = bytes[position + 1] === LETTER_U;
    for (let i = position + 2; i < position + 6; i++) {
      const digit = HEX_DIGITS[bytes[i] as number];
      known &&= digit !== undefined && digit > 0;
      value = value * 16 + (digit ?? 0) - 1;
    }
    if (!known) this.fail('an unknown escape', position);
    return value;
  }
}

/** The literals of JSON by their first byte. */
export const WORDS: ReadonlyMap<number, string> = new Map([
  [0x6e, 'null'],
  [0x74, 'true'],
  [0x66, 'false'],
]);
