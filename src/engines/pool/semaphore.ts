/**
 * How many statements run at a time: on a server that does a few after each other sooner than all of them at once, and says how many, of all its databases;
 * elsewhere of one database, as `concurrency-limit` finds it. Who takes long loses the place, though not the connection: quicker ones are not kept waiting. Databases that wait for a place get
 * one in turn, so that a busy one keeps no other out.
 */

import type { Connection } from '../contract/engine.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';

/** A statement that has run for this long does not count any more: nobody waits for it. */
export const LONG_MS = 100;

export class Places {
  #most = Number.POSITIVE_INFINITY;
  readonly #taken = new Map<Connection, number>();
  /** Each makes use of one place, and comes again if it needs more. */
  readonly #wanting = new Set<() => void>();
  #isHandingOut = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #limit: ConcurrencyLimit | undefined;

  /** Without a limit there are as many as the server says, and any number until it does. */
  constructor(limit?: ConcurrencyLimit) {
    this.#limit = limit;
  }

  /** What the server has said when a connection was opened. */
  set most(most: number | undefined) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  get areCounted(): boolean {
    return this.#limit !== undefined || this.#most < Number.POSITIVE_INFINITY;
  }

  get free(): number {
    return (this.#limit?.now ?? this.#most) - this.#taken.size;
  }

  take(connection: Connection): Connection {
    if (this.areCounted) this.#taken.set(connection, performance.now());
    return connection;
  }

  leave(connection: Connection): void {
    if (!this.#taken.delete(connection)) return;
    this.#limit?.done(this.areWanted, this.#taken.size + 1, performance.now());
  }

  /** `use` is called when there is a place and it is its turn. */
  want(use: () => void): void {
    this.#wanting.add(use);
    this.#timer ??= setTimeout(() => this.#passLong(), LONG_MS).unref();
  }

  get areWanted(): boolean {
    return this.#wanting.size > 0;
  }

  /** What is free goes to those who want it, in turn, until it is taken or none of them can use it. */
  handOut(): void {
    // Who makes use of one may give back others.
    if (this.#isHandingOut) return;
    this.#isHandingOut = true;
    for (let inVain = 0; inVain < this.#wanting.size && this.free > 0; ) {
      const [use] = this.#wanting;
      if (use === undefined) break;
      const { free } = this;
      this.#wanting.delete(use);
      use();
      if (this.free < free) inVain = 0;
      else if (this.#wanting.has(use)) inVain++;
    }
    this.#isHandingOut = false;
  }

  /** Those that have taken long leave. */
  #passLong(): void {
    this.#timer = undefined;
    const now = performance.now();
    if (this.#wanting.size > 0) this.#limit?.stillWanted(now);
    const before = now - LONG_MS;
    for (const [connection, since] of this.#taken) if (since <= before) this.#taken.delete(connection);
    this.handOut();
    if (this.#wanting.size > 0) this.#timer ??= setTimeout(() => this.#passLong(), LONG_MS).unref();
  }
}
