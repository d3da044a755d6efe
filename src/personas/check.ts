/**
 * Compares a persona with the databases when it is deployed. Unknown tables and columns and invalid
 * values are errors; an unreachable database is a warning.
 */
import type { Engines } from '../engines/registry.ts';
import type { CatalogCache } from '../engines/schema/catalog-cache.ts';
import { ReachableDatabases, UNREACHABLE } from '../engines/schema/reachable.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import type { GrantedTable, Persona, TableKey } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import type { Table } from '../model/table.ts';
import { isEveryOther } from './document.ts';
import { type DocumentReader, reasonOf } from './document-reader.ts';
import { childPath } from './source.ts';
import { compileRights } from './table-rights.ts';

/** Tables that are read concurrently. */
const CONCURRENCY = 8;
/** From this number of tables on, the whole schema is read at once. */
const WHOLE_SCHEMA_FROM = 40;

export interface CheckParts {
  readonly engines: Engines;
  readonly catalog: CatalogCache;
  readonly context: ProjectContext;
}

export async function checkPersona(persona: Persona, reader: DocumentReader, parts: CheckParts): Promise<readonly string[]> {
  const check = new Check(reader, parts);
  for (const granted of persona.tables) check.add(granted);
  await check.run();
  return [...check.warnings];
}

/** Tables of one schema that the persona names. */
interface SchemaCheck {
  readonly located: Located;
  readonly tables: (GrantedTable & { readonly path: string })[];
}

class Check {
  readonly warnings = new Set<string>();
  readonly #reader: DocumentReader;
  readonly #parts: CheckParts;
  readonly #seen = new Set<string>();
  readonly #schemas = new Map<string, SchemaCheck>();
  readonly #databases = new ReachableDatabases();

  constructor(reader: DocumentReader, parts: CheckParts) {
    this.#reader = reader;
    this.#parts = parts;
  }

  /** Checks a table entry without its database, and schedules the check of the table. */
  add(granted: GrantedTable): void {
    const { type, database, table: name } = granted;
    const path = childPath('tables', `${type}/${database}/${name}`);
    const located = this.#locate(granted, path);
    if (located === undefined) return;
    const schema = `${located.entry.id} ${located.schema ?? this.#parts.engines.find(type)?.capabilities.defaultSchema}`;
    const known = `${schema} ${name}`;
    if (this.#seen.has(known)) this.#reader.malformed(path, 'is the same table as another entry');
    this.#seen.add(known);
    if (isEveryOther(granted)) return;
    const check = this.#schemas.get(schema) ?? { located, tables: [] };
    this.#schemas.set(schema, check);
    check.tables.push({ ...granted, path });
  }

  async run(): Promise<void> {
    for (const schema of this.#schemas.values()) await this.#schema(schema);
  }

  async #schema({ located, tables }: SchemaCheck): Promise<void> {
    const { entry, schema } = located;
    const { catalog } = this.#parts;
    const all =
      tables.length < WHOLE_SCHEMA_FROM ? undefined : await this.#query(located, tables[0], () => catalog.describeSchema(entry, schema));
    const tablesRead: (Table | typeof UNREACHABLE | undefined)[] = tables.map(({ table }) =>
      all === UNREACHABLE ? UNREACHABLE : all?.get(table),
    );
    const waiting = [...tables.entries()].filter(([index]) => tablesRead[index] === undefined);
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, granted] = next;
        tablesRead[index] = await this.#query(located, granted, () => catalog.read({ entry, schema, table: granted.table }));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    for (const [index, { path, grants }] of tables.entries()) {
      const table = tablesRead[index];
      if (table === undefined) this.#reader.refused(path, 'is a table that the database does not have');
      else if (table !== UNREACHABLE)
        compileRights(grants, table, (operation, where, why) => this.#reader.refused(`${childPath(path, operation)}.${where}`, why));
    }
  }

  #locate({ type, database }: GrantedTable, path: string): Located | undefined {
    const engine = this.#parts.engines.find(type);
    if (engine === undefined) return undefined;
    try {
      return locateDatabase(this.#parts.context, engine, database);
    } catch (error) {
      this.#reader.refused(path, `cannot be granted: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /** Runs a query, and warns if the database does not respond. */
  async #query<T>({ entry }: Located, key: TableKey | undefined, work: () => Promise<T>): Promise<T | typeof UNREACHABLE> {
    const result = await this.#databases.query(entry, work);
    if (result === UNREACHABLE)
      this.warnings.add(`${key?.type}/${key?.database} cannot be reached, so its tables and columns were not checked.`);
    return result;
  }
}
