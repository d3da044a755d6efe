/**
 * Received bytes that have not been read yet, in one buffer that rows point into. Its first bytes spell the float values that JSON has no number
 * for, so that a cell can point at them as at any other bytes. It is acquired with the first byte that waits and released when all have been read: a
 * connection at rest holds none. Knows nothing of what the bytes mean.
 */
import { acquireBuffer, type PooledBuffer } from '../../../util/bytes/buffer-pool.ts';
import type { LargeRowBudget } from '../../contract/limits.ts';

const SPELLINGS = Buffer.from('NaN Infinity -Infinity');

/** Where received bytes begin. */
const HEAD = 32;
const NOTHING = Buffer.alloc(0);

export interface Span {
  readonly from: number;
  readonly to: number;
}

export const NAN: Span = { from: 0, to: 3 };
export const INFINITY: Span = { from: 4, to: 12 };
export const MINUS_INFINITY: Span = { from: 13, to: 22 };

export class Spool {
  /** Those of the buffer. */
  bytes: Buffer = NOTHING;
  /** The first byte not yet read, and the end of what was received. */
  start = 0;
  end = 0;
  /** So many bytes must wait here before it is worth reading again. */
  needed = 0;
  #buffer: PooledBuffer | undefined;
  /** How far the buffer has been written. */
  #written = 0;
  readonly #share: LargeRowBudget;

  constructor(share: LargeRowBudget) {
    this.#share = share;
  }

  /** Where the byte comes next after `from`, or the end. A search stops there, not where the buffer does. */
  find(byte: number, from: number): number {
    if (this.empty) return this.end;
    this.bytes[this.end] = byte;
    return this.bytes.indexOf(byte, from);
  }

  append(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.end + size >= this.bytes.length) this.#makeRoom(size);
    this.bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.end);
    this.end += size;
    this.#written = Math.max(this.#written, this.end + 1);
  }

  /** Everything has been read. */
  rewind(): void {
    this.#release();
    this.#forget();
  }

  /** Nothing comes any more. Whoever is just being handed a row may still read it: nobody else gets its buffer. */
  letGo(): void {
    this.#buffer = undefined;
    this.#forget();
  }

  #forget(): void {
    this.bytes = NOTHING;
    this.start = 0;
    this.end = 0;
    this.needed = 0;
    this.#share.hold(0);
  }

  /** A faulty reader can never show bytes of another connection. */
  #release(): void {
    this.#buffer?.releaseWiped(this.#written);
    this.#buffer = undefined;
    this.#written = 0;
  }

  get waiting(): number {
    return this.end - this.start;
  }

  get empty(): boolean {
    return this.start === this.end;
  }

  #makeRoom(more: number): void {
    const waiting = this.end - this.start;
    const needed = HEAD + waiting + more + 1;
    if (needed <= this.bytes.length) {
      this.bytes.copyWithin(HEAD, this.start, this.end);
    } else {
      const size = Math.max(needed, this.bytes.length * 2);
      this.#share.hold(size);
      const larger = acquireBuffer(size);
      SPELLINGS.copy(larger.bytes);
      this.bytes.copy(larger.bytes, HEAD, this.start, this.end);
      this.#release();
      this.#buffer = larger;
      this.bytes = larger.bytes;
    }
    this.start = HEAD;
    this.end = HEAD + waiting;
  }
}
