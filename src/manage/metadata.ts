/** Tables and their columns as documents: what the System API and the users' metadata API answer. */

import { DbFailure, type FailureKind, type StopSignal } from '../engines/contract/engine.ts';
import type { Connections } from '../engines/pool/connections.ts';
import type { Engines } from '../engines/registry.ts';
import type { CatalogCache } from '../engines/schema/catalog-cache.ts';
import type { RelationCache } from '../engines/schema/relation-cache.ts';
import { type ApiError, apiError } from '../errors.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import type { Entry } from '../model/entry.ts';
import type { ProjectContext } from '../model/project.ts';
import { type DeclaredKey, type ForeignKey, namesOf, type Relation, relationsOf } from '../model/relation.ts';
import type { Column, Table } from '../model/table.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';

const TIMEOUT_MS = 10_000;

export interface MetadataRequest {
  readonly type: string;
  readonly schema: string;
  readonly requestId: string;
  readonly signal: StopSignal;
}

/** What of a schema the caller may know. */
export interface SchemaSight {
  hasTable(name: string): boolean;
  /** Undefined: there is no such table for the caller. */
  columnsOf(table: Table): readonly Column[] | undefined;
  /** May the caller read these columns? A relation over others does not exist for it. */
  reads(table: string, columns: readonly string[]): boolean;
}

/** Finds out once it is known which schema is meant. */
export type FindSight = (located: Located) => SchemaSight;

export class Metadata {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #relations: RelationCache;

  constructor(connections: Connections, catalog: CatalogCache, relations: RelationCache) {
    this.#connections = connections;
    this.#catalog = catalog;
    this.#relations = relations;
  }

  async table(context: ProjectContext, asked: MetadataRequest, name: string, find: FindSight): Promise<PlainMap> {
    const located = locate(this.#connections.engines, context, asked);
    const sight = find(located);
    const wanted = { ...located, table: name };
    // What is kept of a hidden table must not answer sooner than one that is not there.
    const table = await explained(asked, async () =>
      sight.hasTable(name) ? this.#catalog.read(wanted) : this.#catalog.probeMissing(wanted),
    );
    const columns = table && sight.columnsOf(table);
    if (table === undefined || columns === undefined) throw apiError('table_unknown', name);
    const { keys } = await explained(asked, () => this.#relations.around(located, (all) => declaredAround(name, located.entry, all)));
    return describeTable({ ...table, columns }, asked.schema, relationsOf(name, readableKeys(keys, sight)));
  }

  async tables(context: ProjectContext, asked: MetadataRequest, find: FindSight): Promise<readonly PlainMap[]> {
    const { entry, schema } = locate(this.#connections.engines, context, asked);
    const sight = find({ entry, schema });
    const pool = this.#connections.pool(entry, 'auto');
    const tables = await explained(asked, async () => {
      const connection = await pool.acquire(asked.signal);
      try {
        return await this.#connections.engine(entry.type).catalog.list(connection, schema, { timeoutMs: TIMEOUT_MS, signal: asked.signal });
      } finally {
        pool.release(connection);
      }
    });
    if (tables === undefined) throw apiError('schema_unknown', asked.schema);
    return tables.flatMap(({ table, kind }): PlainMap[] => {
      if (!sight.hasTable(table)) return [];
      return [
        new Map([
          ['table', table],
          ['schema', asked.schema],
          ['type', kind],
        ]),
      ];
    });
  }
}

function locate(engines: Engines, context: ProjectContext, { type, schema }: MetadataRequest): Located {
  const engine = engines.find(type);
  if (engine !== undefined) return locateDatabase(context, engine, schema);
  throw apiError(engines.isAnnounced(type) ? 'meta_type_announced' : 'meta_type_unknown', type, engines.types);
}

const EXPLANATIONS: Readonly<Partial<Record<FailureKind, (asked: MetadataRequest, failure: DbFailure) => ApiError>>> = {
  full: () => apiError('database_busy'),
  busy: () => apiError('database_busy'),
  timeout: () => apiError('database_timeout', String(TIMEOUT_MS / 1000)),
  denied: () => apiError('database_denied'),
  unreachable: () => apiError('database_unreachable'),
  login: () => apiError('database_unreachable'),
  lost: () => apiError('database_unreachable'),
  malformed: (_, failure) => apiError('database_malformed', failure.message),
  missing_table: (asked) => apiError('schema_unknown', asked.schema),
  conflict: () => apiError('database_conflict'),
};

async function explained<T>(asked: MetadataRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DbFailure)) throw error;
    throw (EXPLANATIONS[error.kind]?.(asked, error) ?? apiError('database_error', asked.requestId)).causedBy(error);
  }
}

/** Tables that an entry relates to this one, over another one too: only their own pictures tell whether they are there. */
function declaredAround(name: string, { relations = [] }: Entry, keys: readonly DeclaredKey[]): ReadonlySet<string> {
  if (relations.length === 0) return new Set();
  const near = new Set(keys.flatMap(({ table, references }) => (references.table === name ? [table] : [])));
  const touching = relations.filter(({ table, references }) => [table, references.table].some((one) => one === name || near.has(one)));
  return new Set(touching.flatMap(({ table, references }) => [table, references.table]));
}

/** A key is known to who may read both its ends. */
function readableKeys(keys: readonly ForeignKey[], sight: SchemaSight): readonly ForeignKey[] {
  return keys.filter(({ table, columns, references }) => sight.reads(table, columns) && sight.reads(references.table, references.columns));
}

function describeRelations(relations: readonly Relation[]): readonly PlainMap[] {
  const names = namesOf(relations);
  return relations.map(({ kind, table, columns, references, through }, index): PlainMap => {
    const shown = new Map<string, PlainValue>([
      ['name', names[index] ?? table],
      ['kind', kind],
      ['table', table],
      ['columns', columns],
      ['references', references],
    ]);
    if (through !== undefined) shown.set('through', through.table);
    return shown;
  });
}

/** Those whose columns are all shown. */
function knownKeys({ unique, columns }: Table): readonly (readonly Column[])[] {
  return unique.filter((key) => key.every((column) => columns.includes(column)));
}

function describeTable(table: Table, schema: string, relations: readonly Relation[]): PlainMap {
  const columns = table.columns.map(
    (column): PlainMap =>
      new Map<string, PlainValue>([
        ['name', column.name],
        ['type', column.type],
        ['nullable', column.nullable],
        ['primary_key', column.primaryKey],
        ['default', column.default],
        ['generated', column.generated === true],
      ]),
  );
  return new Map<string, PlainValue>([
    ['table', table.name],
    ['schema', schema],
    ['columns', columns],
    ['unique', knownKeys(table).map((key) => key.map((column) => column.name))],
    ['relations', describeRelations(relations)],
  ]);
}
