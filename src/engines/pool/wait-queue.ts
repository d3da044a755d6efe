/**
 * A queue for a scarce resource: first come, first served, with a limit on length and waiting time. Knows nothing of the resource.
 */
import { DbFailure, type StopSignal } from '../contract/engine.ts';

interface Waiter<T> {
  give(item: T): void;
  refuse(failure: DbFailure): void;
}

interface Given<T> {
  readonly given: T;
}

export class WaitQueue<T> {
  readonly #waiters = new Set<Waiter<T>>();
  readonly #waitMs: number;
  readonly #most: number;

  /** Beyond `most`, nobody waits: they would be refused anyway when their time is up. */
  constructor({ waitMs, most }: { readonly waitMs: number; readonly most: number }) {
    this.#waitMs = waitMs;
    this.#most = most;
  }

  get length(): number {
    return this.#waiters.size;
  }

  async join(signal: StopSignal | undefined): Promise<T> {
    const item = await this.joinFor(this.#waitMs, signal);
    if (item === undefined) throw new DbFailure('busy', 'no connection became free in time');
    return item.given;
  }

  /** Undefined when there was nothing for so many milliseconds. */
  joinFor(ms: number, signal: StopSignal | undefined): Promise<Given<T> | undefined> {
    if (this.#waiters.size >= this.#most) return Promise.reject(new DbFailure('busy', 'too many requests wait for a connection'));
    if (signal?.aborted) return Promise.reject(new DbFailure('cancelled', 'the caller went away'));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter<T> = {
        give(given) {
          leave();
          resolve({ given });
        },
        refuse(failure) {
          leave();
          reject(failure);
        },
      };
      const timer = setTimeout(() => {
        leave();
        resolve(undefined);
      }, ms);
      const aborted = (): void => waiter.refuse(new DbFailure('cancelled', 'the caller went away'));
      signal?.addEventListener('abort', aborted);
      this.#waiters.add(waiter);
    });
  }

  /** Gives the item to the first in line; false when nobody waits. */
  give(item: T): boolean {
    const [first] = this.#waiters;
    first?.give(item);
    return first !== undefined;
  }

  /** Tells the first in line that there is nothing to wait for. */
  refuse(failure: DbFailure): void {
    const [first] = this.#waiters;
    first?.refuse(failure);
  }

  refuseAll(failure: DbFailure): void {
    for (const waiter of [...this.#waiters]) waiter.refuse(failure);
  }
}
