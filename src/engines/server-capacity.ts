/**
 * Room on the servers. A server takes so many connections and no more, and a thousand databases may lie on one: when it is full, connections that
 * rest, of whichever database, are closed for those that are wanted, the longest unused first. So any number of databases can be used in turn.
 */
import type { Pool } from './pool.ts';

export interface Holder {
  readonly pool: Pool;
  /** Where its connections may lead. */
  readonly servers: ReadonlySet<string>;
}

/** For so long a server that was full is believed to take no more than then. */
const BELIEVED_MS = 60_000;
/** So many places are left free on such a server: closing takes it a moment. */
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

  /** A connection is about to be opened; `leave` when it is, or will not be. Where the server was full lately, resting ones go first. */
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
   * The server said that it is full. True when connections of ours are among those that fill it, or were a moment ago: it is worth another
   * attempt. Others that are being opened may have a place already.
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

  /** Open connections, without those that are only wanted. */
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
