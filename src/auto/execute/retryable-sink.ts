/**
 * Passes nothing on before the first row, or the successful end: until then, a failed statement can be run again as if nothing had happened.
 */
import type { BriefKind } from '../../engines/pool/statement-class.ts';
import type { Backpressure, Cells, ResultColumn } from '../../model/cells.ts';
import type { AnswerSink } from '../session.ts';

export class RetryableSink implements AnswerSink {
  started = false;
  /** The kind of a read that shares its connection. */
  brief: BriefKind | undefined = undefined;
  readonly #inner: AnswerSink;
  #columns: readonly ResultColumn[] = [];
  #flow: Backpressure | undefined;

  constructor(inner: AnswerSink) {
    this.#inner = inner;
  }

  header(name: string, value: string): void {
    this.#inner.header(name, value);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#columns = columns;
    this.#flow = this.brief?.watched(flow, true) ?? flow;
  }

  row(cells: Cells): void {
    if (!this.started) this.finish();
    this.#inner.row(cells);
  }

  /** The statement has succeeded; even an empty result begins. */
  finish(): void {
    if (this.started || this.#flow === undefined) return;
    this.started = true;
    this.#inner.start(this.#columns, this.#flow);
  }
}
