/** The rows that are loaded, in pages, and rows that were read again after a change. Pure. */
import type { RowPage } from './row-page.ts';

/** JSON of the values of a row, by column. */
export type RawRow = ReadonlyMap<string, string>;

interface Placed {
  readonly first: number;
  readonly page: RowPage;
}

export class RowStore {
  columns: readonly string[] = [];
  rowCount = 0;
  readonly #pages: Placed[] = [];
  readonly #replaced = new Map<number, RawRow>();
  /** Page of the last lookup. The next one is mostly for a neighbouring row. */
  #latest: Placed | undefined;

  add(page: RowPage): void {
    if (this.#pages.length === 0) this.columns = page.columns;
    this.#pages.push({ first: this.rowCount, page });
    this.rowCount += page.rowCount;
  }

  /** JSON of a value; `undefined` if there is none. */
  raw(row: number, column: number): string | undefined {
    const replaced = this.#replaced.size === 0 ? undefined : this.#replaced.get(row);
    if (replaced !== undefined) return replaced.get(this.columns[column] ?? '');
    const placed = this.#pageOf(row);
    return placed?.page.raw(row - placed.first, column);
  }

  rawNamed(row: number, column: string): string | undefined {
    const at = this.columns.indexOf(column);
    return at < 0 ? undefined : this.raw(row, at);
  }

  rowOf(row: number): RawRow {
    return new Map(this.columns.flatMap((name, column) => [[name, this.raw(row, column) ?? 'null'] as const]));
  }

  /** Shows other values in a row. Columns that the row does not have keep theirs. */
  replace(row: number, values: RawRow): void {
    this.#replaced.set(row, new Map([...this.rowOf(row), ...values]));
  }

  #pageOf(row: number): Placed | undefined {
    const latest = this.#latest;
    if (latest !== undefined && row >= latest.first && row < latest.first + latest.page.rowCount) return latest;
    let low = 0;
    let high = this.#pages.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const placed = this.#pages[middle];
      if (placed === undefined) return undefined;
      if (row < placed.first) high = middle - 1;
      else if (row >= placed.first + placed.page.rowCount) low = middle + 1;
      else return (this.#latest = placed);
    }
    return undefined;
  }
}
