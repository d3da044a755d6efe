/**
 * Brief statements of one kind that arrive in the same turn of the event loop share a connection: they leave in one write, and the server answers one
 * after the other. That saves both sides a system call and a wake-up for each. Where no connection is free, or enough are at work, others also join one
 * whose statements are under way: that is sooner done than opening another. Only statements of which one takes about as long as the other: whoever
 * is last waits for all of them. Knows nothing of what they do.
 */
import type { Brief, Connection } from './engine.ts';
import { ServerLoad } from './server-load.ts';

/** Statements on one connection at a time. Beyond it little is saved, and the last one waits for longer. */
export const MOST_SHARING = 16;
/** With so many connections under way, others join them: more of them would compete for the processors of the server. */
const ENOUGH = 2;
/** Whatever has been under way for longer may not be brief. */
const LATE_MS = 10;

interface Share {
  readonly connection: Connection;
  readonly kind: Brief;
  readonly since: number;
  /** Who has joined, and who has not released it yet. */
  count: number;
  users: number;
}

export class Gathering {
  readonly #load: Pick<ServerLoad, 'shares'>;
  readonly #shares = new Map<Connection, Share>();
  /** By kind: those that others may join, until everything that has arrived by now is read. */
  readonly #open = new Map<Brief, Share>();
  /** Those whose statements leave then. */
  readonly #held = new Set<Share>();
  /** By kind: the last one that has begun, until nobody uses it. */
  readonly #last = new Map<Brief, Share>();
  readonly #sendOpen = (): void => {
    for (const share of this.#held) send(share);
    this.#held.clear();
    this.#open.clear();
  };

  constructor(load: Pick<ServerLoad, 'shares'> = new ServerLoad()) {
    this.#load = load;
  }

  /** A connection that waits for more of this kind; the caller is now one of its users. */
  join(kind: Brief): Connection | undefined {
    const share = this.#open.get(kind);
    if (share === undefined || share.users >= MOST_SHARING || !share.connection.usable) return undefined;
    share.count++;
    if (++share.users === MOST_SHARING) {
      this.#open.delete(kind);
      // The last one is about to run its statement; should it take longer, it sends it by itself.
      process.nextTick(send, share);
    }
    return share.connection;
  }

  /** Are there enough under way, so that another one is better sent behind them? Those of other databases count, where there is one to be behind. */
  get isEnough(): boolean {
    return this.#shares.size > 0 && this.#load.shares >= ENOUGH;
  }

  /** A connection whose statements of this kind are under way; the caller is now one of its users. */
  joinLate(kind: Brief): Connection | undefined {
    const share = this.#last.get(kind);
    if (share === undefined || share.users >= MOST_SHARING || performance.now() - share.since > LATE_MS) return undefined;
    if (!share.connection.usable) return undefined;
    this.#hold(share);
    return this.join(kind);
  }

  #hold(share: Share): void {
    share.connection.hold?.(share.kind.yields);
    if (this.#held.size === 0) setImmediate(this.#sendOpen);
    this.#held.add(share);
    this.#open.set(share.kind, share);
  }

  /** Others of the kind may join this connection, which has one user, or several from the beginning. */
  begin(connection: Connection, kind: Brief, users = 1): void {
    if (connection.hold === undefined) return;
    const share = { connection, kind, since: performance.now(), count: users, users };
    this.#hold(share);
    this.#last.set(kind, share);
    this.#shares.set(connection, share);
    this.#load.shares++;
  }

  /** Is the connection free now? Not while others still use it. */
  leave(connection: Connection): boolean {
    const share = this.#shares.get(connection);
    if (share === undefined) return true;
    if (--share.users > 0) return false;
    this.#shares.delete(connection);
    this.#load.shares--;
    for (const shares of [this.#open, this.#last]) if (shares.get(share.kind) === share) shares.delete(share.kind);
    // Perhaps nobody has run anything.
    send(share);
    share.kind.wentTogether(share.count, performance.now() - share.since);
    return true;
  }
}

function send({ connection }: Share): void {
  connection.send?.();
}
