/**
 * Holds the bytes of a response until their number is known or a slow client reads them: a few in
 * memory, many in a temporary file.
 */
import { closeSync, createReadStream, writeSync } from 'node:fs';
import type { HttpReply } from '../../http1/index.ts';
import type { Lease } from '../../util/bytes/buffer-pool.ts';
import { MemoryBudget, type MemoryLease } from '../../util/bytes/memory-lease.ts';
import { SpoolFolder } from './spool-folder.ts';

const MAX_MEMORY_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * The spools of one service. All files together are bounded, and so is the share of one project.
 */
export class Spools {
  readonly folder = new SpoolFolder();
  readonly #budget: MemoryBudget;

  constructor(maxFileBytes: number) {
    this.#budget = new MemoryBudget(maxFileBytes);
  }

  /** `owner`: the project whose share the spool counts to. */
  make(owner: string): ResponseSpool {
    return new ResponseSpool(this.folder, this.#budget.lease(owner));
  }
}

export class ResponseSpool {
  size = 0;
  readonly #folder: SpoolFolder;
  readonly #lease: MemoryLease;
  #pieces: Lease[] = [];
  /** -1 while all bytes are in memory. */
  #file = -1;

  constructor(folder: SpoolFolder, lease: MemoryLease) {
    this.#folder = folder;
    this.#lease = lease;
  }

  /** Takes over a piece. Throws MemoryBusy if there is no room for it. */
  add(piece: Lease): void {
    if (piece.length === 0) {
      piece.release();
      return;
    }
    this.size += piece.length;
    this.#pieces.push(piece);
    if (this.#file >= 0 || this.size > MAX_MEMORY_BYTES) this.#writeFile();
  }

  /** All pieces, to be taken over by the caller; `undefined` if they are in a file. */
  get pieces(): readonly Lease[] | undefined {
    return this.#file < 0 ? this.#pieces : undefined;
  }

  /** Sends the content of the file and ends the reply. */
  pipe(reply: HttpReply): void {
    if (this.#file < 0) throw new Error('the pieces are in memory');
    // The stream closes the file, once no read is under way.
    const stream = createReadStream('', { fd: this.#file, start: 0, highWaterMark: READ_BYTES });
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
    stream.on('end', () => reply.end(EMPTY));
  }

  discard(): void {
    this.#lease.release();
    for (const piece of this.#pieces) piece.release();
    this.#pieces = [];
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  #writeFile(): void {
    if (this.#file < 0) this.#file = this.#folder.open();
    for (const piece of this.#pieces) {
      this.#lease.grow(piece.length);
      for (let at = 0; at < piece.length; ) at += writeSync(this.#file, piece.bytes, at);
      piece.release();
    }
    this.#pieces = [];
  }
}
