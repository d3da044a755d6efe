/**
 * Cache of table descriptions, at most five seconds old when used. A table in use is refreshed in
 * the background.
 */
import { type Entry, tenantOf } from '../../model/entry.ts';
import type { Table } from '../../model/table.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import type { Connections } from '../pool/connections.ts';
import { readOptions } from './read-options.ts';
import { RefreshingCache } from './refreshing-cache.ts';

/** One database must not evict the tables of all others. */
const MAX_TABLES = 20_000;
const MAX_TABLES_PER_DATABASE = MAX_TABLES / 4;
/**
 * How long after a change the fingerprint is ignored: a table that changes back has its old
 * fingerprint again.
 */
const RECENT_CHANGE_MS = 10_000;

export interface TableId {
  readonly entry: Entry;
  readonly schema: string | undefined;
  readonly table: string;
}

interface CachedTable {
  readonly table: Table;
  /** Read before the description. `undefined` if it was not read, or the table has none. */
  fingerprint: string | undefined;
  /** Time of the last change of the table or its fingerprint. `undefined` if none was noticed. */
  readonly changedAt: number | undefined;
}

export class CatalogCache {
  readonly #connections: Connections;
  readonly #cache: RefreshingCache<TableId, CachedTable | undefined>;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#cache = new RefreshingCache({
      keyOf: ({ schema, table }) => (schema === undefined ? table : `${schema}\0${table}`),
      read: (id, old) => this.#read(id, old),
      maxSize: MAX_TABLES,
      maxSizePerEntry: MAX_TABLES_PER_DATABASE,
      background: {
        copyId: ({ entry, schema, table }) => ({ entry, schema, table }),
        isCheap: (cached) => cached?.fingerprint !== undefined,
        isIdle: ({ entry }) => connections.hasIdle(entry, 'auto'),
      },
    });
  }

  /**
   * Returns the table at once if its description is fresh, else a promise. `undefined` if there is
   * no such table.
   */
  find(id: TableId): MaybePromise<Table | undefined> {
    return after(this.#cache.find(id), tableOf);
  }

  /** Reads the table, or joins a read that is already under way. */
  read(id: TableId): Promise<Table | undefined> {
    return this.#cache.read(id).then(tableOf);
  }

  /**
   * Reads the table again; a read that is already under way may have begun before the table
   * changed.
   */
  refresh(id: TableId): Promise<Table | undefined> {
    return this.#cache.refresh(id).then(tableOf);
  }

  /**
   * Like `refresh`, but ignores the fingerprint, which does not reveal a table that changed and
   * changed back.
   */
  async reload(id: TableId): Promise<Table | undefined> {
    await this.#cache.settled(id);
    const cached = this.#cache.peek(id);
    if (cached !== undefined) cached.fingerprint = undefined;
    return this.read(id);
  }

  /** Takes as long as a lookup of a table of that name that does not exist. */
  async probeMissing(id: TableId): Promise<void> {
    const { table } = id;
    const reversed = [...table].reverse().join('');
    await this.read({ ...id, table: reversed === table ? `${table}_` : reversed });
  }

  /**
   * Reads every table of a schema, by name, without caching. `undefined` if the engine has no
   * statement for all tables.
   */
  async describeSchema(entry: Entry, schema: string | undefined): Promise<ReadonlyMap<string, Table> | undefined> {
    const { catalog } = this.#connections.engine(entry.type);
    if (catalog.describeSchema === undefined) return undefined;
    const pool = this.#connections.pool(entry, 'auto');
    const connection = await pool.acquire();
    try {
      const description = await catalog.describeSchema(connection, schema, { ...readOptions(entry), owner: tenantOf(entry) });
      return new Map((description?.tables ?? []).map((table) => [table.name, table]));
    } finally {
      pool.release(connection);
    }
  }

  /** `true` if the table may have changed and changed back, because it changed recently. */
  isRecentlyChanged(id: TableId): boolean {
    return isRecentlyChanged(this.#cache.peek(id));
  }

  /** Age of the description in ms; infinite if there is none. */
  age(id: TableId): number {
    return this.#cache.age(id);
  }

  forgetEntry(entryId: string): void {
    this.#cache.forgetEntry(entryId);
  }

  async #read({ entry, schema, table: name }: TableId, old: CachedTable | undefined): Promise<CachedTable | undefined> {
    const { catalog } = this.#connections.engine(entry.type);
    const pool = this.#connections.pool(entry, 'auto');
    const connection = await pool.acquire();
    try {
      // A table that is seen for the first time may never be used again: its fingerprint is read
      // with the first refresh.
      const fingerprint = old && (await catalog.fingerprint?.(connection, { schema, table: name }, readOptions(entry)));
      if (fingerprint !== undefined && fingerprint === old?.fingerprint && !isRecentlyChanged(old)) return old;
      const table = await catalog.describe(connection, { schema, table: name }, readOptions(entry));
      return table && update(old, table, fingerprint);
    } finally {
      pool.release(connection);
    }
  }
}

function update(old: CachedTable | undefined, read: Table, fingerprint: string | undefined): CachedTable {
  // An unchanged table stays the same object, so that values derived from it stay valid.
  const isSame = old !== undefined && definitionOf(old.table) === definitionOf(read);
  const table = isSame ? old.table : read;
  // With another fingerprint, the same table may be one that changed back before it was described.
  const isUnchanged = old === undefined || (isSame && (old.fingerprint === fingerprint || old.fingerprint === undefined));
  return { table, fingerprint, changedAt: isUnchanged ? old?.changedAt : performance.now() };
}

function tableOf(cached: CachedTable | undefined): Table | undefined {
  return cached?.table;
}

function isRecentlyChanged(cached: CachedTable | undefined): boolean {
  return cached?.changedAt !== undefined && performance.now() - cached.changedAt < RECENT_CHANGE_MS;
}

function definitionOf({ kind, storage, order, sortedBy, unique, columns }: Table): string {
  const names = [order, sortedBy, ...unique].map((list) => list.map((column) => column.name));
  return JSON.stringify([kind, storage, names, columns], (_, value) => (typeof value === 'bigint' ? value.toString() : value));
}
