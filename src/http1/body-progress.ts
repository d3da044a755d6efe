/** A request body while it arrives: how much has come, how much of it the budget has counted, and how fast it comes. */
import { type BodyReader, ChunkedBody, sizedBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { CHUNKED } from './header-section.ts';

/** A body may take this many sweeps, plus one for every this many bytes received. */
const BODY_SWEEPS = 120;
const BYTES_A_SWEEP = 16 * 1024;
/** A body that receives less than this between two sweeps is the first to give way. */
const SLOW_BYTES = 1024;

export class Arrival {
  readonly reader: BodyReader;
  /** Has it been decided whether the body may come? */
  screened = false;
  /** For how many sweeps in a row little has come. */
  slow = 0;
  #silent = 0;
  #seen = 0;
  #counted = 0;

  /** `length`: of the body, or CHUNKED. `most`: its limit. */
  constructor(length: number, most: number) {
    this.reader = length === CHUNKED ? new ChunkedBody(most) : sizedBody(length);
  }

  /** Counts what has come. Returns false when the budget has no room. */
  count(budget: BodyBudget): boolean {
    const { size } = this.reader;
    if (!budget.take(size - this.#counted, size)) return false;
    this.#counted = size;
    return true;
  }

  /** Hands over the counted bytes; the new owner releases them. */
  takeCounted(): number {
    const counted = this.#counted;
    this.#counted = 0;
    return counted;
  }

  /** Called at each sweep, `age` sweeps after the head. Returns true when the body takes too long or has stalled. */
  isLate(age: number, stallSweeps: number): boolean {
    const { size } = this.reader;
    const more = size - this.#seen;
    this.#seen = size;
    this.#silent = more > 0 ? 0 : this.#silent + 1;
    this.slow = more >= SLOW_BYTES ? 0 : this.slow + 1;
    return this.#silent > stallSweeps || age > BODY_SWEEPS + size / BYTES_A_SWEEP;
  }
}
