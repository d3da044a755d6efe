/**
 * A set of a few things that come and go all the time. The runtime's own Set makes a new table every few changes, and an abandoned table still
 * points to its entries and to the table after it: once one of them is among the old objects, everything that was ever in the set stays in memory
 * until the next full collection. This one forgets what has left.
 */
export class Few<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  delete(item: T): void {
    const at = this.#items.indexOf(item);
    if (at < 0) return;
    this.#items.copyWithin(at, at + 1);
    this.#items.pop();
  }

  /** In the order in which they came. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }
}
