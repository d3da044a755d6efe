/**
 * Bounds how long queries wait for slow readers. A reader may be as slow as it likes, but others need the database connection that waits for
 * it. Each answer has a total allowance; after that it must do without the connection. One timer serves all answers, so that each costs no
 * more than a number.
 */
export interface SlowReader {
  /** Since when it waits (performance.now()). */
  readonly since: number;
  /** How long it has waited before, in milliseconds. */
  readonly waited: number;
  /** Called when the allowance is used up. */
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
