/**
 * The connections of one database: at most `maxOpen`, of which at most `maxIdle` are kept idle,
 * each for at most `idleMs`. Opens them on demand, and never waits without a deadline. Independent
 * of what the statements do.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { type Connection, DbFailure, type StopSignal } from '../contract/engine.ts';
import { Pipeline } from './pipeline.ts';
import type { Permit } from './semaphore.ts';
import { type Holder, isFull, ServerBudget } from './server-budget.ts';
import { EXCLUSIVE, type StatementClass } from './statement-class.ts';
import { WaitQueue } from './wait-queue.ts';

export interface PoolLimits {
  readonly maxOpen: number;
  readonly maxIdle: number;
  readonly idleMs: number;
  /** How long a request may wait for a connection. */
  readonly waitMs: number;
  /** Bulk statements that run at a time. They never have more than half of the connections. */
  readonly maxBulk: number;
  /** How long a bulk statement may wait for its turn: as long as it may run. */
  readonly bulkWaitMs: number;
}

export interface AcquireOptions {
  readonly class?: StatementClass;
  readonly signal?: StopSignal | undefined;
}

/** Login and servers of a pool. */
export interface PoolOwner {
  readonly username: string;
  readonly servers: readonly [ServerBudget, ...ServerBudget[]];
}

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

/**
 * `draining`: connections in use or awaited stay, but none is kept. `closed`: no connection is
 * handed out.
 */
type State = 'open' | 'draining' | 'closed';

/** How long a connection above `maxIdle` stays open: under load, it is needed again at once. */
const TRIM_MS = 200;
/**
 * How long a statement waits for a connection in use before another one is opened: a login takes
 * longer than most statements.
 */
export const CONNECT_DELAY_MS = 5;
/**
 * A waiter stays a little longer than an attempt to connect may take, so that it is rejected with
 * the attempt's failure.
 */
const WAIT_GRACE_MS = 100;
const MAX_WAITERS_PER_CONNECTION = 100;
/**
 * A connection that was idle for longer is used only after pending socket events were processed: it
 * may be closed.
 */
const RESTED_MS = 20;
/**
 * A connection that was idle for longer is pinged before it is used: the network may have dropped
 * it silently.
 */
const PING_AFTER_MS = 2000;
const PING_TIMEOUT_MS = 1000;

export class Pool implements Holder {
  readonly username: string;
  readonly #connect: () => Promise<Connection>;
  readonly #limits: PoolLimits;
  readonly #servers: PoolOwner['servers'];
  /** The least recently used first. */
  readonly #idle: Idle[] = [];
  readonly #waiters: WaitQueue<Connection>;
  readonly #permitWaiters: WaitQueue<Permit>;
  readonly #permits = new Map<Connection, Permit>();
  readonly #bulkWaiters: WaitQueue<void>;
  readonly #maxBulk: number;
  readonly #bulkConnections = new Set<Connection>();
  #bulkCount = 0;
  readonly #pipeline = new Pipeline();
  readonly #forgotten = new WeakSet<Connection>();
  /** Open, or being opened. */
  #count = 0;
  #opening = 0;
  #lastOpened = 0;
  #state: State = 'open';
  #growTimer: NodeJS.Timeout | undefined;
  #trimTimer: NodeJS.Timeout | undefined;

  constructor(limits: PoolLimits, connect: () => Promise<Connection>, owner?: PoolOwner) {
    const { username, servers } = owner ?? { username: '', servers: [new ServerBudget()] };
    const { waitMs, bulkWaitMs, maxBulk, maxOpen } = limits;
    this.username = username;
    this.#servers = servers;
    this.#limits = limits;
    this.#connect = connect;
    this.#maxBulk = Math.min(maxBulk, Math.ceil(maxOpen / 2));
    const maxLength = MAX_WAITERS_PER_CONNECTION * maxOpen;
    this.#waiters = new WaitQueue({ waitMs: waitMs + WAIT_GRACE_MS, maxLength });
    this.#permitWaiters = new WaitQueue({ waitMs, maxLength });
    this.#bulkWaiters = new WaitQueue({ waitMs: bulkWaitMs, maxLength: MAX_WAITERS_PER_CONNECTION * this.#maxBulk });
    for (const server of servers) server.add(this);
  }

