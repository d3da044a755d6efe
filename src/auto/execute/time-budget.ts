/**
 * The time that a request may spend on its database: `timeout_secs` in all, however many statements
 * it needs.
 */

/** Less is not subtracted: every change of the limit is sent to the server. */
const SLACK_MS = 500;

export class TimeBudget {
  readonly #totalMs: number;
  #spentMs = 0;

  constructor(totalMs: number) {
    this.#totalMs = totalMs;
  }

  spend(ms: number): void {
    this.#spentMs += ms;
  }

  get leftMs(): number {
    return this.#spentMs < SLACK_MS ? this.#totalMs : Math.max(this.#totalMs - this.#spentMs, 1);
  }

  get isSpent(): boolean {
    return this.#spentMs >= this.#totalMs;
  }
}
