/** The columns of a whole schema. Most tables have columns that others have too: those that agree in all that they are made of are one object. */
import type { Column } from '../../model/table.ts';

export class SharedColumns {
  readonly #made = new Map<string, Column>();

  /** `facts`: all that the column is made of. */
  find(facts: string, make: () => Column): Column {
    const known = this.#made.get(facts);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(facts, made);
    return made;
  }
}
