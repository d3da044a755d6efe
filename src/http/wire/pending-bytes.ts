/** Bytes that arrive in pieces of any size and are kept until they are wanted: few objects, and each byte copied a few times at most. */

/** Smaller pieces are joined as they come: what is sent byte by byte must not become as many objects. */
const SMALL_PIECE = 64 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** Adds a piece. Of two neighbours the later is always the smaller or large enough, so that few are left and each byte is copied a few times. */
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

/** What came too early: it waits here, in order, while something before it is under way. */
export class PendingBytes {
  size = 0;
  #pieces: Buffer[] = [];

  add(piece: Buffer): void {
    addChunk(this.#pieces, piece);
    this.size += piece.length;
  }

  /** Everything, behind what is left of before. */
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
