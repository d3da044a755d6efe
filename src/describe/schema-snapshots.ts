/**
 * Cache of all tables and keys of a schema. A snapshot stays the same object while nothing changes,
 * so documents made of it stay valid.
 */
import { createHash } from 'node:crypto';
import { type Catalog, type Connection, DbFailure, type SchemaDescription, type SchemaReadOptions } from '../engines/contract/engine.ts';
import type { Connections } from '../engines/pool/connections.ts';
import { RefreshingCache } from '../engines/schema/refreshing-cache.ts';
import { ApiError } from '../errors.ts';
import type { Located } from '../model/database-name.ts';
import { tenantOf } from '../model/entry.ts';
import { declaredKeys, distinctKeys, type ForeignKey } from '../model/relation.ts';
import type { Table } from '../model/table.ts';
import { TimeSlice } from '../util/concurrency/slices.ts';
import { tableFingerprint } from './table-fingerprint.ts';

/** A database counts as unreachable if no connection is available within this time … */
const CONNECT_TIMEOUT_MS = 5000;
/** … or if it does not describe its tables within this time. */
const READ_TIMEOUT_MS = 15_000;
const MAX_TABLES = 50_000;

interface Seen {
  readonly tables: readonly Table[];
  /** The keys between those tables. */
  readonly keys: readonly ForeignKey[];
}

/**
 * `seen`: with a hash of the content as `id`, the same in every instance.
 * `absent`: the database has no such schema. `silent`: the database cannot be reached.
 */
export type SchemaSnapshot =
  | ({ readonly kind: 'seen'; readonly id: string } & Seen)
  | { readonly kind: 'absent' }
  | { readonly kind: 'silent' };

interface CachedSchema {
  readonly snapshot: SchemaSnapshot;
  readonly fingerprint: string | undefined;
}

export class SchemaSnapshots {
  readonly #connections: Connections;
  readonly #cache: RefreshingCache<Located, CachedSchema>;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#cache = new RefreshingCache({
      keyOf: ({ schema }) => schema ?? '',
      read: (located, old) => this.#read(located, old),
      maxSize: MAX_TABLES,
      sizeOf: ({ snapshot }) => (snapshot.kind === 'seen' ? snapshot.tables.length + 1 : 1),
    });
  }

  /** Returns a snapshot that was not read before `since`; at most five seconds old by default. */
  async find(located: Located, since?: number): Promise<SchemaSnapshot> {
    return (await this.#cache.find(located, since)).snapshot;
  }

  async #read({ entry, schema }: Located, old: CachedSchema | undefined): Promise<CachedSchema> {
    const waiting = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
    const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS + READ_TIMEOUT_MS);
    try {
      const pool = this.#connections.pool(entry, 'auto');
      const connection = await pool.acquire({ signal: waiting });
      try {
        const { catalog } = this.#connections.engine(entry.type);
        // Most schemas are read once or very often, so the first read skips the fingerprint.
        const options = { timeoutMs: READ_TIMEOUT_MS, signal, owner: tenantOf(entry), withFingerprint: old !== undefined };
        const isUnchanged =
          old?.snapshot.kind === 'seen' &&
          old.fingerprint !== undefined &&
          (await catalog.schemaFingerprint?.(connection, schema, options)) === old.fingerprint;
        if (isUnchanged) return old;
        const description = await (catalog.describeSchema?.(connection, schema, options) ??
          describeEachTable(catalog, connection, schema, options));
        if (description === undefined) return { snapshot: { kind: 'absent' }, fingerprint: undefined };
        const { tables, fingerprint } = description;
        const keys = distinctKeys(description.keys);
        const byName = new Map(tables.map((table) => [table.name, table]));
        const seen = { tables, keys: [...keys, ...declaredKeys(entry.relations ?? [], byName, keys)] };
        const id = await idOf(seen, options.owner);
        const isSame = old?.snapshot.kind === 'seen' && old.snapshot.id === id;
        return { snapshot: isSame ? old.snapshot : { kind: 'seen', id, ...seen }, fingerprint };
      } finally {
        pool.release(connection);
      }
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError) && !signal.aborted && !waiting.aborted) throw error;
      return { snapshot: { kind: 'silent' }, fingerprint: undefined };
    }
  }
}

async function describeEachTable(
  catalog: Catalog,
  connection: Connection,
  schema: string | undefined,
  options: SchemaReadOptions,
): Promise<SchemaDescription | undefined> {
  const names = await catalog.list(connection, schema, options);
  if (names === undefined) return undefined;
  const tables: Table[] = [];
  for (const { table: name } of names) {
    const table = await catalog.describe(connection, { schema, table: name }, options);
    if (table !== undefined) tables.push(table);
  }
  return { tables, keys: (await catalog.foreignKeys?.(connection, schema, options)) ?? [], fingerprint: undefined };
}

async function idOf({ tables, keys }: Seen, owner: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(keys));
  const slice = new TimeSlice(owner);
  for (const table of tables) {
    hash.update(tableFingerprint(table));
    if (slice.isOver) await slice.next();
  }
  return hash.digest('base64url');
}
