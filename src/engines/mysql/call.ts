/** What a connection is asked to do. */
import type { RowSink } from '../../model/cells.ts';
import type { StatementRun, StopSignal } from '../contract/engine.ts';
import type { ResultReply } from './protocol/replies.ts';
import type { MysqlStatement } from './statement.ts';

export interface MysqlRun extends Omit<StatementRun, 'sink'> {
  readonly statement: MysqlStatement;
  readonly sink: RowSink | undefined;
}

/** One caller's use of the connection. */
export interface MysqlCall {
  readonly since: number;
  /** performance.now() when its time is over. */
  readonly late: number;
  readonly isPipelined: boolean;
  readonly signal: StopSignal | undefined;
  readonly abort: () => void;
  result: ResultReply | undefined;
  /** Its caller has left, and others have not. */
  isGivenUp: boolean;
}
