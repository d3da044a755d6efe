/**
 * Memory that serves again. Buffers outside of JavaScript's heap are cheap to make and dear to forget: V8 counts them, and some hundred
 * requests with large bodies would make it search the whole heap for them. So they are leased: whoever has no more use for one says so.
 * One that is never given back is collected like any other.
 */

export interface BufferLease {
  readonly bytes: Buffer;
  /** The same bytes, for writing words. */
  readonly view: DataView;
  /** Where it lies when nobody has it; none for what is too large to be kept. */
  readonly sizeClass: SizeClass | undefined;
  isFree: boolean;
}

interface SizeClass {
  readonly size: number;
  /** How many are kept. */
  readonly most: number;
  readonly free: BufferLease[];
}

/** Small answers; a piece of a large one and the row that filled it; bodies and batches of some thousand rows; larger ones. */
export const SMALL_BUFFER = 16 * 1024;
export const CHUNK_BUFFER = 80 * 1024;
const SIZE_CLASSES: readonly SizeClass[] = [
  { size: SMALL_BUFFER, most: 64, free: [] },
  { size: CHUNK_BUFFER, most: 64, free: [] },
  { size: 256 * 1024, most: 32, free: [] },
  { size: 1024 * 1024, most: 8, free: [] },
];

const owners = new WeakMap<ArrayBufferLike, BufferLease>();

let poison: number | undefined;

/**
 * For tests: whatever is given back is filled with this byte at once, so that a use after the release, or a look beyond what was written, shows.
 */
export function poisonReleased(byte: number): void {
  poison = byte;
}

/** At least so many bytes, with anything in them: only what was written since may ever be read. */
export function acquireBuffer(size: number): BufferLease {
  const sizeClass = SIZE_CLASSES.find((one) => size <= one.size);
  const lease = sizeClass?.free.pop() ?? make(sizeClass, size);
  lease.isFree = false;
  return lease;
}

function make(sizeClass: SizeClass | undefined, size: number): BufferLease {
  const bytes = Buffer.allocUnsafeSlow(sizeClass?.size ?? size);
  const lease = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), sizeClass, isFree: false };
  if (sizeClass !== undefined) owners.set(bytes.buffer, lease);
  return lease;
}

/** Nothing in the lease is used any more. */
export function releaseLease(lease: BufferLease): void {
  const { sizeClass } = lease;
  if (sizeClass === undefined || lease.isFree || sizeClass.free.length >= sizeClass.most) return;
  if (poison !== undefined) lease.bytes.fill(poison);
  lease.isFree = true;
  sizeClass.free.push(lease);
}

/** The same for who knows the bytes only, or a part of them. What was not leased is left alone. */
export function releaseBuffer(bytes: Uint8Array): void {
  const lease = owners.get(bytes.buffer);
  if (lease !== undefined) releaseLease(lease);
}
