/** The body of a request while it arrives: what has come of it, what of that the budget of all bodies has counted, and how quickly it comes. */
import { type BodyReader, ChunkedBody, sizedBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { CHUNKED } from './header-section.ts';

/** A whole body has so many sweeps, and one more for each so many bytes that have come. */
const BODY_SWEEPS = 120;
const BYTES_A_SWEEP = 16 * 1024;
/** A body of which less than this comes between two sweeps makes room for others first. */
const SLOW_BYTES = 1024;

export class Arrival {
  readonly reader: BodyReader;
  /** Has it been found out whether the body may come at all? */
  screened = false;
  /** At how many sweeps in a row not much had come. */
  slow = 0;
  #silent = 0;
  #seen = 0;
  #counted = 0;

  /** `length`: of the body, or CHUNKED; `most`: what it may have. */
  constructor(length: number, most: number) {
    this.reader = length === CHUNKED ? new ChunkedBody(most) : sizedBody(length);
  }

  /** Counts what has come; false when there is no room for it. */
  count(budget: BodyBudget): boolean {
    const { size } = this.reader;
    if (!budget.take(size - this.#counted, size)) return false;
    this.#counted = size;
    return true;
  }

  /** Bytes that were counted: whoever takes them over releases them. */
  takeCounted(): number {
    const counted = this.#counted;
    this.#counted = 0;
    return counted;
  }

  /** Called at each sweep, `age` sweeps after the head; returns whether it has taken too long, or has not come for so many sweeps. */
  isLate(age: number, stallSweeps: number): boolean {
    const { size } = this.reader;
    const more = size - this.#seen;
    this.#seen = size;
    this.#silent = more > 0 ? 0 : this.#silent + 1;
    this.slow = more >= SLOW_BYTES ? 0 : this.slow + 1;
    return this.#silent > stallSweeps || age > BODY_SWEEPS + size / BYTES_A_SWEEP;
  }
}
