/** A statement as this engine runs it: besides a text and its parameters, the rows of an insert, and how an upsert is counted. */
import type { RowValues } from '../../sql/rows.ts';
import type { Statement } from '../../sql/statement.ts';

export interface MysqlStatement extends Statement {
  /** The parameters of an insert, row by row, where they stay in the body until they are sent. */
  readonly rows?: RowValues;
  /**
   * An INSERT … ON DUPLICATE KEY UPDATE, of which the server counts an updated row twice. `by_key`: the one of `upsert.ts`; `by_any_key`:
   * one that a definition has written itself.
   */
  readonly upsert?: 'by_key' | 'by_any_key';
}
