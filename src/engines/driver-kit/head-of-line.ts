/**
 * Of several statements on a connection, which one holds up those behind it: the one that is first in line at two looks, some time apart. Knows
 * nothing of what they do.
 */
const LOOK_MS = 50;

export class HeadOfLine {
  /** Nobody is stopped for others. */
  static readonly NONE = new HeadOfLine();
  #first: object | undefined;

  /** When to look next, or that everything has to be over. */
  nextLook(late: number): number {
    return this === HeadOfLine.NONE ? late : Math.min(late, performance.now() + LOOK_MS);
  }

  /** Has it been first since the last look? Said once; it takes time to stop it. */
  isStuck(first: object): boolean {
    const isStuck = this.#first === first;
    this.#first = isStuck ? undefined : first;
    return isStuck;
  }
}
