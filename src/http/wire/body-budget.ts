/**
 * How many bytes of bodies all connections together may hold, from their arrival until their handlers have done with them. Small bodies may use
 * all of it and large ones not quite: some that were sent large must not keep out the many that are small.
 */

/** A body up to this size is small. */
export const SMALL_BODY = 64 * 1024;
/** The part of the budget that large bodies leave to small ones. */
const LEFT_TO_SMALL = 1 / 8;

export class BodyBudget {
  held = 0;
  readonly #most: number;
  readonly #mostForLarge: number;

  constructor(most: number) {
    this.#most = most;
    this.#mostForLarge = Math.floor(most * (1 - LEFT_TO_SMALL));
  }

  /** Counts so many bytes of a body that has this size by now; false, and nothing counted, when there is no room. */
  take(bytes: number, size: number): boolean {
    if (this.held + bytes > (size <= SMALL_BODY ? this.#most : this.#mostForLarge)) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}
