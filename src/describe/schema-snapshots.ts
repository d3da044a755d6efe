/**
 * All tables of a schema as they were seen last, each schema read in a handful of statements. A picture is at most five seconds old when it is
 * used, and stays the same object while nothing changed, so that what was made of it serves again: from the second look on its server makes
 * a fingerprint of it, and tells by that alone whether anything changed. A database that does not answer in time counts as unreachable for as long.
 */
import { createHash } from 'node:crypto';
import { type Catalog, type Connection, DbFailure, type SchemaDescription, type SchemaReadOptions } from '../engines/contract/engine.ts';
import type { Connections } from '../engines/pool/connections.ts';
import { ApiError } from '../errors.ts';
import type { Located } from '../model/database-name.ts';
import { ownerOf } from '../model/entry.ts';
import { declaredKeys, distinctKeys, type ForeignKey } from '../model/relation.ts';
import type { Column, Table } from '../model/table.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { TimeSlice } from '../util/concurrency/slices.ts';

const MAX_AGE_MS = 5000;
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

/** `id`: of what was seen, the same in every instance. `absent`: the database has no such schema. `silent`: it cannot be reached. */
export type SchemaSnapshot =
  | ({ readonly kind: 'seen'; readonly id: string } & Seen)
  | { readonly kind: 'absent' }
  | { readonly kind: 'silent' };

interface Kept {
  readonly picture: SchemaSnapshot;
  readonly fingerprint: string | undefined;
  readonly at: number;
}

export class SchemaSnapshots {
  readonly #connections: Connections;
  readonly #kept = new BoundedMap<string, Kept>(MOST_TABLES, {
    sizeOf: ({ picture }) => (picture.kind === 'seen' ? picture.tables.length + 1 : 1),
  });
  readonly #reading = new Map<string, Promise<SchemaSnapshot>>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** `since`: an older picture has not what is looked for, which may be new. */
  async find(located: Located, since = performance.now() - MAX_AGE_MS): Promise<SchemaSnapshot> {
    const key = `${located.entry.id}\0${located.schema ?? ''}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.at >= since) return kept.picture;
    const under = this.#reading.get(key);
    if (under !== undefined) {
      await under;
      return this.find(located, since);
    }
    const reading = this.#read(key, located).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #read(key: string, located: Located): Promise<SchemaSnapshot> {
    const at = performance.now();
    const looked = await this.#look(located, this.#kept.get(key));
    this.#kept.set(key, { ...looked, at });
    return looked.picture;
  }

  async #look({ entry, schema }: Located, old: Kept | undefined): Promise<Pick<Kept, 'picture' | 'fingerprint'>> {
    const waiting = AbortSignal.timeout(PATIENCE_MS);
    const signal = AbortSignal.timeout(PATIENCE_MS + READING_MS);
    try {
      const pool = this.#connections.pool(entry, 'auto');
      const connection = await pool.acquire(waiting);
      try {
        const { catalog } = this.#connections.engine(entry.type);
        // Most schemas are looked at once, or again and again.
        const options = { timeoutMs: READING_MS, signal, owner: ownerOf(entry), withFingerprint: old !== undefined };
        const known = old?.picture.kind === 'seen' ? old.picture : undefined;
        if (
          known !== undefined &&
          old?.fingerprint !== undefined &&
          (await catalog.schemaFingerprint?.(connection, schema, options)) === old.fingerprint
        )
          return { picture: known, fingerprint: old.fingerprint };
        const description = await (catalog.describeSchema?.(connection, schema, options) ??
          describeEachTable(catalog, connection, schema, options));
        if (description === undefined) return { picture: { kind: 'absent' }, fingerprint: undefined };
        const { tables, fingerprint } = description;
        const keys = distinctKeys(description.keys);
        const byName = new Map(tables.map((table) => [table.name, table]));
        const seen = { tables, keys: [...keys, ...declaredKeys(entry.relations ?? [], byName, keys)] };
        const id = await idOf(seen, options.owner);
        return { picture: known?.id === id ? known : { kind: 'seen', id, ...seen }, fingerprint };
      } finally {
        pool.release(connection);
      }
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError) && !signal.aborted && !waiting.aborted) throw error;
      return { picture: { kind: 'silent' }, fingerprint: undefined };
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
  const texts = new Map<Column, string>();
  const slice = new TimeSlice(owner);
  for (const table of tables) {
    hash.update(textOf(table, texts));
    if (slice.isOver) await slice.next();
  }
  return hash.digest('base64url');
}

/** All of a table. `texts`: of columns, which tables may share. */
function textOf({ byName: _, columns, primaryKey, unique, order, sortedBy, ...facts }: Table, texts: Map<Column, string>): string {
  const names = [primaryKey, order, sortedBy, ...unique].map((list) => list.map(({ name }) => name));
  let text = JSON.stringify([facts, names]);
  for (const column of columns) {
    const known = texts.get(column) ?? columnText(column);
    texts.set(column, known);
    text += known;
  }
  return text;
}

/** Of its bounds, which are integers of any size, JSON has no notation. */
function columnText({ min, max, ...column }: Column): string {
  return JSON.stringify([column, String(min), String(max)]);
}
