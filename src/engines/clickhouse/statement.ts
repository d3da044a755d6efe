/** A statement as this engine runs it: besides a text and its parameters, the rows of an insert, or a write that is counted first. */
import type { RowLimit } from '../../sql/plan.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Block } from './types/block.ts';

export interface ClickhouseStatement extends Statement {
  /** The rows of an insert, encoded: they follow the text. Whoever runs the statement takes them over. */
  readonly block?: Block;
  /** The rows of others may be sent along. */
  readonly isOneOfMany?: boolean;
  readonly counted?: CountedWrite;
}

/** The server does not count what a mutation changes: another query does, before it. */
export interface CountedWrite {
  /** Counts the rows that the write will match. */
  readonly count: string;
  /** Other ways to do the write, for table engines that refuse the first one. */
  readonly otherwise: readonly string[];
  readonly maxRows: RowLimit;
  /** What it consists of, so that changes of the same text can be sent as one; undefined where they cannot. */
  readonly change: Mutation | undefined;
}

export interface Mutation {
  readonly table: string;
  /** Undefined for a DELETE. */
  readonly set: string | undefined;
  readonly where: string;
  /** How many parameters it has. */
  readonly width: number;
}
