/** Everything a plan needs to run: the connection, the engine and the request's limits. */
import type { Connection, Engine, RunOptions } from '../engines/contract/engine.ts';
import type { RowSink } from '../model/cells.ts';
import type { Neighbours } from '../model/relation.ts';
import type { SelectPlan } from '../sql/plan.ts';
import type { MemoryBudget } from '../util/bytes/memory-lease.ts';

export interface AutoSession {
  readonly connection: Connection;
  /**
   * `true` if other requests use the connection too: one statement may run on it, and no
   * transaction.
   */
  readonly isPipelined: boolean;
  readonly engine: Engine;
  readonly options: RunOptions;
  /** Tenant whose time slices long work uses. */
  readonly owner: string;
  /**
   * `described` for a table whose catalog disagrees with its rows: the result's own types are used.
   */
  readonly kinds: SelectPlan['kinds'];
  /** Related tables, if the request uses any. */
  readonly neighbours: Neighbours | undefined;
  /** Set if everything runs in a read-only transaction. */
  readonly readsOnly?: true;
  /** `true` to count the rows of a dry run where the engine cannot roll them back. */
  readonly countsDryRuns: boolean;
  /** Budget for rows that are buffered. */
  readonly memory: MemoryBudget;
}

/** Receives the rows of a response, and its headers before the first row. */
export interface AnswerSink extends RowSink {
  /** Sets a header; a later value replaces an earlier one. */
  header(name: string, value: string): void;
}

export interface AutoResult {
  /** Number of rows returned or written. */
  readonly rows: number;
  /** Cursor after the last row of a full page, if requested. */
  readonly cursor: string | undefined;
  /** `true` if the caller has the row already, according to `If-None-Match`. */
  readonly unchanged?: boolean;
}

/**
 * Thrown if a request on a pipelined connection needs a transaction. Nothing was sent; it is
 * repeated on its own connection.
 */
export class NeedsExclusiveConnection extends Error {}

/**
 * Closes the connection if the snapshot cannot be ended; ignores whether the caller still waits.
 */
export function endSnapshot({ connection, options }: AutoSession): Promise<unknown> {
  return connection.rollback({ timeoutMs: options.timeoutMs }).catch(() => connection.close());
}
