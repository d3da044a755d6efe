/**
 * Shares the event loop fairly: at most one slice of long work runs between two polls of the
 * sockets, and tenants take turns. So short work waits for at most one slice.
 */

/** Bytes per slice, which take between a few hundred microseconds and a few milliseconds. */
export const SLICE_BYTES = 64 * 1024;

/** Waiting slices by tenant. The first tenant is next. */
const lines = new Map<string, (() => void)[]>();

/** Calls `begin` when it is this tenant's turn. */
export function schedule(owner: string, begin: () => void): void {
  const line = lines.get(owner);
  if (line !== undefined) {
    line.push(begin);
    return;
  }
  if (lines.size === 0) setImmediate(next);
  lines.set(owner, [begin]);
}

/** Resolves when it is this tenant's turn. */
export function nextSlice(owner: string): Promise<void> {
  return new Promise((resolve) => schedule(owner, resolve));
}

function next(): void {
  const [first] = lines;
  if (first === undefined) return;
  const [owner, line] = first;
  const begin = line.shift();
  lines.delete(owner);
  // A tenant with more slices moves to the end of the queue.
  if (line.length > 0) lines.set(owner, line);
  if (lines.size > 0) setImmediate(next);
  begin?.();
}
