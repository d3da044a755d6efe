/**
 * Limits how many statements run at a time on a server that names a number. Fair: each pool has its
 * own queue, and permits go to the queues in turn. A statement that runs for longer than 100 ms
 * gives up its permit, so it cannot starve short ones.
 */
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import type { StopSignal } from '../contract/engine.ts';
import type { WaitQueue } from './wait-queue.ts';

/** A statement that has run for longer needs no permit any more. */
export const LONG_STATEMENT_MS = 100;

export interface Permit {
  readonly since: number;
}

export class Semaphore {
  #limit = Number.POSITIVE_INFINITY;
  readonly #held = new Set<Permit>();
  /** Queues with waiters, the next one to be served first. */
  readonly #queues = new Set<WaitQueue<Permit>>();
  #timer: NodeJS.Timeout | undefined;

  /** Number of permits, once a connection has learned it. */
  set limit(limit: number) {
    this.#limit = limit;
  }

  get isLimited(): boolean {
    return this.#limit < Number.POSITIVE_INFINITY;
  }

  /** `queue`: the waiters of the caller's pool, served in order. */
  acquire(queue: WaitQueue<Permit>, signal: StopSignal | undefined): MaybePromise<Permit> {
    if (this.#held.size < this.#limit && this.#queues.size === 0) {
      const permit = { since: performance.now() };
      this.#held.add(permit);
      return permit;
    }
    const permit = queue.join(signal);
    this.#queues.add(queue);
    this.#timer ??= setTimeout(this.#exemptLong, LONG_STATEMENT_MS).unref();
    return permit;
  }

  release(permit: Permit): void {
    if (this.#held.delete(permit)) this.#handOut();
  }

  #handOut(): void {
    for (const queue of this.#queues) {
      if (this.#held.size >= this.#limit) return;
      // A queue with more waiters goes to the end, and is visited again.
      this.#queues.delete(queue);
      const permit = { since: performance.now() };
      if (queue.give(permit)) this.#held.add(permit);
      if (queue.length > 0) this.#queues.add(queue);
    }
  }

  readonly #exemptLong = (): void => {
    this.#timer = undefined;
    const before = performance.now() - LONG_STATEMENT_MS;
    for (const permit of this.#held) if (permit.since <= before) this.#held.delete(permit);
    this.#handOut();
    if (this.#queues.size > 0) this.#timer = setTimeout(this.#exemptLong, LONG_STATEMENT_MS).unref();
  };
}
