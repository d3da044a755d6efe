/** Bytes that must wait until their number is known: in memory while they are few, in a temporary file when they are many. */
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveBack } from '../util/lent-memory.ts';
import type { Reply } from './wire/reply.ts';

const IN_MEMORY = 4 * 1024 * 1024;
const PIECE = 64 * 1024;
const NOTHING = Buffer.alloc(0);

export class Spool {
  size = 0;
  #pieces: Buffer[] = [];
  #folder: string | undefined;
  #file = -1;

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.size += piece.length;
    this.#pieces.push(piece);
    if (this.#file >= 0 || this.size > IN_MEMORY) this.#spill();
  }

  /** All of them, as long as they are in memory. */
  get pieces(): readonly Buffer[] | undefined {
    return this.#folder === undefined ? this.#pieces : undefined;
  }

  /** Sends what is in the file and ends the answer. */
  pipe(reply: Reply): void {
    if (this.#folder === undefined) throw new Error('the pieces are in memory');
    const stream = createReadStream(join(this.#folder, 'body'), { highWaterMark: PIECE });
    const { onOver } = reply;
    reply.onOver = () => {
      stream.destroy();
      this.discard();
      onOver?.();
    };
    reply.onDrain = () => stream.resume();
    stream.on('error', () => reply.destroy());
    stream.on('data', (piece) => {
      if (!reply.write(piece as Buffer)) stream.pause();
    });
    stream.on('end', () => reply.end(NOTHING));
  }

  discard(): void {
    this.#pieces = [];
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #spill(): void {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), 'millrace-'));
      this.#file = openSync(join(this.#folder, 'body'), 'w', 0o600);
    }
    for (const piece of this.#pieces) {
      writeSync(this.#file, piece);
      giveBack(piece);
    }
    this.#pieces = [];
  }
}
