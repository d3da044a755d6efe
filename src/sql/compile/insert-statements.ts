/**
 * Caches the statements of INSERTs by their list of columns. Batches with the same JSON keys share
 * the list object, so prepared statements are found by identity.
 */
import type { Column } from '../../model/table.ts';
import type { InsertPlan } from '../plan.ts';
import type { Statement } from '../statement.ts';

export class InsertStatements<T = Statement> {
  readonly #write: (plan: InsertPlan) => T;
  readonly #inserts: ByColumns<T> = new WeakMap();
  /** Statements of upserts, by key. */
  readonly #upserts = new WeakMap<readonly Column[], ByColumns<T>>();

  /** `write` makes the part that is the same for all plans with these columns. */
  constructor(write: (plan: InsertPlan) => T) {
    this.#write = write;
  }

  of(plan: InsertPlan): T {
    if (plan.returning !== undefined) return this.#write(plan);
    const known = plan.upsert === undefined ? this.#inserts : this.#upsertsBy(plan.upsert);
    let entry = known.get(plan.columns);
    if (entry === undefined) {
      entry = { value: this.#write(plan) };
      known.set(plan.columns, entry);
    }
    return entry.value;
  }

  #upsertsBy(key: readonly Column[]): ByColumns<T> {
    let known = this.#upserts.get(key);
    if (known === undefined) {
      known = new WeakMap();
      this.#upserts.set(key, known);
    }
    return known;
  }
}

type ByColumns<T> = WeakMap<readonly Column[], CacheEntry<T>>;

interface CacheEntry<T> {
  readonly value: T;
}
