/**
 * The backpressure of one statement: whoever takes its rows may pause the connection until the statement ends. After that it has no effect, or an
 * answer that still waits for its client would pause or resume the next statement on the same connection.
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
