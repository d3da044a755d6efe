/**
 * How many statements a server does at a time. Some do a few after each other sooner than all of them at once, and say how many; the others count
 * nothing. Who takes long loses the place, though not the connection: quicker ones are not kept waiting.
 */
import type { Connection } from './engine.ts';

/** A statement that has run for this long does not count any more: nobody waits for it. */
export const LONG_MS = 100;

export class Places {
  #most = Number.POSITIVE_INFINITY;
  readonly #taken = new Map<Connection, number>();

  /** What the server has said when a connection was opened. */
  set most(most: number | undefined) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  get areCounted(): boolean {
    return this.#most < Number.POSITIVE_INFINITY;
  }

  get free(): number {
    return this.#most - this.#taken.size;
  }

  take(connection: Connection): Connection {
    if (this.areCounted) this.#taken.set(connection, performance.now());
    return connection;
  }

  leave(connection: Connection): void {
    this.#taken.delete(connection);
  }

  /** Those that have taken long leave. */
  passLong(): void {
    const before = performance.now() - LONG_MS;
    for (const [connection, since] of this.#taken) if (since <= before) this.#taken.delete(connection);
  }
}
