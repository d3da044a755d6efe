/**
 * The one connection of a call: taken when the first sql step runs, one transaction over all of them, given back clean. Knows neither
 * definitions nor what a statement says, except whether it leaves something behind.
 */
import type { Connections } from '../engines/connections.ts';
import type { Connection, Outcome, RunOptions, StopSignal } from '../engines/engine.ts';
import type { RowSink } from '../model/cells.ts';
import type { Entry } from '../model/entry.ts';
import type { Ready } from '../sql/dialect.ts';

export interface SessionOptions {
  readonly entry: Entry;
  readonly timeoutMs: number;
  readonly signal: StopSignal;
  /** `one`: a single statement is all or nothing by itself. */
  readonly transaction: 'one' | 'all' | 'none';
}

export class Session {
  readonly #connections: Connections;
  readonly #options: SessionOptions;
  readonly #run: RunOptions;
  #pool: ReturnType<Connections['pool']> | undefined;
  #connection: Connection | undefined;
  #open = false;
  #dirty = false;
  /** A write has been sent; where nothing can be taken back, nothing may be tried again. */
  wrote = false;

  constructor(connections: Connections, options: SessionOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#run = { signal: options.signal, timeoutMs: options.timeoutMs };
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  async run(ready: Ready, statement: { readonly reads: boolean; readonly harmless: boolean }, sink?: RowSink): Promise<Outcome> {
    const connection = this.#connection ?? (await this.#take());
    if (!statement.harmless) this.#dirty = true;
    if (!statement.reads) this.wrote = true;
    return connection.run(ready.statement, ready.params, this.#run, sink);
  }

  /** Everything that ran is kept. */
  async commit(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#connection?.commit(this.#run);
  }

  /** Everything that ran is taken back, as far as the engine can. */
  async rollback(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    // A connection that cannot roll back is not used again, and the server does it when the socket closes.
    await this.#connection?.rollback({ timeoutMs: this.#options.timeoutMs }).catch(() => this.#connection?.close());
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

  async #take(): Promise<Connection> {
    const { entry, signal, transaction } = this.#options;
    this.#pool = this.#connections.pool(entry, 'custom');
    const taken = this.#pool.acquire(signal);
    const connection = taken instanceof Promise ? await taken : taken;
    this.#connection = connection;
    if (transaction === 'all') {
      await connection.begin(this.#run);
      this.#open = true;
    }
    return connection;
  }
}

