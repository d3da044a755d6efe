/**
 * What belongs to INSERTs of the same columns, mostly their statement. Batches with the same keys bear the same list of columns, so each text is
 * written once, and the engines' prepared statements are found by it without a look at its characters.
 */
import type { Column } from '../../model/table.ts';
import type { InsertPlan } from '../plan.ts';
import type { Statement } from '../statement.ts';

export class InsertStatements<T = Statement> {
  readonly #write: (plan: InsertPlan) => T;
  readonly #inserts: ByColumns<T> = new WeakMap();
  /** By the key by which rows are known. */
  readonly #upserts = new WeakMap<readonly Column[], ByColumns<T>>();

  /** `write`: what is the same for all plans of these columns, whatever their rows are. */
  constructor(write: (plan: InsertPlan) => T) {
    this.#write = write;
  }

  of(plan: InsertPlan): T {
    if (plan.returning !== undefined) return this.#write(plan);
    const known = plan.upsert === undefined ? this.#inserts : this.#upsertsBy(plan.upsert);
    let written = known.get(plan.columns);
    if (written === undefined) {
      written = { value: this.#write(plan) };
      known.set(plan.columns, written);
    }
    return written.value;
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

type ByColumns<T> = WeakMap<readonly Column[], Written<T>>;

interface Written<T> {
  readonly value: T;
}
