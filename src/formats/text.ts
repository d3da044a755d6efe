/**
 * Shared by the text formats: copies UTF-8 from a cell with escapes, and writes base64.
 * Bytes in, bytes out, no strings. Each format supplies its table of plain bytes.
 */
import { type ByteWriter, EncodedText, NONE, NOTHING, viewOf } from '../util/bytes/byte-writer.ts';

/** Writes a cell that is not NULL. source[from..to) holds its canonical bytes. */
export type CellWriter = (source: Buffer, from: number, to: number, out: ByteWriter) => void;

/**
 * Writes the escape of the byte at `at`, and possibly of the bytes after it.
 * Returns where to continue, or ABANDON.
 */
export type Escape = (source: Buffer, at: number, to: number, out: ByteWriter) => number;
export const ABANDON = -1;

export const REPLACEMENT = new EncodedText('\ufffd');

/**
 * Bytes that need no escape: ASCII except controls and some others. `table` is the rule, byte by
 * byte. `a`, `b` and `c` each repeat one excepted byte four times, so that four bytes are tested at
 * once. Controls and DEL that the table allows take the slow path.
 */
interface PlainBytes {
  readonly table: Uint8Array;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export function plainBytes(changes: { readonly also?: string; readonly except: string }): PlainBytes {
  const table = new Uint8Array(256);
  table.fill(1, 0x20, 0x80);
  for (const character of changes.also ?? '') table[character.charCodeAt(0)] = 1;
  for (const character of changes.except) table[character.charCodeAt(0)] = 0;
  const others = [...changes.except]
    .filter((character) => character >= ' ' && character < '\x7f')
    .map((character) => character.charCodeAt(0));
  if (others.length > 3) throw new RangeError('at most three printable characters');
  const word = (index: number) => Math.imul(others[index] ?? DEL, ONES);
  return { table, a: word(0), b: word(1), c: word(2) };
}

const DEL = 0x7f;
const ONES = 0x0101_0101;
const SPACES = 0x2020_2020;
const HIGH_BITS = 0x8080_8080;

/** Controls, exceptions, DEL and bytes beyond ASCII set a high bit. All others set none. */
function isPlain(word: number, { a, b, c }: PlainBytes): boolean {
  const special = (word - SPACES) | ((word ^ a) - ONES) | ((word ^ b) - ONES) | ((word ^ c) - ONES) | (word + ONES) | word;
  return (special & HIGH_BITS) === 0;
}

/**
 * Copies with escapes between `before` and `after`. Returns `false`, with nothing written, if
 * `escape` abandons.
 */
export function copyEscaped(
  source: Buffer,
  from: number,
  to: number,
  out: ByteWriter,
  plain: PlainBytes,
  onOther: Escape,
  before: EncodedText = NOTHING,
  after: number = NONE,
): boolean {
  const start = out.length;
  out.reserve(before.size + to - from + 1);
  const { table } = plain;
  const words = viewOf(source);
  let { bytes, view } = out;
  let length = before.put(view, start);
  // Everything before this byte was copied unchanged.
  let since = from;
  for (let at = from; at < to; ) {
    while (at + 4 <= to) {
      const word = words.getInt32(at, true);
      if (!isPlain(word, plain)) break;
      view.setInt32(length, word, true);
      length += 4;
      at += 4;
    }
    if (at >= to) break;
    // The last bytes are tested together with earlier ones, which may be copied twice.
    if (at + 4 > to && to - since >= 4) {
      const word = words.getInt32(to - 4, true);
      if (isPlain(word, plain)) {
        length += to - at;
        view.setInt32(length - 4, word, true);
        break;
      }
    }
    const byte = source[at] as number;
    if (table[byte] === 1) {
      bytes[length++] = byte;
      at++;
      continue;
    }
    out.length = length;
    at = onOther(source, at, to, out);
    if (at === ABANDON) {
      out.length = start;
      return false;
    }
    since = at;
    out.reserve(to - at + 1);
    ({ bytes, view, length } = out);
  }
  if (after !== NONE) bytes[length++] = after;
  out.length = length;
  return true;
}

/**
 * Length of the UTF-8 character at `at`, whose first byte is at least 0x80. Negative if it is
 * invalid: then that number of bytes becomes one U+FFFD (the longest valid prefix, as in browsers).
 */
export function characterLength(source: Buffer, at: number, to: number): number {
  const first = source[at] as number;
  if (first < 0xc2 || first > 0xf4) return -1;
  const second = at + 1 < to ? (source[at + 1] as number) : 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return -1;
  if (first < 0xe0) return 2;
  if (at + 2 >= to || ((source[at + 2] as number) & 0xc0) !== 0x80) return -2;
  if (first < 0xf0) return 3;
  if (at + 3 >= to || ((source[at + 3] as number) & 0xc0) !== 0x80) return -3;
  return 4;
}

/**
 * Copies a run of bytes of at least 0x80. Invalid UTF-8 becomes U+FFFD. Returns the end of the run.
 */
export function copyBeyondAscii(source: Buffer, from: number, to: number, out: ByteWriter): number {
  let at = from;
  while (at < to && (source[at] as number) >= 0x80) {
    const length = characterLength(source, at, to);
    if (length < 0) {
      out.encoded(REPLACEMENT);
      at -= length;
    } else {
      out.copy(source, at, at + length);
      at += length;
    }
  }
  return at;
}

/** Copies UTF-8. Invalid bytes become U+FFFD. */
export const copyText: CellWriter = (source, from, to, out) => {
  copyEscaped(source, from, to, out, ASCII, copyBeyondAscii);
};

const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');
const ASCII = plainBytes({ also: CONTROLS, except: '' });

export const copyCell: CellWriter = (source, from, to, out) => out.copy(source, from, to);

/** `true` unless the text of a number is NaN or an infinity. */
export function isFiniteText(source: Buffer, from: number): boolean {
  const first = source[from] as number;
  const digit = first === 0x2d ? (source[from + 1] as number) : first;
  return digit <= 0x39;
}

const TRUE = new EncodedText('true');
const FALSE = new EncodedText('false');

export const copyBool: CellWriter = (source, from, _to, out) => out.encoded(source[from] === 0x74 ? TRUE : FALSE);

const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 0x3d;
/** Larger values are encoded by the runtime, in pieces of a multiple of three bytes. */
const SMALL_BINARY = 96;
const BINARY_PIECE = 48 * 1024;

export const copyBase64: CellWriter = (source, from, to, out) => {
  if (to - from > SMALL_BINARY) {
    for (let at = from; at < to; at += BINARY_PIECE) {
      const piece = source.toString('base64', at, Math.min(to, at + BINARY_PIECE));
      out.reserve(piece.length);
      out.length += out.bytes.write(piece, out.length, 'latin1');
    }
    return;
  }
  out.reserve(Math.ceil((to - from) / 3) * 4);
  const target = out.bytes;
  let length = out.length;
  for (let at = from; at < to; at += 3) {
    const left = to - at;
    const bits =
      ((source[at] as number) << 16) | (left > 1 ? (source[at + 1] as number) << 8 : 0) | (left > 2 ? (source[at + 2] as number) : 0);
    target[length++] = BASE64[bits >> 18] as number;
    target[length++] = BASE64[(bits >> 12) & 63] as number;
    target[length++] = left > 1 ? (BASE64[(bits >> 6) & 63] as number) : PADDING;
    target[length++] = left > 2 ? (BASE64[bits & 63] as number) : PADDING;
  }
  out.length = length;
};
