/**
 * Caller and space → Description. Tables come from the pictures of their schemas, endpoints from the records of the space, and both are narrowed
 * to what the caller may do: its token's rights and its persona. Knows no document that is made of it.
 */
import { createHash } from 'node:crypto';
import type { Engines } from '../engines/registry.ts';
import { apiError } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import { type Entry, ownerOf } from '../model/entry.ts';
import type { Operation } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import type { ForeignKey } from '../model/relation.ts';
import type { Table } from '../model/table.ts';
import { type EffectivePersona, effectivePersonaOf } from '../personas/effective-persona.ts';
import type { GrantBook, SchemaGrants } from '../personas/grants.ts';
import type { Store } from '../store/store.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { mapCooperatively } from '../util/concurrency/slices.ts';
import {
  type DescribedEndpoint,
  type DescribedRight,
  type DescribedRights,
  type DescribedTable,
  type Description,
  OPERATIONS,
  type Outline,
} from './description.ts';
import { Endpoints } from './endpoints.ts';
import type { SchemaSnapshot, SchemaSnapshots } from './schema-snapshots.ts';

/** The part of a space that is asked for. */
export interface Slice {
  readonly db: string | undefined;
  readonly table: string | undefined;
}

export const WHOLE: Slice = { db: undefined, table: undefined };

export interface DescriberParts {
  readonly store: Store;
  readonly engines: Engines;
  readonly pictures: SchemaSnapshots;
  readonly grants: GrantBook;
  readonly prefix: string;
  readonly maxPageSize: number;
  /** Of the service: another one may describe the same in other words. */
  readonly version: string;
}

/** So many databases are asked at a time. */
const AT_ONCE = 16;

/** The letter of a token's key_type that an operation needs. */
const LETTERS: Readonly<Record<Operation, string>> = { read: 'r', insert: 'w', update: 'w', delete: 'd' };

/** A database as the slice or the project names it. */
interface Named extends Located {
  readonly type: string;
  readonly database: string;
}

/** Tables of descriptions that are remembered, of all of them. */
const MOST_TABLES = 20_000;

interface Found {
  /** Made when somebody reads them: a document that is known needs only the key. */
  readonly tables: () => Promise<readonly DescribedTable[]>;
  readonly unreachable: readonly string[];
  /** What the key is made of. */
  readonly parts: readonly string[];
}

export class Describer {
  readonly #parts: DescriberParts;
  readonly #endpoints: Endpoints;
  readonly #tablesByKey = new BoundedMap<string, readonly DescribedTable[]>(MOST_TABLES, { sizeOf: (tables) => tables.length + 1 });

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
    const key = digest([...place, ...found.parts, unreachable.join(), endpoints.key]);
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
    };
  }

  /** One table, as `pg/shop/orders` names it. Throws when there is none that the caller may see. */
  async table(caller: SpaceCaller, context: ProjectContext, ref: string): Promise<DescribedTable> {
    const slash = ref.lastIndexOf('/');
    if (slash === ref.indexOf('/')) throw apiError('bad_parameter', 'table', 'name it as pg/shop/orders');
    const { tables, unreachable } = await this.describe(caller, context, { db: ref.slice(0, slash), table: ref.slice(slash + 1) });
    if (unreachable.length > 0) throw apiError('database_unreachable');
    const [table] = await tables();
    if (table === undefined) throw apiError('table_unknown', ref);
    return table;
  }

  #all({ entries }: ProjectContext): readonly Named[] {
    return Array.from(entries.values(), (entry) => ({
      entry,
      schema: undefined,
      type: entry.type,
      database: entry.alias ?? entry.database,
    }));
  }

  #named(context: ProjectContext, db: string): Named {
    const slash = db.indexOf('/');
    const type = slash < 0 ? db : db.slice(0, slash);
    const database = slash < 0 ? '' : db.slice(slash + 1);
    const engine = this.#parts.engines.find(type);
    if (engine === undefined) throw apiError('path_db_type_unknown', type, this.#parts.engines.types);
    return { ...locateDatabase(context, engine, database), type, database };
  }

  async #tables(asking: Asking, named: readonly Named[], slice: Slice): Promise<Found> {
    const found: (Found | undefined)[] = [];
    const waiting = [...named.entries()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        found[next[0]] = await this.#database(asking, next[1], slice);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const all = found.filter((one) => one !== undefined);
    return {
      tables: async () => (await Promise.all(all.map(({ tables }) => tables()))).flat(),
      unreachable: all.flatMap(({ unreachable }) => unreachable),
      parts: all.flatMap(({ parts }) => parts),
    };
  }

  async #database(asking: Asking, named: Named, slice: Slice): Promise<Found> {
    const { type, database } = named;
    const sight = this.#sight(asking, named);
    const began = performance.now();
    const known = await this.#parts.pictures.find(named);
    const isMissed =
      slice.table !== undefined && known.kind === 'seen' && !known.tables.some(({ name }) => name === slice.table && sight.sees(name));
    const picture = isMissed ? await this.#parts.pictures.find(named, began) : known;
    if (picture.kind === 'silent') return { tables: none, unreachable: [`${type}/${database}`], parts: [] };
    if (picture.kind === 'absent') {
      if (slice.db !== undefined) throw apiError('schema_unknown', database);
      return { tables: none, unreachable: [], parts: [] };
    }
    const seen = slice.table === undefined ? picture.tables : picture.tables.filter(({ name }) => name === slice.table);
    const describe = async (): Promise<readonly DescribedTable[]> => {
      const keys = keysOf(picture);
      const described = await mapCooperatively(seen, ownerOf(named.entry), (table): DescribedTable[] => {
        const rights = rightsOf(sight, asking.caller, named.entry, table);
        if (Object.keys(rights).length === 0) return [];
        const shown = (keys.get(table.name) ?? []).filter(
          ({ columns, references }) => sight.reads(table.name, columns) && sight.reads(references.table, references.columns),
        );
        return [{ ref: `${type}/${database}/${table.name}`, type, database, table, keys: shown, rights }];
      });
      return described.flat();
    };
    if (slice.table !== undefined && (await describe()).length === 0) throw apiError('table_unknown', slice.table);
    return { tables: describe, unreachable: [], parts: [picture.id, named.entry.id] };
  }

  /** Does the caller's persona grant an operation in some schema of a database? */
  #grants({ caller, context, effective }: Asking, entry: Entry, operation: Operation): boolean {
    if (effective.kind !== 'persona') return effective.kind === 'unrestricted';
    return this.#parts.grants.everywhereIn(effective.persona, context, caller, entry).some((granted) => granted.grants(operation));
  }

  /** What the caller's persona grants in a schema. */
  #sight({ caller, context, effective }: Asking, { entry, schema }: Named): Sight {
    if (effective.kind === 'unrestricted') return EVERYTHING;
    const granted = effective.kind === 'none' ? undefined : this.#parts.grants.in(effective.persona, context, caller, entry, schema);
    return granted === undefined ? NOTHING : sightOf(granted);
  }
}

