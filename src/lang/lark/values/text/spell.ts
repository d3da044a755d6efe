/** Finds the most similar name by edit distance, ignoring case and underscores. Pure. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** Edit distance, or `limit` if it is at least that. */
function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[to.length] ?? limit;
}

/** Names beyond these bounds are not worth a suggestion. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 1000;

/** The nearest candidate, if at most half of the name differs. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const folded = fold(name);
  let best = Math.floor((folded.length + 1) / 2);
  let result: string | undefined;
  let count = 0;
  for (const candidate of candidates) {
    if (++count > MAX_CANDIDATES) break;
    if (candidate.length > MAX_LENGTH) continue;
    const edits = distance(folded, fold(candidate), best);
    if (edits >= best) continue;
    best = edits;
    result = candidate;
  }
  return result;
}
