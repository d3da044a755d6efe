/**
 * Shares out the time of the event loop. Long work runs in slices: at most one slice between two polls of the sockets, and the owners who
 * want one in turn. So short work never waits for more than one slice of long work, and no owner is served more often than another.
 * Knows nothing of what is done.
 */

/** The work of one slice: a few hundred microseconds to a few milliseconds, whatever the work is. */
export const SLICE_BYTES = 64 * 1024;

/** Who waits, by owner. The first owner is next. */
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
  // To the end of the line.
  if (line.length > 0) lines.set(owner, line);
  if (lines.size > 0) setImmediate(next);
  begin?.();
}
