/**
 * Does a persona fit the databases as they are? Asked at deploy: tables, columns and values of rules that do not fit are refused; a database that
 * cannot be asked is a warning. Knows nothing of requests.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DbFailure } from '../engines/contract/engine.ts';
import type { Engines } from '../engines/registry.ts';
import type { CatalogCache } from '../engines/schema/catalog-cache.ts';
import { ApiError } from '../errors.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import type { GrantedTable, Persona, TableKey } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import type { Table } from '../model/table.ts';
import { isEveryOther } from './document.ts';
import { type DocumentReader, reasonOf } from './document-reader.ts';
import { childPath } from './source.ts';
import { compileRights } from './table-rights.ts';

/** So many tables are asked for at a time. */
const AT_ONCE = 8;
/** From so many tables of a schema on, all of it is read at once. */
const MANY = 40;
/** A database that has not answered by then counts as one that cannot be reached. */
const PATIENCE_MS = 10_000;
const SILENT = Symbol('a database that cannot be reached');

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

/** Tables of one schema that have entries of their own. */
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
  /** Entries that did not answer. */
  readonly #silent = new Set<string>();

  constructor(reader: DocumentReader, parts: CheckParts) {
    this.#reader = reader;
    this.#parts = parts;
  }

  /** Notes what is wrong with an entry whatever its database says, and that this is to be asked. */
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
    const all = tables.length < MANY ? undefined : await this.#ask(located, tables[0], () => catalog.describeSchema(entry, schema));
    const found: (Table | typeof SILENT | undefined)[] = tables.map(({ table }) => (all === SILENT ? SILENT : all?.get(table)));
    const waiting = [...tables.entries()].filter(([index]) => found[index] === undefined);
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, granted] = next;
        found[index] = await this.#ask(located, granted, () => catalog.read({ entry, schema, table: granted.table }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    for (const [index, { path, grants }] of tables.entries()) {
      const table = found[index];
      if (table === undefined) this.#reader.refused(path, 'is a table that the database does not have');
      else if (table !== SILENT)
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

  /** A database that did not answer is not asked again. */
  async #ask<T>({ entry }: Located, named: TableKey | undefined, work: () => Promise<T>): Promise<T | typeof SILENT> {
    if (this.#silent.has(entry.id)) return SILENT;
    const patience = new AbortController();
    const late = delay(PATIENCE_MS, SILENT, { signal: patience.signal, ref: false });
    late.catch(() => undefined);
    try {
      const found = await Promise.race([work(), late]);
      if (found !== SILENT) return found;
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError)) throw error;
    } finally {
      patience.abort();
    }
    this.#silent.add(entry.id);
    this.warnings.add(`${named?.type}/${named?.database} cannot be reached, so its tables and columns were not checked.`);
    return SILENT;
  }
}
