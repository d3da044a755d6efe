/**
 * Single values in YAML that readers of versions 1.1 and 1.2 understand in the same way: strings as strings, numbers as numbers.
 * Plain where that is certain (a letter first, only safe characters, no word with a meaning), else in double quotes.
 */
import type { Kind } from '../model/table.ts';
import { type ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
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
/** What some version of YAML takes for null, a boolean or a number, although it begins with a letter (and so is `e5`); in any case of letters. */
const WORDS = new Set(
  ['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null', 'nan', 'inf'].map((word) => packed(Buffer.from(word), 0, word.length)),
);

/** A word of up to five letters as a number, the same for upper and lower case. */
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

/** Beyond ASCII: what YAML does not count as printable, or takes for a line break or a byte order mark, is escaped. */
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

/** Rules out texts that are not plain strings although they contain only safe characters. */
function maybePlain(source: Buffer, from: number, to: number): boolean {
  const letter = (source[from] as number) | 0x20;
  if (from === to || letter < 0x61 || letter > 0x7a || source[to - 1] === SPACE) return false;
  if (letter === 0x65 && to - from > 1 && (source[from + 1] as number) <= 0x39) return false;
  return to - from > LONGEST_WORD || !WORDS.has(packed(source, from, to));
}

/** For values that need no escapes but would be read as a date or a number. */
const writeAsIs: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  out.copy(source, from, to);
  out.byte(QUOTE);
};

/** Version 1.1 knows an exponent only after a point and with a sign: `1e5` would be a string there, `1.0e+5` is a number in both. */
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

/** A key of more than 1024 characters must be announced with a question mark; the limit is met with a margin. */
const LONGEST_SIMPLE_KEY = 1000;

/**
 * JSON text as a YAML flow value. White space is dropped (line breaks would need indentation), numbers get the form above, and escapes that
 * only JSON has (`\/`, surrogate pairs) become the characters themselves.
 */
const writeFlow: CellWriter = (source, from, to, out) => {
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
  if (source[next] === 0x3a && end - from > LONGEST_SIMPLE_KEY) out.text('? ');
  if (escaped) {
    const text = Buffer.from(decoded(source.toString('utf8', from, end + 1)));
    writeQuoted(text, 0, text.length, out);
  } else writeQuoted(source, from + 1, end, out);
  return end + 1;
}

/** The text of a JSON string; as it stands when it is none after all. */
function decoded(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

/** A key as it stands before its colon, announced when it is very long. */
export function writeKey(name: string, out: ByteWriter): void {
  const bytes = Buffer.from(name);
  const start = out.length;
  writeText(bytes, 0, bytes.length, out);
  if (out.length - start <= LONGEST_SIMPLE_KEY) return;
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
