/**
 * Backpressure of one statement. It ends with the statement: later calls would pause or resume the
 * next statement on the same connection.
 */
import type { Backpressure } from '../../model/cells.ts';

export class StatementBackpressure implements Backpressure {
  #source: Backpressure | undefined;
  #paused = false;

  constructor(source: Backpressure) {
    this.#source = source;
  }

  pause(): void {
    this.#paused = true;
    this.#source?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#source?.resume();
  }

  /** The statement is over; the connection flows again. */
  end(): void {
    if (this.#paused) this.resume();
    this.#source = undefined;
  }
}
