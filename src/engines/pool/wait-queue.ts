/**
 * A queue for a scarce resource: first come, first served, with a limit on its length and on the
 * time of waiting.
 */
import { DbFailure, type StopSignal } from '../contract/engine.ts';

interface Waiter<T> {
  give(item: T): void;
  refuse(failure: DbFailure): void;
}

export class WaitQueue<T> {
  readonly #waiters = new Set<Waiter<T>>();
  readonly #waitMs: number;
  readonly #maxLength: number;

  constructor({ waitMs, maxLength }: { readonly waitMs: number; readonly maxLength: number }) {
    this.#waitMs = waitMs;
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#waiters.size;
  }

  join(signal: StopSignal | undefined): Promise<T> {
    if (this.#waiters.size >= this.#maxLength) return Promise.reject(new DbFailure('busy', 'too many requests wait for a connection'));
    if (signal?.aborted) return Promise.reject(new DbFailure('cancelled', 'the caller went away'));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter<T> = {
        give(item) {
          leave();
          resolve(item);
        },
        refuse(failure) {
          leave();
          reject(failure);
        },
      };
      const timer = setTimeout(() => waiter.refuse(new DbFailure('busy', 'no connection became free in time')), this.#waitMs);
      const aborted = (): void => waiter.refuse(new DbFailure('cancelled', 'the caller went away'));
      signal?.addEventListener('abort', aborted);
      this.#waiters.add(waiter);
    });
  }

  /** Gives the item to the first waiter. Returns `false` if there is none. */
  give(item: T): boolean {
    const [first] = this.#waiters;
    first?.give(item);
    return first !== undefined;
  }

  /** Rejects the first waiter. */
  refuse(failure: DbFailure): void {
    const [first] = this.#waiters;
    first?.refuse(failure);
  }

  refuseAll(failure: DbFailure): void {
    for (const waiter of [...this.#waiters]) waiter.refuse(failure);
  }
}
