/**
 * Limits on what a database may send. Operators register any host, so every length, count and
 * string from a server is checked against these limits before it is used.
 */
import { DbFailure } from './engine.ts';

const MIB = 1024 * 1024;

export const LIMITS = {
  /**
   * A row, and so a cell, unless the settings differ. 64 MiB of bytes take 128 MiB in protocols
   * that use hexadecimal.
   */
  rowBytes: 256 * MIB,
  /**
   * Any other message: errors, descriptions, notices. An error may repeat a value of the statement.
   */
  messageBytes: 32 * MIB,
  /** Columns of a result. Hardly any engine allows more. */
  columns: 16_384,
  /** Everything before the login has succeeded. */
  loginBytes: 256 * 1024,
  /** Unsolicited messages (notices, changed parameters) during one statement or between two. */
  asides: 100_000,
  /** Characters that are kept of an error message. */
  errorText: 16 * 1024,
  /** Rows larger than `largeFrom` that have been received in part, over all connections. */
  largeBytes: 1024 * MIB,
  largeFrom: MIB,
  /** A row of this size gets a buffer for the largest row: growing again would copy it. */
  reservedFrom: 16 * MIB,
} as const;

/**
 * Failure for a server that broke its protocol or a limit. Callers and the log get this message.
 */
export function malformed(what: string, cause?: unknown): DbFailure {
  return new DbFailure('malformed', `the database sent ${what}`, { cause });
}

export function checkColumns(count: number): void {
  if (count < 0 || count > LIMITS.columns) throw malformed(`a result of ${count} columns; at most ${LIMITS.columns} are read`);
}

/** A number of rows: more than a number holds exactly are a lie. */
export function checkRowCount(count: number): number {
  if (!Number.isSafeInteger(count)) throw malformed('an impossible number of rows');
  return count;
}

let largeBytesHeld = 0;

/**
 * Memory that one connection has taken for large rows. Call `hold` before more is received.
 * Too much for one row is the server's fault. Too much for all rows together means that the service
 * is busy.
 */
export class LargeRowBudget {
  readonly #rowBytes: number;
  #held = 0;

  constructor(rowBytes: number = LIMITS.rowBytes) {
    this.#rowBytes = rowBytes;
  }

  /** Rejects an announced row that is too large. */
  checkRow(size: number): void {
    if (size > this.#rowBytes) throw malformed(`a row of ${size} bytes; at most ${this.#rowBytes} are read`);
  }

  /**
   * Size of a larger buffer. Doubles, until the whole of the largest row is reserved: the system
   * provides memory only for the bytes that are written.
   */
  roomFor(needed: number): number {
    const room = needed * 2;
    return room < LIMITS.reservedFrom ? room : Math.max(needed, this.#rowBytes + LIMITS.reservedFrom);
  }

  /** Accounts for this number of bytes in a buffer, before they are received. */
  hold(size: number): void {
    const large = size > LIMITS.largeFrom ? size : 0;
    if (large > this.#held && largeBytesHeld + large - this.#held > LIMITS.largeBytes)
      throw new DbFailure('busy', 'too many large rows are on their way at the same time');
    largeBytesHeld += large - this.#held;
    this.#held = large;
  }
}

/** For tests: 0 while no large row is being received. */
export const largeRowBytes = (): number => largeBytesHeld;
