/**
 * Does a persona fit the databases as they are? Asked at deploy: tables, columns and values of rules that do not fit are refused; a database that
 * cannot be asked is a warning. Knows nothing of requests.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogCache } from '../engines/catalog-cache.ts';
import { DbFailure } from '../engines/engine.ts';
import type { Engines } from '../engines/registry.ts';
import { ApiError } from '../errors.ts';
import { type Located, locateDatabase } from '../model/database-name.ts';
import type { GrantedTable, Persona } from '../model/persona.ts';
import type { ProjectContext } from '../model/project.ts';
import type { Table } from '../model/table.ts';
import { isEveryOther } from './document.ts';
import { type DocumentReader, reasonOf } from './document-reader.ts';
import { childPath } from './source.ts';
import { compileRights } from './table-rights.ts';

/** So many tables are asked for at a time. */
const AT_ONCE = 8;
/** A database that has not answered by then counts as one that cannot be reached. */
const PATIENCE_MS = 10_000;

export interface CheckParts {
  readonly engines: Engines;
  readonly catalog: CatalogCache;
  readonly context: ProjectContext;
}

export async function checkPersona(persona: Persona, reader: DocumentReader, parts: CheckParts): Promise<readonly string[]> {
  const check = new Check(reader, parts);
  const waiting = [...persona.tables];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await check.table(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return [...check.warnings];
}

class Check {
  readonly warnings = new Set<string>();
  readonly #reader: DocumentReader;
  readonly #parts: CheckParts;
  readonly #seen = new Set<string>();
  /** Entries that did not answer. */
  readonly #silent = new Set<string>();

  constructor(reader: DocumentReader, parts: CheckParts) {
    this.#reader = reader;
    this.#parts = parts;
  }

  async table(granted: GrantedTable): Promise<void> {
    const { type, database, table: name } = granted;
    const path = childPath('tables', `${type}/${database}/${name}`);
    const located = this.#locate(granted, path);
    if (located === undefined) return;
    const schema = located.schema ?? this.#parts.engines.find(type)?.capabilities.defaultSchema;
    const known = `${located.entry.id} ${schema} ${name}`;
    if (this.#seen.has(known)) this.#reader.malformed(path, 'is the same table as another entry');
    this.#seen.add(known);
    if (isEveryOther(granted) || this.#silent.has(located.entry.id)) return;
    const table = await this.#find(located, granted);
    if (table === 'silent') return;
    if (table === undefined) this.#reader.refused(path, 'is a table that the database does not have');
    else
      compileRights(granted.grants, table, (operation, where, why) => this.#reader.refused(`${childPath(path, operation)}.${where}`, why));
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

  async #find({ entry, schema }: Located, { type, database, table }: GrantedTable): Promise<Table | 'silent' | undefined> {
    const patience = new AbortController();
    const late = delay(PATIENCE_MS, 'silent' as const, { signal: patience.signal, ref: false });
    late.catch(() => undefined);
    try {
      const found = await Promise.race([this.#parts.catalog.find({ entry, schema, table }), late]);
      if (found !== 'silent') return found;
    } catch (error) {
      if (!(error instanceof DbFailure) && !(error instanceof ApiError)) throw error;
    } finally {
      patience.abort();
    }
    this.#silent.add(entry.id);
    this.warnings.add(`${type}/${database} cannot be reached, so its tables and columns were not checked.`);
    return 'silent';
  }
}
