/**
 * A request body that is being received: its bytes, its share of the budget, and its speed. No I/O.
 */
import { type BodyReader, ChunkedBody, sizedBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { CHUNKED } from './head/header-section.ts';

/** A body may take this time, plus the time at this rate. */
const MAX_BODY_MS = 120_000;
const MIN_BYTES_PER_MS = 16;
/** A body that receives less between two samples can be evicted. */
const MIN_SAMPLE_BYTES = 1024;

export class IncomingBody {
  readonly reader: BodyReader;
  /** `true` once the handlers have been asked whether to read the body. */
  isPrechecked = false;
  #startedAt = 0;
  /** When the last sample found any bytes, and a reasonable number of bytes. */
  #receivedAt = 0;
  #fastAt = 0;
  #sampledAt = 0;
  #sampledBytes = 0;
  #budgeted = 0;

  constructor(length: number, maxBytes: number, now: number) {
    this.reader = length === CHUNKED ? new ChunkedBody(maxBytes) : sizedBody(length);
    this.restartClock(now);
  }

  /** The time until `now` does not count against the client. */
  restartClock(now: number): void {
    this.#startedAt = now;
    this.#receivedAt = now;
    this.#fastAt = now;
    this.#sampledAt = now;
  }

  /** Takes the received bytes from the budget. Returns `false` if the budget has no room. */
  takeFrom(budget: BodyBudget): boolean {
    const { size } = this.reader;
    if (!budget.take(size - this.#budgeted, size)) return false;
    this.#budgeted = size;
    return true;
  }

  /** Hands over the bytes taken from the budget. The new owner releases them. */
  handOverBudget(): number {
    const budgeted = this.#budgeted;
    this.#budgeted = 0;
    return budgeted;
  }

  /** Milliseconds during which almost nothing arrived, as of the last sample. */
  get slowMs(): number {
    return this.#sampledAt - this.#fastAt;
  }

  /** Samples the progress. `true` if the body has stalled or takes too long. */
  isLate(now: number, stallMs: number): boolean {
    const { size } = this.reader;
    const received = size - this.#sampledBytes;
    this.#sampledBytes = size;
    this.#sampledAt = now;
    if (received > 0) this.#receivedAt = now;
    if (received >= MIN_SAMPLE_BYTES) this.#fastAt = now;
    return now - this.#receivedAt > stallMs || now - this.#startedAt > MAX_BODY_MS + size / MIN_BYTES_PER_MS;
  }
}
