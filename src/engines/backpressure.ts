/**
 * The say that whoever takes a statement's rows has in the connection's flow: it ends with the statement. Without that, an answer that
 * still waits for its client would hold, or hurry, the next statement on the same connection.
 */
import type { Backpressure } from '../model/cells.ts';

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

  /** The statement is over; the connection flows. */
  end(): void {
    if (this.#paused) this.resume();
    this.#source = undefined;
  }
}
