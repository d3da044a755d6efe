/**
 * A statement of this engine: text and parameters, and the rows of an insert or a write that is
 * counted first.
 */
import type { RowLimit } from '../../sql/plan.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Block } from './types/block.ts';

export interface ClickhouseStatement extends Statement {
  /** Encoded rows of an insert, which follow the text. Running the statement takes them over. */
  readonly block?: Block;
  /** A few rows, which may be sent as one block with the rows of other callers. */
  readonly isBatchable?: boolean;
  readonly counted?: CountedWrite;
}

/** The server does not count what a mutation changes: another query does, before it. */
export interface CountedWrite {
  readonly table: string;
  /** Counts the rows that the write will match. */
  readonly count: string;
  /** Other ways to do the write, for table engines that refuse the first one. */
  readonly otherwise: readonly string[];
  readonly maxRows: RowLimit;
}
