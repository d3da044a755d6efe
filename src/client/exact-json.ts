/** JSON with exact numbers: integers beyond 2^53 become bigints, numbers with a fraction or an exponent texts. Everything else is JSON.parse's. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function parseExact(text: string): unknown {
  // Numbers that would be rounded travel as texts with a mark in front; texts that begin with the mark get another one.
  const marked = text.replace(TOKEN, (token) => {
    if (token[0] === '"') return token.startsWith('"\\u0000') ? `"\\u0000s${token.slice(1)}` : token;
    if (/[.eE]/.test(token)) return `"${token}"`;
    return Number.isSafeInteger(Number(token)) ? token : `"\\u0000b${token}"`;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string' || value[0] !== '\0') return value;
    return value[1] === 'b' ? BigInt(value.slice(2)) : value.slice(2);
  }) as unknown;
}

/** Bigints as texts, which every column takes that they fit. */
export function writeExact(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
}
