/** Queries of databases that may be unreachable: each database is given one chance to respond. */
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { Entry } from '../../model/entry.ts';
import { DbFailure } from '../contract/engine.ts';

/** A database that does not respond in time counts as unreachable. */
const TIMEOUT_MS = 10_000;
export const UNREACHABLE = Symbol('unreachable');

export class ReachableDatabases {
  /** Entries that did not respond. */
  readonly #unreachable = new Set<string>();

  /** Runs a query on a database, unless that database has failed to respond before. */
  async query<T>({ id }: Pick<Entry, 'id'>, work: () => Promise<T>): Promise<T | typeof UNREACHABLE> {
    if (this.#unreachable.has(id)) return UNREACHABLE;
    const timer = new AbortController();
    const timeout = delay(TIMEOUT_MS, UNREACHABLE, { signal: timer.signal, ref: false });
    timeout.catch(() => undefined);
    try {
      const result = await Promise.race([work(), timeout]);
      if (result !== UNREACHABLE) return result;
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError)) throw error;
    } finally {
      timer.abort();
    }
    this.#unreachable.add(id);
    return UNREACHABLE;
  }
}
