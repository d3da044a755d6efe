/**
 * Bounds the bytes of bodies that all connections hold, from arrival until their handlers have finished. Small bodies may use all of it, large
 * ones not quite: a few large bodies must not keep out many small ones.
 */

/** A body up to this size is small. */
export const SMALL_BODY = 64 * 1024;
/** The part of the budget that is reserved for small bodies. */
const LEFT_TO_SMALL = 1 / 8;

export class BodyBudget {
  held = 0;
  readonly #most: number;
  readonly #mostForLarge: number;

  constructor(most: number) {
    this.#most = most;
    this.#mostForLarge = Math.floor(most * (1 - LEFT_TO_SMALL));
  }

  /** Counts more bytes of a body of this size. Returns false, and counts nothing, when there is no room. */
  take(bytes: number, size: number): boolean {
    if (this.held + bytes > (size <= SMALL_BODY ? this.#most : this.#mostForLarge)) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}
