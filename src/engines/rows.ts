/** A sink for small results of our own statements (catalogues, counts): rows as arrays of texts. Never on the path of a caller's rows. */
import type { Cells, ResultColumn, RowSink } from '../model/cells.ts';

export class TextRows implements RowSink {
  readonly rows: (string | null)[][] = [];
  #width = 0;

  start(columns: readonly ResultColumn[]): void {
    this.#width = columns.length;
  }

  row(cells: Cells): void {
    const row: (string | null)[] = [];
    for (let i = 0; i < this.#width; i++) {
      const from = cells.from[i] ?? -1;
      row.push(from < 0 ? null : cells.bytes.toString('utf8', from, cells.to[i]));
    }
    this.rows.push(row);
  }
}