  get established(): number {
    return this.#count - this.#opening;
  }

  get lastOpened(): number {
    return this.#lastOpened;
  }

  get idleSince(): number | undefined {
    return this.#idle[0]?.since;
  }

  get counts(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const waiting = this.#waiters.length + this.#permitWaiters.length + this.#bulkWaiters.length;
    return { open: this.#count, idle: this.#idle.length, waiting };
  }

  /** A connection, at once if one is idle. The caller releases it after its last statement. */
  acquire({ class: statementClass = EXCLUSIVE, signal }: AcquireOptions = {}): MaybePromise<Connection> {
    switch (statementClass.kind) {
      case 'pipelined':
        return this.#acquirePipelined(statementClass.batchKey, signal);
      case 'bulk':
        return this.#acquireBulk(signal);
      case 'background':
        return this.#take(signal);
      case 'exclusive':
        return this.#acquireExclusive(signal);
    }
  }

  release(connection: Connection): void {
    if (!this.#pipeline.leave(connection)) return;
    if (this.#bulkConnections.delete(connection)) this.#bulkDone();
    this.#releasePermit(connection);
    if (!connection.usable || this.#state === 'closed' || this.#mustYield) {
      if (connection.isSilent === true) this.#dropRested();
      this.#drop(connection);
    } else if (this.#waiters.give(connection)) return;
    else if (this.#state !== 'open') this.#drop(connection);
    else {
      this.#idle.push({ connection, since: performance.now() });
      if (this.#idle.length > this.#limits.maxIdle) this.#trimTimer ??= setTimeout(this.#trim, TRIM_MS).unref();
    }
  }

  closeLeastRecentlyUsed(): boolean {
    const oldest = this.#idle.shift();
    if (oldest !== undefined) this.#drop(oldest.connection);
    return oldest !== undefined;
  }

  /** Closes connections that were idle for too long. Returns whether the pool is empty. */
  sweep(now: number): boolean {
    while (this.#idle.length > 0) {
      const [oldest] = this.#idle;
      if (oldest === undefined || (oldest.connection.usable && now - oldest.since < this.#limits.idleMs)) break;
      this.#idle.shift();
      this.#drop(oldest.connection);
    }
    return this.#count === 0 && this.counts.waiting === 0;
  }

  /** Idle connections close now, the others once no request waits for them. */
  drain(): void {
    if (this.#state === 'open') this.#state = 'draining';
    this.#dropAll();
  }

  /** Idle connections close now, the others on release. */
  close(): void {
    this.#state = 'closed';
    this.#dropAll();
    for (const waiters of [this.#bulkWaiters, this.#permitWaiters, this.#waiters]) waiters.refuseAll(closed());
  }

  #acquirePipelined(batchKey: string, signal: StopSignal | undefined): MaybePromise<Connection> {
    const joined = this.#pipeline.join(batchKey, this.#idle.length > 0);
    if (joined !== undefined) return joined;
    return after(this.#acquireExclusive(signal), (connection) => this.#pipeline.begin(connection, batchKey));
  }

  #acquireExclusive(signal: StopSignal | undefined): MaybePromise<Connection> {
    const { semaphore } = this.#servers[0];
    if (!semaphore.isLimited) return this.#take(signal);
    return after(semaphore.acquire(this.#permitWaiters, signal), (permit) => this.#takeWith(permit, signal));
  }

  async #takeWith(permit: Permit, signal: StopSignal | undefined): Promise<Connection> {
    try {
      const connection = await this.#take(signal);
      this.#permits.set(connection, permit);
      return connection;
    } catch (error) {
      this.#servers[0].semaphore.release(permit);
      throw error;
    }
  }

  #releasePermit(connection: Connection): void {
    const permit = this.#permits.get(connection);
    if (permit === undefined) return;
    this.#permits.delete(connection);
    this.#servers[0].semaphore.release(permit);
  }

  async #acquireBulk(signal: StopSignal | undefined): Promise<Connection> {
    if (this.#bulkCount < this.#maxBulk) this.#bulkCount++;
    else await this.#bulkWaiters.join(signal);
    try {
      const connection = await this.#acquireExclusive(signal);
      this.#bulkConnections.add(connection);
      return connection;
    } catch (error) {
      this.#bulkDone();
      throw error;
    }
  }

  /** The slot goes to the next waiter. */
  #bulkDone(): void {
    if (!this.#bulkWaiters.give()) this.#bulkCount--;
  }

  /**
   * The most recently used idle connection, so that the others can expire; else the first one that
   * is released or opened.
   */
  #take(signal: StopSignal | undefined): MaybePromise<Connection> {
    if (this.#state === 'closed') return Promise.reject(closed());
    const idle = this.#popIdle();
    if (idle !== undefined) {
      const age = performance.now() - idle.since;
      return age < RESTED_MS ? idle.connection : this.#check(idle.connection, age, signal);
    }
    const waiting = this.#waiters.join(signal);
    if (this.established === 0) this.#grow();
    else this.#growTimer ??= setTimeout(this.#grow, CONNECT_DELAY_MS);
    return waiting;
  }

  #popIdle(): Idle | undefined {
    for (let item = this.#idle.pop(); item !== undefined; item = this.#idle.pop()) {
      if (item.connection.usable) return item;
      this.#drop(item.connection);
    }
    return undefined;
  }

  async #check(connection: Connection, age: number, signal: StopSignal | undefined): Promise<Connection> {
    await nextTick();
    if (connection.usable && age > PING_AFTER_MS && (await connection.ping?.(PING_TIMEOUT_MS)) === false) {
      this.#dropRested();
      connection.close();
    }
    if (connection.usable) return connection;
    this.#drop(connection);
    return this.#take(signal);
  }

  /** Opens connections for waiters. Each one goes to the first waiter at that time. */
  readonly #grow = (): void => {
    this.#growTimer = undefined;
    while (this.#opening < this.#waiters.length && this.#count < this.#limits.maxOpen && this.#state !== 'closed') void this.#open();
  };

  async #open(): Promise<void> {
    this.#count++;
    this.#opening++;
    try {
      const connection = await this.#connect();
      this.#opening--;
      this.#lastOpened = performance.now();
      const { maxConcurrentStatements } = connection;
      if (maxConcurrentStatements !== undefined) this.#servers[0].semaphore.limit = maxConcurrentStatements;
      connection.onClosed(() => this.#forget(connection));
      this.release(connection);
    } catch (error) {
      this.#opening--;
      this.#count--;
      // On a full server, the pool makes do with the connections that it has.
      if (isFull(error) && this.established > 0) return;
      this.#waiters.refuse(error instanceof DbFailure ? error : new DbFailure('unreachable', String(error)));
      this.#grow();
    }
  }

  get #mustYield(): boolean {
    return this.#servers.some((server) => server.mustYield(this));
  }

  /** Closes connections above `maxIdle` that were not needed since their release. */
  readonly #trim = (): void => {
    this.#trimTimer = undefined;
    const before = performance.now() - TRIM_MS;
    for (let above = this.#idle.length - this.#limits.maxIdle; above > 0; above--) {
      if ((this.idleSince ?? 0) > before) {
        this.#trimTimer = setTimeout(this.#trim, TRIM_MS).unref();
        return;
      }
      this.closeLeastRecentlyUsed();
    }
  };

  /**
   * A connection was found dead. Others that have been idle for a while are probably dead as well.
   */
  #dropRested(): void {
    const before = performance.now() - PING_TIMEOUT_MS;
    while ((this.idleSince ?? Number.POSITIVE_INFINITY) < before) this.closeLeastRecentlyUsed();
  }

  #dropAll(): void {
    while (this.closeLeastRecentlyUsed());
  }

  #drop(connection: Connection): void {
    connection.close();
    this.#forget(connection);
  }

  /** Runs once per connection, however it ended. */
  #forget(connection: Connection): void {
    if (this.#forgotten.has(connection)) return;
    this.#forgotten.add(connection);
    this.#count--;
    this.#releasePermit(connection);
    const index = this.#idle.findIndex((item) => item.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#grow();
  }
}

function closed(): DbFailure {
  return new DbFailure('unreachable', 'the pool is closed');
}
