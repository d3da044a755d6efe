/**
 * Statements of a kind that become one when they share a connection wait for it together, and for those of the kind that are under way: the longer they
 * have to, the more of them are done at once. Knows nothing of what they do.
 */
import type { Brief, Connection, InOne } from '../contract/engine.ts';
import { MOST_SHARING } from './pipeline.ts';
import { TurnQueue } from './turn-queue.ts';

interface Party {
  readonly connection: Promise<Connection>;
  users: number;
}

export class WaitingTogether {
  /** Those that others may join. */
  readonly #open = new Map<Brief, Party>();
  readonly #turns = new WeakMap<Brief, TurnQueue>();
  /** Of those that have a connection. */
  readonly #ends = new Map<Connection, () => void>();

  /** The connection that others of the kind wait for; the caller will be one of its users. */
  join(kind: Brief): Promise<Connection> | undefined {
    const party = this.#open.get(kind);
    if (party !== undefined && ++party.users === MOST_SHARING) this.#open.delete(kind);
    return party?.connection;
  }

  /** `whenThere` is told how many have come together, before any of them goes on. */
  begin(
    kind: Brief,
    inOne: InOne,
    take: () => Connection | Promise<Connection>,
    whenThere: (connection: Connection, users: number) => void,
  ): Promise<Connection> {
    const connection = this.#inTurn(kind, inOne, take)
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

  /** Nobody uses the connection any more. */
  end(connection: Connection): void {
    this.#ends.get(connection)?.();
    this.#ends.delete(connection);
  }

  async #inTurn(kind: Brief, inOne: InOne, take: () => Connection | Promise<Connection>): Promise<Connection> {
    let turns = this.#turns.get(kind);
    if (turns === undefined) {
      turns = new TurnQueue(inOne);
      this.#turns.set(kind, turns);
    }
    const turn = await turns.take();
    const end = (): void => turns.end(turn);
    try {
      const connection = await take();
      this.#ends.set(connection, end);
      return connection;
    } catch (error) {
      end();
      throw error;
    }
  }
}
