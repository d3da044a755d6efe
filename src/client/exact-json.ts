/**
 * JSON without rounding: integers beyond 2^53 are bigint, other inexact numbers are strings. Pure.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A string value (not a name) that begins with the mark. */
const isMarked = (token: string): boolean => token.startsWith('"\\u0000') && !token.endsWith(':');

export function parseExact(text: string): unknown {
  // Inexact numbers become strings with a mark in front. Strings that begin with the mark get
  // another mark.
  const marked = text.replace(TOKEN, (token) => {
    if (token[0] === '"') return isMarked(token) ? `"\\u0000s${token.slice(1)}` : token;
    if (/[.eE]/.test(token)) return `"${token}"`;
    return Number.isSafeInteger(Number(token)) ? token : `"\\u0000b${token}"`;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string' || value[0] !== '\0') return value;
    return value[1] === 'b' ? BigInt(value.slice(2)) : value.slice(2);
  }) as unknown;
}

/** Writes bigints as numbers, by the same marks. NaN and infinities are strings, as in answers. */
export function writeExact(value: unknown): string {
  let hasMarks = false;
  const text = JSON.stringify(value, (_, item: unknown) => {
    const mark = typeof item === 'bigint' ? '\0b' : typeof item === 'string' && item[0] === '\0' ? '\0s' : '';
    hasMarks ||= mark !== '';
    if (typeof item === 'number' && !Number.isFinite(item)) return String(item);
    return mark === '' ? item : mark + String(item);
  });
  if (!hasMarks) return text;
  return text.replace(TOKEN, (token) => {
    if (!isMarked(token)) return token;
    return token[7] === 'b' ? token.slice(8, -1) : `"${token.slice(8)}`;
  });
}
