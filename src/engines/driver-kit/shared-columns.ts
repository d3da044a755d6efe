/** Interns the columns of a schema: equal columns of many tables become one object. */
import type { Column } from '../../model/table.ts';

export class SharedColumns {
  readonly #made = new Map<string, Column>();

  /** `definition`: everything that distinguishes the column. */
  find(definition: string, make: () => Column): Column {
    const known = this.#made.get(definition);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(definition, made);
    return made;
  }
}
