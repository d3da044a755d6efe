/**
 * Holds bytes until their number is known, or until a slow reader takes them: few in memory, many in a temporary file. The file is unlinked
 * as soon as it is open, so it never outlives the process. What a crash at the wrong moment leaves in the folder is swept at the next start.
 * All files together are bounded, and so is the share of one project.
 */
import { closeSync, createReadStream, mkdirSync, openSync, readdirSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpReply } from '../http1/index.ts';
import { newUlid } from '../model/ulid.ts';
import type { Lease } from '../util/bytes/buffer-pool.ts';
import { MemoryBudget, type MemoryLease } from '../util/bytes/memory-lease.ts';

const IN_MEMORY = 4 * 1024 * 1024;
const PIECE = 64 * 1024;
const NOTHING = Buffer.alloc(0);

const PREFIX = 'millrace-spool-';
const FOLDER = /^millrace-spool-(\d+)-/;
/** The folder of this process. The pid tells others whether it is alive; the rest tells it from an earlier process with the same pid. */
const NAME = `${PREFIX}${process.pid}-${newUlid()}`;
let files = 0;

/** Opens a file without a name. */
function openNameless(): number {
  const folder = join(tmpdir(), NAME);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, String(files++));
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function temporaryNames(): readonly string[] {
  try {
    return readdirSync(tmpdir());
  } catch {
    // Whoever needs the folder reports that it is missing.
    return [];
  }
}

/** Removes the folders of processes that have ended. A mistake would harm nobody: open files have no names to lose. */
export function sweepSpools(): void {
  for (const name of temporaryNames()) {
    const pid = Number(FOLDER.exec(name)?.[1]);
    if (Number.isNaN(pid) || name === NAME || (pid !== process.pid && isAlive(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to somebody else.
    }
  }
}

/** The folder of this process. */
export function removeSpools(): void {
  rmSync(join(tmpdir(), NAME), { recursive: true, force: true });
}

/** The bound of all files; unlimited until it is set. */
let room = new MemoryBudget(Number.POSITIVE_INFINITY);

export function limitSpools(mostBytes: number): void {
  room = new MemoryBudget(mostBytes);
}

export class AnswerSpool {
  size = 0;
  readonly #lease: MemoryLease;
  #pieces: Lease[] = [];
  #file = -1;

  /** `owner`: whose answer it is. */
  constructor(owner: string) {
    this.#lease = room.lease(owner);
  }

  /** Takes over a piece. Throws MemoryBusy when there is no room for it. */
  add(piece: Lease): void {
    if (piece.length === 0) {
      piece.release();
      return;
    }
    this.size += piece.length;
    this.#pieces.push(piece);
    if (this.#file >= 0 || this.size > IN_MEMORY) this.#spill();
  }

  /** All pieces while they are in memory. Whoever takes them owns them. */
  get pieces(): readonly Lease[] | undefined {
    return this.#file < 0 ? this.#pieces : undefined;
  }

  /** Sends the content of the file and ends the answer. */
  pipe(reply: HttpReply): void {
    if (this.#file < 0) throw new Error('the pieces are in memory');
    // The stream closes the file from here on, once no read is under way.
    const stream = createReadStream('', { fd: this.#file, start: 0, highWaterMark: PIECE });
    this.#file = -1;
    const { onFinished } = reply;
    reply.onFinished = () => {
      stream.destroy();
      this.#lease.release();
      onFinished?.();
    };
    reply.onDrain = () => stream.resume();
    stream.on('error', () => reply.destroy());
    stream.on('data', (piece) => {
      if (!reply.write(piece as Buffer)) stream.pause();
    });
    stream.on('end', () => reply.end(NOTHING));
  }

  discard(): void {
    this.#lease.release();
    for (const piece of this.#pieces) piece.release();
    this.#pieces = [];
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  #spill(): void {
    if (this.#file < 0) this.#file = openNameless();
    for (const piece of this.#pieces) {
      this.#lease.grow(piece.length);
      for (let at = 0; at < piece.length; ) at += writeSync(this.#file, piece.bytes, at);
      piece.release();
    }
    this.#pieces = [];
  }
}
