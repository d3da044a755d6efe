/** Where the result of a call goes: the interface that HTTP implements. Knows no format: rows and values go in, and bytes come out where they are kept. */
import { BudgetError } from '../../lang/budget.ts';
import type { RowSink } from '../../model/cells.ts';
import type { PlainValue } from '../../util/text/decimal.ts';

/** Rows on their way to the client. */
export interface RowOutput extends RowSink {
  /** Names and values, alternating; sent with the first byte. */
  readonly headers: string[];
  end(): void;
  discard(): void;
}

/** Rows that are kept as the bytes of an answer. */
export interface BufferedRows extends RowSink {
  take(): Buffer;
}

export interface CallOutput {
  /** Has the client received a byte? */
  readonly hasBegun: boolean;
  /** `held`: nothing is sent before the end, because what ran may still be rolled back. */
  rows(held: 'held' | 'flowing'): RowOutput;
  value(value: PlainValue, headers: readonly string[], status?: number): void;
  /** `type`: of a file, instead of the format's. */
  bytes(body: Buffer, headers: readonly string[], status?: number, type?: string): void;
  bufferValue(value: PlainValue, mostBytes: number): Buffer;
  bufferRows(mostBytes: number): BufferedRows;
}

/** Answers that are kept or shared are in memory as a whole. */
export class ResultTooLarge extends BudgetError {
  constructor(mostBytes: number) {
    super(
      'memory',
      `an answer that is cached or shared must fit into config.limits.memory_mb (${Math.floor(mostBytes / 1024 / 1024)} MiB)`,
    );
  }
}
