/**
 * Caller and space → Description: tables of schema snapshots and endpoints of the space, limited to
 * the rights of the token and the persona. Must not depend on the documents made of it.
 */
import { createHash } from 'node:crypto';
import type { Engines } from '../engines/registry.ts';
import { apiError } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import { type Entry, tenantOf } from '../model/entry.ts';
import type { Operation } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import type { ForeignKey } from '../model/relation.ts';
import { type EffectivePersona, effectivePersonaOf } from '../personas/effective-persona.ts';
import type { GrantBook } from '../personas/grants.ts';
import type { Store } from '../store/store.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { mapCooperatively } from '../util/concurrency/slices.ts';
import { memo } from '../util/memo.ts';
import {
  type DescribedApp,
  type DescribedEndpoint,
  type DescribedTable,
  type Description,
  OPERATIONS,
  type Outline,
} from './description.ts';
import { Endpoints } from './endpoints.ts';
import type { SchemaSnapshot, SchemaSnapshots } from './schema-snapshots.ts';
import { allows, LETTERS, rightsOf, type TableView, viewBy } from './table-view.ts';

/** The part of a space to describe. */
export interface Slice {
  readonly db: string | undefined;
  readonly table: string | undefined;
}

export const WHOLE: Slice = { db: undefined, table: undefined };

export interface DescriberParts {
  readonly store: Store;
  readonly engines: Engines;
  readonly snapshots: SchemaSnapshots;
  readonly grants: GrantBook;
  readonly prefix: string;
  readonly maxPageSize: number;
  /** `false` if the service has no apps. */
  readonly hasApps: boolean;
  /** Version of the service. Two versions may describe the same space differently. */
  readonly version: string;
}

const MAX_CONCURRENT_DATABASES = 16;

/** A database with its name in the slice or the project. */
interface NamedDatabase extends Located {
  readonly type: string;
  readonly database: string;
}

/** Limit of the tables in all cached descriptions. */
const MAX_TABLES = 20_000;

interface DescribedDatabase {
  /** Made on demand, since a cached document needs only the key. */
  readonly tables: () => Promise<readonly DescribedTable[]>;
  readonly unreachable: readonly string[];
  /** Values that the key of the description depends on. */
  readonly parts: readonly string[];
}

export class Describer {
  readonly #parts: DescriberParts;
  readonly #endpoints: Endpoints;
  readonly #tablesByKey = new BoundedMap<string, readonly DescribedTable[]>(MAX_TABLES, { sizeOf: (tables) => tables.length + 1 });

  constructor(parts: DescriberParts) {
    this.#parts = parts;
    this.#endpoints = new Endpoints(parts.store, parts.engines);
  }

