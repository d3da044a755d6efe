/**
 * Writes the bytes of a response into one growing buffer and passes them on in pieces. Builds no
 * strings and must not know sockets.
 */
import { acquireBuffer, CHUNK_BUFFER, Lease, type PooledBuffer, SMALL_BUFFER } from './buffer-pool.ts';

/** Up to this size, a loop is faster than a call into the runtime. */
export const SHORT = 64;
/** From this size on, measure a string first instead of reserving three bytes per character. */
const LONG_TEXT = 4096;
/** Copying works in words of four bytes and may write this many bytes past the end. */
export const OVERSHOOT = 3;
/** A response up to this size is copied out of its buffer, which is then free for the next one. */
const SMALL = 4000;

/** Bytes that are written often, such as a quoted column name. */
export class EncodedText {
  readonly size: number;
  readonly words: Int32Array;

  constructor(content: string | Buffer) {
    const bytes = Buffer.from(content);
    this.size = bytes.length;
    this.words = new Int32Array(Math.ceil(bytes.length / 4));
    const padded = Buffer.concat([bytes, Buffer.alloc(OVERSHOOT)]);
    for (let i = 0; i < this.words.length; i++) this.words[i] = padded.readInt32LE(i * 4);
  }

  /** Writes the text at `at`, and up to 3 bytes more. Returns the offset behind the text. */
  put(target: DataView, at: number): number {
    const { words } = this;
    for (let i = 0, to = at; i < words.length; i++, to += 4) target.setInt32(to, words[i] as number, true);
    return at + this.size;
  }
}

export const NOTHING = new EncodedText('');
/** Passed instead of a byte to append nothing. */
export const NONE = -1;

let viewed: Buffer = Buffer.alloc(0);
let view = new DataView(viewed.buffer, viewed.byteOffset, 0);

/** A view of a buffer. Rows are read from few buffers, so the last view is kept. */
export function viewOf(source: Buffer): DataView {
  if (source === viewed) return view;
  viewed = source;
  view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  return view;
}

/** Copies source[from..to), and up to 3 bytes more; for short ranges. */
export function copyWords(target: DataView, start: number, source: Buffer, from: number, to: number): void {
  const words = viewOf(source);
  let at = start;
  let i = from;
  for (const last = Math.min(to, source.length - OVERSHOOT); i < last; i += 4, at += 4) target.setInt32(at, words.getInt32(i, true), true);
  for (; i < to; i++) target.setUint8(at++, source[i] as number);
}

export class ByteWriter {
  /** Write at `bytes[length]` after `reserve`, then advance `length`. */
  bytes: Buffer;
  /** View of the same bytes. `reserve` allows for up to 3 extra bytes. */
  view: DataView;
  length = 0;
  readonly #limit: number;
  readonly #full: (piece: Lease) => void;
  #buffer: PooledBuffer | undefined;

  /** `full` receives each piece of at least `limit` bytes, owns it and releases it. */
  constructor(limit: number, full: (piece: Lease) => void) {
    this.#limit = limit;
    this.#full = full;
    this.#buffer = acquireBuffer(SMALL_BUFFER);
    ({ bytes: this.bytes, view: this.view } = this.#buffer);
  }

  /** Reserves room for n more bytes plus the overshoot. */
  reserve(n: number): void {
    if (this.length + n + OVERSHOOT <= this.bytes.length) return;
    const before = this.bytes;
    const buffer = this.#buffer;
    const needed = this.length + n + OVERSHOOT;
    this.#enter(acquireBuffer(needed <= CHUNK_BUFFER ? CHUNK_BUFFER : Math.max(before.length * 2, needed)));
    before.copy(this.bytes, 0, 0, this.length);
    buffer?.release();
  }

  #enter(buffer: PooledBuffer): void {
    this.#buffer = buffer;
    ({ bytes: this.bytes, view: this.view } = buffer);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  encoded(source: EncodedText): void {
    this.reserve(source.size);
    this.length = source.put(this.view, this.length);
  }

  raw(source: Uint8Array): void {
    this.reserve(source.length);
    this.bytes.set(source, this.length);
    this.length += source.length;
  }

  /**
   * Copies source[from..to) between a text and a byte. Copies short ranges word by word, which is
   * faster than a call into the runtime. Throws on a range outside of the source: advancing without
   * writing would expose earlier contents of the buffer.
   */
  copy(source: Buffer, from: number, to: number, before: EncodedText = NOTHING, after: number = NONE): void {
    const size = to - from;
    // One test for three: if any of them is negative, the result is negative. No buffer reaches 2
    // GiB.
    if ((from | size | (source.length - to)) < 0) throw new RangeError(`${from} to ${to} is no part of ${source.length} bytes`);
    this.reserve(before.size + size + 1);
    const start = before.put(this.view, this.length);
    if (size > SHORT) source.copy(this.bytes, start, from, to);
    else copyWords(this.view, start, source, from, to);
    this.length = start + size;
    if (after !== NONE) this.bytes[this.length++] = after;
  }

  /** Writes a string as UTF-8. An unpaired surrogate becomes U+FFFD. */
  text(value: string): void {
    this.reserve(value.length < LONG_TEXT ? value.length * 3 : Buffer.byteLength(value));
    this.length += this.bytes.write(value, this.length, 'utf8');
  }

  /** Passes on a piece that is full. Call it between rows. */
  flushIfFull(): void {
    if (this.length >= this.#limit) this.flush();
  }

  flush(): void {
    if (this.#buffer === undefined || this.length === 0) return;
    const piece = this.#buffer.lease(this.length);
    this.#enter(acquireBuffer(CHUNK_BUFFER));
    this.length = 0;
    this.#full(piece);
  }

  /** Passes the rest to a new owner. A small response is one piece. */
  take(): Lease {
    const buffer = this.#buffer;
    const { bytes, length } = this;
    if (buffer !== undefined && length > SMALL) {
      this.#leave();
      return buffer.lease(length);
    }
    const piece = Buffer.allocUnsafe(length);
    bytes.copy(piece, 0, 0, length);
    this.release();
    return new Lease(piece);
  }

  takeText(): string {
    const text = this.bytes.toString('utf8', 0, this.length);
    this.release();
    return text;
  }

  /**
   * Returns the rest as a string with one character per byte, the fastest way to a socket for a
   * small response.
   */
  takeLatin1(): string {
    const text = this.bytes.toString('latin1', 0, this.length);
    this.release();
    return text;
  }

  /** Discards the written bytes. */
  release(): void {
    this.#buffer?.release();
    this.#leave();
  }

  #leave(): void {
    this.#buffer = undefined;
    this.bytes = EMPTY;
    this.view = EMPTY_VIEW;
    this.length = 0;
  }
}

const EMPTY = Buffer.alloc(0);
const EMPTY_VIEW = new DataView(EMPTY.buffer, EMPTY.byteOffset, 0);
