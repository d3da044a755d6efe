/**
 * Pauses a stream for two reasons: its reader is slow, or it has used its slice of the event loop. Resumes when neither holds.
 * Knows nothing of what flows.
 */
import { SLICE_BYTES, schedule } from './loop-scheduler.ts';

export interface Pausable {
  pause(): void;
  resume(): void;
}

/** A stream may send this much before it takes slices. A page of a few thousand rows never reaches it. */
const FREE_BYTES = 512 * 1024;

export class PacedFlow {
  readonly #source: Pausable;
  readonly #owner: string;
  #left: number;
  #waits = false;
  #stopped = false;

  /** `free`: what may flow before it takes slices. */
  constructor(source: Pausable, owner: string, free = FREE_BYTES) {
    this.#source = source;
    this.#owner = owner;
    this.#left = free;
  }

  /** This many bytes were processed. */
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

  /** The reader is slow. */
  pause(): void {
    this.#stopped = true;
    this.#source.pause();
  }

  /** The reader has caught up. */
  resume(): void {
    this.#stopped = false;
    if (!this.#waits) this.#source.resume();
  }
}
