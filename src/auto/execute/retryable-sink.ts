/**
 * Holds back the start of a response until its first row or its successful end: until then, the
 * statement can be run again.
 */
import type { StatementClass } from '../../engines/pool/statement-class.ts';
import type { Backpressure, Cells, ResultColumn } from '../../model/cells.ts';
import type { AnswerSink } from '../session.ts';

export class RetryableSink implements AnswerSink {
  started = false;
  /** Class of the statement that is running. */
  statementClass: StatementClass | undefined = undefined;
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
    this.#flow = this.statementClass?.kind === 'pipelined' ? this.statementClass.flow(flow) : flow;
  }

  row(cells: Cells): void {
    if (!this.started) this.finish();
    this.#inner.row(cells);
  }

  /** The statement has succeeded. Starts the response even without rows. */
  finish(): void {
    if (this.started || this.#flow === undefined) return;
    this.started = true;
    this.#inner.start(this.#columns, this.#flow);
  }
}
