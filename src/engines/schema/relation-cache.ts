/**
 * Cache of the foreign keys of schemas. They are read separately, so that tables without relations
 * in use cost no more.
 */
import { type Entry, tenantOf } from '../../model/entry.ts';
import { type DeclaredKey, declaredKeys, distinctKeys, type ForeignKey, type Neighbours, ownName } from '../../model/relation.ts';
import type { Table } from '../../model/table.ts';
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { memo } from '../../util/memo.ts';
import type { Connections } from '../pool/connections.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { readOptions } from './read-options.ts';
import { RefreshingCache } from './refreshing-cache.ts';

const MAX_KEYS = 100_000;

export interface SchemaId {
  readonly entry: Entry;
  readonly schema: string | undefined;
}

/** Tables of other schemas by the names that keys have for them. */
const elsewhere = memo((keys: readonly ForeignKey[]): ReadonlyMap<string, Place> => {
  const sides = keys.flatMap((key) => [key, key.references]);
  return new Map(sides.flatMap((side) => (side.schema === undefined ? [] : [[side.table, { schema: side.schema, table: ownName(side) }]])));
});

interface Place {
  readonly schema: string;
  readonly table: string;
}

export class RelationCache {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #cache: RefreshingCache<SchemaId, readonly ForeignKey[]>;

  constructor(connections: Connections, catalog: CatalogCache) {
    this.#connections = connections;
    this.#catalog = catalog;
    this.#cache = new RefreshingCache({
      keyOf: ({ schema }) => schema ?? '',
      read: (id) => this.#read(id),
      maxSize: MAX_KEYS,
      sizeOf: (keys) => keys.length + 1,
    });
  }

  /** The keys of the schema, and the current tables that `reached` selects from them. */
  async around(id: SchemaId, reached: (keys: readonly DeclaredKey[]) => Iterable<string>): Promise<Neighbours> {
    const keys = await this.find(id);
    const declared = id.entry.relations ?? [];
    const tables = new Map<string, Table>();
    for (const name of reached(declared.length === 0 ? keys : [...keys, ...declared])) {
      const table = await this.#catalog.find({ ...id, ...(elsewhere(keys).get(name) ?? { table: name }) });
      if (table !== undefined) tables.set(name, table);
    }
    return { keys: declared.length === 0 ? keys : [...keys, ...declaredKeys(declared, tables, keys)], tables };
  }

  find(id: SchemaId): MaybePromise<readonly ForeignKey[]> {
    return this.#cache.find(id);
  }

  /** Reads the keys, or joins a read that is already under way. */
  read(id: SchemaId): Promise<readonly ForeignKey[]> {
    return this.#cache.read(id);
  }

  async #read({ entry, schema }: SchemaId): Promise<readonly ForeignKey[]> {
    const { catalog } = this.#connections.engine(entry.type);
    if (catalog.foreignKeys === undefined) return [];
    const pool = this.#connections.pool(entry, 'auto');
    const connection = await pool.acquire();
    try {
      return distinctKeys(await catalog.foreignKeys(connection, schema, { ...readOptions(entry), owner: tenantOf(entry) }));
    } finally {
      pool.release(connection);
    }
  }
}
