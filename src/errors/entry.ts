/** An entry of the error table, and how its messages quote names. */
/** Quotes a name or value of a request, at most 80 characters of it. */
export function show(value: string): string {
  const flat = value.replace(/[\u0000-\u001f\u007f]/g, '\ufffd');
  return `"${flat.length > 80 ? `${flat.slice(0, 80)}…` : flat}"`;
}

type Sentence<A extends readonly string[]> = (...args: A) => string;

export interface ErrorEntry<A extends readonly string[] = readonly string[]> {
  readonly status: number;
  readonly sentence: Sentence<A>;
}

export const entry = <A extends readonly string[]>(status: number, sentence: Sentence<A>): ErrorEntry<A> => ({ status, sentence });
