/**
 * One string for all that are equal. Thousands of records say the same few things (a role, the name of a database): so they lie in memory once, and
 * whoever goes through the records finds them in the processor's cache.
 */
const MOST = 10_000;
const LONGEST = 200;

const known = new Map<string, string>();

export function shared(text: string): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (text.length > LONGEST || known.size >= MOST) return text;
  known.set(text, text);
  return text;
}
