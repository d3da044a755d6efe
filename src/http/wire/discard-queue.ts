/**
 * Whose turn it is to send what will be forgotten: the rest of bodies that were refused. Their senders are to see the answer, so it is read;
 * but it is worth nothing, so all of them together get a small part of the time, in turn.
 */

const EVERY_MS = 5;
/** With pieces as the runtime reads them, some ten megabytes a second. */
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
