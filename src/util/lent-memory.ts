/**
 * Memory that serves again. Buffers outside of JavaScript's heap are cheap to make and dear to forget: V8 counts them, and some hundred
 * requests with large bodies would make it search the whole heap for them. So they are lent: whoever has no more use for one says so.
 * One that is never given back is collected like any other.
 */

export interface Space {
  readonly bytes: Buffer;
  /** The same bytes, for writing words. */
  readonly view: DataView;
  /** Where it lies when nobody has it; none for what is too large to be kept. */
  readonly shelf: Shelf | undefined;
  isFree: boolean;
}

interface Shelf {
  readonly size: number;
  /** How many are kept. */
  readonly most: number;
  readonly free: Space[];
}

/** Small answers; a piece of a large one and the row that filled it; bodies and batches of some thousand rows; larger ones. */
export const SMALL_SPACE = 16 * 1024;
export const PIECE_SPACE = 80 * 1024;
const SHELVES: readonly Shelf[] = [
  { size: SMALL_SPACE, most: 64, free: [] },
  { size: PIECE_SPACE, most: 64, free: [] },
  { size: 256 * 1024, most: 32, free: [] },
  { size: 1024 * 1024, most: 8, free: [] },
];

const owners = new WeakMap<ArrayBufferLike, Space>();

let poison: number | undefined;

/**
 * For tests: whatever is given back is filled with this byte at once, so that a use after the release, or a look beyond what was written, shows.
 */
export function poisonReleased(byte: number): void {
  poison = byte;
}

/** At least so many bytes, with anything in them: only what was written since may ever be read. */
export function lend(size: number): Space {
  const shelf = SHELVES.find((one) => size <= one.size);
  const space = shelf?.free.pop() ?? make(shelf, size);
  space.isFree = false;
  return space;
}

function make(shelf: Shelf | undefined, size: number): Space {
  const bytes = Buffer.allocUnsafeSlow(shelf?.size ?? size);
  const space = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), shelf, isFree: false };
  if (shelf !== undefined) owners.set(bytes.buffer, space);
  return space;
}

/** Nothing in the space is used any more. */
export function putAway(space: Space): void {
  const { shelf } = space;
  if (shelf === undefined || space.isFree || shelf.free.length >= shelf.most) return;
  if (poison !== undefined) space.bytes.fill(poison);
  space.isFree = true;
  shelf.free.push(space);
}

/** The same for who knows the bytes only, or a part of them. What was not lent is left alone. */
export function giveBack(bytes: Uint8Array): void {
  const space = owners.get(bytes.buffer);
  if (space !== undefined) putAway(space);
}
