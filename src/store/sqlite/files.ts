/**
 * The files of the embedded store: whether they are a complete store of Millrace at the start, and whether the opened files are still the ones
 * under their names. Knows nothing of records.
 *
 * An empty store is created only where there never was one. A marker beside the file remembers it: if the file is missing, the start is refused
 * until somebody restores the file or removes the marker.
 */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
/** SQLite's own files beside the main one. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

const markerOf = (path: string): string => `${path}.created`;

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** One sentence for whoever starts the service. */
function refuse(path: string, what: string, remedy: string): Error {
  return new Error(`the embedded store ${path} ${what}; ${remedy}`);
}

const RESTORE = 'restore a copy of it';

/** Before the file is opened: throws when it is gone or something else. `made` when there is none and may be one. */
export function checkFile(path: string): 'made' | 'found' {
  const marker = markerOf(path);
  const size = sizeOf(path);
  if (size === undefined || size === 0) {
    const what = size === undefined ? 'is missing' : 'is empty';
    if (existsSync(marker))
      throw refuse(path, `${what}, though there was one`, `${RESTORE}, or remove ${marker} to begin with an empty store`);
    if ((sizeOf(`${path}-wal`) ?? 0) > 0)
      throw refuse(path, `${what}, though ${path}-wal is there`, `${RESTORE}, or remove ${path}-wal to begin with an empty store`);
    // SQLite gives its side files the mode of the main one, so it is enough to create that for its owner only.
    closeSync(openSync(path, 'a', 0o600));
    return 'made';
  }
  if (headOf(path) !== MAGIC) throw refuse(path, 'is no SQLite file', `${RESTORE}, or set MILLRACE_DATA_DIR to another folder`);
  return 'found';
}

/** Only before SQLite has the file open: closing it would take away the locks of this process. */
function headOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(MAGIC.length);
    return head.toString('latin1', 0, readSync(file, head, 0, head.length, 0));
  } finally {
    closeSync(file);
  }
}

/** What an open file holds: a store, nothing yet, tables of another program, or damage that is told. */
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

/** Once the file is open: throws when it is damaged or another program's. False while there is nothing in it yet. */
export function checkContents(path: string, all: (text: string) => unknown[]): boolean {
  const contents = contentsOf(all);
  if (typeof contents === 'object') throw refuse(path, `is damaged (${contents.damage})`, RESTORE);
  if (contents === 'foreign') throw refuse(path, "is another program's", `${RESTORE}, or set MILLRACE_DATA_DIR to another folder`);
  return contents === 'store';
}

/** Throws when the file, which is to be restored, is no backup; `all` reads what is in it. */
export function checkBackup(file: string, all: (text: string) => unknown[]): void {
  const contents = contentsOf(all);
  if (contents === 'store') return;
  const why = {
    nothing: 'it holds no records (a copy of a store without its -wal file?)',
    foreign: "it is another program's",
  };
  throw new Error(
    `${file} is no backup of Millrace: ${typeof contents === 'object' ? `it is damaged (${contents.damage})` : why[contents]}`,
  );
}

/** Before a file that is to be restored is opened. */
export function checkBackupFile(file: string): void {
  if (headOf(file) !== MAGIC) throw new Error(`${file} is no backup of Millrace: it is no SQLite file`);
}

/** Whether anything of a store is there, its log alone included. */
export function isStoreThere(path: string): boolean {
  return (sizeOf(path) ?? 0) > 0 || (sizeOf(`${path}-wal`) ?? 0) > 0;
}

/** Moves whatever is there out of the way, under a name of its own; gives the new name of the main file, if there was something. */
export function moveAside(path: string): string | undefined {
  const there = SUFFIXES.filter((suffix) => existsSync(`${path}${suffix}`));
  const aside = `${path}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of there) renameSync(`${path}${suffix}`, `${aside}${suffix}`);
  return there.length === 0 ? undefined : aside;
}

/** A file that has been found must hold something: a bare copy of a store whose records were in its -wal file holds nothing. */
export function refuseBare(path: string): never {
  throw refuse(path, 'holds no records: a copy without its -wal file?', `${RESTORE}, or remove the file to begin with an empty store`);
}

type Identity = readonly string[];

function identityOf(path: string): Identity {
  return SUFFIXES.map((suffix) => {
    const stat = statSync(`${path}${suffix}`, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.dev}/${stat.ino}`;
  });
}

/** The files as they were when the store was opened. */
export class OpenFiles {
  readonly #path: string;
  readonly #identity: Identity;
  readonly #onLost: () => void;
  #lost = false;

  /** When the tables are there, so that every file is. `onLost`: hears of it once each time. */
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

  /** Some microseconds. */
  areTheSame(): boolean {
    const now = identityOf(this.#path);
    const same = this.#identity.every((file, i) => file === '' || file === now[i]);
    if (!same && !this.#lost) this.#onLost();
    this.#lost = !same;
    return same;
  }
}
