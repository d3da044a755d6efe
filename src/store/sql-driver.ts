/**
 * Interface of the database under the store, implemented by SQLite and PostgreSQL. Statements are
 * written once, with `?` for values.
 */
import { type ApiError, apiError } from '../errors.ts';

export type SqlValue = string | number | null;

export interface Sql {
  /** Runs one statement and returns its rows (none for a write without RETURNING). */
  all<R>(text: string, values?: readonly SqlValue[]): Promise<readonly R[]>;
}

/** Keywords by which the two databases create tables differently. */
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
   * Runs `work` in a transaction, one at a time across all processes. So its checks stay valid
   * until the commit, and commits are in the order of the change log. Durable once the promise
   * resolves.
   */
  write<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Creates what must exist before migrations can be read. */
  prepare(tx: Sql): Promise<void>;
  /** Notifies other instances when the write transaction commits. */
  announce(tx: Sql): Promise<void>;
  /** Throws when the opened files are no longer the store's. */
  verify(): void;
  close(): Promise<void>;
}

/** The store cannot be reached or written. The cause is for the log. */
export function unavailable(cause: unknown): ApiError {
  const error = apiError('store_unavailable');
  error.cause = cause;
  return error;
}
