/**
 * Pauses a stream while its reader is slow, or while it waits for its next slice of the event loop.
 */
import { SLICE_BYTES, schedule } from './loop-scheduler.ts';

export interface Pausable {
  pause(): void;
  resume(): void;
}

/**
 * Bytes that a stream may send before it takes slices. A page of a few thousand rows is smaller.
 */
const FREE_BYTES = 512 * 1024;

export class PacedFlow {
  readonly #source: Pausable;
  readonly #owner: string;
  #left: number;
  #waits = false;
  #stopped = false;

  /** `free`: bytes that may flow before the stream takes slices. */
  constructor(source: Pausable, owner: string, free = FREE_BYTES) {
    this.#source = source;
    this.#owner = owner;
    this.#left = free;
  }

  /** Counts processed bytes. */
  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left > 0 || this.#waits) return;
    this.#waits = true;
    this.#source.pause();
    schedule(this.#owner, () => {
      this.#waits = false;
      this.#left = 2 * SLICE_BYTES;
      if (!this.#stopped) this.#source.resume();
    });
  }

  /** Called when the reader is slow. */
  pause(): void {
    this.#stopped = true;
    this.#source.pause();
  }

  /** Called when the reader has caught up. */
  resume(): void {
    this.#stopped = false;
    if (!this.#waits) this.#source.resume();
  }
}
