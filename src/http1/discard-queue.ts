/**
 * Rations the reading of input that is only discarded, such as the rest of a rejected body: clients
 * that are still sending would not see their response otherwise.
 */

/** With the runtime's chunk size, about ten megabytes a second for all connections together. */
const INTERVAL_MS = 5;
const CALLS_PER_INTERVAL = 2;

export class DiscardQueue {
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Calls `resume` when it is this connection's turn. */
  add(resume: () => void): void {
    this.#waiting.push(resume);
    this.#timer ??= setTimeout(() => this.#run(), INTERVAL_MS);
  }

  #run(): void {
    const next = this.#waiting.splice(0, CALLS_PER_INTERVAL);
    this.#timer = this.#waiting.length > 0 ? setTimeout(() => this.#run(), INTERVAL_MS) : undefined;
    for (const resume of next) resume();
  }
}
