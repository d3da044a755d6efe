/**
 * The embedded driver: SQLite in one file, shared by all worker processes of the machine.
 *
 * One connection reads and sees committed data only; one writes under SQLite's single-writer lock.
 * The library is synchronous, so waits for the lock are short, and a writer that finds it taken
 * retries. After each write and at the end, SQLite's log is moved into the main file, so that a
 * copy of that file is a complete store.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'libsql';
import { apiError } from '../../errors.ts';
import { type ChangeFeed, type ChangeRow, type Freshness, READ_CHANGES } from '../change-feed.ts';
import { type Driver, type Sql, type SqlTypes, type SqlValue, unavailable } from '../sql-driver.ts';
import { checkContents, checkFile, OpenFiles, refuseBare } from './files.ts';

type Connection = InstanceType<typeof Database>;
type Statement = ReturnType<Connection['prepare']>;

/** Name of the main file in its folder. */
export const FILE = 'millrace.db';

/**
 * Time that the library may block for a lock, enough for the short transactions of other processes.
 */
const BUSY_MS = 50;
const WRITE_DEADLINE_MS = 10_000;
/** Time that a file without tables may be a store that another process is creating. */
const MAKING_MS = 2_000;
const CHECKPOINT_AFTER_MS = 1_000;
const LOOK_AT_FILES_EVERY_MS = 5_000;

/** Errors unrelated to the statement: the disk is full or gone, the file locked or read-only. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM)/;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

function translate(error: unknown): unknown {
  return UNAVAILABLE.test(codeOf(error)) ? unavailable(error) : error;
}

/**
 * One connection with its prepared statements, whose number is bounded by the code of this folder.
 */
export class SqliteSession {
  readonly #database: Connection;
  readonly #statements = new Map<string, Statement>();

  constructor(path: string) {
    this.#database = new Database(path, { timeout: BUSY_MS });
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  all(text: string, values: readonly SqlValue[] = []): unknown[] {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    if (statement.reader) return statement.all([...values]);
    statement.run([...values]);
    return [];
  }

  /** Prepares a query that returns one number, by the library's fastest path. */
  counter(text: string): () => number {
    const statement = this.#database.prepare(text).raw(true);
    return () => Number((statement.get() as unknown[])[0]);
  }

  close(): void {
    this.#database.close();
  }
}

async function whenFree(action: () => void): Promise<void> {
  const deadline = performance.now() + WRITE_DEADLINE_MS;
  for (;;) {
    try {
      action();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw translate(error);
      await delay(2 + Math.random() * 8);
    }
  }
}

export class SqliteDriver implements Driver {
  readonly name = 'embedded';
  readonly types: SqlTypes = { text: 'TEXT', integer: 'INTEGER', bigint: 'INTEGER', tableEnd: ' STRICT' };
  readonly #reader: SqliteSession;
  readonly #writer: SqliteSession;
  /** Counts the commits of all other connections. */
  readonly commits: () => number;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #files: OpenFiles | undefined;
  #checkpoint: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  readonly #path: string;

  private constructor(path: string, reader: SqliteSession, writer: SqliteSession) {
    this.#path = path;
    this.#reader = reader;
    this.#writer = writer;
    this.commits = reader.counter('PRAGMA data_version');
  }

