/** Rows that the user has chosen. Pure. */

export class RowChoice {
  readonly rows = new Set<number>();
  #last = -1;

  has(row: number): boolean {
    return this.rows.has(row);
  }

  /** With `isRange`, also the rows up to the one that was changed before. */
  set(row: number, isChosen: boolean, isRange: boolean): void {
    const from = isRange && this.#last >= 0 ? this.#last : row;
    for (let at = Math.min(from, row); at <= Math.max(from, row); at++) {
      if (isChosen) this.rows.add(at);
      else this.rows.delete(at);
    }
    this.#last = row;
  }

  /** Chooses the first `count` rows, and no others. */
  setAll(count: number): void {
    this.clear();
    for (let row = 0; row < count; row++) this.rows.add(row);
  }

  clear(): void {
    this.rows.clear();
    this.#last = -1;
  }
}
