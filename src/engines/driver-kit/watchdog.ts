/**
 * Client-side deadline of statements, for links that have gone silent. One timer checks all
 * connections, so that a statement costs a number instead of a timer.
 */
export interface Watched {
  /**
   * Time of `performance.now()` after which `expire` is called; Infinity while no statement runs.
   */
  deadline: number;
  expire(): void;
}

const PERIOD_MS = 100;
const watched = new Set<Watched>();
let timer: NodeJS.Timeout | undefined;

export function watch(item: Watched): void {
  watched.add(item);
  timer ??= setInterval(checkDeadlines, PERIOD_MS).unref();
}

export function unwatch(item: Watched): void {
  watched.delete(item);
  if (watched.size > 0 || timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
}

function checkDeadlines(): void {
  const now = performance.now();
  for (const item of watched) if (now > item.deadline) item.expire();
}
