/**
 * Grants of personas by database, schema and table. A document is read on its first use; rights are
 * compiled once per version of a table. Must not know requests.
 */
import type { Access, CursorSeal, Restriction, TableRights } from '../auto/plan/access.ts';
import type { Engines } from '../engines/registry.ts';
import { ApiError } from '../errors.ts';
import type { Caller, SpaceCaller } from '../model/caller.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import type { Entry } from '../model/entry.ts';
import type { Operation, Persona, PersonaRecord, TableGrants } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import { type DeclaredKey, type KeySide, ownName } from '../model/relation.ts';
import type { Table } from '../model/table.ts';
import { writeJson } from '../util/json/json.ts';
import { memo } from '../util/memo.ts';
import { isEveryOther, readPersona } from './document.ts';
import { compileRights } from './table-rights.ts';

/** Grants of the same persona in all schemas of a database. */
interface Siblings {
  readonly own: string;
  in(schema: string): SchemaGrants | undefined;
}

/** Grants of one persona in one schema. */
export class SchemaGrants {
  readonly #persona: PersonaRecord;
  readonly #seal: CursorSeal;
  readonly #siblings: Siblings | undefined;
  readonly #own = new Map<string, TableGrants>();
  #others: TableGrants | undefined;
  readonly #rights = new WeakMap<Table, TableRights>();
  readonly accessFor = memo((caller: SpaceCaller): Access => new CallerAccess(caller, this.#persona, this, this.#seal));

  /** `siblings`: the other schemas of the database, on engines that have schemas. */
  constructor(persona: PersonaRecord, seal: CursorSeal, siblings?: Siblings) {
    this.#persona = persona;
    this.#seal = seal;
    this.#siblings = siblings;
  }

  add(table: string, grants: TableGrants): void {
    this.#own.set(table, grants);
  }

  addOthers(grants: TableGrants): void {
    this.#others = grants;
  }

  /** `undefined` if tables of that name are hidden, whether one exists or not. */
  grantsOf(name: string): TableGrants | undefined {
    const grants = this.#own.get(name) ?? this.#others;
    return grants !== undefined && isAny(grants) ? grants : undefined;
  }

  /** `true` if the operation is granted on any table, existing or not. */
  grants(operation: Operation): boolean {
    return [...this.#own.values(), this.#others].some((grants) => grants?.[operation] !== undefined);
  }

  /** The keys whose columns may be read on both sides. Does not need the tables' descriptions. */
  visibleKeys<K extends DeclaredKey>(keys: readonly K[]): readonly K[] {
    return keys.filter((key) => this.#readsSide(key) && this.#readsSide(key.references));
  }

  #readsSide(side: KeySide): boolean {
    const grants = side.schema === undefined ? this : this.#siblings?.in(side.schema);
    return grants?.reads(ownName(side), side.columns) === true;
  }

  /** `true` if these columns may be read without masks. */
  reads(table: string, columns: readonly string[]): boolean {
    const read = this.grantsOf(table)?.read;
    if (read === undefined) return false;
    const isReadable = (name: string): boolean =>
      read.columns === undefined ? read.except?.includes(name) !== true : read.columns.includes(name);
    return columns.every((name) => isReadable(name) && !read.mask.has(name));
  }

  /**
   * `true` if tables that are not named are granted. Then hidden tables must not be revealed by
   * timing.
   */
  get opensOthers(): boolean {
    return this.#others !== undefined && isAny(this.#others);
  }

  /** A table of another schema has the rights that are granted there. */
  rightsOn(table: Table): TableRights | undefined {
    if (this.#siblings !== undefined && table.schema !== this.#siblings.own) return this.#siblings.in(table.schema)?.rightsOn(table);
    let rights = this.#rights.get(table);
    if (rights === undefined) {
      const grants = this.grantsOf(table.name);
      if (grants === undefined) return undefined;
      rights = compileRights(grants, table);
      this.#rights.set(table, rights);
    }
    return rights;
  }
}

function isAny({ read, insert, update, delete: remove }: TableGrants): boolean {
  return read !== undefined || insert !== undefined || update !== undefined || remove !== undefined;
}

class CallerAccess implements Access {
  readonly restriction: Restriction;
  readonly isBlind = false;
  readonly #persona: PersonaRecord;
  #key: string | undefined;

  constructor(caller: SpaceCaller, persona: PersonaRecord, grants: SchemaGrants, seal: CursorSeal) {
    this.#persona = persona;
    this.restriction = {
      subject: { caller, persona: persona.persona },
      seal,
      rightsOn: (table) => grants.rightsOn(table),
      visibleKeys: (keys) => grants.visibleKeys(keys),
    };
  }

  /** Contains everything that a rule may depend on. */
  get key(): string {
    const { caller } = this.restriction.subject;
    this.#key ??= writeJson([this.#persona.revision, caller.spaceId, caller.userId, [...caller.roles].sort(), caller.claims ?? null]);
    return this.#key;
  }
}

/** Grants of a persona in a project. */
class Grants {
  readonly #schemas = new Map<Entry, Map<string, SchemaGrants>>();

  constructor(record: PersonaRecord, document: Persona, context: ProjectContext, engines: Engines, seal: CursorSeal) {
    for (const granted of document.tables) {
      const located = locate(granted.type, granted.database, context, engines);
      if (located === undefined) continue;
      const grants = this.#enter(located, engines, (siblings) => new SchemaGrants(record, seal, siblings));
      if (isEveryOther(granted)) grants.addOthers(granted.grants);
      else grants.add(granted.table, granted.grants);
    }
  }

  #enter({ entry, schema }: Located, engines: Engines, make: (siblings: Siblings | undefined) => SchemaGrants): SchemaGrants {
    const schemas = this.#schemas.get(entry) ?? new Map<string, SchemaGrants>();
    this.#schemas.set(entry, schemas);
    const capabilities = engines.find(entry.type)?.capabilities;
    const name = schema ?? capabilities?.defaultSchema ?? '';
    const siblings = capabilities?.schemas === true ? { own: name, in: (other: string) => schemas.get(other) } : undefined;
    const grants = schemas.get(name) ?? make(siblings);
    schemas.set(name, grants);
    return grants;
  }

  everywhereIn(entry: Entry): readonly SchemaGrants[] {
    return [...(this.#schemas.get(entry)?.values() ?? [])];
  }

  in(entry: Entry, schema: string | undefined, engines: Engines): SchemaGrants | undefined {
    return this.#schemas.get(entry)?.get(schema ?? engines.find(entry.type)?.capabilities.defaultSchema ?? '');
  }
}

/** `undefined` if the project no longer has the database. */
function locate(type: string, database: string, context: ProjectContext, engines: Engines): Located | undefined {
  const engine = engines.find(type);
  if (engine === undefined) return undefined;
  try {
    return locateDatabase(context, engine, database);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

export class GrantBook {
  readonly #engines: Engines;
  readonly #seal: (owner: string) => CursorSeal;
  readonly #read = memo(({ document }: PersonaRecord): Persona => readPersona(document, 'json', () => true).persona);
  readonly #projects = memo((_: PersonaRecord) => new WeakMap<ProjectContext, Grants>());

  constructor(engines: Engines, seal: (owner: string) => CursorSeal) {
    this.#engines = engines;
    this.#seal = seal;
  }

  /** `undefined` if the persona grants nothing in the schema. */
  in(persona: PersonaRecord, context: ProjectContext, caller: Caller, entry: Entry, schema: string | undefined): SchemaGrants | undefined {
    return this.#of(persona, context, caller).in(entry, schema, this.#engines);
  }

  /** Returns the grants in all schemas of a database that the persona names. */
  everywhereIn(persona: PersonaRecord, context: ProjectContext, caller: Caller, entry: Entry): readonly SchemaGrants[] {
    return this.#of(persona, context, caller).everywhereIn(entry);
  }

  #of(persona: PersonaRecord, context: ProjectContext, { spaceId = '' }: Caller): Grants {
    const projects = this.#projects(persona);
    let grants = projects.get(context);
    if (grants === undefined) {
      const seal = this.#seal(`${spaceId} ${persona.persona}`);
      grants = new Grants(persona, this.#read(persona), context, this.#engines, seal);
      projects.set(context, grants);
    }
    return grants;
  }
}
