/**
 * Scalars that YAML 1.1 and 1.2 read alike: strings as strings, numbers as numbers. Pure.
 * Strings are plain only if that is certain to be safe, otherwise in double quotes.
 */
import type { Kind } from '../model/table.ts';
import { type ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
import { isJson } from '../util/json/json-check.ts';
import {
  ABANDON,
  type CellWriter,
  characterLength,
  copyBase64,
  copyBool,
  copyCell,
  copyEscaped,
  type Escape,
  isFiniteText,
  plainBytes,
  REPLACEMENT,
} from './text.ts';

const QUOTE = 0x22;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const PLAIN = plainBytes({ except: ':#"\x7f' });
const QUOTED = plainBytes({ except: '"\\\x7f' });

const LONGEST_WORD = 5;
/** Words that some YAML version reads as null, a boolean or a number. Compared without case. */
const WORDS = new Set(
  ['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null', 'nan', 'inf'].map((word) => packed(Buffer.from(word), 0, word.length)),
);

/** Packs a word of up to five letters into a number, ignoring case. */
function packed(source: Buffer, from: number, to: number): number {
  let code = 0;
  for (let at = from; at < to; at++) code = code * 256 + ((source[at] as number) | 0x20);
  return code;
}

const giveUp: Escape = () => ABANDON;

const SHORT_ESCAPES: Readonly<Record<number, string>> = {
  0: '\\0',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};
const ESCAPES: readonly EncodedText[] = Array.from(
  { length: 0x80 },
  (_, byte) => new EncodedText(SHORT_ESCAPES[byte] ?? `\\x${byte.toString(16).padStart(2, '0')}`),
);

/**
 * Escapes non-ASCII characters that are not printable in YAML, line breaks, and byte order marks.
 */
const escapeQuoted: Escape = (source, from, to, out) => {
  let at = from;
  if ((source[at] as number) < 0x80) {
    out.encoded(ESCAPES[source[at] as number] as EncodedText);
    return at + 1;
  }
  while (at < to && (source[at] as number) >= 0x80) {
    const length = characterLength(source, at, to);
    if (length < 0) out.encoded(REPLACEMENT);
    else if (isUnprintable(source, at)) out.text(numericEscape(source.toString('utf8', at, at + length)));
    else out.copy(source, at, at + length);
    at += Math.abs(length);
  }
  return at;
};

/** U+0080 to U+009F, U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF. */
function isUnprintable(source: Buffer, at: number): boolean {
  const second = source[at + 1] as number;
  const third = source[at + 2] as number;
  switch (source[at]) {
    case 0xc2:
      return second < 0xa0;
    case 0xe2:
      return second === 0x80 && (third === 0xa8 || third === 0xa9);
    case 0xef:
      return (second === 0xbb && third === 0xbf) || (second === 0xbf && third >= 0xbe);
    default:
      return false;
  }
}

function numericEscape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

export const writeQuoted: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  copyEscaped(source, from, to, out, QUOTED, escapeQuoted);
  out.byte(QUOTE);
};

export const writeText: CellWriter = (source, from, to, out) => {
  if (!maybePlain(source, from, to) || !copyEscaped(source, from, to, out, PLAIN, giveUp)) writeQuoted(source, from, to, out);
};

/** `false` if the text must be quoted even if all its characters are safe, such as `true`. */
function maybePlain(source: Buffer, from: number, to: number): boolean {
  const letter = (source[from] as number) | 0x20;
  if (from === to || letter < 0x61 || letter > 0x7a || source[to - 1] === SPACE) return false;
  if (letter === 0x65 && to - from > 1 && (source[from + 1] as number) <= 0x39) return false;
  return to - from > LONGEST_WORD || !WORDS.has(packed(source, from, to));
}

/** Quotes values that need no escapes but would be read as dates or numbers. */
const writeAsIs: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  out.copy(source, from, to);
  out.byte(QUOTE);
};

/**
 * YAML 1.1 requires a point and a sign in exponents: it reads `1e5` as a string, `1.0e+5` as a
 * number.
 */
export const writeNumber: CellWriter = (source, from, to, out) => {
  if (!isFiniteText(source, from)) {
    writeAsIs(source, from, to, out);
    return;
  }
  let point = false;
  for (let at = from; at < to; at++) {
    const byte = source[at] as number;
    if (byte === 0x2e) point = true;
    if ((byte | 0x20) !== 0x65) continue;
    out.copy(source, from, at);
    out.text(point ? 'e' : '.0e');
    if ((source[at + 1] as number) >= 0x30) out.byte(0x2b);
    out.copy(source, at + 1, to);
    return;
  }
  out.copy(source, from, to);
};

const writeBytes: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  copyBase64(source, from, to, out);
  out.byte(QUOTE);
};

/** YAML limits simple keys to 1024 characters. Longer keys need a question mark. */
const MAX_SIMPLE_KEY_CHARS = 1000;

/**
 * Writes JSON text as a YAML flow value. White space is dropped, since line breaks would need
 * indentation. Numbers get the form above, and escapes that only JSON has become the characters
 * themselves.
 */
const writeFlow: CellWriter = (source, from, to, out) => {
  if (!isJson(source, from, to)) {
    writeText(source, from, to, out);
    return;
  }
  for (let at = from; at < to; ) {
    const byte = source[at] as number;
    if (byte === QUOTE) at = flowString(source, at, to, out);
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) at = flowNumber(source, at, to, out);
    else {
      if (byte > SPACE) out.byte(byte);
      at++;
    }
  }
};

function flowNumber(source: Buffer, from: number, to: number, out: ByteWriter): number {
  let at = from;
  while (at < to && !ENDS_NUMBER.has(source[at] as number)) at++;
  writeNumber(source, from, at, out);
  return at;
}

const ENDS_NUMBER = new Set(Buffer.from(',]} \t\r\n'));

function flowString(source: Buffer, from: number, to: number, out: ByteWriter): number {
  let escaped = false;
  let end = from + 1;
  for (; end < to && source[end] !== QUOTE; end++) {
    if (source[end] !== BACKSLASH) continue;
    escaped = true;
    end++;
  }
  let next = end + 1;
  while (next < to && (source[next] as number) <= SPACE) next++;
  if (source[next] === 0x3a && end - from > MAX_SIMPLE_KEY_CHARS) out.text('? ');
  if (escaped) {
    const text = Buffer.from(decoded(source.toString('utf8', from, end + 1)));
    writeQuoted(text, 0, text.length, out);
  } else writeQuoted(source, from + 1, end, out);
  return end + 1;
}

/** Decodes a JSON string. Returns the literal unchanged if it is invalid. */
function decoded(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

/** Writes a key without its colon, with a question mark if it is very long. */
export function writeKey(name: string, out: ByteWriter): void {
  const bytes = Buffer.from(name);
  const start = out.length;
  writeText(bytes, 0, bytes.length, out);
  if (out.length - start <= MAX_SIMPLE_KEY_CHARS) return;
  out.length = start;
  out.text('? ');
  writeQuoted(bytes, 0, bytes.length, out);
}

export const WRITERS: Readonly<Record<Kind, CellWriter>> = {
  int: copyCell,
  decimal: writeNumber,
  float: writeNumber,
  bool: copyBool,
  text: writeText,
  enum: writeText,
  set: writeText,
  uuid: writeQuoted,
  date: writeAsIs,
  time: writeAsIs,
  timestamp: writeAsIs,
  timestamptz: writeAsIs,
  bytes: writeBytes,
  json: writeFlow,
  other: writeText,
};
