/**
 * Canonical text of a value that distinguishes kinds: `1` is an int, `1.0` a float. Used to compare
 * results with the reference.
 */
import { Decimal } from '../../../util/text/decimal.ts';
import { durationText } from './duration.ts';
import { floatText } from './format.ts';
import { formatTime, RFC3339_NANO } from './layout.ts';
import { textOfBytes } from './text.ts';
import { AnyMap, Byte, Duration, type ExprValue, floatOf, isArray, NamedInt, Time } from './value.ts';

export function canonical(value: ExprValue): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return value.text;
  const float = floatOf(value);
  if (float !== undefined) return canonicalFloat(float);
  if (typeof value === 'number') return String(value);
  if (value instanceof Byte) return String(value.value);
  if (value instanceof Time) return `time(${formatTime(value, RFC3339_NANO)})`;
  if (value instanceof Duration) return `duration(${durationText(value.nanos)})`;
  if (value instanceof NamedInt) return value.text;
  if (value instanceof Uint8Array) return `bytes(${quoteBytes(value)})`;
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries =
    value instanceof Map ? [...value] : value instanceof AnyMap ? Array.from(value.entries.values(), (e) => [e.key, e.value] as const) : [];
  const pairs = entries.map(([key, item]) => `${canonical(key)}:${canonical(item)}`);
  return value instanceof Map || value instanceof AnyMap ? `{${pairs.sort().join(',')}}` : 'func';
}

function canonicalFloat(value: number): string {
  const text = floatText(value);
  return /[.eIN]/.test(text) ? text : `${text}.0`;
}

function quote(text: string): string {
  const escaped = JSON.stringify(text).replace(/\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd');
  return escaped.replace(/[<>&\u2028\u2029]/g, unicode).replace(/\\b|\\f/g, (c) => (c === '\\b' ? '\\u0008' : '\\u000c'));
}

function unicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const NAMED: Readonly<Record<string, string>> = {
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

function quoteBytes(bytes: Uint8Array): string {
  const chars = Array.from(textOfBytes(bytes), (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
    return NAMED[char] ?? (code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : char);
  });
  return `"${chars.join('')}"`;
}
