/**
 * The rows of an insert. Most values are bound as the body spells them, so each is a range of the
 * body's bytes. Values that are bound in another form are stored separately.
 */
import type { ParamValue } from './statement.ts';

/** Values of `from` for cells that are not ranges. */
const NULL = -1;
const STORED = -2;

const NOTHING = Buffer.alloc(0);

export class RowValues {
  /** UTF-8. */
  readonly source: Buffer;
  readonly width: number;
  count = 0;
  /** Range of each value, row by row. `from` is negative if the value is not a range. */
  readonly from: number[];
  readonly to: number[];
  readonly #stored: ParamValue[];

  constructor(width: number, source: Buffer = NOTHING, from: number[] = [], to: number[] = [], stored: ParamValue[] = []) {
    this.width = width;
    this.source = source;
    this.from = from;
    this.to = to;
    this.#stored = stored;
  }

  static of(width: number, rows: readonly (readonly ParamValue[])[]): RowValues {
    const all = new RowValues(width);
    for (const row of rows) {
      for (let i = 0; i < width; i++) all.add(row[i] ?? null);
      all.count++;
    }
    return all;
  }

  /** Appends a value. The caller increments `count` after the last value of a row. */
  addRange(from: number, to: number): void {
    this.from.push(from);
    this.to.push(to);
  }

  add(value: ParamValue): void {
    if (value === null) this.addRange(NULL, NULL);
    else this.addRange(STORED, this.#stored.push(value) - 1);
  }

  /** Upper bound of the size of all values in UTF-8. */
  get bytes(): number {
    return (
      this.source.length +
      this.#stored.reduce((sum, value) => sum + (typeof value === 'string' ? value.length * 3 : (value?.length ?? 0)), 0)
    );
  }

  /** Returns a value by its index, counted row by row. */
  value(index: number): ParamValue {
    const from = this.from[index] ?? NULL;
    if (from >= 0) return this.source.toString('utf8', from, this.to[index]);
    return from === NULL ? null : (this.#stored[this.to[index] as number] ?? null);
  }

  row(index: number): ParamValue[] {
    const values: ParamValue[] = [];
    for (let i = index * this.width; i < (index + 1) * this.width; i++) values.push(this.value(i));
    return values;
  }

  /** Appends the same values to every row. */
  withEach(values: readonly ParamValue[]): RowValues {
    const rows = new RowValues(this.width + values.length, this.source, [], [], [...this.#stored]);
    for (let row = 0; row < this.count; row++) {
      for (let i = row * this.width; i < (row + 1) * this.width; i++) rows.addRange(this.from[i] as number, this.to[i] as number);
      for (const value of values) rows.add(value);
    }
    rows.count = this.count;
    return rows;
  }

  /** Returns the first rows. */
  first(count: number): RowValues {
    const rows = new RowValues(this.width, this.source, this.from, this.to, this.#stored);
    rows.count = count;
    return rows;
  }
}
