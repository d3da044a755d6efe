/**
 * An LRU map with a bound: a number of entries, or a total size that `sizeOf` measures (bytes,
 * parameters).
 *
 * The entries form a ring in order of use; the ring's own node separates the newest from the
 * oldest. While the map is less than half full, reading leaves the order as it is: no eviction is
 * near, and skipping the update is faster.
 */
interface Node<K, V> {
  readonly key: K;
  value: V;
  size: number;
  newer: Node<K, V>;
  older: Node<K, V>;
}

interface Options<K, V> {
  /** The size of an entry; 1 without it. */
  sizeOf?(value: V, key: K): number;
  /** Called for each evicted entry, not for deleted or replaced ones. */
  evicted?(value: V, key: K): void;
}

export class BoundedMap<K, V extends NonNullable<unknown>> {
  readonly #max: number;
  readonly #half: number;
  readonly #options: Options<K, V>;
  readonly #nodes = new Map<K, Node<K, V>>();
  readonly #ring: Node<K, V>;
  #total = 0;

  constructor(max: number, options: Options<K, V> = {}) {
    this.#max = max;
    this.#half = max / 2;
    this.#options = options;
    const ring = {} as Node<K, V>;
    ring.newer = ring;
    ring.older = ring;
    this.#ring = ring;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** The total size of all entries. */
  get total(): number {
    return this.#total;
  }

  /** Does not count as a use. */
  has(key: K): boolean {
    return this.#nodes.has(key);
  }

  get(key: K): V | undefined {
    const node = this.#nodes.get(key);
    if (node === undefined) return undefined;
    if (this.#total > this.#half && this.#ring.older !== node) {
      unlink(node);
      this.#link(node);
    }
    return node.value;
  }

  /**
   * Makes this the newest entry. An entry larger than the bound is not kept, and removes the entry
   * under its key.
   */
  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#options.sizeOf?.(value, key) ?? 1;
    if (size > this.#max) return;
    this.#total += size;
    while (this.#total > this.#max) this.#evictOldest();
    const node = { key, value, size, newer: this.#ring, older: this.#ring };
    this.#nodes.set(key, node);
    this.#link(node);
  }

  delete(key: K): boolean {
    const node = this.#nodes.get(key);
    if (node === undefined) return false;
    this.#remove(node);
    return true;
  }

  clear(): void {
    this.#nodes.clear();
    this.#total = 0;
    this.#ring.newer = this.#ring;
    this.#ring.older = this.#ring;
  }

  #evictOldest(): void {
    const oldest = this.#ring.newer;
    this.#remove(oldest);
    this.#options.evicted?.(oldest.value, oldest.key);
  }

  #remove(node: Node<K, V>): void {
    this.#nodes.delete(node.key);
    this.#total -= node.size;
    unlink(node);
  }

  #link(node: Node<K, V>): void {
    const ring = this.#ring;
    node.older = ring.older;
    node.newer = ring;
    ring.older.newer = node;
    ring.older = node;
  }
}

function unlink<K, V>({ newer, older }: Node<K, V>): void {
  newer.older = older;
  older.newer = newer;
}
