/** Formats strings and bytes as literals. */
import type { Thread } from '../thread.ts';
import { decode } from './utf8.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
/**
 * Characters that are escaped: controls, separators other than the space, unassigned code points,
 * bytes outside of characters.
 */
const SPECIAL = /[\p{C}\p{Z}"\\]/gu;
/** Steps of a character that is escaped. */
const ESCAPE_STEPS = 8;
const PLAIN = /^[ !#-[\]-~]*$/;

function escaped(point: string): string {
  if (point === ' ') return point;
  const known = ESCAPES[point];
  if (known !== undefined) return known;
  const code = point.codePointAt(0) ?? 0;
  if (code < 0x80 || (code >= 0xd800 && code < 0xe000)) return `\\x${(code & 0xff).toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

export function quote(thread: Thread, text: string): string {
  thread.spend(text.length >> 5);
  if (PLAIN.test(text)) return `"${text}"`;
  thread.spend(text.length >> 1);
  thread.weigh(text.length * ESCAPE_STEPS);
  return `"${text.replace(SPECIAL, escaped)}"`;
}

/** A lone surrogate is not a character; it becomes U+FFFD. */
export function characterOf(code: number): string {
  return String.fromCodePoint(code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
}

export function quoteBytes(thread: Thread, data: Uint8Array): string {
  return `b${quote(
    thread,
    decode(Buffer.from(data), (steps) => thread.spend(steps)),
  )}`;
}
