/**
 * The files of the embedded store: whether they are a complete store at the start, and whether the
 * opened files are still the ones under their names.
 *
 * An empty store is created only where none ever existed. A marker beside the file records that: if
 * the file is missing, the start is refused until the file is restored or the marker removed.
 */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
/** SQLite's own files beside the main one. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

const markerOf = (path: string): string => `${path}.created`;

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** A message for the operator who starts the service. */
function refuse(path: string, what: string, remedy: string): Error {
  return new Error(`the embedded store ${path} ${what}; ${remedy}`);
}

const RESTORE = 'restore a copy of it';

/** Checks the path before the file is opened. Returns `made` if it creates a new store. */
export function checkFile(path: string): 'made' | 'found' {
  const marker = markerOf(path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw refuse(path, 'is a directory', `${RESTORE}, or set MILLRACE_DATA_DIR to another folder`);
  const size = sizeOf(path);
  if (size === undefined || size === 0) {
    const what = size === undefined ? 'is missing' : 'is empty';
    if (existsSync(marker))
      throw refuse(path, `${what}, though it existed before`, `${RESTORE}, or remove ${marker} to begin with an empty store`);
    if ((sizeOf(`${path}-wal`) ?? 0) > 0)
      throw refuse(path, `${what}, though ${path}-wal exists`, `${RESTORE}, or remove ${path}-wal to begin with an empty store`);
    // SQLite gives its side files the mode of the main one, so creating that for its owner only
    // suffices.
    closeSync(openSync(path, 'a', 0o600));
    return 'made';
  }
  if (headOf(path) !== MAGIC) throw refuse(path, 'is not an SQLite file', `${RESTORE}, or set MILLRACE_DATA_DIR to another folder`);
  return 'found';
}

/** Must run before SQLite opens the file: closing it would release the locks of this process. */
function headOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(MAGIC.length);
    return head.toString('latin1', 0, readSync(file, head, 0, head.length, 0));
  } finally {
    closeSync(file);
  }
}

/** Contents of an open file. */
type Contents = 'store' | 'nothing' | 'foreign' | { readonly damage: string };

function contentsOf(all: (text: string) => unknown[]): Contents {
  try {
    const [row] = all('PRAGMA quick_check(1)') as { quick_check: string }[];
    if (row?.quick_check !== 'ok') throw new Error(row?.quick_check ?? 'no answer');
    const names = new Set((all("SELECT name FROM sqlite_master WHERE type = 'table'") as { name: string }[]).map(({ name }) => name));
    if (names.size === 0) return 'nothing';
    return names.has('migrations') && names.has('changes') ? 'store' : 'foreign';
  } catch (cause) {
    const { code = '', message } = cause as Error & { code?: string };
    if (code.startsWith('SQLITE_BUSY')) throw cause;
    return { damage: message.replaceAll(/\s+/g, ' ') };
  }
}

/** Checks an open file. Returns `false` while it is empty, throws if it is damaged or foreign. */
export function checkContents(path: string, all: (text: string) => unknown[]): boolean {
  const contents = contentsOf(all);
  if (typeof contents === 'object') throw refuse(path, `is damaged (${contents.damage})`, RESTORE);
  if (contents === 'foreign') throw refuse(path, "is another program's", `${RESTORE}, or set MILLRACE_DATA_DIR to another folder`);
  return contents === 'store';
}

/** Throws if a file to be restored is not a backup. `all` reads its contents. */
export function checkBackup(file: string, all: (text: string) => unknown[]): void {
  const contents = contentsOf(all);
  if (contents === 'store') return;
  const why = {
    nothing: 'it holds no records (a copy of a store without its -wal file?)',
    foreign: "it is another program's",
  };
  throw new Error(
    `${file} is not a backup of Millrace: ${typeof contents === 'object' ? `it is damaged (${contents.damage})` : why[contents]}`,
  );
}

/** Checks a file to be restored before it is opened. */
export function checkBackupFile(file: string): void {
  if (headOf(file) !== MAGIC) throw new Error(`${file} is not a backup of Millrace: it is not an SQLite file`);
}

/** `true` if any file of a store exists, its log included. */
export function isStoreThere(path: string): boolean {
  return (sizeOf(path) ?? 0) > 0 || (sizeOf(`${path}-wal`) ?? 0) > 0;
}

/** Renames existing files. Returns the new path of the main file, if it existed. */
export function moveAside(path: string): string | undefined {
  const there = SUFFIXES.filter((suffix) => existsSync(`${path}${suffix}`));
  const aside = `${path}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of there) renameSync(`${path}${suffix}`, `${aside}${suffix}`);
  return there.length === 0 ? undefined : aside;
}

/** Rejects a copy of the main file whose records were in its -wal file. */
export function refuseBare(path: string): never {
  throw refuse(
    path,
    'contains no records; it may be a copy without its -wal file',
    `${RESTORE}, or remove the file to begin with an empty store`,
  );
}

type Identity = readonly string[];

function identityOf(path: string): Identity {
  return SUFFIXES.map((suffix) => {
    const stat = statSync(`${path}${suffix}`, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.dev}/${stat.ino}`;
  });
}

/** Identities of the files when the store was opened. */
export class OpenFiles {
  readonly #path: string;
  readonly #identity: Identity;
  readonly #onLost: () => void;
  #lost = false;

  /** Call it when the tables exist. `onLost` is called once per loss. */
  constructor(path: string, onLost: () => void) {
    this.#path = path;
    this.#onLost = onLost;
    this.#identity = identityOf(path);
    if (!existsSync(markerOf(path)))
      writeFileSync(
        markerOf(path),
        'There is an embedded store beside this file. Without it the service does not begin with an empty one.\n',
        {
          mode: 0o600,
        },
      );
  }

  /** Takes some microseconds. */
  areTheSame(): boolean {
    const now = identityOf(this.#path);
    const same = this.#identity.every((file, i) => file === '' || file === now[i]);
    if (!same && !this.#lost) this.#onLost();
    this.#lost = !same;
    return same;
  }
}
