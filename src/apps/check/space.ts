/**
 * The space that an app is compared with: its tables, relations, endpoints and apps. Reads
 * catalogues and definitions, never rows.
 */
import { UNRESTRICTED } from '../../auto/plan/access.ts';
import { Reach, type RelatedReferences, tablesReached } from '../../auto/plan/relations.ts';
import type { EndpointResolver } from '../../custom/call/endpoint-resolver.ts';
import type { Engines } from '../../engines/registry.ts';
import type { CatalogCache } from '../../engines/schema/catalog-cache.ts';
import { ReachableDatabases, UNREACHABLE } from '../../engines/schema/reachable.ts';
import type { RelationCache } from '../../engines/schema/relation-cache.ts';
import { ApiError } from '../../errors.ts';
import { type Located, locateDatabase } from '../../model/database-name.ts';
import type { TableKey } from '../../model/persona.ts';
import type { ProjectContext, SpaceScope } from '../../model/project.ts';
import type { Table } from '../../model/table.ts';
import type { Store } from '../../store/store.ts';

export interface SpaceServices {
  readonly store: Store;
  readonly engines: Engines;
  readonly catalog: CatalogCache;
  readonly relations: RelationCache;
  readonly resolver: EndpointResolver;
}

export interface SpaceParts extends SpaceServices {
  readonly scope: SpaceScope;
  /** The project with the databases of the space. */
  readonly context: ProjectContext;
}

export type FoundTable =
  | { readonly kind: 'found'; readonly table: Table; readonly located: Located }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'absent'; readonly reason: string };

export class TargetSpace {
  readonly parts: SpaceParts;
  readonly warnings = new Set<string>();
  readonly #databases = new ReachableDatabases();
  readonly #tables = new Map<string, Promise<FoundTable>>();

  constructor(parts: SpaceParts) {
    this.parts = parts;
  }

  table(key: TableKey): Promise<FoundTable> {
    const name = nameOf(key);
    const known = this.#tables.get(name) ?? this.#find(key);
    this.#tables.set(name, known);
    return known;
  }

  async #find({ type, database, table: name }: TableKey): Promise<FoundTable> {
    const { engines, context, catalog } = this.parts;
    const engine = engines.find(type);
    if (engine === undefined) return { kind: 'absent', reason: `names the database type ${type}, which is not served` };
    let located: Located;
    try {
      located = locateDatabase(context, engine, database);
    } catch (error) {
      return { kind: 'absent', reason: `cannot be read: ${reasonOf(error)}` };
    }
    const { entry, schema } = located;
    const table = await this.#databases.query(entry, () => catalog.read({ entry, schema, table: name }));
    if (table === UNREACHABLE) return this.#unreachable(type, database);
    return table === undefined
      ? { kind: 'absent', reason: 'is a table that the database does not have' }
      : { kind: 'found', table, located };
  }

  #unreachable(type: string, database: string): FoundTable {
    this.warnings.add(`${type}/${database} cannot be reached, so its tables and columns were not checked.`);
    return { kind: 'unreachable' };
  }

  /** Relations of a table, as far as a request uses them; `undefined` if they cannot be read. */
  async reach({ table, located }: Extract<FoundTable, { kind: 'found' }>, used: RelatedReferences): Promise<Reach | undefined> {
    const { entry, schema } = located;
    const around = (): ReturnType<RelationCache['around']> =>
      this.parts.relations.around({ entry, schema }, (keys) => tablesReached(table.name, used, keys));
    const neighbours = await this.#databases.query(entry, around);
    if (neighbours !== UNREACHABLE) return new Reach(neighbours, UNRESTRICTED);
    this.#unreachable(entry.type, entry.alias ?? entry.database);
    return undefined;
  }
}

function nameOf({ type, database, table }: TableKey): string {
  return `${type}/${database}/${table}`;
}

/** Message of an ApiError without its full stop. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.message.replace(/[.\s]+$/, '');
  throw error;
}
