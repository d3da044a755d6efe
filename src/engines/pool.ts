/**
 * The connections of one database: at most `maxOpen`, at most `maxIdle` of them kept without work, each for at most `idleMs`. Opens
 * lazily, never waits without a deadline. The most recently used connection is given out first, so that the others can grow old and close.
 */
import { type Connection, DbFailure, type StopSignal } from './engine.ts';

export interface PoolLimits {
  readonly maxOpen: number;
  readonly maxIdle: number;
  readonly idleMs: number;
  /** How long a request may wait for a connection to become free. */
  readonly waitMs: number;
}

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

interface Waiter {
  give(connection: Connection): void;
  refuse(failure: DbFailure): void;
}

/** `draining`: what is in use or waited for goes on, nothing is kept; `closed`: nothing is given out any more. */
type State = 'open' | 'draining' | 'closed';

/**
 * So long a connection above `maxIdle` waits for work before it is closed. Under load connections are idle for moments only; closing them at
 * once would mean a login for every other request.
 */
const TRIM_MS = 200;

/** More requests than this wait for no connection: they would be refused anyway when their time is up. */
const MAX_WAITERS_PER_CONNECTION = 100;

export class Pool {
  readonly #open: (signal: StopSignal | undefined) => Promise<Connection>;
  readonly #limits: PoolLimits;
  readonly #idle: Idle[] = [];
  readonly #waiters = new Set<Waiter>();
  /** Open, or being opened. */
  #count = 0;
  /** Being opened for those who wait. */
  #replacing = 0;
  #state: State = 'open';
  #trimmer: NodeJS.Timeout | undefined;

  constructor(limits: PoolLimits, open: (signal: StopSignal | undefined) => Promise<Connection>) {
    this.#limits = limits;
    this.#open = open;
  }

  get counts(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#count, idle: this.#idle.length, waiting: this.#waiters.size };
  }

  /** A connection at once when one is idle; else the promise of one. */
  acquire(signal?: StopSignal): Connection | Promise<Connection> {
    for (let item = this.#idle.pop(); item !== undefined; item = this.#idle.pop()) {
      if (item.connection.usable) return item.connection;
      this.#drop(item.connection);
    }
    if (this.#state === 'closed') return Promise.reject(new DbFailure('unreachable', 'the pool is closed'));
    return this.#count < this.#limits.maxOpen ? this.#connect(signal) : this.#wait(signal);
  }

  release(connection: Connection): void {
    if (!connection.usable || this.#state === 'closed') {
      this.#drop(connection);
      return;
    }
    const [waiter] = this.#waiters;
    if (waiter !== undefined) {
      waiter.give(connection);
      return;
    }
    if (this.#state === 'draining') {
      this.#drop(connection);
      return;
    }
    this.#idle.push({ connection, since: performance.now() });
    if (this.#idle.length > this.#limits.maxIdle) this.#trimmer ??= setTimeout(() => this.#trim(), TRIM_MS).unref();
  }

  /** Closes what is above `maxIdle` and was not needed since it was put back; looks again later when some were. */
  #trim(): void {
    this.#trimmer = undefined;
    const before = performance.now() - TRIM_MS;
    for (let above = this.#idle.length - this.#limits.maxIdle; above > 0; above--) {
      const [oldest] = this.#idle;
      if (oldest === undefined) return;
      if (oldest.since > before) {
        this.#trimmer = setTimeout(() => this.#trim(), TRIM_MS).unref();
        return;
      }
      this.#idle.shift();
      this.#drop(oldest.connection);
    }
  }

  /** Closes what has been idle for too long. Returns whether nothing is left. */
  sweep(now: number): boolean {
    while (this.#idle.length > 0) {
      const [oldest] = this.#idle;
      if (oldest === undefined || (oldest.connection.usable && now - oldest.since < this.#limits.idleMs)) break;
      this.#idle.shift();
      this.#drop(oldest.connection);
    }
    return this.#count === 0 && this.#waiters.size === 0;
  }

  /** Idle connections go now, the others when nobody waits for them any more. */
  drain(): void {
    if (this.#state === 'open') this.#state = 'draining';
    for (const { connection } of this.#idle.splice(0)) this.#drop(connection);
  }

  /** Idle connections go now, the others when they come back. */
  close(): void {
    this.#state = 'closed';
    for (const { connection } of this.#idle.splice(0)) this.#drop(connection);
    for (const waiter of [...this.#waiters]) waiter.refuse(new DbFailure('unreachable', 'the pool is closed'));
  }

  async #connect(signal: StopSignal | undefined): Promise<Connection> {
    this.#count++;
    try {
      const connection = await this.#open(signal);
      connection.onClosed(() => this.#forget(connection));
      return connection;
    } catch (error) {
      this.#count--;
      this.#replace();
      throw error;
    }
  }

  #wait(signal: StopSignal | undefined): Promise<Connection> {
    if (this.#waiters.size >= MAX_WAITERS_PER_CONNECTION * this.#limits.maxOpen) {
      return Promise.reject(new DbFailure('busy', 'too many requests wait for a connection'));
    }
    if (signal?.aborted) return Promise.reject(new DbFailure('cancelled', 'the caller went away'));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        give(connection) {
          leave();
          resolve(connection);
        },
        refuse(failure) {
          leave();
          reject(failure);
        },
      };
      const timer = setTimeout(() => waiter.refuse(new DbFailure('busy', 'no connection became free in time')), this.#limits.waitMs);
      const aborted = (): void => waiter.refuse(new DbFailure('cancelled', 'the caller went away'));
      signal?.addEventListener('abort', aborted);
      this.#waiters.add(waiter);
    });
  }

  #drop(connection: Connection): void {
    connection.close();
    this.#forget(connection);
  }

  readonly #forgotten = new WeakSet<Connection>();

  /** Once a connection, whichever way it ended. */
  #forget(connection: Connection): void {
    if (this.#forgotten.has(connection)) return;
    this.#forgotten.add(connection);
    this.#count--;
    const index = this.#idle.findIndex((item) => item.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#replace();
  }

  /** Room was made: a connection is opened for whoever waits first by then. Someone else may bring one earlier. */
  #replace(): void {
    if (this.#replacing >= this.#waiters.size || this.#state === 'closed' || this.#count >= this.#limits.maxOpen) return;
    this.#replacing++;
    this.#connect(undefined)
      .finally(() => this.#replacing--)
      .then(
        (connection) => this.release(connection),
        (failure: unknown) => {
          const [waiter] = this.#waiters;
          waiter?.refuse(failure instanceof DbFailure ? failure : new DbFailure('unreachable', String(failure)));
        },
      );
  }
}
