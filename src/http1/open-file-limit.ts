/** The number of client connections that the process's limit of open files leaves room for. */
import { readFileSync } from 'node:fs';

/** Files left to database connections, the store and temporary files. */
const MIN_RESERVE = 64;
const RESERVED_PART = 1 / 5;

/** Infinity if the system does not publish the limit, or if the reserve would be most of it. */
export function maxConnectionsByOpenFiles(): number {
  const limit = openFileLimit();
  return limit < 2 * MIN_RESERVE ? Number.POSITIVE_INFINITY : limit - Math.max(MIN_RESERVE, limit * RESERVED_PART);
}

function openFileLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return Number(soft ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
