/**
 * The rows of an insert. Most values are bound exactly as the body spells them, so they stay where they are: each a range of its bytes. Only
 * what is bound in another form (a text with escapes, a moment with an offset) is kept apart.
 */
import type { ParamValue } from './statement.ts';

/** What `from` says of a value that is no range. */
const NULL = -1;
const APART = -2;

const NOTHING = Buffer.alloc(0);

export class RowValues {
  /** UTF-8. */
  readonly source: Buffer;
  readonly width: number;
  count = 0;
  /** By row and then by column: where a value begins, below zero when it is no range, and where it ends. */
  readonly from: number[];
  readonly to: number[];
  readonly #apart: ParamValue[];

  constructor(width: number, source: Buffer = NOTHING, from: number[] = [], to: number[] = [], apart: ParamValue[] = []) {
    this.width = width;
    this.source = source;
    this.from = from;
    this.to = to;
    this.#apart = apart;
  }

  static of(width: number, rows: readonly (readonly ParamValue[])[]): RowValues {
    const found = new RowValues(width);
    for (const row of rows) {
      for (let i = 0; i < width; i++) found.add(row[i] ?? null);
      found.count++;
    }
    return found;
  }

  /** The next value; who has given a row's last one counts the row. */
  addRange(from: number, to: number): void {
    this.from.push(from);
    this.to.push(to);
  }

  add(value: ParamValue): void {
    if (value === null) this.addRange(NULL, NULL);
    else this.addRange(APART, this.#apart.push(value) - 1);
  }

  /** An upper bound of what all values are as UTF-8. */
  get bytes(): number {
    return (
      this.source.length +
      this.#apart.reduce((sum, value) => sum + (typeof value === 'string' ? value.length * 3 : (value?.length ?? 0)), 0)
    );
  }

  /** The value with this number, counted row by row. */
  value(index: number): ParamValue {
    const from = this.from[index] ?? NULL;
    if (from >= 0) return this.source.toString('utf8', from, this.to[index]);
    return from === NULL ? null : (this.#apart[this.to[index] as number] ?? null);
  }

  row(index: number): ParamValue[] {
    const values: ParamValue[] = [];
    for (let i = index * this.width; i < (index + 1) * this.width; i++) values.push(this.value(i));
    return values;
  }

  /** The same rows, each with these values behind its own. */
  withEach(values: readonly ParamValue[]): RowValues {
    const rows = new RowValues(this.width + values.length, this.source, [], [], [...this.#apart]);
    for (let row = 0; row < this.count; row++) {
      for (let i = row * this.width; i < (row + 1) * this.width; i++) rows.addRange(this.from[i] as number, this.to[i] as number);
      for (const value of values) rows.add(value);
    }
    rows.count = this.count;
    return rows;
  }

  /** As if there were no more. */
  first(count: number): RowValues {
    const rows = new RowValues(this.width, this.source, this.from, this.to, this.#apart);
    rows.count = count;
    return rows;
  }
}
