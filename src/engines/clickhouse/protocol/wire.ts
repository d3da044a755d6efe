/**
 * Interface of a connection to the driver, for either protocol. One exchange at a time.
 * Must not use timeouts: the driver ends what takes too long.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import type { Statement } from '../../../sql/statement.ts';
import type { Block } from '../types/block.ts';
import type { RowReader } from './row-reader.ts';
import type { Settings } from './settings.ts';

export interface WireParam {
  readonly name: string;
  /** In the tab-separated form of the parameter's type. */
  readonly text: string;
}

export interface QueryExchange {
  readonly text: string;
  readonly queryId: string;
  readonly params: readonly WireParam[];
  /** Settings of the connection, the same object for every statement. */
  readonly settings: Settings;
  /** Server-side time limit in seconds. `undefined` leaves it to the server. */
  readonly maxSeconds: string | undefined;
  readonly reader: RowReader;
  /** Columns of the result, if the caller knows them. */
  readonly columns: readonly ResultColumn[] | undefined;
  /** The statement, if its result must match the plan. */
  readonly planned?: Statement | undefined;
  /**
   * Rows to insert, column by column; `text` is an INSERT without data. Several blocks are written
   * as one.
   */
  readonly blocks: readonly Block[] | undefined;
}

export interface Summary {
  readonly selected: boolean;
  readonly written: number;
}

export interface Wire {
  readonly usable: boolean;
  execute(exchange: QueryExchange): Promise<Summary>;
  /** Pause and resume the socket while rows arrive. */
  pause(): void;
  resume(): void;
  /** Called once when the socket is gone. */
  onClosed(listener: () => void): void;
  /** Stops the running statement as far as the protocol can, and closes. */
  destroy(): void;
}
