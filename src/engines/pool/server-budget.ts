/**
 * The connections that one server grants us, shared by the pools of all its databases. The cap is
 * learned when the server reports "too many connections". At the cap, idle connections are evicted,
 * the least recently used first, and a pool above its fair share gives one back as soon as a
 * statement is done.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, DbFailure } from '../contract/engine.ts';
import { Semaphore } from './semaphore.ts';

/** A pool, as its server sees it. */
export interface Holder {
  readonly username: string;
  /** Number of open connections. */
  readonly established: number;
  /** When the newest connection was opened. */
  readonly lastOpened: number;
  /** Since when the least recently used connection has been idle. `undefined` if none is. */
  readonly idleSince: number | undefined;
  closeLeastRecentlyUsed(): boolean;
}

/** A pool that waits for room on a full server. */
interface Claim {
  readonly holder: Holder;
  /** Another pool has given a connection back for it. */
  isGranted: boolean;
}

/** How long a learned cap is believed. */
const CAP_MS = 60_000;
/**
 * A pool keeps what it has opened for at least this long, or every statement would cost a login.
 */
const TENURE_MS = 100;
/** How long a server may still count a connection that was closed. */
const CLOSING_MS = 200;
/** Delay before a full server is asked again; it doubles each time, up to ten times as much. */
const RETRY_MS = 10;
const MAX_RETRY_MS = 10 * RETRY_MS;

interface Dial {
  readonly connect: (timeoutMs: number) => Promise<Connection>;
  readonly ends: number;
}

export class ServerBudget {
  readonly semaphore = new Semaphore();
  readonly #holders = new Set<Holder>();
  /** In the order in which they are served. */
  readonly #claims = new Set<Claim>();
  #cap = Number.POSITIVE_INFINITY;
  #capUntil = 0;
  /** When a connection was closed to make room. */
  #lastClosed = Number.NEGATIVE_INFINITY;
  #opening = 0;

  add(holder: Holder): void {
    this.#holders.add(holder);
  }

  remove(holder: Holder): void {
    this.#holders.delete(holder);
  }

  /**
   * Opens a connection for a pool. A full server is asked again until `ends`, as long as that can
   * help.
   */
  async open(holder: Holder, { connect, ends }: Dial): Promise<Connection> {
    if (this.#isFull) {
      this.#evictIdle(holder);
      if (this.#isFull && this.#hasShare(holder)) throw full();
    }
    const claim: Claim = { holder, isGranted: false };
    this.#opening++;
    try {
      for (let pause = RETRY_MS; ; pause = Math.min(pause * 2, MAX_RETRY_MS)) {
        if (this.#isNext(claim) || this.#evictIdle(holder)) {
          try {
            const connection = await connect(Math.max(ends - performance.now(), 1));
            this.#cap = Math.max(this.#cap, this.#established + 1);
            return connection;
          } catch (error) {
            if (!isFull(error) || !this.#makeRoom(holder)) throw error;
          }
        }
        if (performance.now() + pause > ends) throw full();
        this.#claims.add(claim);
        claim.isGranted = false;
        await sleep(pause);
      }
    } finally {
      this.#opening--;
      this.#claims.delete(claim);
    }
  }

  /** Must the pool close a connection that it could keep? Then a pool that holds fewer gets it. */
  mustYield(holder: Holder): boolean {
    if (this.#claims.size === 0 || holder.established <= this.#fairShare) return false;
    if (performance.now() - holder.lastOpened < TENURE_MS) return false;
    for (const claim of this.#claims) {
      const { holder: poorer, isGranted } = claim;
      if (isGranted || poorer.established >= holder.established || !this.#canServe(holder, poorer)) continue;
      claim.isGranted = true;
      this.#lastClosed = performance.now();
      return true;
    }
    return false;
  }

  get #isFull(): boolean {
    if (performance.now() >= this.#capUntil) this.#cap = Number.POSITIVE_INFINITY;
    return this.#established + this.#opening >= this.#cap;
  }

  get #established(): number {
    let sum = 0;
    for (const { established } of this.#holders) sum += established;
    return sum;
  }

  /** Connections that each pool may have while others wait. */
  get #fairShare(): number {
    const pools = new Set<Holder>();
    for (const holder of this.#holders) if (holder.established > 0) pools.add(holder);
    for (const { holder } of this.#claims) pools.add(holder);
    return this.#cap / Math.max(pools.size, 1);
  }

  #hasShare(holder: Holder): boolean {
    return holder.established > 0 && holder.established >= this.#fairShare;
  }

  /**
   * Claims are served in order unless they can evict, so that a pool that gave a connection back
   * does not take it again.
   */
  #isNext(claim: Claim): boolean {
    const [first] = this.#claims;
    return first === undefined || first === claim || !this.#isFull;
  }

  /** The server has refused a connection. Returns whether another attempt can help. */
  #makeRoom(holder: Holder): boolean {
    const established = this.#established;
    // Others fill the server.
    if (established === 0) return this.#cap < Number.POSITIVE_INFINITY;
    const now = performance.now();
    // Raised again when a connection succeeds. The server counts a closed one for a moment.
    if (this.#cap === Number.POSITIVE_INFINITY || now - this.#lastClosed > CLOSING_MS) this.#cap = established;
    this.#capUntil = now + CAP_MS;
    return this.#evictIdle(holder) || !this.#hasShare(holder);
  }

  /**
   * Closes the least recently used idle connection, if possible one of the same user: the server
   * may be full for that user only.
   */
  #evictIdle(holder: Holder): boolean {
    let oldest: Holder | undefined;
    for (const other of this.#holders) {
      if (other.idleSince === undefined) continue;
      if (oldest === undefined || isBetterVictim(other, oldest, holder)) oldest = other;
    }
    if (oldest?.closeLeastRecentlyUsed() !== true) return false;
    this.#lastClosed = performance.now();
    return true;
  }

  /** Connections of another user help only if the server is full for all users. */
  #canServe(holder: Holder, poorer: Holder): boolean {
    if (holder.username === poorer.username) return true;
    for (const { username, established } of this.#holders) if (username === poorer.username && established > 0) return false;
    return true;
  }
}

function isBetterVictim(other: Holder, than: Holder, { username }: Holder): boolean {
  const isSameUser = other.username === username;
  if (isSameUser !== (than.username === username)) return isSameUser;
  return (other.idleSince ?? 0) < (than.idleSince ?? 0);
}

export function isFull(error: unknown): error is DbFailure {
  return error instanceof DbFailure && error.kind === 'full';
}

function full(): DbFailure {
  return new DbFailure('full', 'the server takes no more connections');
}
