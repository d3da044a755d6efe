/**
 * Collects bytes that arrive in pieces of any size in few buffers, copying each byte only a few
 * times. Pure.
 */

/** Smaller pieces are joined, so that input sent byte by byte does not become as many buffers. */
const SMALL_PIECE = 64 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** Adds a piece, joined with the pieces before it that are not larger. */
export function addChunk(pieces: Buffer[], piece: Buffer): void {
  let last = piece;
  for (
    let before = pieces.at(-1);
    before !== undefined && before.length <= last.length && before.length < SMALL_PIECE;
    before = pieces.at(-1)
  ) {
    pieces.pop();
    last = Buffer.concat([before, last]);
  }
  pieces.push(last);
}

export function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
}

export class PendingBytes {
  size = 0;
  #pieces: Buffer[] = [];

  add(piece: Buffer): void {
    addChunk(this.#pieces, piece);
    this.size += piece.length;
  }

  /** Empties the collection. Returns its bytes behind those of `before`. */
  take(before: Buffer): Buffer {
    const all = before.length === 0 ? joined(this.#pieces) : Buffer.concat([before, ...this.#pieces]);
    this.clear();
    return all;
  }

  clear(): void {
    this.#pieces = [];
    this.size = 0;
  }
}
