/**
 * Work that may be interrupted: a generator that yields where others may have a turn, and returns its result. Whoever is in a hurry finishes it at
 * once; whoever shares the event loop takes turns. Knows nothing of what is done.
 */
import { nextSlice } from './loop-scheduler.ts';

export type Slices<T> = Generator<void, T, void>;

export function finished<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}

/** In turns with others, and with the owner's own other work. */
export async function inTurns<T>(slices: Slices<T>, owner: string): Promise<T> {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await nextSlice(owner);
  }
}
