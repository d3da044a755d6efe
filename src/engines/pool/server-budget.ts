/**
 * Keeps track of how many connections a server takes. A thousand databases may share one server. When it is full, idle connections of any database
 * are closed for those that are needed, the least recently used first. Where none is idle, the database that holds the most gives one up to one that
 * holds fewer, as soon as its statement is done: one that is always busy keeps no other out.
 */
import type { Pool } from './pool.ts';

export interface Holder {
  readonly pool: Pool;
  readonly username: string;
  /** The servers that its connections may lead to. */
  readonly servers: ReadonlySet<string>;
}

/** Somebody without room: whose login it is, how many connections it has, and when its turn is over. */
export interface Claim {
  readonly username: string;
  /** As it is now. */
  readonly held: number;
  readonly turn: Promise<void>;
}

/** For this long, a server that was full is assumed to take no more than then. */
const BELIEVED_MS = 60_000;
/** How many slots are left free on such a server: closing takes a moment. */
const SPARE = 2;
/** For so long a database keeps what it has got, or every statement would be a login. */
const TENURE_MS = 100;

interface Limit {
  readonly most: number;
  readonly until: number;
}

export class ServerCapacity {
  readonly #holders: () => Iterable<Holder>;
  readonly #limits = new Map<string, Limit>();
  /** Connections that are being opened. */
  readonly #wanted = new Map<string, number>();

  /** Turns for which somebody gives way. */
  readonly #granted = new WeakSet<Promise<void>>();

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

  /** Would the server refuse another connection, as far as is known, with nothing that we could close for it? */
  isFull(server: string, claim: Claim): boolean {
    const limit = this.#limitOf(server);
    if (limit === undefined || this.#heldOf(server) + this.#wantedOf(server) < limit.most) return false;
    return this.#longestUnused(server) === undefined && this.#richest(server, claim) === undefined;
  }

  /**
   * The server said that it is full. Returns true when another attempt is worthwhile: our own connections are among those that fill it, or were a
   * moment ago. Who has connections does not wait for one of another that is no richer.
   */
  reclaim(server: string, claim: Claim): boolean {
    const held = this.#heldOf(server);
    if (held > 0) {
      this.#limits.set(server, { most: held + this.#wantedOf(server) - 1, until: performance.now() + BELIEVED_MS });
      const isMade = this.#closeLongestUnused(server) || this.#makeWay(server, claim);
      if (!isMade && claim.held > 0) return false;
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

  #heldOf(server: string): number {
    let count = 0;
    for (const { pool, servers } of this.#holders()) if (servers.has(server)) count += pool.established;
    return count;
  }

  #closeLongestUnused(server: string): boolean {
    return this.#longestUnused(server)?.closeLongestUnused() ?? false;
  }

  #longestUnused(server: string): Pool | undefined {
    let longest: Pool | undefined;
    for (const { pool, servers } of this.#holders()) {
      if (servers.has(server) && (pool.restingSince ?? Number.POSITIVE_INFINITY) < (longest?.restingSince ?? Number.POSITIVE_INFINITY))
        longest = pool;
    }
    return longest;
  }

  /** Once a claim: whoever gives way does so when a statement is done, which may take. */
  #makeWay(server: string, claim: Claim): boolean {
    if (this.#granted.has(claim.turn)) return true;
    const richest = this.#richest(server, claim);
    if (richest === undefined) return false;
    this.#granted.add(claim.turn);
    richest.giveWay(claim.turn);
    return true;
  }

  /**
   * The pool with the most connections, where these are more than the claim's; of equals, the one that has had its own for longest. A server may be
   * full for one user only: those of the same user come first.
   */
  #richest(server: string, { username, held }: Claim): Pool | undefined {
    const holders = [...this.#holders()].filter(({ servers, pool }) => servers.has(server) && pool.held > 0);
    const own = holders.filter((holder) => holder.username === username);
    const before = performance.now() - TENURE_MS;
    const [richest] = (own.length > 0 ? own : holders)
      .map(({ pool }) => pool)
      .filter((pool) => pool.held > held && pool.openedLast < before)
      .sort((a, b) => b.held - a.held || a.openedLast - b.openedLast);
    return richest;
  }
}
