/**
 * What the driver needs from a connection, whichever protocol it speaks: run one text with parameters, and hand its rows to a reader. One exchange
 * at a time. Knows no plans and no timeouts: the driver ends what takes too long.
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
  /** How long the server lets the statement run, in seconds; undefined leaves it to the server. */
  readonly maxSeconds: string | undefined;
  readonly reader: RowReader;
  /** What the statement yields, when the caller knows. */
  readonly columns: readonly ResultColumn[] | undefined;
  /** The statement itself, where its result must agree with what it was planned for. */
  readonly planned?: Statement | undefined;
  /** Rows to insert, column by column; `text` then is an INSERT that ends before its data. More than one are written as one. */
  readonly blocks: readonly Block[] | undefined;
}

export interface Summary {
  readonly selected: boolean;
  readonly written: number;
}

export interface Wire {
  readonly usable: boolean;
  execute(exchange: QueryExchange): Promise<Summary>;
  /** Hold and release the socket while rows arrive. */
  pause(): void;
  resume(): void;
  /** Called once when the socket is gone. */
  onClosed(listener: () => void): void;
  /** Tells the server to stop as far as the protocol can, and closes. */
  destroy(): void;
}
