/**
 * Single-flight: identical concurrent requests share one execution. A caller that leaves does not
 * end it for the others; when the last one leaves, it is aborted.
 */
import type { StopSignal } from './stop-signal.ts';

/** Thrown when the caller leaves before the result is available. */
export class GoneError extends Error {
  constructor() {
    super('the caller went away');
  }
}

/** One execution and its waiters, which may arrive before it starts. */
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
    // Waiters receive a failure through `join`. Without any, it is handled here.
    this.#settled.catch(() => undefined);
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Starts the work. The promise resolves when the work ends, whether it succeeds or fails. */
  start(work: (signal: StopSignal) => Promise<T>): Promise<void> {
    const working = work(this);
    this.#settle(working);
    return working.then(nothing, nothing);
  }

  /** `deserted` is called when the last waiter leaves, which also aborts the work. */
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

  /** `true` if an execution runs under this key. */
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
