/**
 * All tables of a schema as they were seen last, each schema read in a handful of statements. A picture is at most five seconds old when it is
 * used, and stays the same object while nothing changed, so that what was made of it serves again. A database that does not answer in time counts
 * as unreachable for as long.
 */
import { createHash } from 'node:crypto';
import type { Connections } from '../engines/connections.ts';
import { type Catalog, type Connection, DbFailure, type RunOptions } from '../engines/engine.ts';
import { ApiError } from '../errors.ts';
import type { Located } from '../model/database-name.ts';
import { declaredKeys, type ForeignKey } from '../model/relation.ts';
import type { Table } from '../model/table.ts';
import { newUlid } from '../model/ulid.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { nextSlice } from '../util/loop-scheduler.ts';

const MAX_AGE_MS = 5000;
/** A picture younger than this is not read again for the sake of a table that it does not have. */
const TRUST_MS = 200;
/** A database that has given no connection by then counts as one that cannot be reached … */
const PATIENCE_MS = 5000;
/** … and so does one that has not described its tables, which takes longer the more there are. */
const READING_MS = 15_000;
/** Tables that are remembered, of all schemas. */
const MOST_TABLES = 50_000;

interface Seen {
  readonly tables: readonly Table[];
  /** Between those tables. */
  readonly keys: readonly ForeignKey[];
}

/** `absent`: the database has no such schema. `silent`: it cannot be reached. */
export type SchemaPicture =
  | ({ readonly kind: 'seen'; readonly id: string } & Seen)
  | { readonly kind: 'absent' }
  | { readonly kind: 'silent' };

interface Kept {
  readonly picture: SchemaPicture;
  readonly fingerprint: string;
  readonly at: number;
}

export class SchemaPictures {
  readonly #connections: Connections;
  readonly #kept = new BoundedMap<string, Kept>(MOST_TABLES, {
    sizeOf: ({ picture }) => (picture.kind === 'seen' ? picture.tables.length + 1 : 1),
  });
  readonly #reading = new Map<string, Promise<SchemaPicture>>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** `missed`: what is looked for is not in the picture, which may be a little old. */
  async find(located: Located, use: 'any' | 'missed' = 'any'): Promise<SchemaPicture> {
    const key = `${located.entry.id}\0${located.schema ?? ''}`;
    const kept = this.#kept.get(key);
    const mostAge = use === 'missed' && kept?.picture.kind === 'seen' ? TRUST_MS : MAX_AGE_MS;
    if (kept !== undefined && performance.now() - kept.at <= mostAge) return kept.picture;
    const under = this.#reading.get(key);
    if (under !== undefined) return under;
    const reading = this.#read(key, located).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #read(key: string, located: Located): Promise<SchemaPicture> {
    const at = performance.now();
    const seen = await this.#see(located);
    const old = this.#kept.get(key);
    const fingerprint = typeof seen === 'string' ? seen : await fingerprintOf(seen, located.entry.projectId ?? located.entry.id);
    const picture: SchemaPicture = typeof seen === 'string' ? { kind: seen } : { kind: 'seen', id: newUlid(), ...seen };
    const kept = old?.fingerprint === fingerprint ? { ...old, at } : { picture, fingerprint, at };
    this.#kept.set(key, kept);
    return kept.picture;
  }

  async #see({ entry, schema }: Located): Promise<Seen | 'absent' | 'silent'> {
    const waiting = AbortSignal.timeout(PATIENCE_MS);
    const signal = AbortSignal.timeout(PATIENCE_MS + READING_MS);
    try {
      const pool = this.#connections.pool(entry, 'auto');
      const connection = await pool.acquire(waiting);
      try {
        const { catalog } = this.#connections.engine(entry.type);
        const options = { timeoutMs: READING_MS, signal };
        const tables = await (catalog.describeAll?.(connection, schema, options) ?? describeEach(catalog, connection, schema, options));
        if (tables === undefined) return 'absent';
        const keys = (await catalog.foreignKeys?.(connection, schema, options)) ?? [];
        const byName = new Map(tables.map((table) => [table.name, table]));
        return { tables, keys: [...keys, ...declaredKeys(entry.relations ?? [], byName, keys)] };
      } finally {
        pool.release(connection);
      }
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError) && !signal.aborted && !waiting.aborted) throw error;
      return 'silent';
    }
  }
}

async function describeEach(
  catalog: Catalog,
  connection: Connection,
  schema: string | undefined,
  options: RunOptions,
): Promise<readonly Table[] | undefined> {
  const names = await catalog.list(connection, schema, options);
  if (names === undefined) return undefined;
  const tables: Table[] = [];
  for (const { table: name } of names) {
    const table = await catalog.describe(connection, { schema, table: name }, options);
    if (table !== undefined) tables.push(table);
  }
  return tables;
}

/** So many tables at a time; others come in between. */
const TABLES_A_TURN = 50;

async function fingerprintOf({ tables, keys }: Seen, owner: string): Promise<string> {
  const hash = createHash('sha256');
  for (const [index, { schema, name, kind, storage, columns, primaryKey, sortedBy }] of tables.entries()) {
    const order = [primaryKey, sortedBy].map((list) => list.map((column) => column.name));
    hash.update(textOf([schema, name, kind, storage, columns, order]));
    if (index % TABLES_A_TURN === TABLES_A_TURN - 1) await nextSlice(owner);
  }
  return hash.update(textOf(keys)).digest('base64url');
}

function textOf(facts: unknown): string {
  return JSON.stringify(facts, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
