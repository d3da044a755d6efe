/**
 * Brief statements of one kind, or of one party, that arrive in the same turn of the event loop share a connection: they leave in one write, and the server answers one
 * after the other. That saves both sides a system call and a wake-up for each. Where no connection is free, or enough are at work, others also join one
 * whose statements are under way: that is sooner done than opening another. Only statements of which one takes about as long as the other: whoever
 * is last waits for all of them. Knows nothing of what they do.
 */
import type { Brief, Connection } from '../contract/engine.ts';
import { ServerLoad } from './server-load.ts';

/** Statements on one connection at a time. Beyond it little is saved, and the last one waits for longer. */
export const MOST_SHARING = 16;
/** With so many connections under way, others join them: more of them would compete for the processors of the server. */
const ENOUGH = 2;
/** Whatever has been under way for longer may not be brief. */
const LATE_MS = 10;

interface Share {
  readonly connection: Connection;
  readonly party: unknown;
  /** Each of them once. */
  readonly kinds: Brief[];
  readonly since: number;
  /** Who has joined, and who has not released it yet. */
  count: number;
  users: number;
}

export class Gathering {
  readonly #load: Pick<ServerLoad, 'shares'>;
  readonly #shares = new Map<Connection, Share>();
  /** By party, which is the kind where none is given: those that others may join, until everything that has arrived by now is read. */
  readonly #open = new Map<unknown, Share>();
  /** Those whose statements leave then. */
  readonly #held = new Set<Share>();
  /** By party: the last one that has begun, until nobody uses it. */
  readonly #last = new Map<unknown, Share>();
  readonly #sendOpen = (): void => {
    for (const share of this.#held) send(share);
    this.#held.clear();
    this.#open.clear();
  };

  constructor(load: Pick<ServerLoad, 'shares'> = new ServerLoad()) {
    this.#load = load;
  }

  /** A connection that waits for more of this kind; the caller is now one of its users. */
  join(kind: Brief, party: unknown = kind): Connection | undefined {
    const share = this.#open.get(party);
    if (share === undefined || share.users >= MOST_SHARING || !share.connection.usable) return undefined;
    // From the second kind on they make way for each other.
    if (!share.kinds.includes(kind) && share.kinds.push(kind) === 2) share.connection.hold?.(yields(share));
    share.count++;
    if (++share.users === MOST_SHARING) {
      this.#open.delete(party);
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
  joinLate(kind: Brief, party: unknown = kind): Connection | undefined {
    const share = this.#last.get(party);
    if (share === undefined || share.users >= MOST_SHARING || performance.now() - share.since > LATE_MS) return undefined;
    if (!share.connection.usable) return undefined;
    this.#hold(share);
    return this.join(kind, party);
  }

  #hold(share: Share): void {
    share.connection.hold?.(yields(share));
    if (this.#held.size === 0) setImmediate(this.#sendOpen);
    this.#held.add(share);
    this.#open.set(share.party, share);
  }

  /** Others of the kind may join this connection, which has one user, or several from the beginning. */
  begin(connection: Connection, kind: Brief, { users = 1, party = kind as unknown } = {}): void {
    if (connection.hold === undefined) return;
    const share: Share = { connection, party, kinds: [kind], since: performance.now(), count: users, users };
    this.#hold(share);
    this.#last.set(party, share);
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
    for (const shares of [this.#open, this.#last]) if (shares.get(share.party) === share) shares.delete(share.party);
    // Perhaps nobody has run anything.
    send(share);
    // Where one was stopped for the others, or the connection broke, the time says nothing about them.
    if (!connection.usable) return true;
    const ms = performance.now() - share.since;
    for (const kind of share.kinds) kind.wentTogether(share.count, ms);
    return true;
  }
}

/** Those of one kind are alike, and may wait for each other; not for one of another kind, whose table is locked, say. */
function yields({ kinds }: Share): boolean {
  return kinds.length > 1 || kinds[0]?.yields === true;
}

function send({ connection }: Share): void {
  connection.send?.();
}
