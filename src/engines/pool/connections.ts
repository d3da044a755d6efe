/**
 * Connections to all registered databases: one pool per entry and purpose, so that the Auto API never sees what a Custom statement leaves in a
 * session. The hosts of an entry are tried in order, starting with the one that answered last.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { DbType, Entry, Host } from '../../model/entry.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { type Connection, type ConnectOptions, DbFailure, type Engine, type Probe, type StopSignal } from '../contract/engine.ts';
import { TextRows } from '../contract/rows.ts';
import type { Engines } from '../registry.ts';
import { HostDenied, type HostPolicy } from './hosts.ts';
import { Pool } from './pool.ts';
import { type Claim, type Holder, ServerCapacity } from './server-budget.ts';
import { ServerLoad } from './server-load.ts';

export type Purpose = 'auto' | 'custom';

const SWEEP_MS = 1000;
const MOST_REMEMBERED = 10_000;
/** How long to wait before a full server is asked again; doubles each time. */
const RECLAIM_MS = 10;
const RECLAIM_MOST_MS = 100;

export interface PoolCounts {
  readonly type: DbType;
  readonly purpose: Purpose;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

const PROBE_SECS = 10;

interface Pooled extends Holder {
  readonly projectId: string | undefined;
  readonly type: DbType;
  readonly purpose: Purpose;
}

export class Connections {
  readonly engines: Engines;
  readonly #policy: HostPolicy;
  readonly #maxRowBytes: number | undefined;
  readonly #pools = { auto: new Map<string, Pooled>(), custom: new Map<string, Pooled>() };
  readonly #capacity = new ServerCapacity(() => this.#allPools());
  readonly #loads = new BoundedMap<string, ServerLoad>(MOST_REMEMBERED);
  readonly #lastGood = new BoundedMap<string, number>(MOST_REMEMBERED);
  /** Entries that were changed or removed. A request that began before may still need a connection, but none is kept. */
  readonly #retired = new BoundedMap<string, true>(MOST_REMEMBERED);
  readonly #sweeper: NodeJS.Timeout;

  constructor(engines: Engines, policy: HostPolicy, maxRowBytes?: number) {
    this.engines = engines;
    this.#policy = policy;
    this.#maxRowBytes = maxRowBytes;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  engine(type: DbType): Engine {
    const engine = this.engines.find(type);
    if (engine === undefined) throw new Error(`no engine ${type}`);
    return engine;
  }