  static async open(dataDir: string): Promise<SqliteDriver> {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const path = join(dataDir, FILE);
    const origin = checkFile(path);
    const writer = new SqliteSession(path);
    try {
      await whenFilled(path, origin, writer);
      await whenFree(() => writer.all('PRAGMA journal_mode = WAL'));
      // FULL writes every commit to disk before it returns; WAL's default would lose the last ones
      // on a power cut.
      writer.exec('PRAGMA synchronous = FULL');
      writer.exec('PRAGMA foreign_keys = ON');
      return new SqliteDriver(path, new SqliteSession(path), writer);
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /** Called when the tables are migrated: from now on these files are the store. */
  begin(onProblem: (what: string, cause: unknown) => void): void {
    this.#checkpointNow('TRUNCATE');
    this.#files = new OpenFiles(this.#path, () =>
      onProblem('the files of the embedded store were deleted or replaced; nothing can be stored until they are back', undefined),
    );
    this.#watch = setInterval(() => this.#files?.areTheSame(), LOOK_AT_FILES_EVERY_MS).unref();
  }

  /** Rejects writes to files that were replaced on disk. */
  verify(): void {
    if (this.#files?.areTheSame() === false) throw apiError('store_files_gone');
  }

  async all<R>(text: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    return this.readNow<R>(text, values);
  }

  readNow<R>(text: string, values?: readonly SqlValue[]): readonly R[] {
    try {
      return this.#reader.all(text, values) as R[];
    } catch (error) {
      throw translate(error);
    }
  }

  /** Writes of this process queue here; other processes wait for SQLite's lock. */
  write<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const result = this.#lastWrite.then(() => this.#transact(work));
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  async #transact<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const writer = this.#writer;
    this.verify();
    await whenFree(() => writer.exec('BEGIN IMMEDIATE'));
    try {
      const value = await work({ all: async <R>(text: string, values?: readonly SqlValue[]) => writer.all(text, values) as R[] });
      writer.exec('COMMIT');
      this.#checkpointSoon();
      this.verify();
      return value;
    } catch (error) {
      // SQLite has already rolled back after some errors (a full disk).
      try {
        writer.exec('ROLLBACK');
      } catch {}
      throw translate(error);
    }
  }

  async prepare(): Promise<void> {}

  /** Other processes detect the commit by its count. */
  async announce(): Promise<void> {}

  #checkpointSoon(): void {
    this.#checkpoint ??= setTimeout(() => {
      this.#checkpoint = undefined;
      this.#lastWrite = this.#lastWrite.then(() => this.#checkpointNow('PASSIVE'));
    }, CHECKPOINT_AFTER_MS).unref();
  }

  /**
   * Runs between transactions only. If it is blocked, the next write or the next start repeats it.
   */
  #checkpointNow(mode: 'PASSIVE' | 'TRUNCATE'): void {
    try {
      this.#writer.all(`PRAGMA wal_checkpoint(${mode})`);
    } catch {}
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    clearTimeout(this.#checkpoint);
    await this.#lastWrite;
    this.#reader.close();
    if (this.#files !== undefined) this.#checkpointNow('TRUNCATE');
    this.#writer.close();
  }
}

/** A file without tables is an error, unless another process is about to create them. */
async function whenFilled(path: string, origin: 'made' | 'found', session: SqliteSession): Promise<void> {
  const deadline = performance.now() + MAKING_MS;
  for (;;) {
    let filled = false;
    await whenFree(() => {
      filled = checkContents(path, (text) => session.all(text));
    });
    if (filled || origin === 'made') return;
    if (performance.now() > deadline) refuseBare(path);
    await delay(20);
  }
}

/**
 * SQLite counts the commits of all connections in shared memory, and reading the count takes a few
 * microseconds: cheap enough for every request. Writes of this process are counted too, since
 * another connection makes them.
 */
export class SqliteFreshness implements Freshness {
  readonly #driver: SqliteDriver;
  readonly #feed: ChangeFeed;
  readonly #onProblem: (what: string, cause: unknown) => void;
  readonly #everyMs: number;
  #commits = -1;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * `everyMs`: interval of checks, 0 for every request. A process that serves alone applies its own
   * writes in `settle`.
   */
  constructor(driver: SqliteDriver, feed: ChangeFeed, everyMs: number, onProblem: (what: string, cause: unknown) => void) {
    this.#driver = driver;
    this.#feed = feed;
    this.#everyMs = everyMs;
    this.#onProblem = onProblem;
  }

  refresh(): void {
    if (this.#everyMs > 0) {
      const now = performance.now();
      if (now - this.#lookedAt < this.#everyMs) return;
      this.#lookedAt = now;
    }
    this.#look();
  }

  #look(): void {
    try {
      const commits = this.#driver.commits();
      if (commits === this.#commits) return;
      this.#feed.apply(this.#driver.readNow<ChangeRow>(READ_CHANGES, [this.#feed.seen]));
      this.#commits = commits;
    } catch (cause) {
      this.#onProblem('the embedded store cannot be read; requests are served from memory', cause);
    }
  }

  /** A local file cannot be cut off. */
  grantsHold(): boolean {
    return true;
  }

  async settle(): Promise<void> {
    this.#look();
  }

  async close(): Promise<void> {}
}
