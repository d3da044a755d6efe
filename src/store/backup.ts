/**
 * Backup and restore of all records as one SQLite file, from either store into either store. A
 * backup does not disturb a running service; a restore requires a store that is not in use.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatOf, migrate } from './migrations.ts';
import { PostgresDriver } from './postgres/driver.ts';
import { keysNeeded } from './rewrap.ts';
import type { Driver, Sql, SqlValue } from './sql-driver.ts';
import { FILE, SqliteDriver, SqliteSession } from './sqlite/driver.ts';
import { checkBackup, checkBackupFile, checkContents, checkFile, isStoreThere, moveAside, refuseBare } from './sqlite/files.ts';

/** Location of the records: PostgreSQL, or the embedded store in the folder. */
export interface StorePlace {
  readonly url?: string;
  readonly dataDir: string;
}

export interface BackupReport {
  readonly format: number;
  /** Records by table. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the encryption keys that are needed to read the passwords in it. */
  readonly keys: readonly string[];
  /** New path of the store that was replaced. */
  readonly aside?: string;
}

/** Tables that describe the running service, not the records. */
const NOT_COPIED = ['instances', 'migrations'];
const BATCH = 100;

/** Writes a consistent snapshot of all records into a new file. */
export async function backUp(place: StorePlace, file: string): Promise<BackupReport> {
  const draft = mkdtempSync(join(dirname(resolve(file)), '.millrace-backup-'));
  const made = join(draft, FILE);
  try {
    if (place.url === undefined) copyEmbedded(place.dataDir, made);
    else await copyPostgres(place.url, join(draft, 'work'), made);
    const report = await inspect(draft, file);
    chmodSync(made, 0o600);
    renameSync(made, file);
    return report;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies in one statement, which reads one state of the store while others write. */
function copyEmbedded(dataDir: string, target: string): void {
  const path = join(dataDir, FILE);
  if (!existsSync(path) && !existsSync(`${path}.created`)) throw new Error(`there is no embedded store in ${dataDir}`);
  checkFile(path);
  copyFile(path, target);
}

function copyFile(path: string, target: string): void {
  const session = new SqliteSession(path);
  try {
    if (!checkContents(path, (text) => session.all(text))) refuseBare(path);
    session.all('VACUUM INTO ?', [target]);
  } finally {
    session.close();
  }
}

/**
 * Copies within a write transaction, so that the tables read one after the other are consistent.
 */
async function copyPostgres(url: string, folder: string, made: string): Promise<void> {
  const source = new PostgresDriver(url);
  const target = await SqliteDriver.open(folder);
  try {
    await migrate(target, await formatOf(source).catch(noTables));
    await source.write((from) => target.write((to) => copyRecords(from, to, target)));
  } finally {
    await closeBoth(target, source);
  }
  copyFile(join(folder, FILE), made);
}

/** PostgreSQL's code for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

function noTables(error: unknown): never {
  if ((error as { code?: unknown }).code === UNDEFINED_TABLE) throw new Error('that database has no records of Millrace');
  throw error;
}

/** Reads the contents of a folder's file. Throws when it is not a store. */
async function inspect(folder: string, name: string): Promise<BackupReport> {
  const session = new SqliteSession(join(folder, FILE));
  const sql: Sql = { all: async <R>(text: string, values?: readonly SqlValue[]) => session.all(text, values) as R[] };
  try {
    checkBackup(name, (text) => session.all(text));
    const format = await formatOf(sql, name);
    const counts: Record<string, number> = {};
    for (const table of await tablesOf(sql)) {
      const [row] = await sql.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
      counts[table] = row?.n ?? 0;
    }
    return { format, counts, keys: await keysNeeded(sql) };
  } finally {
    session.close();
  }
}

/** Tables in creation order, so that none refers to a later one. */
async function tablesOf(sqlite: Sql): Promise<readonly string[]> {
  const rows = await sqlite.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
  );
  return rows.map(({ name }) => name).filter((name) => !NOT_COPIED.includes(name));
}

interface ColumnRow {
  readonly name: string;
  readonly pk: number;
}

/** Copies all records. Both stores have the same tables and columns, which `sqlite` lists. */
async function copyRecords(from: Sql, to: Sql, sqlite: Sql): Promise<void> {
  for (const table of await tablesOf(sqlite)) {
    const columns = await sqlite.all<ColumnRow>(`PRAGMA table_info(${table})`);
    const names = columns.map(({ name }) => name);
    const key = columns.flatMap(({ name, pk }) => (pk > 0 ? [name] : [])).join(', ');
    for (let offset = 0; ; offset += BATCH) {
      const rows = await from.all<Record<string, SqlValue>>(
        `SELECT ${names.join(', ')} FROM ${table} ORDER BY ${key} LIMIT ${BATCH} OFFSET ${offset}`,
      );
      if (rows.length === 0) break;
      const places = rows.map(() => `(${names.map(() => '?').join(', ')})`).join(', ');
      const values = rows.flatMap((row) => names.map((name) => row[name] ?? null));
      await to.all(`INSERT INTO ${table} (${names.join(', ')}) VALUES ${places}`, values);
    }
  }
}

export interface RestoreOptions {
  /** `true` to replace an existing store. */
  readonly force: boolean;
}

export async function restore(place: StorePlace, file: string, options: RestoreOptions): Promise<BackupReport> {
  checkBackupFile(file);
  return place.url === undefined
    ? restoreEmbedded(place.dataDir, file, options)
    : restorePostgres(place.url, dirname(resolve(file)), file, options);
}

/** Works on a copy: SQLite never opens the file itself. */
async function withCopy<T>(near: string, file: string, work: (folder: string, report: BackupReport) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(near, '.millrace-restore-'));
  try {
    copyFileSync(file, join(folder, FILE));
    chmodSync(join(folder, FILE), 0o600);
    return await work(folder, await inspect(folder, file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const OCCUPIED = 'restoring needs --force then';

async function restoreEmbedded(dataDir: string, file: string, { force }: RestoreOptions): Promise<BackupReport> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, FILE);
  return withCopy(dataDir, file, async (folder, report) => {
    const isThere = isStoreThere(path);
    if (isThere && !force) throw new Error(`there is a store in ${dataDir}; ${OCCUPIED}, and keeps the old one beside it`);
    // A log without its main file is unused, and opening it would delete it.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) refuseUsed(path);
    const aside = moveAside(path);
    renameSync(join(folder, FILE), path);
    return isThere && aside !== undefined ? { ...report, aside } : report;
  });
}

/**
 * SQLite keeps its log while another process has the file open. Other defects of the old file do
 * not matter.
 */
function refuseUsed(path: string): void {
  let mode: string | undefined;
  try {
    const session = new SqliteSession(path);
    try {
      mode = (session.all('PRAGMA journal_mode = DELETE') as { journal_mode: string }[])[0]?.journal_mode;
    } finally {
      session.close();
    }
  } catch (error) {
    const { code = '' } = error as { code?: string };
    mode = code.startsWith('SQLITE_BUSY') ? 'wal' : undefined;
  }
  if (mode === 'wal') throw new Error(`a service uses the store ${path}; stop it first`);
}

async function restorePostgres(url: string, near: string, file: string, { force }: RestoreOptions): Promise<BackupReport> {
  return withCopy(near, file, async (folder, report) => {
    const source = await SqliteDriver.open(folder);
    const target = new PostgresDriver(url);
    try {
      await migrate(source);
      await migrate(target);
      await refuseOccupied(target, force);
      await target.write(async (to) => {
        for (const table of [...(await tablesOf(source))].reverse()) await to.all(`DELETE FROM ${table}`);
        await copyRecords(source, to, source);
      });
      return report;
    } finally {
      await closeBoth(source, target);
    }
  });
}

async function closeBoth(one: Driver, other: Driver): Promise<void> {
  await one.close();
  await other.close();
}

async function refuseOccupied(to: Sql, force: boolean): Promise<void> {
  const [running] = await to.all<{ n: number }>(
    'SELECT count(*) AS n FROM instances WHERE lease_until > (extract(epoch from clock_timestamp()) * 1000)::bigint',
  );
  if ((running?.n ?? 0) > 0) throw new Error('instances of the service use that store; stop them first');
  const [records] = await to.all<{ n: number }>('SELECT count(*) AS n FROM organizations');
  if ((records?.n ?? 0) > 0 && !force) throw new Error(`that database has records of Millrace; ${OCCUPIED}, and removes them`);
}
