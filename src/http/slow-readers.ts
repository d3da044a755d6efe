/**
 * Answers whose rows wait for their readers. A reader may be as slow as it likes, but the connection of a database that waits for it is missed by
 * others: so much waiting is allowed for an answer, all in all, and then it has to do without the connection. One timer looks at all of
 * them, so that an answer pays for a number.
 */
export interface SlowReader {
  /** Since when it waits, performance.now(). */
  readonly since: number;
  /** Milliseconds that it has waited before. */
  readonly waited: number;
  /** It has waited long enough. */
  giveUp(): void;
}

const PERIOD_MS = 100;
const waiting = new Set<SlowReader>();
let patienceMs = Number.POSITIVE_INFINITY;
let timer: NodeJS.Timeout | undefined;

export function limitWaiting(ms: number): void {
  patienceMs = ms;
}

export function awaitReader(answer: SlowReader): void {
  waiting.add(answer);
  timer ??= setInterval(sweep, PERIOD_MS).unref();
}

export function readerIsBack(answer: SlowReader): void {
  waiting.delete(answer);
  if (waiting.size > 0 || timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
}

function sweep(): void {
  const now = performance.now();
  for (const answer of waiting) {
    if (answer.waited + now - answer.since < patienceMs) continue;
    readerIsBack(answer);
    answer.giveUp();
  }
}
