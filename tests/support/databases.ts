// One database on each of several engines, for tests that run on all of them.
import { createDatabase, type DatabaseEntry, type EngineName, type TestDatabase } from './engines.ts';

export class Databases {
  readonly #byEngine = new Map<EngineName, TestDatabase>();

  /** `fill` creates the tables of each database. */
  async create(engines: readonly EngineName[], fill?: (database: TestDatabase) => Promise<void>): Promise<void> {
    for (const engine of engines) {
      const database = await createDatabase(engine);
      this.#byEngine.set(engine, database);
      await fill?.(database);
    }
  }

  on(engine: EngineName): TestDatabase {
    const database = this.#byEngine.get(engine);
    if (database === undefined) throw new Error(`no database on ${engine}`);
    return database;
  }

  /** Entries that register the databases in a project; `changes` replaces fields. */
  entries(changes?: Partial<DatabaseEntry>): readonly DatabaseEntry[] {
    return Array.from(this.#byEngine.values(), (database) => database.entry(changes));
  }

  async drop(): Promise<void> {
    for (const database of this.#byEngine.values()) await database.drop();
  }
}
