/**
 * Statements that set up a session and control its transactions. Their text is constant; they are
 * not prepared.
 */
import type { Entry } from '../../../model/entry.ts';
import type { RunOptions } from '../../contract/engine.ts';

const SQL_MODE = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO';

/**
 * Zero dates stay readable (no NO_ZERO_DATE), zero is valid for AUTO_INCREMENT, and nothing is
 * truncated or rounded.
 */
const SETTINGS = `SET NAMES utf8mb4, autocommit = 1, time_zone = '+00:00', sql_mode = '${SQL_MODE}'`;

export function settingsText({ readOnly }: Pick<Entry, 'readOnly'>, { mariadb }: { readonly mariadb: boolean }): string {
  if (readOnly !== true) return SETTINGS;
  return `${SETTINGS}, ${mariadb ? 'tx_read_only' : 'transaction_read_only'} = 1`;
}

/**
 * Sets the server's time limit of a statement. MySQL's covers reads only; the client-side deadline
 * covers all.
 */
export function limitText(server: { readonly mariadb: boolean }, ms: number): string {
  return server.mariadb ? `SET max_statement_time = ${(ms / 1000).toFixed(3)}` : `SET max_execution_time = ${Math.ceil(ms)}`;
}

/**
 * A limit that is too long by at most this much is kept: the client-side deadline is exact, and a
 * change costs a round trip.
 */
const SLACK_MS = 1000;

export function limitFits(limitMs: number, { timeoutMs, serverLimit }: RunOptions): boolean {
  return limitMs >= timeoutMs && (serverLimit === 'any' || limitMs - timeoutMs < SLACK_MS);
}

export const BEGIN = 'START TRANSACTION';
export const REPEATABLE = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ';
export const BEGIN_SNAPSHOT = 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY';
export const COMMIT = 'COMMIT';
export const ROLLBACK = 'ROLLBACK';

/**
 * Set before a statement that may end its transaction. It is gone afterwards if the statement did.
 */
export const MARK = 'SAVEPOINT millrace_whole';
export const TO_MARK = 'ROLLBACK TO SAVEPOINT millrace_whole';
export const NO_SUCH_MARK = '1305';

/** Set before a part of a transaction that may be rolled back. */
export const POINT = 'SAVEPOINT millrace_point';
export const TO_POINT = 'ROLLBACK TO SAVEPOINT millrace_point';
