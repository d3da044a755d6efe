/**
 * Backpressure for rows that are already in memory: their producer waits while the gate is closed.
 */
import type { Backpressure } from '../../model/cells.ts';

export class Gate implements Backpressure {
  isClosed = false;
  #open: (() => void) | undefined;

  pause(): void {
    this.isClosed = true;
  }

  resume(): void {
    this.isClosed = false;
    this.#open?.();
  }

  opened(): Promise<void> {
    return new Promise((resolve) => {
      this.#open = resolve;
    });
  }
}
