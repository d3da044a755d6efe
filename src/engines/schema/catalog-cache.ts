/**
 * Tables as they were last seen, per entry. A picture is at most five seconds old when it is used. Shortly before, it is renewed in the
 * background, so that a busy table never waits for its catalogue. One read at a time per table.
 */
import { type Entry, ownerOf } from '../../model/entry.ts';
import type { Table } from '../../model/table.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { Connections } from '../pool/connections.ts';
import { MAX_AGE_MS, READ_OPTIONS, Renewals, renewAge, renewLater } from './refresh-scheduler.ts';

/** How many tables are remembered: of all databases, and of one, which must not push out the others. */
const MAX_TABLES = 20_000;
const MAX_TABLES_OF_ONE = MAX_TABLES / 4;
/** How long a table that has changed may be about to change back: its fingerprint, which comes back with it, is not believed. */
const RESTLESS_MS = 10_000;

interface Picture {
  readonly table: Table;
  /** The fingerprint of the table at that time or before; undefined when it was not read, or there is none. */
  fingerprint: string | undefined;
  /** When it was first seen in this state, or with this fingerprint, if another was seen before. */
  readonly changed: number | undefined;
  seen: number;
  /** The age at which it is renewed. */
  renewAge: number;
  used: number;
}

type Pictures = BoundedMap<string, Picture>;

export interface TableId {
  readonly entry: Entry;
  readonly schema: string | undefined;
  readonly table: string;
}

export class CatalogCache {
  readonly #connections: Connections;
  readonly #pictures = new BoundedMap<string, Pictures>(MAX_TABLES, { sizeOf: (tables) => Math.max(1, tables.size) });
  readonly #reading = new Map<string, Promise<Table | undefined>>();
  readonly #renewals = new Renewals();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** The table at once if the picture is fresh, else a promise. Undefined when there is no such table. */
  find(wanted: TableId): Table | Promise<Table | undefined> {
    const picture = this.#pictures.get(wanted.entry.id)?.get(keyOf(wanted));
    if (picture === undefined) return this.read(wanted);
    const now = performance.now();
    const age = now - picture.seen;
    picture.used = now;
    if (age > MAX_AGE_MS) return this.read(wanted);
    if (age > picture.renewAge) renewLater(() => this.read(wanted));
    return picture.table;
  }

  /** Reads the catalogue now, or joins a read under way. */
  read(wanted: TableId): Promise<Table | undefined> {
    const key = `${wanted.entry.id}\0${keyOf(wanted)}`;
    const under = this.#reading.get(key);
    if (under !== undefined) return under;
    const reading = this.#read(wanted).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  /** Takes as long as a look for a table of that name would that is not there. */
  async probeMissing(wanted: TableId): Promise<void> {
    const { table } = wanted;
    const reversed = [...table].reverse().join('');
    await this.read({ ...wanted, table: reversed === table ? `${table}_` : reversed });
  }

  /** Every table of a schema as it is now, by name; undefined when the engine cannot tell all at once. Nothing is kept of it. */
  async describeSchema(entry: Entry, schema: string | undefined): Promise<ReadonlyMap<string, Table> | undefined> {
    const { catalog } = this.#connections.engine(entry.type);
    if (catalog.describeSchema === undefined) return undefined;
    const pool = this.#connections.pool(entry, 'auto');
    const connection = await pool.acquire();
    try {
      const schemaNow = await catalog.describeSchema(connection, schema, { ...READ_OPTIONS, owner: ownerOf(entry) });
      return new Map((schemaNow?.tables ?? []).map((table) => [table.name, table]));
    } finally {
      pool.release(connection);
    }
  }

  /** Reads the catalogue again; a read that is already under way may have begun before the table changed. */
  async refresh(wanted: TableId): Promise<Table | undefined> {
    await this.#reading.get(`${wanted.entry.id}\0${keyOf(wanted)}`)?.catch(() => undefined);
    return this.read(wanted);
  }

  /** Like `refresh`, but ignores the fingerprint, which does not reveal a table that changed and changed back. */
  async reload(wanted: TableId): Promise<Table | undefined> {
    await this.#reading.get(`${wanted.entry.id}\0${keyOf(wanted)}`)?.catch(() => undefined);
    const picture = this.#pictures.get(wanted.entry.id)?.get(keyOf(wanted));
    if (picture !== undefined) picture.fingerprint = undefined;
    return this.read(wanted);
  }

  /** Has the table changed so recently that it may have changed and changed back? */
  isRecentlyChanged(wanted: TableId): boolean {
    const picture = this.#pictures.get(wanted.entry.id)?.get(keyOf(wanted));
    return picture !== undefined && isRestless(picture);
  }

  /** The age of the picture in milliseconds; infinite when there is none. */
  age(wanted: TableId): number {
    const picture = this.#pictures.get(wanted.entry.id)?.get(keyOf(wanted));
    return picture === undefined ? Number.POSITIVE_INFINITY : performance.now() - picture.seen;
  }

  forgetEntry(entryId: string): void {
    this.#pictures.delete(entryId);
  }

  async #read(wanted: TableId): Promise<Table | undefined> {
    const { entry, schema, table: name } = wanted;
    const started = performance.now();
    const { catalog } = this.#connections.engine(entry.type);
    const pool = this.#connections.pool(entry, 'auto');
    const connection = await pool.acquire();
    const old = this.#pictures.get(entry.id)?.get(keyOf(wanted));
    try {
      // A table that is seen for the first time may never be asked for again: its fingerprint is read with the first renewal.
      const fingerprint = old === undefined ? undefined : await catalog.fingerprint?.(connection, { schema, table: name }, READ_OPTIONS);
      if (old !== undefined && fingerprint !== undefined && fingerprint === old.fingerprint && !isRestless(old)) {
        old.seen = started;
        old.renewAge = renewAge();
        this.#watch(wanted, old);
        return old.table;
      }
      const table = await catalog.describe(connection, { schema, table: name }, READ_OPTIONS);
      this.#keep(wanted, table, fingerprint, started);
      return table;
    } finally {
      pool.release(connection);
    }
  }

