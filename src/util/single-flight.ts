/**
 * Identical requests that are under way share one execution. Each may leave without ending it for the others; when the last has left, it is
 * stopped. Knows nothing of what is executed.
 */
import type { StopSignal } from './stop-signal.ts';

/** A caller who has gone before the answer was there. */
export class GoneError extends Error {
  constructor() {
    super('the caller went away');
  }
}

/** One execution and those who wait for it. They may come before it begins. */
export class SharedExecution<T> implements StopSignal {
  aborted = false;
  waiters = 0;
  readonly #listeners = new Set<() => void>();
  readonly #settled: Promise<T>;
  #settle: (value: T | Promise<T>) => void = () => {};

  constructor() {
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    // Whoever still waits hears of a failure; when nobody does, it is nobody's.
    this.#settled.catch(() => undefined);
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Begins; the promise is over when everything is, well or badly. */
  start(work: (signal: StopSignal) => Promise<T>): Promise<void> {
    const working = work(this);
    this.#settle(working);
    return working.then(nothing, nothing);
  }

  /** `deserted`: the last waiter has left; what has begun is stopped. */
  join(signal: StopSignal, deserted: () => void): Promise<T> {
    this.waiters++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(new GoneError());
        if (--this.waiters > 0) return;
        deserted();
        this.#abort();
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave);
      const arrived = (): void => signal.removeEventListener('abort', leave);
      this.#settled.then(resolve, reject).finally(arrived);
    });
  }

  #abort(): void {
    this.aborted = true;
    for (const listener of [...this.#listeners]) listener();
  }
}

const nothing = (): void => {};

export class SingleFlight<T> {
  readonly #executions = new Map<string, SharedExecution<T>>();

  /** Is somebody doing this already? */
  has(key: string): boolean {
    return this.#executions.has(key);
  }

  join(key: string, signal: StopSignal, start: (signal: StopSignal) => Promise<T>): Promise<T> {
    const execution = this.#executions.get(key) ?? this.#start(key, start);
    return execution.join(signal, () => this.#forget(key, execution));
  }

  #start(key: string, start: (signal: StopSignal) => Promise<T>): SharedExecution<T> {
    const execution = new SharedExecution<T>();
    this.#executions.set(key, execution);
    void execution.start(start).then(() => this.#forget(key, execution));
    return execution;
  }

  #forget(key: string, execution: SharedExecution<T>): void {
    if (this.#executions.get(key) === execution) this.#executions.delete(key);
  }
}
