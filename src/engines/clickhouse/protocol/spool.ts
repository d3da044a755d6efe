/**
 * Buffer of received bytes that were not read yet; rows point into it. Its first bytes spell the
 * float values that JSON has no number for, so that cells can point to them. It is acquired with
 * the first byte and released when all have been read, so that an idle connection holds none.
 */
import { acquireBuffer, type PooledBuffer } from '../../../util/bytes/buffer-pool.ts';
import type { LargeRowBudget } from '../../contract/limits.ts';

const SPELLINGS = Buffer.from('NaN Infinity -Infinity');

/** Offset of the received bytes. */
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
  /** Content of the buffer. */
  bytes: Buffer = NOTHING;
  /** First unread byte, and end of the received bytes. */
  start = 0;
  end = 0;
  /** Resume reading once at least this many bytes are buffered. */
  needed = 0;
  #buffer: PooledBuffer | undefined;
  /** End of the bytes that were ever written. */
  #written = 0;
  readonly #share: LargeRowBudget;

  constructor(share: LargeRowBudget) {
    this.#share = share;
  }

  /** Returns the next index of the byte after `from`, or the end of the received bytes. */
  find(byte: number, from: number): number {
    if (this.empty) return this.end;
    this.bytes[this.end] = byte;
    return this.bytes.indexOf(byte, from);
  }

  append(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.end + size >= this.bytes.length) this.#makeRoom(size);
    this.#share.hold(this.end + size);
    this.bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.end);
    this.end += size;
    this.#written = Math.max(this.#written, this.end + 1);
  }

  /** Resets the buffer after everything was read. */
  rewind(): void {
    this.#release();
    this.#forget();
  }

  /** Drops the buffer without returning it to the pool: the current reader may still use it. */
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

  /** Wipes the bytes, so that a faulty reader cannot see those of another connection. */
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
      this.#share.hold(needed);
      const larger = acquireBuffer(this.#share.roomFor(needed));
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
