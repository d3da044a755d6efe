/** Keeps bytes that arrive in pieces of any size, in few objects, and copies each byte only a few times. */

/** Smaller pieces are joined: what is sent byte by byte must not become as many objects. */
const SMALL_PIECE = 64 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** Adds a piece. A piece is joined with its neighbours until the one before it is larger, or large enough. */
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

/** Early bytes, in order, while a request before them is under way. */
export class PendingBytes {
  size = 0;
  #pieces: Buffer[] = [];

  add(piece: Buffer): void {
    addChunk(this.#pieces, piece);
    this.size += piece.length;
  }

  /** Takes everything, behind the rest that was there before. */
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
