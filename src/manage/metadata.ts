/** Describes tables and columns for the System API and the metadata API. */
import { DbFailure, type FailureKind, type StopSignal } from '../engines/contract/engine.ts';
import type { Connections } from '../engines/pool/connections.ts';
import type { Engines } from '../engines/registry.ts';
import type { CatalogCache } from '../engines/schema/catalog-cache.ts';
import type { RelationCache } from '../engines/schema/relation-cache.ts';
import { type ApiError, apiError } from '../errors.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import type { Entry } from '../model/entry.ts';
import type { Operation } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import { type DeclaredKey, namesOf, type Relation, relationsOf } from '../model/relation.ts';
import type { Column, Table } from '../model/table.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';

const TIMEOUT_MS = 10_000;

export interface MetadataRequest {
  readonly type: string;
  readonly schema: string;
  readonly requestId: string;
  readonly signal: StopSignal;
}

/** The part of a schema that the caller may see. */
export interface VisibleSchema {
  hasTable(name: string): boolean;
  /** `undefined` if the table is hidden from the caller. */
  columnsOf(table: Table): readonly Column[] | undefined;
  /** The keys whose columns the caller may read. Relations over other keys are hidden. */
  visibleKeys<K extends DeclaredKey>(keys: readonly K[]): readonly K[];
  /** Absent if rights are not described. */
  readonly rights?: SchemaRights;
}

/** Columns that an operation reads or accepts. */
interface RightOnColumns {
  readonly columns: readonly Column[];
  /** Columns whose values are replaced. */
  readonly masked?: ReadonlySet<Column> | undefined;
}

/** Rights of the caller in a schema: what persona, token and entry leave. */
export interface SchemaRights {
  operationsOn(table: string, kind: Table['kind']): readonly Operation[];
  rightsOn(table: Table): { readonly [K in Operation]?: RightOnColumns };
}

/** Determines the visible part of a schema. */
export type FindVisible = (located: Located) => VisibleSchema;

export class Metadata {
  readonly #connections: Connections;
  readonly #catalog: CatalogCache;
  readonly #relations: RelationCache;

  constructor(connections: Connections, catalog: CatalogCache, relations: RelationCache) {
    this.#connections = connections;
    this.#catalog = catalog;
    this.#relations = relations;
  }

  async table(context: ProjectContext, request: MetadataRequest, name: string, find: FindVisible): Promise<PlainMap> {
    const located = locate(this.#connections.engines, context, request);
    const visible = find(located);
    const key = { ...located, table: name };
    // Timing must not distinguish a hidden table in the cache from a missing one.
    const table = await explainFailure(request, async () =>
      visible.hasTable(name) ? this.#catalog.read(key) : this.#catalog.probeMissing(key),
    );
    const columns = table && visible.columnsOf(table);
    if (table === undefined || columns === undefined) throw apiError('table_unknown', name);
    const { keys } = await explainFailure(request, () =>
      this.#relations.around(located, (all) => declaredAround(name, located.entry, all)),
    );
    return describeTable({ ...table, columns }, request.schema, relationsOf(name, visible.visibleKeys(keys)), visible.rights);
  }

  async tables(context: ProjectContext, request: MetadataRequest, find: FindVisible): Promise<readonly PlainMap[]> {
    const { entry, schema } = locate(this.#connections.engines, context, request);
    const visible = find({ entry, schema });
    const pool = this.#connections.pool(entry, 'auto');
    const tables = await explainFailure(request, async () => {
      const connection = await pool.acquire({ signal: request.signal });
      try {
        return await this.#connections
          .engine(entry.type)
          .catalog.list(connection, schema, { timeoutMs: TIMEOUT_MS, signal: request.signal });
      } finally {
        pool.release(connection);
      }
    });
    if (tables === undefined) throw apiError('schema_unknown', request.schema);
    return tables.flatMap(({ table, kind }): PlainMap[] => {
      if (!visible.hasTable(table)) return [];
      const fields = new Map<string, PlainValue>([
        ['table', table],
        ['schema', request.schema],
        ['type', kind],
      ]);
      if (visible.rights !== undefined) fields.set('operations', visible.rights.operationsOn(table, kind));
      return [fields];
    });
  }
}

function locate(engines: Engines, context: ProjectContext, { type, schema }: MetadataRequest): Located {
  const engine = engines.find(type);
  if (engine !== undefined) return locateDatabase(context, engine, schema);
  throw apiError(engines.isAnnounced(type) ? 'meta_type_announced' : 'meta_type_unknown', type, engines.types);
}

const EXPLANATIONS: Readonly<Partial<Record<FailureKind, (request: MetadataRequest, failure: DbFailure) => ApiError>>> = {
  full: () => apiError('database_busy'),
  busy: () => apiError('database_busy'),
  timeout: () => apiError('database_timeout', String(TIMEOUT_MS / 1000)),
  denied: () => apiError('database_denied'),
  unreachable: () => apiError('database_unreachable'),
  login: () => apiError('database_unreachable'),
  lost: () => apiError('database_unreachable'),
  malformed: (_, failure) => apiError('database_malformed', failure.message),
  missing_table: (request) => apiError('schema_unknown', request.schema),
  conflict: () => apiError('database_conflict'),
};

async function explainFailure<T>(request: MetadataRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DbFailure)) throw error;
    throw (EXPLANATIONS[error.kind]?.(request, error) ?? apiError('database_error', request.requestId)).causedBy(error);
  }
}

