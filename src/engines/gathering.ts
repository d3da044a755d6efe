/**
 * Brief statements of one kind that arrive in the same turn of the event loop share a connection: they leave in one write, and the server answers one
 * after the other. That saves both sides a system call and a wake-up for each. Only statements of which one takes about as long as the other: whoever
 * is last waits for all of them. Knows nothing of what they do.
 */
import type { Brief, Connection } from './engine.ts';

/** Statements on one connection at a time. Beyond it little is saved, and the last one waits for longer. */
const MOST = 8;

interface Share {
  readonly connection: Connection;
  readonly kind: Brief;
  readonly since: number;
  /** Who has joined, and who has not released it yet. */
  count: number;
  users: number;
}

export class Gathering {
  readonly #shares = new Map<Connection, Share>();
  /** By kind: those that others may join, until everything that has arrived by now is read. */
  readonly #open = new Map<Brief, Share>();
  readonly #sendOpen = (): void => {
    for (const share of this.#open.values()) send(share);
    this.#open.clear();
  };

  /** A connection that waits for more of this kind; the caller is now one of its users. */
  join(kind: Brief): Connection | undefined {
    const share = this.#open.get(kind);
    if (share === undefined || !share.connection.usable) return undefined;
    share.users++;
    if (++share.count === MOST) {
      this.#open.delete(kind);
      // The last one is about to run its statement; should it take longer, it sends it by itself.
      process.nextTick(send, share);
    }
    return share.connection;
  }

  /** Others of the kind may join this connection. */
  begin(connection: Connection, kind: Brief): void {
    if (connection.hold === undefined) return;
    connection.hold(kind.yields);
    if (this.#open.size === 0) setImmediate(this.#sendOpen);
    const share = { connection, kind, since: performance.now(), count: 1, users: 1 };
    this.#open.set(kind, share);
    this.#shares.set(connection, share);
  }

  /** Is the connection free now? Not while others still use it. */
  leave(connection: Connection): boolean {
    const share = this.#shares.get(connection);
    if (share === undefined) return true;
    if (--share.users > 0) return false;
    this.#shares.delete(connection);
    if (this.#open.get(share.kind) === share) this.#open.delete(share.kind);
    // Perhaps nobody has run anything.
    send(share);
    share.kind.wentTogether(share.count, performance.now() - share.since);
    return true;
  }
}

function send({ connection }: Share): void {
  connection.send?.();
}
