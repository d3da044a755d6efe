/**
 * The foreign keys of a schema as they were last seen. They are read separately from the tables, so that a table costs no more where nobody asks
 * for relations. As with tables, a picture is at most five seconds old when it is used.
 */
import { type Entry, ownerOf } from '../../model/entry.ts';
import { type DeclaredKey, declaredKeys, distinctKeys, type ForeignKey, type Neighbours } from '../../model/relation.ts';
import type { Table } from '../../model/table.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import type { Connections } from '../pool/connections.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { MAX_AGE_MS, READ_OPTIONS, renewAge, renewLater } from './refresh-scheduler.ts';

/** Foreign keys that are remembered, of all schemas. */
const MAX_KEYS = 100_000;

interface Picture {
  readonly keys: readonly ForeignKey[];
  readonly seen: number;
  readonly renewAge: number;
}

export interface SchemaId {
  readonly entry: Entry;
  readonly schema: string | undefined;
}

export class RelationCache {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #pictures = new BoundedMap<string, Picture>(MAX_KEYS, { sizeOf: ({ keys }) => keys.length + 1 });
  readonly #reading = new Map<string, Promise<readonly ForeignKey[]>>();

  constructor(connections: Connections, catalog: CatalogCache) {
    this.#connections = connections;
    this.#catalog = catalog;
  }

  /** The tables that `reached` finds over the keys of the schema, as they are now, and those keys. */
  async around(wanted: SchemaId, reached: (keys: readonly DeclaredKey[]) => Iterable<string>): Promise<Neighbours> {
    const keys = await this.find(wanted);
    const declared = wanted.entry.relations ?? [];
    const tables = new Map<string, Table>();
    for (const name of reached(declared.length === 0 ? keys : [...keys, ...declared])) {
      const table = await this.#catalog.find({ ...wanted, table: name });
      if (table !== undefined) tables.set(name, table);
    }
    return { keys: declared.length === 0 ? keys : [...keys, ...declaredKeys(declared, tables, keys)], tables };
  }

  find(wanted: SchemaId): MaybePromise<readonly ForeignKey[]> {
    const picture = this.#pictures.get(keyOf(wanted));
    const age = picture === undefined ? Number.POSITIVE_INFINITY : performance.now() - picture.seen;
    if (picture === undefined || age > MAX_AGE_MS) return this.read(wanted);
    if (age > picture.renewAge) renewLater(() => this.read(wanted));
    return picture.keys;
  }

  /** Reads them now, or joins a read under way. */
  read(wanted: SchemaId): Promise<readonly ForeignKey[]> {
    const key = keyOf(wanted);
    const under = this.#reading.get(key);
    if (under !== undefined) return under;
    const reading = this.#read(wanted, key).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #read({ entry, schema }: SchemaId, key: string): Promise<readonly ForeignKey[]> {
    const { catalog } = this.#connections.engine(entry.type);
    if (catalog.foreignKeys === undefined) return [];
    const seen = performance.now();
    const pool = this.#connections.pool(entry, 'auto');
    const connection = await pool.acquire();
    try {
      const keys = distinctKeys(await catalog.foreignKeys(connection, schema, { ...READ_OPTIONS, owner: ownerOf(entry) }));
      this.#pictures.set(key, { keys, seen, renewAge: renewAge() });
      return keys;
    } finally {
      pool.release(connection);
    }
  }
}

/** A changed entry has another id: what was kept of the old one ages away. */
function keyOf({ entry, schema }: SchemaId): string {
  return schema === undefined ? entry.id : `${entry.id}\0${schema}`;
}
