/**
 * Our own deadline for statements. One timer checks all that run, so that a request costs a number and not a timer.
 * A server that enforces its own limit answers long before; this is for links that have gone silent.
 */
export interface Watched {
  /** performance.now() after which `expire` is called; Infinity while nothing runs. */
  deadline: number;
  expire(): void;
}

const PERIOD_MS = 100;
const watched = new Set<Watched>();
let timer: NodeJS.Timeout | undefined;

export function watch(item: Watched): void {
  watched.add(item);
  timer ??= setInterval(sweep, PERIOD_MS).unref();
}

export function unwatch(item: Watched): void {
  watched.delete(item);
  if (watched.size > 0 || timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
}

function sweep(): void {
  const now = performance.now();
  for (const item of watched) if (now > item.deadline) item.expire();
}
