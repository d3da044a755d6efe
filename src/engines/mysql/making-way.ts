/**
 * A statement is stopped for those behind it on the same connection. It may be over when the server hears of it: then the one behind it is stopped, and
 * fares the same. Knows which of them it may have been: a SELECT that sleeps, and is woken up, gives a row and no error.
 */
import type { ResultReply } from './protocol/replies.ts';

export class MakingWay {
  hasBegun = false;
  #isKilling = false;
  readonly #suspects = new WeakSet<ResultReply>();

  /** `results`: those under way, the first in front. */
  begin(results: Iterable<ResultReply>, kill: Promise<unknown>): void {
    this.hasBegun = true;
    this.#isKilling = true;
    this.#suspectFirst(results);
    void kill
      .catch(() => undefined)
      .then(() => {
        this.#isKilling = false;
        this.#suspectFirst(results);
      });
  }

  #suspectFirst(results: Iterable<ResultReply>): void {
    for (const first of results) {
      this.#suspects.add(first);
      return;
    }
  }

  /** What has ended only now, or ended when the server has heard. */
  mayHaveHit(result: ResultReply | undefined): boolean {
    return this.hasBegun && (this.#isKilling || (result !== undefined && this.#suspects.has(result)));
  }
}
