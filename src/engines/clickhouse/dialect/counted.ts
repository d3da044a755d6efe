/**
 * A write that ClickHouse does not count: the text of a query that counts the rows that will match, and of the ways to do the write,
 * the first that the table engine takes. They travel as one statement text; the separator is a character that no SQL text of ours
 * can hold, since names and values with it are escaped or bound.
 */
const SEPARATOR = '\0';

export interface Counted {
  readonly count: string;
  readonly writes: readonly string[];
}

export function joinCounted(counted: Counted): string {
  return [counted.count, ...counted.writes].join(SEPARATOR);
}

/** Undefined for an ordinary statement. */
export function splitCounted(text: string): Counted | undefined {
  if (!text.includes(SEPARATOR)) return undefined;
  const [count = '', ...writes] = text.split(SEPARATOR);
  return { count, writes };
}
