/**
 * How every session is set up, as constant texts: the only ones that are not prepared. Knows which server understands which setting.
 */
const SQL_MODE = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO';

/** Zero dates stay readable (no NO_ZERO_DATE), a zero given for an AUTO_INCREMENT column is a zero, and nothing is cut or rounded off. */
export const SETTINGS = `SET NAMES utf8mb4, autocommit = 1, time_zone = '+00:00', sql_mode = '${SQL_MODE}'`;

/** The server's own limit for a statement. MySQL's is for reading ones only; ours comes on top. */
export function limitText(server: { readonly mariadb: boolean }, ms: number): string {
  return server.mariadb ? `SET max_statement_time = ${(ms / 1000).toFixed(3)}` : `SET max_execution_time = ${Math.ceil(ms)}`;
}

/** A limit that is at most this much too long is left as it is: our own deadline is exact, and a change costs a round trip. */
const SLACK_MS = 1000;

export function limitFits(limitMs: number, timeoutMs: number): boolean {
  return limitMs >= timeoutMs && limitMs - timeoutMs < SLACK_MS;
}

export const BEGIN = 'START TRANSACTION';
export const COMMIT = 'COMMIT';
export const ROLLBACK = 'ROLLBACK';

/** Set before a statement that may end its transaction, and asked for afterwards: with the transaction it is gone. */
export const MARK = 'SAVEPOINT millrace_whole';
export const TO_MARK = 'ROLLBACK TO SAVEPOINT millrace_whole';
export const NO_SUCH_MARK = '1305';
