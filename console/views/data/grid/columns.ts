/** Widths and places of the columns, and which of them are visible. */
import type { GridSource } from './source.ts';

export const MIN_WIDTH = 64;
const MAX_WIDTH = 640;
const MAX_FIRST_WIDTH = 300;
const LETTER = 7.6;
const PADDING = 26;
const SAMPLE_ROWS = 40;
/** Space of the sort sign in a header. */
const HEAD_EXTRA = 34;
export const STEP = 24;

const widthFor = (letters: number, extra: number): number => Math.ceil(letters * LETTER + PADDING + extra);

/** Keeps what the user has chosen, by name, for as long as the table is shown. */
export class ColumnWidths {
  readonly #chosen = new Map<string, number>();
  #measured = new Map<string, number>();
  /** Left edge of each column; one more than there are columns. */
  lefts: readonly number[] = [0];

  /** Estimates widths from the first rows. */
  measure(source: GridSource): void {
    const rows = Math.min(source.rowCount, SAMPLE_ROWS);
    const measured = source.columns.map(({ name, type }, column) => {
      const head = widthFor(name.length + Math.min(type.length, 12) * 0.8, HEAD_EXTRA);
      let letters = 0;
      for (let row = 0; row < rows; row++) letters = Math.max(letters, source.cell(row, column).text.length);
      return [name, Math.min(MAX_FIRST_WIDTH, Math.max(MIN_WIDTH, head, widthFor(letters, 0)))] as const;
    });
    this.#measured = new Map(measured);
    this.place(source);
  }

  place(source: GridSource): void {
    const lefts = [0];
    for (const { name } of source.columns) lefts.push((lefts.at(-1) ?? 0) + this.widthOf(name));
    this.lefts = lefts;
  }

  widthOf(name: string): number {
    return this.#chosen.get(name) ?? this.#measured.get(name) ?? MIN_WIDTH;
  }

  choose(name: string, width: number): void {
    this.#chosen.set(name, Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))));
  }

  get total(): number {
    return this.lefts.at(-1) ?? 0;
  }

  /** First and last column of which a part lies between two positions. */
  between(left: number, right: number): readonly [first: number, last: number] {
    const count = this.lefts.length - 1;
    let first = 0;
    while (first < count - 1 && (this.lefts[first + 1] ?? 0) <= left) first++;
    let last = first;
    while (last < count - 1 && (this.lefts[last + 1] ?? 0) < right) last++;
    return [first, last];
  }
}
