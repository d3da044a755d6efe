/**
 * Limits the bytes of request bodies that all connections hold, from arrival until their handlers
 * have finished. A part is reserved for small bodies: a few large ones must not keep out many small
 * ones.
 */
const SMALL_BODY_BYTES = 64 * 1024;
const RESERVED_FOR_SMALL = 1 / 8;

export class BodyBudget {
  held = 0;
  readonly #maxBytes: number;
  readonly #maxForLarge: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxForLarge = Math.floor(maxBytes * (1 - RESERVED_FOR_SMALL));
  }

  /**
   * Takes bytes for a body of this size. Returns `false`, and takes nothing, if there is no room.
   */
  take(bytes: number, size: number): boolean {
    if (this.held + bytes > (size <= SMALL_BODY_BYTES ? this.#maxBytes : this.#maxForLarge)) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}
