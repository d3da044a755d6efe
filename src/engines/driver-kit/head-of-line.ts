/**
 * Head-of-line blocking: detects that the same statement was at the head of a pipeline at two
 * checks, CHECK_MS apart.
 */
const CHECK_MS = 50;

export class HeadOfLine {
  #head: object | undefined;

  /** Time of the next check. */
  get nextCheck(): number {
    return performance.now() + CHECK_MS;
  }

  /**
   * Returns whether the statement has been at the head since the last check. Reported once, since
   * cancelling takes time.
   */
  isStuck(head: object): boolean {
    const isStuck = this.#head === head;
    this.#head = isStuck ? undefined : head;
    return isStuck;
  }
}
