/**
 * All tables of a schema as they were seen last, each schema read in a handful of statements. A picture is at most five seconds old when it is
 * used, and stays the same object while nothing changed, so that what was made of it serves again: a schema that is asked for again and again has a
 * stamp, made by its server. A database that does not answer in time counts as unreachable for as long.
 */
import { createHash } from 'node:crypto';
import type { Connections } from '../engines/connections.ts';
import { type Catalog, type Connection, DbFailure, type SurveyOptions } from '../engines/engine.ts';
import { ApiError } from '../errors.ts';
import type { Located } from '../model/database-name.ts';
import { ownerOf } from '../model/entry.ts';
import { declaredKeys, distinctKeys, type ForeignKey } from '../model/relation.ts';
import type { Table } from '../model/table.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { Turns } from '../util/slices.ts';

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

/** `id`: of what was seen, the same in every instance. `absent`: the database has no such schema. `silent`: it cannot be reached. */
export type SchemaPicture =
  | ({ readonly kind: 'seen'; readonly id: string } & Seen)
  | { readonly kind: 'absent' }
  | { readonly kind: 'silent' };

interface Kept {
  readonly picture: SchemaPicture;
  readonly stamp: string | undefined;
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
    const looked = await this.#look(located, this.#kept.get(key));
    this.#kept.set(key, { ...looked, at });
    return looked.picture;
  }

  async #look({ entry, schema }: Located, old: Kept | undefined): Promise<Pick<Kept, 'picture' | 'stamp'>> {
    const waiting = AbortSignal.timeout(PATIENCE_MS);
    const signal = AbortSignal.timeout(PATIENCE_MS + READING_MS);
    try {
      const pool = this.#connections.pool(entry, 'auto');
      const connection = await pool.acquire(waiting);
      try {
        const { catalog } = this.#connections.engine(entry.type);
        const options = { timeoutMs: READING_MS, signal, owner: ownerOf(entry) };
        const known = old?.picture.kind === 'seen' ? old.picture : undefined;
        // A schema that is seen for the first time may never be asked for again. Whatever changes from here on changes the stamp.
        const stamp = known === undefined ? undefined : await catalog.stampAll?.(connection, schema, options);
        if (known !== undefined && stamp !== undefined && stamp === old?.stamp) return { picture: known, stamp };
        const tables = await (catalog.describeAll?.(connection, schema, options) ?? describeEach(catalog, connection, schema, options));
        if (tables === undefined) return { picture: { kind: 'absent' }, stamp: undefined };
        const keys = distinctKeys((await catalog.foreignKeys?.(connection, schema, options)) ?? []);
        const byName = new Map(tables.map((table) => [table.name, table]));
        const seen = { tables, keys: [...keys, ...declaredKeys(entry.relations ?? [], byName, keys)] };
        const id = await idOf(seen, options.owner);
        return { picture: known?.id === id ? known : { kind: 'seen', id, ...seen }, stamp };
      } finally {
        pool.release(connection);
      }
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError) && !signal.aborted && !waiting.aborted) throw error;
      return { picture: { kind: 'silent' }, stamp: undefined };
    }
  }
}

async function describeEach(
  catalog: Catalog,
  connection: Connection,
  schema: string | undefined,
  options: SurveyOptions,
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

async function idOf({ tables, keys }: Seen, owner: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(keys));
  const turns = new Turns(owner);
  for (const table of tables) {
    hash.update(textOf(table));
    if (turns.isOver) await turns.next();
  }
  return hash.digest('base64url');
}

/** All of a table. Of its bounds, which are integers of any size, JSON has no notation. */
function textOf({ byName: _, columns, primaryKey, unique, order, sortedBy, ...facts }: Table): string {
  const names = [primaryKey, order, sortedBy, ...unique].map((list) => list.map(({ name }) => name));
  return JSON.stringify([facts, names, columns.map(({ min, max, ...column }) => [column, String(min), String(max)])]);
}
