/**
 * What the store needs from its own database. There are two drivers: the embedded one and PostgreSQL.
 * Statements are written once, with `?` for values. Where the two differ, `SqlTypes` or the driver says so.
 */
import { type ApiError, apiError } from '../errors.ts';

export type SqlValue = string | number | null;

export interface Sql {
  /** Runs one statement and gives its rows (none for a write without RETURNING). */
  all<R>(text: string, values?: readonly SqlValue[]): Promise<readonly R[]>;
}

/** The words in which the two databases create tables differently. */
export interface SqlTypes {
  /** Text compared byte by byte. */
  readonly text: string;
  readonly integer: string;
  readonly bigint: string;
  readonly tableEnd: string;
}

export interface Driver extends Sql {
  readonly name: 'embedded' | 'postgres';
  readonly types: SqlTypes;
  /**
   * Runs `work` in a transaction. There is only one at a time over all processes: what it checks stays true until it commits, and the order of
   * commits is the order of the change log. Durable when the promise is fulfilled.
   */
  write<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** What must exist before a migration can be looked for. */
  prepare(tx: Sql): Promise<void>;
  /** Part of a write transaction that appended to the change log: everybody hears of it when it commits, and not before. */
  announce(tx: Sql): Promise<void>;
  /** Throws when what was opened is no longer what is there. */
  verify(): void;
  close(): Promise<void>;
}

/** The records cannot be reached or written; the cause is for the log. */
export function unavailable(cause: unknown): ApiError {
  const error = apiError('store_unavailable');
  error.cause = cause;
  return error;
}
