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
export class Flight<T> implements StopSignal {
  aborted = false;
  passengers = 0;
  readonly #listeners = new Set<() => void>();
  readonly #landed: Promise<T>;
  #land: (value: T | Promise<T>) => void = () => {};

  constructor() {
    this.#landed = new Promise((resolve) => {
      this.#land = resolve;
    });
    // Whoever still waits hears of a failure; when nobody does, it is nobody's.
    this.#landed.catch(() => undefined);
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
    this.#land(working);
    return working.then(nothing, nothing);
  }

  /** `deserted`: the last passenger has left; what has begun is stopped. */
  board(signal: StopSignal, deserted: () => void): Promise<T> {
    this.passengers++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(new GoneError());
        if (--this.passengers > 0) return;
        deserted();
        this.#abort();
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave);
      const arrived = (): void => signal.removeEventListener('abort', leave);
      this.#landed.then(resolve, reject).finally(arrived);
    });
  }

  #abort(): void {
    this.aborted = true;
    for (const listener of [...this.#listeners]) listener();
  }
}

const nothing = (): void => {};

export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Is somebody doing this already? */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  join(key: string, signal: StopSignal, start: (signal: StopSignal) => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#start(key, start);
    return flight.board(signal, () => this.#forget(key, flight));
  }

  #start(key: string, start: (signal: StopSignal) => Promise<T>): Flight<T> {
    const flight = new Flight<T>();
    this.#flights.set(key, flight);
    void flight.start(start).then(() => this.#forget(key, flight));
    return flight;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