/**
 * Tables that declared relations connect to this one, directly or over another. They must be read
 * to know whether they exist.
 */
function declaredAround(name: string, { relations = [] }: Entry, keys: readonly DeclaredKey[]): ReadonlySet<string> {
  if (relations.length === 0) return new Set();
  const near = new Set(keys.flatMap(({ table, references }) => (references.table === name ? [table] : [])));
  const touching = relations.filter(({ table, references }) => [table, references.table].some((one) => one === name || near.has(one)));
  return new Set(touching.flatMap(({ table, references }) => [table, references.table]));
}

function describeRelations(relations: readonly Relation[]): readonly PlainMap[] {
  const names = namesOf(relations);
  return relations.map(({ kind, table, columns, references, through }, index): PlainMap => {
    const fields = new Map<string, PlainValue>([
      ['name', names[index] ?? table],
      ['kind', kind],
      ['table', table],
      ['columns', columns],
      ['references', references],
    ]);
    if (through !== undefined) fields.set('through', through.table);
    return fields;
  });
}

/** Returns the unique keys whose columns are all visible. */
function visibleKeys({ unique, columns }: Table): readonly (readonly Column[])[] {
  return unique.filter((key) => key.every((column) => columns.includes(column)));
}

/** Operations that concern columns. */
const COLUMN_OPERATIONS: readonly Operation[] = ['read', 'insert', 'update'];

type Rights = ReturnType<SchemaRights['rightsOn']>;

function describeColumn(column: Column, key: readonly Column[], rights: Rights | undefined): PlainMap {
  const fields = new Map<string, PlainValue>([
    ['name', column.name],
    ['type', column.type],
    ['nullable', column.nullable],
    ['primary_key', column.primaryKey],
    ['default', column.default],
    ['generated', column.generated === true],
    ['kind', column.kind],
    ['required', column.required],
    ['sortable', column.sortable],
  ]);
  if (key.includes(column)) fields.set('key_position', key.indexOf(column) + 1);
  if (column.maxLength !== undefined) fields.set('max_length', column.maxLength);
  if (column.values !== undefined) fields.set('values', column.values);
  if (rights === undefined) return fields;
  const operations = COLUMN_OPERATIONS.filter((operation) => rights[operation]?.columns.includes(column) === true);
  return fields.set('operations', operations).set('masked', rights.read?.masked?.has(column) === true);
}

/** The key that addresses a row, in the order of the path. Empty if a part of it is hidden. */
function addressKey({ primaryKey, sortedBy, columns }: Table): readonly Column[] {
  const key = primaryKey.length > 0 ? primaryKey : sortedBy;
  return key.every((column) => columns.includes(column)) ? key : [];
}

function describeTable(table: Table, schema: string, relations: readonly Relation[], described?: SchemaRights): PlainMap {
  const rights = described?.rightsOn(table);
  const key = addressKey(table);
  const fields = new Map<string, PlainValue>([
    ['table', table.name],
    ['schema', schema],
    ['columns', table.columns.map((column) => describeColumn(column, key, rights))],
    ['unique', visibleKeys(table).map((key) => key.map((column) => column.name))],
    ['relations', describeRelations(relations)],
  ]);
  return rights === undefined ? fields : fields.set('operations', Object.keys(rights));
}
