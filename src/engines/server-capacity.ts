/**
 * Keeps track of how many connections a server takes. A thousand databases may share one server. When it is full, idle connections of any database
 * are closed for those that are needed, the least recently used first. So any number of databases can be used in turn.
 */
import type { Pool } from './pool.ts';

export interface Holder {
  readonly pool: Pool;
  /** The servers that its connections may lead to. */
  readonly servers: ReadonlySet<string>;
}

/** For this long, a server that was full is assumed to take no more than then. */
const BELIEVED_MS = 60_000;
/** How many slots are left free on such a server: closing takes a moment. */
const SPARE = 2;

interface Limit {
  readonly most: number;
  readonly until: number;
}

export class ServerCapacity {
  readonly #holders: () => Iterable<Holder>;
  readonly #limits = new Map<string, Limit>();
  /** Connections that are being opened. */
  readonly #wanted = new Map<string, number>();

  constructor(holders: () => Iterable<Holder>) {
    this.#holders = holders;
  }

  /** A connection is about to be opened; call `release` when it is, or will not be. If the server was full recently, idle ones are closed first. */
  reserve(server: string): void {
    this.#wanted.set(server, this.#wantedOf(server) + 1);
    const limit = this.#limitOf(server);
    if (limit === undefined) return;
    let above = this.#heldOf(server) + this.#wantedOf(server) + SPARE - limit.most;
    while (above-- > 0 && this.#closeLongestUnused(server));
  }

  release(server: string): void {
    const wanted = this.#wantedOf(server) - 1;
    if (wanted > 0) this.#wanted.set(server, wanted);
    else this.#wanted.delete(server);
  }

  /**
   * The server said that it is full. Returns true when our own connections are among those that fill it, or were a moment ago: then another attempt
   * is worthwhile.
   */
  reclaim(server: string): boolean {
    const held = this.#heldOf(server);
    if (held > 0) {
      this.#limits.set(server, { most: held + this.#wantedOf(server) - 1, until: performance.now() + BELIEVED_MS });
      this.#closeLongestUnused(server);
    }
    return this.#limitOf(server) !== undefined;
  }

  #limitOf(server: string): Limit | undefined {
    const limit = this.#limits.get(server);
    if (limit === undefined || performance.now() < limit.until) return limit;
    this.#limits.delete(server);
    return undefined;
  }

  #wantedOf(server: string): number {
    return this.#wanted.get(server) ?? 0;
  }

  /** Open connections, without those that are being opened. */
  #heldOf(server: string): number {
    let count = -this.#wantedOf(server);
    for (const { pool, servers } of this.#holders()) if (servers.has(server)) count += pool.counts.open;
    return count;
  }

  #closeLongestUnused(server: string): boolean {
    let longest: Pool | undefined;
    for (const { pool, servers } of this.#holders()) {
      if (servers.has(server) && (pool.restingSince ?? Number.POSITIVE_INFINITY) < (longest?.restingSince ?? Number.POSITIVE_INFINITY))
        longest = pool;
    }
    return longest?.closeLongestUnused() ?? false;
  }
}
