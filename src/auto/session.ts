/** What a plan is run with: a connection for as long as the request needs it, and the table's standing with the catalogue. */
import type { Connection, Engine, RunOptions } from '../engines/contract/engine.ts';
import type { RowSink } from '../model/cells.ts';
import type { Neighbours } from '../model/relation.ts';
import type { SelectPlan } from '../sql/plan.ts';
import type { MemoryBudget } from '../util/bytes/memory-lease.ts';

export interface AutoSession {
  readonly connection: Connection;
  /** Others use it too: one statement may be run on it, and no transaction begun. */
  readonly isPipelined: boolean;
  readonly engine: Engine;
  readonly options: RunOptions;
  /** Whose turns of the event loop long work takes. */
  readonly owner: string;
  /** Set for a table of which the catalogue says something else than its rows do: these are written by what comes with them. */
  readonly kinds: SelectPlan['kinds'];
  /** The tables that the request reaches, if it reaches any. */
  readonly neighbours: Neighbours | undefined;
  /** Everything is run in a transaction that only reads. */
  readonly readsOnly?: true;
  /** What rows may take that have to wait for others. */
  readonly memory: MemoryBudget;
}

/** Where the rows of an answer go, and what has to be known before the first of them. */
export interface AnswerSink extends RowSink {
  /** A header of the answer; set again, it has the later value. */
  header(name: string, value: string): void;
}

export interface AutoResult {
  /** Rows that were given or written. */
  readonly rows: number;
  /** Behind the last row of a full page, when a cursor was asked for. */
  readonly cursor: string | undefined;
  /** The caller has the row already, as a tag in its request says. */
  readonly unchanged?: boolean;
}

/** A request turned out to need a transaction on a connection that it shares. Nothing has been done; it is run again on one of its own. */
export class NeedsExclusiveConnection extends Error {}

/** Closes the connection if the snapshot cannot be ended; ignores whether the caller still waits. */
export function endSnapshot({ connection, options }: AutoSession): Promise<unknown> {
  return connection.rollback({ timeoutMs: options.timeoutMs }).catch(() => connection.close());
}
