/**
 * Limits how long queries wait for clients that read slowly. A client may be as slow as it likes,
 * but other requests need the database connection that waits for it. One timer serves all
 * responses.
 */
export interface SlowReader {
  /** When the response began to wait (performance.now()). */
  readonly waitingSince: number;
  /** Milliseconds that it had waited before. */
  readonly waitedMs: number;
  /** Called once the response has waited for as long as it may. */
  stopWaiting(): void;
}

const CHECK_INTERVAL_MS = 100;

export class SlowReaders {
  readonly #maxWaitMs: number;
  readonly #waiting = new Set<SlowReader>();
  #timer: NodeJS.Timeout | undefined;

  /** `maxWaitMs`: for each response, over all of its waits. */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  add(reader: SlowReader): void {
    this.#waiting.add(reader);
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  remove(reader: SlowReader): void {
    this.#waiting.delete(reader);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const now = performance.now();
    for (const reader of this.#waiting) {
      if (reader.waitedMs + now - reader.waitingSince < this.#maxWaitMs) continue;
      this.remove(reader);
      reader.stopWaiting();
    }
  }
}
