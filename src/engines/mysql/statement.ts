/**
 * A statement of this engine: text and parameters, and the rows of an insert or the way an upsert
 * is counted.
 */
import type { RowValues } from '../../sql/rows.ts';
import type { Statement } from '../../sql/statement.ts';

export interface MysqlStatement extends Statement {
  /** The rows of an insert, which stay in the body until they are sent. */
  readonly rows?: RowValues;
  /**
   * ON DUPLICATE KEY UPDATE, for which the server counts an updated row twice. `by_key`: an upsert
   * of `upsert.ts`. `by_any_key`: an upsert in a definition's SQL.
   */
  readonly upsert?: 'by_key' | 'by_any_key';
}
