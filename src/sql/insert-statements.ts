/**
 * INSERT statements by the columns of their rows. Batches with the same keys bear the same list of columns, so each text is written once, and
 * the engines' prepared statements are found by it without a look at its characters.
 */
import type { Column } from '../model/table.ts';
import type { InsertPlan } from './plan.ts';
import type { Statement } from './statement.ts';

export class InsertStatements {
  readonly #write: (plan: InsertPlan) => Statement;
  readonly #inserts = new WeakMap<readonly Column[], Statement>();
  readonly #upserts = new WeakMap<readonly Column[], Statement>();

  /** `write`: the statement of a plan, whatever its rows are. */
  constructor(write: (plan: InsertPlan) => Statement) {
    this.#write = write;
  }

  of(plan: InsertPlan): Statement {
    const known = plan.upsert ? this.#upserts : this.#inserts;
    let statement = known.get(plan.columns);
    if (statement === undefined) {
      statement = this.#write(plan);
      known.set(plan.columns, statement);
    }
    return statement;
  }
}