const none = (): Promise<readonly DescribedTable[]> => Promise.resolve([]);

type Seen = Extract<SchemaSnapshot, { readonly kind: 'seen' }>;
const keysByTable = new WeakMap<Seen, ReadonlyMap<string, readonly ForeignKey[]>>();

/** The foreign keys of a picture by the table that has them. */
function keysOf(picture: Seen): ReadonlyMap<string, readonly ForeignKey[]> {
  const known = keysByTable.get(picture);
  if (known !== undefined) return known;
  const found = new Map<string, ForeignKey[]>();
  for (const key of picture.keys) found.set(key.table, [...(found.get(key.table) ?? []), key]);
  keysByTable.set(picture, found);
  return found;
}

interface Asking {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  readonly effective: EffectivePersona;
}

interface Sight {
  sees(table: string): boolean;
  rightsOn(table: Table): DescribedRights;
  reads(table: string, columns: readonly string[]): boolean;
}

const EVERYTHING: Sight = {
  sees: () => true,
  rightsOn: ({ columns }) => ({ read: { columns }, insert: { columns }, update: { columns }, delete: { columns: [] } }),
  reads: () => true,
};
const NOTHING: Sight = { sees: () => false, rightsOn: () => ({}), reads: () => false };

function sightOf(granted: SchemaGrants): Sight {
  const sees = (table: string): boolean => granted.grantsOf(table) !== undefined;
  return {
    sees,
    reads: (table, columns) => granted.reads(table, columns),
    rightsOn(table) {
      // A table of a name that is not granted is none, whatever else is.
      const rights = sees(table.name) ? granted.rightsOn(table)?.rights : undefined;
      const found = Object.entries(rights ?? {}).map(([operation, { columns, masks, maxPageSize }]) => {
        const shown = table.columns.filter((column) => columns.has(column));
        return [operation, { columns: shown, maxPageSize, masked: new Set(masks.keys()) }];
      });
      return Object.fromEntries(found) as DescribedRights;
    },
  };
}

/** What the caller may do with a table. A view is described as something to read: whether it takes writes is the engine's affair. */
function rightsOf(sight: Sight, caller: SpaceCaller, { readOnly: onlyReads = false }: Entry, table: Table): DescribedRights {
  const { read, insert, update, delete: remove } = sight.rightsOn(table);
  const isWritten = table.kind === 'table' && !onlyReads;
  const given = ({ columns }: DescribedRight): DescribedRight => ({ columns: columns.filter(({ readOnly }) => !readOnly) });
  // What the engine itself sorts by stays as it was written.
  const changed = update === undefined ? [] : given(update).columns.filter((column) => !table.sortedBy.includes(column));
  return {
    ...(read !== undefined && allows(caller, LETTERS.read) ? { read } : {}),
    ...(insert !== undefined && isWritten && allows(caller, LETTERS.insert) ? { insert: given(insert) } : {}),
    ...(changed.length > 0 && isWritten && allows(caller, LETTERS.update) ? { update: { columns: changed } } : {}),
    ...(remove !== undefined && isWritten && allows(caller, LETTERS.delete) ? { delete: remove } : {}),
  };
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

function allows({ keyType }: SpaceCaller, letter: string): boolean {
  return keyType === undefined || keyType.includes(letter);
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