  pool(entry: Entry, purpose: Purpose): Pool {
    return (this.#pools[purpose].get(entry.id) ?? this.#addPool(entry, purpose)).pool;
  }

  /** Is one of its connections idle? Makes no pool. */
  hasIdle(entry: Entry, purpose: Purpose): boolean {
    return (this.#pools[purpose].get(entry.id)?.pool.counts.idle ?? 0) > 0;
  }

  /** Does the entry work, as it is now? A connection of its own is opened, asked for the server's version, and closed. */
  async probe(entry: Entry): Promise<Probe> {
    const began = performance.now();
    const connectTimeoutSecs = Math.min(entry.connectTimeoutSecs, PROBE_SECS);
    try {
      const connection = await this.#connect({ ...entry, connectTimeoutSecs });
      try {
        const sink = new TextRows();
        await connection.run({ text: 'SELECT version()', types: [] }, [], { timeoutMs: PROBE_SECS * 1000 }, sink);
        return { version: sink.rows[0]?.[0] ?? '', ms: performance.now() - began };
      } finally {
        connection.close();
      }
    } catch (error) {
      throw error instanceof DbFailure ? error.at(entry) : error;
    }
  }

  /** Entries of a project were changed or removed: all connections but those of `kept` close as they become idle. Returns the affected entries. */
  retire(projectId: string, kept: ReadonlySet<string>): readonly string[] {
    const retired = new Set<string>();
    for (const pools of Object.values(this.#pools)) {
      for (const [id, pooled] of pools) {
        if (pooled.projectId !== projectId || kept.has(id)) continue;
        pooled.pool.drain();
        this.#lastGood.delete(id);
        retired.add(id);
      }
    }
    for (const id of retired) this.#retired.set(id, true);
    return [...retired];
  }

  counts(): readonly PoolCounts[] {
    return Array.from(this.#allPools(), ({ pool, type, purpose }) => ({ type, purpose, ...pool.counts }));
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const { pool } of this.#allPools()) pool.close();
  }

  #addPool(entry: Entry, purpose: Purpose): Pooled {
    const limits = {
      maxOpen: entry.maxOpenConnections,
      maxIdle: entry.maxIdleConnections,
      idleMs: entry.idleTimeoutSecs * 1000,
      waitMs: entry.connectTimeoutSecs * 1000,
      bulkyMost: this.engine(entry.type).capabilities.bulkyWrites,
      bulkyWaitMs: entry.queryTimeoutSecs * 1000,
      findsAtOnce: this.engine(entry.type).capabilities.saysAtOnce !== true,
    };
    const pooled: Pooled = {
      pool: new Pool(limits, (signal) => this.#connect(entry, signal, pooled.pool), this.#loadOf(entry)),
      username: entry.username,
      servers: new Set(entry.hosts.map(serverOf)),
      projectId: entry.projectId,
      type: entry.type,
      purpose,
    };
    if (this.#retired.has(entry.id)) pooled.pool.drain();
    this.#pools[purpose].set(entry.id, pooled);
    return pooled;
  }

  #loadOf({ hosts }: Entry): ServerLoad {
    const server = hosts.map(serverOf).join();
    const load = this.#loads.get(server) ?? new ServerLoad();
    this.#loads.set(server, load);
    return load;
  }

  async #connect(entry: Entry, signal?: StopSignal, wanting?: Pool): Promise<Connection> {
    const end = performance.now() + entry.connectTimeoutSecs * 1000;
    const first = this.#lastGood.get(entry.id) ?? 0;
    let failure: unknown = new DbFailure('unreachable', 'the entry has no host');
    for (let i = 0; i < entry.hosts.length; i++) {
      const index = (first + i) % entry.hosts.length;
      const host = entry.hosts[index];
      if (host === undefined) continue;
      try {
        const connection = await this.#dial(entry, host, share(end, entry.hosts.length - i), signal, wanting);
        this.#lastGood.set(entry.id, index);
        return connection;
      } catch (error) {
        failure = error instanceof DbFailure ? error.at(entry, { host, address: host.host }) : error;
        if (error instanceof DbFailure && error.kind === 'cancelled') break;
      }
    }
    // Whatever went wrong, no statement has been sent.
    throw failure instanceof DbFailure && failure.effect === 'unknown' ? failure.withEffect('unsent') : failure;
  }

  /** A name may have several addresses. The next one is tried when one does not answer. */
  async #dial(entry: Entry, host: Host, timeoutMs: number, signal?: StopSignal, wanting?: Pool): Promise<Connection> {
    const end = performance.now() + timeoutMs;
    const addresses = await this.#resolve(host.host, timeoutMs);
    let failure: unknown;
    for (const [i, address] of addresses.entries()) {
      if (signal?.aborted) throw new DbFailure('cancelled', 'the caller went away');
      try {
        const options = { host, address, timeoutMs: share(end, addresses.length - i), signal, maxRowBytes: this.#maxRowBytes };
        return await this.#enter(entry, options, wanting);
      } catch (error) {
        failure = error instanceof DbFailure ? error.at(entry, { host, address }) : error;
        if (!(error instanceof DbFailure && error.kind === 'unreachable')) break;
      }
    }
    throw failure;
  }

  /** A server that is full of our own connections has room again when idle ones have closed, or busy ones have given way. */
  async #enter(entry: Entry, options: ConnectOptions, wanting: Pool | undefined): Promise<Connection> {
    const server = serverOf(options.host);
    const end = performance.now() + options.timeoutMs;
    let over = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      over = resolve;
    });
    const claim = (): Claim => ({ username: entry.username, held: wanting?.held ?? 0, turn });
    if (wanting !== undefined && wanting.held > 0 && this.#capacity.isFull(server, claim()))
      throw new DbFailure('full', 'the server takes no more connections');
    this.#capacity.reserve(server);
    try {
      for (let pause = RECLAIM_MS; ; pause = Math.min(pause * 2, RECLAIM_MOST_MS)) {
        try {
          return await this.engine(entry.type).connect(entry, { ...options, timeoutMs: Math.max(end - performance.now(), 1) });
        } catch (error) {
          const isFull = error instanceof DbFailure && error.kind === 'full';
          if (!isFull || performance.now() + pause > end || options.signal?.aborted || !this.#capacity.reclaim(server, claim()))
            throw error;
        }
        await wait(pause);
      }
    } finally {
      this.#capacity.release(server);
      over();
    }
  }

  *#allPools(): Iterable<Pooled> {
    for (const pools of Object.values(this.#pools)) yield* pools.values();
  }

  async #resolve(host: string, timeoutMs: number): Promise<readonly string[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DbFailure('unreachable', 'the host was not resolved in time', { code: 'ENOTFOUND' })), timeoutMs);
    });
    try {
      return await Promise.race([this.#policy.resolve(host), late]);
    } catch (error) {
      throw error instanceof HostDenied ? new DbFailure('unreachable', error.message, { code: 'HOST_DENIED' }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #sweep(): void {
    const now = performance.now();
    for (const pools of Object.values(this.#pools)) {
      for (const [id, { pool }] of pools) if (pool.sweep(now)) pools.delete(id);
    }
  }
}

const serverOf = ({ host, port }: Host): string => `${host}:${port}`;

/** The share of the remaining time for the first of this many attempts. */
function share(end: number, attempts: number): number {
  return Math.max((end - performance.now()) / attempts, 1);
}
