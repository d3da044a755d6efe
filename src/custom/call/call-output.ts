/** Where the result of a call goes: the interface that HTTP implements. Knows no format: rows and values go in, and bytes come out where they are kept. */
import { BudgetError } from '../../lang/budget.ts';
import type { RowSink } from '../../model/cells.ts';
import type { PlainValue } from '../../util/text/decimal.ts';

/** Rows on their way to the client. */
export interface RowAnswer extends RowSink {
  /** Names and values, alternating; sent with the first byte. */
  readonly headers: string[];
  end(): void;
  discard(): void;
}

/** Rows that are kept as the bytes of an answer. */
export interface KeptRows extends RowSink {
  take(): Buffer;
}

export interface CallAnswer {
  /** Has the client received a byte? */
  readonly begun: boolean;
  /** `held`: nothing is sent before the end, because what ran may still be rolled back. */
  rows(held: 'held' | 'flowing'): RowAnswer;
  value(value: PlainValue, headers: readonly string[], status?: number): void;
  /** `type`: of a file, instead of the format's. */
  bytes(body: Buffer, headers: readonly string[], status?: number, type?: string): void;
  keepValue(value: PlainValue, mostBytes: number): Buffer;
  keepRows(mostBytes: number): KeptRows;
}

/** Answers that are kept or shared are in memory as a whole. */
export class AnswerTooLarge extends BudgetError {
  constructor(mostBytes: number) {
    super(
      'memory',
      `an answer that is cached or shared must fit into config.limits.memory_mb (${Math.floor(mostBytes / 1024 / 1024)} MiB)`,
    );
  }
}
