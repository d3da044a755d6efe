/** JSON with exact numbers: integers beyond 2^53 become bigints, numbers with a fraction or an exponent texts. Everything else is JSON.parse's. */
const TOKEN = /"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A text, and no name, that begins with the mark. */
const isMarked = (token: string): boolean => token.startsWith('"\\u0000') && !token.endsWith(':');

export function parseExact(text: string): unknown {
  // Numbers that would be rounded travel as texts with a mark in front; texts that begin with the mark get another one.
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

/** Bigints as numbers, marked on their way in the same manner. */
export function writeExact(value: unknown): string {
  let hasMarks = false;
  const text = JSON.stringify(value, (_, item: unknown) => {
    const mark = typeof item === 'bigint' ? '\0b' : typeof item === 'string' && item[0] === '\0' ? '\0s' : '';
    hasMarks ||= mark !== '';
    return mark === '' ? item : mark + String(item);
  });
  if (!hasMarks) return text;
  return text.replace(TOKEN, (token) => {
    if (!isMarked(token)) return token;
    return token[7] === 'b' ? token.slice(8, -1) : `"${token.slice(8)}`;
  });
}
