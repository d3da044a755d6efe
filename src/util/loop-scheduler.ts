/**
 * The event loop's time, shared out. Whoever has much to do does it a turn at a time: one turn between two looks at the sockets, whoever wants
 * it, and the owners who want one in turn. So what is short never waits for more than one turn of what is long, and among the long ones no
 * owner is served more often than another. Knows nothing of what is done.
 */

/** What a turn may take: some hundred microseconds to some milliseconds of work, whatever the work is. */
export const SLICE_BYTES = 64 * 1024;

/** By owner, those who wait; the first owner is the next. */
const lines = new Map<string, (() => void)[]>();

/** Calls back when it is this owner's turn. */
export function schedule(owner: string, begin: () => void): void {
  const line = lines.get(owner);
  if (line !== undefined) {
    line.push(begin);
    return;
  }
  if (lines.size === 0) setImmediate(next);
  lines.set(owner, [begin]);
}

/** The same as a promise. */
export function nextSlice(owner: string): Promise<void> {
  return new Promise((resolve) => schedule(owner, resolve));
}

function next(): void {
  const [first] = lines;
  if (first === undefined) return;
  const [owner, line] = first;
  const begin = line.shift();
  lines.delete(owner);
  // Behind all others.
  if (line.length > 0) lines.set(owner, line);
  if (lines.size > 0) setImmediate(next);
  begin?.();
}
