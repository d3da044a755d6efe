/**
 * Lets connections take turns at sending the rest of refused bodies. It is read, so that their senders see the answer, and discarded. All of
 * them together get a small share of the time.
 */

const EVERY_MS = 5;
/** With the runtime's chunk size, about ten megabytes a second. */
const A_TIME = 2;

export class DiscardQueue {
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Calls back when the turn has come. */
  queue(go: () => void): void {
    this.#waiting.push(go);
    this.#timer ??= setTimeout(() => this.#turn(), EVERY_MS);
  }

  #turn(): void {
    const first = this.#waiting.splice(0, A_TIME);
    this.#timer = this.#waiting.length > 0 ? setTimeout(() => this.#turn(), EVERY_MS) : undefined;
    for (const go of first) go();
  }
}
