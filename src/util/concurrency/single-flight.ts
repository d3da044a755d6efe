/**
 * Identical requests at one time share one execution. Each caller may leave without ending it for the others; when the last one has left, it
 * is aborted. Knows nothing of what is executed.
 */
import type { StopSignal } from './stop-signal.ts';

/** The caller left before the answer was there. */
export class GoneError extends Error {
  constructor() {
    super('the caller went away');
  }
}

/** One execution and those who wait for it. They may arrive before it starts. */
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
    // Those who still wait hear of a failure. If nobody waits, it is handled here.
    this.#settled.catch(() => undefined);
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Starts the work. The promise is fulfilled when it has ended, successfully or not. */
  start(work: (signal: StopSignal) => Promise<T>): Promise<void> {
    const working = work(this);
    this.#settle(working);
    return working.then(nothing, nothing);
  }

  /** `deserted` is called when the last waiter has left; the work is aborted then. */
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

  /** Is there an execution under this key? */
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
