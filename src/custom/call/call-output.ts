/**
 * Destination of a call's result, implemented by HTTP. Independent of formats: rows and values go
 * in.
 */
import { BudgetError } from '../../lang/budget.ts';
import type { RowSink } from '../../model/cells.ts';
import type { PlainValue } from '../../util/text/decimal.ts';

/** Streams rows to the client. */
export interface RowOutput extends RowSink {
  /** Names and values, alternating; sent with the first byte. */
  readonly headers: string[];
  end(): void;
  discard(): void;
}

/** Collects rows as the bytes of a response. */
export interface BufferedRows extends RowSink {
  take(): Buffer;
}

export interface CallOutput {
  /** `true` once the client has received a byte. */
  readonly hasBegun: boolean;
  /** `held` sends nothing before the end, because the steps may still be rolled back. */
  rows(held: 'held' | 'flowing'): RowOutput;
  value(value: PlainValue, headers: readonly string[], status?: number): void;
  /** `type` is the media type of a file and overrides that of the format. */
  bytes(body: Buffer, headers: readonly string[], status?: number, type?: string): void;
  bufferValue(value: PlainValue, maxBytes: number): Buffer;
  bufferRows(maxBytes: number): BufferedRows;
}

/** A cached or shared response exceeds the memory limit: such responses are buffered as a whole. */
export class ResultTooLarge extends BudgetError {
  constructor(maxBytes: number) {
    super(
      'memory',
      `a response that is cached or shared must fit into config.limits.memory_mb (${Math.floor(maxBytes / 1024 / 1024)} MiB)`,
    );
  }
}
