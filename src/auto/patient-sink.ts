/**
 * Passes nothing on before the first row, or the successful end, has come: until then a failed statement may be run once more, as if the
 * first had not been.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../model/cells.ts';

export class PatientSink implements RowSink {
  started = false;
  readonly #inner: RowSink;
  #columns: readonly ResultColumn[] = [];
  #flow: Backpressure | undefined;

  constructor(inner: RowSink) {
    this.#inner = inner;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#columns = columns;
    this.#flow = flow;
  }

  row(cells: Cells): void {
    if (!this.started) this.finish();
    this.#inner.row(cells);
  }

  /** The statement has succeeded: also an empty result begins. */
  finish(): void {
    if (this.started || this.#flow === undefined) return;
    this.started = true;
    this.#inner.start(this.#columns, this.#flow);
  }
}
