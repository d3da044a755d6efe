/**
 * What a database may send us, whatever engine it claims to be. Tenants register their own hosts, so no length, count or text from a server is
 * trusted before it has been compared with these limits. Knows no protocol; each protocol's reader asks here.
 */
import { DbFailure } from './engine.ts';

const MIB = 1024 * 1024;

export const LIMITS = {
  /** A row, and so a cell of it, unless the settings say otherwise: 64 MB of bytes are 128 MB where a protocol spells them in hexadecimal. */
  rowBytes: 256 * MIB,
  /** Any other message: errors, descriptions, notices. An error may repeat a value that was sent. */
  messageBytes: 32 * MIB,
  /** Columns of a result. Hardly any engine comes near. */
  columns: 16_384,
  /** All that a server may say before it has let us in. */
  loginBytes: 256 * 1024,
  /** Unsolicited messages (notices, changed parameters), during one statement or between two. */
  asides: 100_000,
  /** Characters that are kept of an error's text. */
  errorText: 16 * 1024,
  /** Rows that are larger than `largeFrom` and have not come whole, over all connections. */
  largeBytes: 1024 * MIB,
  largeFrom: MIB,
} as const;

/** The server broke its protocol or a limit. The message is ours: it reaches the caller and the log. */
export function malformed(what: string, cause?: unknown): DbFailure {
  return new DbFailure('malformed', `the database sent ${what}`, { cause });
}

export function checkColumns(count: number): void {
  if (count < 0 || count > LIMITS.columns) throw malformed(`a result of ${count} columns; at most ${LIMITS.columns} are read`);
}

let largeHeld = 0;

/**
 * The memory for large rows that one connection has taken. Call it before a buffer grows: too much for one row is the server's fault, too much for
 * all of them together means that the service is busy.
 */
export class LargeShare {
  readonly #rowBytes: number;
  #held = 0;

  constructor(rowBytes: number = LIMITS.rowBytes) {
    this.#rowBytes = rowBytes;
  }

  /** Checks an announced row: may it come at all? */
  checkRow(size: number): void {
    if (size > this.#rowBytes) throw malformed(`a row of ${size} bytes; at most ${this.#rowBytes} are read`);
  }

  /** The buffer is about to grow to this size. */
  hold(size: number): void {
    const wanted = size > LIMITS.largeFrom ? size : 0;
    if (wanted > this.#held && largeHeld + wanted - this.#held > LIMITS.largeBytes)
      throw new DbFailure('busy', 'too many large rows are on their way at the same time');
    largeHeld += wanted - this.#held;
    this.#held = wanted;
  }
}

/** For tests: nothing is held when nothing is on its way. */
export const heldByLargeRows = (): number => largeHeld;
