/**
 * Statements of a kind that become one when they share a connection wait for it together: the longer they have to, the more of them are done at once.
 * Knows nothing of what they do.
 */
import type { Brief, Connection } from './engine.ts';
import { MOST_SHARING } from './gathering.ts';

interface Party {
  readonly connection: Promise<Connection>;
  users: number;
}

export class WaitingTogether {
  /** Those that others may join. */
  readonly #open = new Map<Brief, Party>();

  /** The connection that others of the kind wait for; the caller will be one of its users. */
  join(kind: Brief): Promise<Connection> | undefined {
    const party = this.#open.get(kind);
    if (party !== undefined && ++party.users === MOST_SHARING) this.#open.delete(kind);
    return party?.connection;
  }

  /** `whenThere` is told how many have come together, before any of them goes on. */
  begin(kind: Brief, wanted: Promise<Connection>, whenThere: (connection: Connection, users: number) => void): Promise<Connection> {
    const connection = wanted
      .finally(() => {
        if (this.#open.get(kind) === party) this.#open.delete(kind);
      })
      .then((found) => {
        whenThere(found, party.users);
        return found;
      });
    const party: Party = { connection, users: 1 };
    this.#open.set(kind, party);
    return connection;
  }
}
