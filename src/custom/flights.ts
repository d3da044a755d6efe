/**
 * Identical requests that are under way share one execution. Each may leave without ending it for the others; when the last has left, it is
 * stopped. Knows nothing of what is executed.
 */
import type { StopSignal } from '../engines/engine.ts';

/** A caller who has gone before the answer was there. */
export class GoneError extends Error {
  constructor() {
    super('the caller went away');
  }
}

class Flight<T> implements StopSignal {
  aborted = false;
  passengers = 0;
  landed: Promise<T> | undefined;
  readonly #listeners = new Set<() => void>();

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(): void {
    this.aborted = true;
    for (const listener of [...this.#listeners]) listener();
  }
}

export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Is somebody doing this already? */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  join(key: string, signal: StopSignal, start: (signal: StopSignal) => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#start(key, start);
    flight.passengers++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(new GoneError());
        if (--flight.passengers > 0) return;
        this.#forget(key, flight);
        flight.abort();
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave);
      const arrived = (): void => signal.removeEventListener('abort', leave);
      flight.landed?.then(resolve, reject).finally(arrived);
    });
  }

  #start(key: string, start: (signal: StopSignal) => Promise<T>): Flight<T> {
    const flight = new Flight<T>();
    this.#flights.set(key, flight);
    flight.landed = start(flight).finally(() => this.#forget(key, flight));
    // Whoever still waits hears of a failure; when nobody does, it is nobody's.
    flight.landed.catch(() => undefined);
    return flight;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