  async describe(caller: SpaceCaller, context: ProjectContext, slice: Slice = WHOLE): Promise<Description> {
    const { prefix, maxPageSize } = this.#parts;
    if (slice.db === undefined && slice.table !== undefined) throw apiError('bad_parameter', 'table', 'it goes with db');
    const named = slice.db === undefined ? this.#all(context) : [this.#named(context, slice.db)];
    const effective = await effectivePersonaOf(this.#parts.store, caller, context);
    const found = await this.#tables({ caller, context, effective }, named, slice);
    const endpoints = slice.db === undefined ? await this.#endpoints.find(caller) : { endpoints: [], key: '' };
    const apps = slice.db === undefined ? await this.#apps(caller) : undefined;
    const unreadable = slice.db === undefined ? [...context.unreadable.keys()] : [];
    const unreachable = [...found.unreachable, ...unreadable];
    const { org, project, space } = placeOf(caller, context);
    const letters = caller.keyType ?? '';
    const persona = effective.kind === 'persona' ? `${effective.persona.persona} ${effective.persona.revision}` : effective.kind;
    const place = [
      this.#parts.version,
      prefix,
      org,
      project,
      context.project.projectId,
      space,
      maxPageSize,
      letters,
      persona,
      slice.db,
      slice.table,
    ];
    const key = digest([...place, ...found.parts, unreachable.join(), endpoints.key, apps]);
    return {
      key,
      prefix,
      org,
      project,
      space,
      maxPageSize,
      tables: async () => {
        const tables = this.#tablesByKey.get(key) ?? (await found.tables());
        this.#tablesByKey.set(key, tables);
        return tables;
      },
      endpoints: callable(endpoints.endpoints, caller),
      apps,
      unreachable,
    };
  }

  async outline(caller: SpaceCaller, context: ProjectContext): Promise<Outline> {
    const effective = await effectivePersonaOf(this.#parts.store, caller, context);
    const { endpoints } = await this.#endpoints.find(caller);
    const isGranted = (operation: Operation): boolean =>
      allows(caller, LETTERS[operation]) &&
      [...context.entries.values()].some(
        (entry) => (operation === 'read' || entry.readOnly !== true) && this.#grants({ caller, context, effective }, entry, operation),
      );
    return {
      ...placeOf(caller, context),
      endpoints: callable(endpoints, caller),
      operations: new Set(OPERATIONS.filter(isGranted)),
      hasApps: this.#parts.hasApps,
    };
  }

  /** Apps that the caller may open. */
  async #apps(caller: SpaceCaller): Promise<readonly DescribedApp[] | undefined> {
    if (!this.#parts.hasApps) return undefined;
    const apps = await this.#parts.store.apps(caller.orgId, caller.projectId, caller.spaceId);
    const open = [...(apps?.values() ?? [])].filter(({ permission }) => permission.some((role) => caller.roles.has(role)));
    return open.map(({ app, title }) => ({ app, title }));
  }

  /**
   * Returns the table of a reference such as `pg/shop/orders`. Throws if the caller may not see it.
   * The name of a table may contain slashes.
   */
  async table(caller: SpaceCaller, context: ProjectContext, ref: string): Promise<DescribedTable> {
    const [, db, name] = /^([^/]*\/[^/]*)\/(.*)$/s.exec(ref) ?? [];
    if (db === undefined) throw apiError('bad_parameter', 'table', 'name it as pg/shop/orders');
    const { tables, unreachable } = await this.describe(caller, context, { db, table: name });
    if (unreachable.length > 0) throw apiError('database_unreachable');
    const [table] = await tables();
    if (table === undefined) throw apiError('table_unknown', ref);
    return table;
  }

  #all({ entries }: ProjectContext): readonly NamedDatabase[] {
    return Array.from(entries.values(), (entry) => ({
      entry,
      schema: undefined,
      type: entry.type,
      database: entry.alias ?? entry.database,
    }));
  }

  #named(context: ProjectContext, db: string): NamedDatabase {
    const slash = db.indexOf('/');
    const type = slash < 0 ? db : db.slice(0, slash);
    const database = slash < 0 ? '' : db.slice(slash + 1);
    const engine = this.#parts.engines.find(type);
    if (engine === undefined) throw apiError('path_db_type_unknown', type, this.#parts.engines.types);
    return { ...locateDatabase(context, engine, database), type, database };
  }

  async #tables(request: DescriptionRequest, named: readonly NamedDatabase[], slice: Slice): Promise<DescribedDatabase> {
    const found: (DescribedDatabase | undefined)[] = [];
    const waiting = [...named.entries()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        found[next[0]] = await this.#database(request, next[1], slice);
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_DATABASES }, worker));
    const all = found.filter((one) => one !== undefined);
    return {
      tables: async () => (await Promise.all(all.map(({ tables }) => tables()))).flat(),
      unreachable: all.flatMap(({ unreachable }) => unreachable),
      parts: all.flatMap(({ parts }) => parts),
    };
  }

  async #database(request: DescriptionRequest, named: NamedDatabase, slice: Slice): Promise<DescribedDatabase> {
    const { type, database } = named;
    const view = this.#viewOf(request, named);
    const began = performance.now();
    const known = await this.#parts.snapshots.find(named);
    const isMissed =
      slice.table !== undefined && known.kind === 'seen' && !known.tables.some(({ name }) => name === slice.table && view.sees(name));
    const snapshot = isMissed ? await this.#parts.snapshots.find(named, began) : known;
    if (snapshot.kind === 'silent') return { tables: none, unreachable: [`${type}/${database}`], parts: [] };
    if (snapshot.kind === 'absent') {
      if (slice.db !== undefined) throw apiError('schema_unknown', database);
      return { tables: none, unreachable: [], parts: [] };
    }
    const seen = slice.table === undefined ? snapshot.tables : snapshot.tables.filter(({ name }) => name === slice.table);
    const describe = async (): Promise<readonly DescribedTable[]> => {
      const keys = keysByTable(snapshot);
      const described = await mapCooperatively(seen, tenantOf(named.entry), (table): DescribedTable[] => {
        const rights = rightsOf(view, request.caller, named.entry, table);
        if (Object.keys(rights).length === 0) return [];
        const shown = view.visibleKeys(keys.get(table.name) ?? []);
        return [{ ref: `${type}/${database}/${table.name}`, type, database, table, keys: shown, rights }];
      });
      return described.flat();
    };
    if (slice.table !== undefined && (await describe()).length === 0) throw apiError('table_unknown', slice.table);
    return { tables: describe, unreachable: [], parts: [snapshot.id, named.entry.id] };
  }

  /** `true` if the caller's persona grants an operation in some schema of a database. */
  #grants({ caller, context, effective }: DescriptionRequest, entry: Entry, operation: Operation): boolean {
    if (effective.kind !== 'persona') return effective.kind === 'unrestricted';
    return this.#parts.grants.everywhereIn(effective.persona, context, caller, entry).some((granted) => granted.grants(operation));
  }

  #viewOf({ caller, context, effective }: DescriptionRequest, { entry, schema }: NamedDatabase): TableView {
    return viewBy(this.#parts.grants, effective, { caller, context, entry, schema });
  }
}

const none = (): Promise<readonly DescribedTable[]> => Promise.resolve([]);

type Seen = Extract<SchemaSnapshot, { readonly kind: 'seen' }>;
/** The foreign keys of a snapshot by the table that has them. */
const keysByTable = memo(({ keys }: Seen): ReadonlyMap<string, readonly ForeignKey[]> => {
  const byTable = new Map<string, ForeignKey[]>();
  for (const key of keys) byTable.set(key.table, [...(byTable.get(key.table) ?? []), key]);
  return byTable;
});

interface DescriptionRequest {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  readonly effective: EffectivePersona;
}

function placeOf({ spaceId }: SpaceCaller, { org, project, spaces }: ProjectContext): Pick<Outline, 'org' | 'project' | 'space'> {
  return { org: org.abbreviation, project: project.abbreviation, space: spaces.get(spaceId)?.name ?? '' };
}

function callable(endpoints: readonly DescribedEndpoint[], caller: SpaceCaller): readonly DescribedEndpoint[] {
  return endpoints.filter(({ method }) => allows(caller, methodLetter(method)));
}

function methodLetter(method: DescribedEndpoint['method']): string {
  return method === 'get' ? 'r' : method === 'delete' ? 'd' : 'w';
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
