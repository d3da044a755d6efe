/**
 * Received bytes that have not been read yet, in one buffer that rows point into. Its first bytes spell the float values that JSON has no number
 * for, so that a cell can point at them as at any other bytes. Knows nothing of what the bytes mean.
 */
import { type LargeShare, LIMITS } from '../../limits.ts';

const SPELLINGS = 'NaN Infinity -Infinity';

/** Where received bytes begin. */
const HEAD = 32;
const INITIAL = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** A buffer that grew for one huge row is let go of once that row has been read. */
const KEEP_AT_MOST = LIMITS.largeFrom;

export interface Span {
  readonly from: number;
  readonly to: number;
}

export const NAN: Span = { from: 0, to: 3 };
export const INFINITY: Span = { from: 4, to: 12 };
export const MINUS_INFINITY: Span = { from: 13, to: 22 };

export class Spool {
  bytes: Buffer = blank(INITIAL);
  /** The first byte not yet read, and the end of what was received. */
  start = HEAD;
  end = HEAD;
  /** So many bytes must wait here before it is worth reading again. */
  needed = 0;
  readonly #share: LargeShare;

  constructor(share: LargeShare) {
    this.#share = share;
  }

  /** Where the byte comes next after `from`, or the end. A search stops there, not where the buffer does. */
  find(byte: number, from: number): number {
    this.bytes[this.end] = byte;
    return this.bytes.indexOf(byte, from);
  }

  append(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.end + size >= this.bytes.length) this.#makeRoom(size);
    this.bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.end);
    this.end += size;
  }

  /** Everything has been read: the next bytes go to the beginning again. */
  rewind(): void {
    this.start = HEAD;
    this.end = HEAD;
    this.needed = 0;
    if (this.bytes.length > KEEP_AT_MOST) this.#replace(blank(INITIAL));
  }

  /** Nothing comes any more. */
  letGo(): void {
    this.start = 0;
    this.end = 0;
    this.#replace(NOTHING);
  }

  #replace(bytes: Buffer): void {
    this.bytes = bytes;
    this.#share.hold(0);
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
      const larger = blank(size);
      this.bytes.copy(larger, HEAD, this.start, this.end);
      this.bytes = larger;
    }
    this.start = HEAD;
    this.end = HEAD + waiting;
  }
}

function blank(size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  bytes.write(SPELLINGS, 0, 'latin1');
  return bytes;
}
