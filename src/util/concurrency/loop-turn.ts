/**
 * When the event loop last came round: whatever had happened to any socket before that poll has been told. Knows only of turns since somebody
 * asked, so that nothing runs in a process that is at rest.
 */
let last = Number.NEGATIVE_INFINITY;
let isAwaited = false;

function note(): void {
  last = performance.now();
  isAwaited = false;
}

export function hasTurnedWithin(ms: number): boolean {
  if (!isAwaited) {
    isAwaited = true;
    setImmediate(note);
  }
  return performance.now() - last < ms;
}
