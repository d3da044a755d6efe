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

/** What one turn takes, in milliseconds. */
const TURN_MS = 4;

/** Turns of work whose pieces are small, and of which nobody knows how long they take. */
export class Turns {
  readonly #owner: string;
  #began = performance.now();

  constructor(owner: string) {
    this.#owner = owner;
  }

  get isOver(): boolean {
    return performance.now() - this.#began >= TURN_MS;
  }

  /** Begins with the next turn. */
  async next(): Promise<void> {
    await nextSlice(this.#owner);
    this.#began = performance.now();
  }
}

/** `items.map(map)` in turns. */
export async function mapInTurns<T, R>(items: Iterable<T>, owner: string, map: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  const turns = new Turns(owner);
  for (const item of items) {
    made.push(map(item));
    if (turns.isOver) await turns.next();
  }
  return made;
}

/** In turns with others, and with the owner's own other work. */
export async function inTurns<T>(slices: Slices<T>, owner: string): Promise<T> {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await nextSlice(owner);
  }
}