  /** Only what has a fingerprint, which is little work, so not what was asked for once. A database that is busy, or closed its connections, has its requests look. */
  #watch({ entry, schema, table }: TableId, picture: Picture): void {
    // Nothing else of the request that wants it is kept for as long.
    const wanted: TableId = { entry, schema, table };
    const isKept = (): boolean => this.#pictures.get(entry.id)?.get(keyOf(wanted)) === picture;
    this.#renewals.watch(picture, {
      isFree: () => isKept() && this.#connections.hasIdle(entry, 'auto'),
      read: () => this.read(wanted),
    });
  }

  #keep(wanted: TableId, table: Table | undefined, fingerprint: string | undefined, seen: number): void {
    const key = keyOf(wanted);
    const tables: Pictures = this.#pictures.get(wanted.entry.id) ?? new BoundedMap(MAX_TABLES_OF_ONE);
    const old = tables.get(key);
    if (table === undefined) {
      if (tables.delete(key)) this.#pictures.set(wanted.entry.id, tables);
      return;
    }
    // Same columns, same object: what was derived from it stays valid.
    const same = old !== undefined && sameTable(old.table, table) ? old.table : table;
    // Behind another fingerprint the same table may be one that changed back before it was described.
    const isAsBefore = old === undefined || (old.table === same && (old.fingerprint === fingerprint || old.fingerprint === undefined));
    const changed = isAsBefore ? old?.changed : performance.now();
    const picture = { table: same, fingerprint, changed, seen, renewAge: renewAge(), used: old?.used ?? seen };
    tables.set(key, picture);
    if (fingerprint !== undefined) this.#watch(wanted, picture);
    // The size has changed.
    if (old === undefined) this.#pictures.set(wanted.entry.id, tables);
  }
}

function keyOf(wanted: TableId): string {
  return wanted.schema === undefined ? wanted.table : `${wanted.schema}\0${wanted.table}`;
}

function isRestless({ changed }: Picture): boolean {
  return changed !== undefined && performance.now() - changed < RESTLESS_MS;
}

function sameTable(a: Table, b: Table): boolean {
  return definitionOf(a) === definitionOf(b);
}

function definitionOf(table: Table): string {
  const { kind, storage, order, sortedBy, unique, columns } = table;
  const names = [order, sortedBy, ...unique].map((list) => list.map((column) => column.name));
  return JSON.stringify([kind, storage, names, columns], (_, value) => (typeof value === 'bigint' ? value.toString() : value));
}
