/**
 * Connections to all registered databases. Each entry has one pool per purpose, so the Auto API
 * never sees what a Custom statement leaves in a session. The hosts of an entry are tried in order,
 * starting with the one that answered last.
 */
import type { DbType, Entry, Host } from '../../model/entry.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { type Connection, DbFailure, type Engine, type Probe } from '../contract/engine.ts';
import { TextRows } from '../contract/rows.ts';
import type { Engines } from '../registry.ts';
import { HostDenied, type HostPolicy } from './hosts.ts';
import { Pool, type PoolOwner } from './pool.ts';
import { ServerBudget } from './server-budget.ts';

export type Purpose = 'auto' | 'custom';

const SWEEP_MS = 1000;
/** Servers, and entries whose host is remembered. */
const MAX_REMEMBERED = 10_000;

export interface PoolCounts {
  readonly type: DbType;
  readonly purpose: Purpose;
  /** Name of the database, such as `pg/shop`. */
  readonly ref: string;
  readonly projectId: string | undefined;
  /** Maximum number of open connections. */
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A trial of an entry takes no longer. */
const PROBE_SECS = 10;

interface Pooled {
  readonly pool: Pool;
  readonly servers: readonly ServerBudget[];
  readonly projectId: string | undefined;
  readonly type: DbType;
  readonly purpose: Purpose;
  readonly ref: string;
  readonly max: number;
}

export class Connections {
  readonly engines: Engines;
  readonly #policy: HostPolicy;
  readonly #maxRowBytes: number | undefined;
  readonly #pools = { auto: new Map<string, Pooled>(), custom: new Map<string, Pooled>() };
  readonly #servers = new BoundedMap<string, ServerBudget>(MAX_REMEMBERED);
  readonly #lastGood = new BoundedMap<string, number>(MAX_REMEMBERED);
  /**
   * Entries that were changed or removed. A request that began earlier may still need a connection,
   * but none is kept.
   */
  readonly #retired = new BoundedMap<string, true>(MAX_REMEMBERED);
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

  /** `true` if one of its connections is idle. Creates no pool. */
  hasIdle(entry: Entry, purpose: Purpose): boolean {
    return (this.#pools[purpose].get(entry.id)?.pool.counts.idle ?? 0) > 0;
  }

  /** Tries an entry with a connection of its own, and returns the server's version. */
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

  /**
   * Closes the connections of a project's entries, except `kept`, as they become idle. Returns the
   * affected entries.
   */
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
    return Array.from(this.#allPools(), ({ pool, type, purpose, ref, projectId, max }) => ({
      type,
      purpose,
      ref,
      projectId,
      max,
      ...pool.counts,
    }));
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
      maxBulk: this.engine(entry.type).capabilities.bulkyWrites,
      bulkWaitMs: entry.queryTimeoutSecs * 1000,
    };
    const [first, ...others] = entry.hosts.map((host) => this.#serverOf(host));
    const servers: PoolOwner['servers'] = [first ?? new ServerBudget(), ...others];
    const pool: Pool = new Pool(limits, () => this.#connect(entry, pool), { username: entry.username, servers });
    const { type, projectId, alias = entry.database, maxOpenConnections: max } = entry;
    const pooled: Pooled = { pool, servers, projectId, type, purpose, ref: `${type}/${alias}`, max };
    if (this.#retired.has(entry.id)) pool.drain();
    this.#pools[purpose].set(entry.id, pooled);
    return pooled;
  }

  #serverOf({ host, port }: Host): ServerBudget {
    const name = `${host}:${port}`;
    const server = this.#servers.get(name) ?? new ServerBudget();
    this.#servers.set(name, server);
    return server;
  }

  /** `pool`: the one that the connection is for, if any. */
  async #connect(entry: Entry, pool?: Pool): Promise<Connection> {
    const ends = performance.now() + entry.connectTimeoutSecs * 1000;
    const first = this.#lastGood.get(entry.id) ?? 0;
    let failure: unknown = new DbFailure('unreachable', 'the entry has no host');
    for (let i = 0; i < entry.hosts.length; i++) {
      const index = (first + i) % entry.hosts.length;
      const host = entry.hosts[index];
      if (host === undefined) continue;
      try {
        const connection = await this.#dial(entry, host, timeShare(ends, entry.hosts.length - i), pool);
        this.#lastGood.set(entry.id, index);
        return connection;
      } catch (error) {
        failure = error instanceof DbFailure ? error.at(entry, { host, address: host.host }) : error;
      }
    }
    // Whatever failed, no statement was sent.
    throw failure instanceof DbFailure && failure.effect === 'unknown' ? failure.withEffect('unsent') : failure;
  }

  /** A name may have several addresses: the next one is tried if one does not answer. */
  async #dial(entry: Entry, host: Host, timeoutMs: number, pool?: Pool): Promise<Connection> {
    const ends = performance.now() + timeoutMs;
    const engine = this.engine(entry.type);
    const addresses = await this.#resolve(host.host, timeoutMs);
    let failure: unknown;
    for (const [i, address] of addresses.entries()) {
      const options = { host, address, maxRowBytes: this.#maxRowBytes };
      const connect = (ms: number): Promise<Connection> => engine.connect(entry, { ...options, timeoutMs: ms });
      const share = timeShare(ends, addresses.length - i);
      try {
        if (pool === undefined) return await connect(share);
        return await this.#serverOf(host).open(pool, { connect, ends: performance.now() + share });
      } catch (error) {
        failure = error instanceof DbFailure ? error.at(entry, { host, address }) : error;
        if (!(error instanceof DbFailure && error.kind === 'unreachable')) break;
      }
    }
    throw failure;
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
      for (const [id, { pool, servers }] of pools) {
        if (!pool.sweep(now)) continue;
        pools.delete(id);
        for (const server of servers) server.remove(pool);
      }
    }
  }
}

/** The part of the remaining time that the first of several attempts may take. */
function timeShare(ends: number, attempts: number): number {
  return Math.max((ends - performance.now()) / attempts, 1);
}
