/**
 * The one connection of a call: taken when the first sql step runs, one transaction over all of them, given back clean. Knows neither
 * definitions nor what a statement says, except whether it reads only and whether it leaves something behind.
 */
import type { Connections } from '../engines/connections.ts';
import { type Connection, DbFailure, type Outcome, type RunOptions, type StopSignal } from '../engines/engine.ts';
import type { RowSink } from '../model/cells.ts';
import type { Entry } from '../model/entry.ts';
import type { Ready } from '../sql/dialect.ts';
import { after, type Soon } from '../util/soon.ts';

export interface SessionOptions {
  readonly entry: () => Entry;
  readonly timeoutMs: number;
  readonly signal: StopSignal;
  /** `one`: a single statement is all or nothing by itself. */
  readonly transaction: 'one' | 'all' | 'none';
}

/** Failures after which the same statement may well succeed: the connection had died, or a prepared plan was older than its table. */
const PASSING = new Set(['lost', 'stale']);

export class Session {
  readonly #connections: Connections;
  readonly #options: SessionOptions;
  readonly #run: RunOptions;
  #pool: ReturnType<Connections['pool']> | undefined;
  #connection: Connection | undefined;
  #open = false;
  #dirty = false;
  #passing = false;
  /** Writes that have been sent, and whether the engine can take them back. */
  #wrote = false;
  #undoable = false;

  constructor(connections: Connections, options: SessionOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#run = { signal: options.signal, timeoutMs: options.timeoutMs };
  }

  /** A write has been made that is there to stay, or may be. */
  get lasting(): boolean {
    return this.#wrote && !this.#undoable;
  }

  /** Did it fail in passing, with nothing written? */
  get repeatable(): boolean {
    return this.#passing && !this.#wrote;
  }

  async run(ready: Ready, statement: { readonly reads: boolean; readonly harmless: boolean }, sink?: RowSink): Promise<Outcome> {
    const taken = this.#connection ?? this.#take();
    const connection = taken instanceof Promise ? await taken : taken;
    if (!statement.harmless) this.#dirty = true;
    if (!statement.reads || !statement.harmless) this.#wrote = true;
    try {
      return await connection.run(ready.statement, ready.params, this.#run, sink);
    } catch (error) {
      if (error instanceof DbFailure) this.#judge(error);
      throw error;
    }
  }

  #judge({ kind, code }: DbFailure): void {
    this.#passing = PASSING.has(kind);
    // A statement by itself that was sent and never answered may have taken effect.
    const unanswered = kind === 'lost' || kind === 'malformed' || ((kind === 'timeout' || kind === 'cancelled') && code === '');
    if (unanswered && !this.#open) this.#undoable = false;
  }

  /** Everything that ran is kept. Undefined when there is nothing to wait for. */
  commit(): Promise<void> | undefined {
    if (!this.#open) return undefined;
    this.#open = false;
    // From here on nobody can tell what the server did when it does not answer.
    this.#undoable = false;
    return this.#connection?.commit(this.#run);
  }

  /** Everything that ran is taken back, as far as the engine can. */
  async rollback(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    const connection = this.#connection;
    // A connection that cannot roll back is not used again, and the server does it when the socket closes.
    await connection?.rollback({ timeoutMs: this.#options.timeoutMs }).catch(() => connection.close());
  }

  /** Gives the connection back; does not wait for a session to become clean again. */
  release(): void {
    const connection = this.#connection;
    const pool = this.#pool;
    this.#connection = undefined;
    if (connection === undefined || pool === undefined) return;
    if (!this.#dirty || !connection.usable) {
      pool.release(connection);
      return;
    }
    connection
      .reset()
      .catch(() => false)
      .then((clean) => {
        if (!clean) connection.close();
        pool.release(connection);
      });
  }

  /** At once when one is idle and needs no transaction. */
  #take(): Soon<Connection> {
    const { entry: entryOf, signal, transaction } = this.#options;
    const entry = entryOf();
    this.#pool = this.#connections.pool(entry, 'custom');
    const { transactions } = this.#connections.engine(entry.type);
    return after(this.#pool.acquire(signal), (connection): Soon<Connection> => {
      this.#connection = connection;
      // A single statement that fails has changed nothing.
      this.#undoable = transactions && transaction !== 'none';
      return transaction === 'all' ? this.#begin(connection) : connection;
    });
  }

  async #begin(connection: Connection): Promise<Connection> {
    await connection.begin(this.#run);
    this.#open = true;
    return connection;
  }
}
