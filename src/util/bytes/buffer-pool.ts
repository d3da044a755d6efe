/**
 * A pool of buffers. Abandoned buffers are expensive: V8 counts their memory, and a few hundred
 * requests with large bodies would trigger full collections.
 *
 * A `PooledBuffer` belongs to the object that acquired it, which writes into it and releases it.
 * Bytes change hands as a `Lease`, whose owner releases it once or passes it on. A buffer that is
 * never released is collected like any other object.
 */

interface SizeClass {
  readonly size: number;
  /** Maximum number of free buffers to keep. */
  readonly max: number;
  readonly free: PooledBuffer[];
}

/**
 * Small responses; a chunk of a large response plus the row that filled it; bodies and batches of a
 * few thousand rows; larger bodies.
 */
export const SMALL_BUFFER = 16 * 1024;
export const CHUNK_BUFFER = 144 * 1024;
const SIZE_CLASSES: readonly SizeClass[] = [
  { size: SMALL_BUFFER, max: 64, free: [] },
  { size: CHUNK_BUFFER, max: 64, free: [] },
  { size: 256 * 1024, max: 32, free: [] },
  { size: 1024 * 1024, max: 8, free: [] },
];

/**
 * The method of plain typed arrays checks fewer arguments, so wiping a few bytes takes nanoseconds.
 */
const wipe = Uint8Array.prototype.fill;

/** Content written into released memory; `undefined` outside of tests. */
let pattern: Buffer | undefined;

/**
 * For tests: fills released memory with this byte. A read after the release returns nonsense, a
 * write after it is detected at the next acquire, and a second release throws. `undefined` ends it.
 */
export function poisonReleased(byte: number | undefined): void {
  pattern = byte === undefined ? undefined : Buffer.alloc(1024 * 1024, byte);
  // Buffers that were released earlier do not have the pattern.
  dropFreeBuffers();
}

/** Returns at least this many bytes with arbitrary content. Read only bytes you have written. */
export function acquireBuffer(size: number): PooledBuffer {
  const sizeClass = SIZE_CLASSES.find((one) => size <= one.size);
  const known = sizeClass?.free.pop();
  if (known === undefined) return new PooledBuffer(sizeClass, size);
  known.reuse();
  return known;
}

/** Drops the free buffers of a service at rest. */
export function dropFreeBuffers(): void {
  for (const { free } of SIZE_CLASSES) free.length = 0;
}

export class PooledBuffer {
  readonly bytes: Buffer;
  /** View of the same bytes. */
  readonly view: DataView;
  /** `undefined` for a buffer that is too large to keep. */
  readonly #sizeClass: SizeClass | undefined;
  #isFree = false;

  constructor(sizeClass: SizeClass | undefined, size: number) {
    this.bytes = Buffer.allocUnsafeSlow(sizeClass?.size ?? size);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    this.#sizeClass = sizeClass;
  }

  /** Called by the pool only. */
  reuse(): void {
    this.#isFree = false;
    if (pattern !== undefined && pattern.compare(this.bytes, 0, this.bytes.length, 0, this.bytes.length) !== 0)
      throw new Error('a buffer was written after its release');
  }

  /** Returns the buffer to the pool; its content must not be used again. */
  release(): void {
    if (pattern !== undefined) this.#poison(pattern);
    if (this.#isFree) return;
    this.#isFree = true;
    const sizeClass = this.#sizeClass;
    if (sizeClass !== undefined && sizeClass.free.length < sizeClass.max) sizeClass.free.push(this);
  }

  /** Wipes the first `length` bytes, which are all that was written, before the release. */
  releaseWiped(length: number): void {
    wipe.call(this.bytes, 0, 0, length);
    this.release();
  }

  /** Passes the first bytes to a new owner, who releases the whole buffer. */
  lease(length: number): Lease {
    return new Lease(this.bytes.subarray(0, length), this);
  }

  #poison(content: Buffer): void {
    if (this.#isFree) throw new Error('a buffer was released twice');
    content.copy(this.bytes);
  }
}

/** The bytes of a lease, or the bytes themselves. */
export function bytesOf<T extends Uint8Array>(value: T | Lease): T | Buffer {
  return value instanceof Lease ? value.bytes : value;
}

/**
 * Bytes that belong to the holder of this object, until it releases them or passes the lease on.
 */
export class Lease {
  readonly length: number;
  readonly #bytes: Buffer;
  #buffer: PooledBuffer | undefined;
  #isReleased = false;

  /** Without a buffer the bytes are not pooled, and `release` only marks them as unusable. */
  constructor(bytes: Buffer, buffer?: PooledBuffer) {
    this.length = bytes.length;
    this.#bytes = bytes;
    this.#buffer = buffer;
  }

  /** Throws after the release. */
  get bytes(): Buffer {
    if (this.#isReleased) throw new Error('the bytes of a lease were used after its release');
    return this.#bytes;
  }

  release(): void {
    this.#isReleased = true;
    this.#buffer?.release();
    this.#buffer = undefined;
  }
}
