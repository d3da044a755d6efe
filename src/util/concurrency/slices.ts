/**
 * Interruptible work: a generator that yields where other work may run, and returns its result. It
 * runs to its end at once, or shares the event loop.
 */
import { nextSlice } from './loop-scheduler.ts';

export type Slices<T> = Generator<void, T, void>;

export function runToEnd<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}

/** Length of a time slice in milliseconds. */
const SLICE_MS = 4;

/** Measures time slices of work that consists of small pieces of unknown duration. */
export class TimeSlice {
  readonly #owner: string;
  #began = performance.now();

  constructor(owner: string) {
    this.#owner = owner;
  }

  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  /** Waits for the next slice. */
  async next(): Promise<void> {
    await nextSlice(this.#owner);
    this.#began = performance.now();
  }
}

/** `items.map(map)`, yielding to other tenants between slices. */
export async function mapCooperatively<T, R>(items: Iterable<T>, owner: string, map: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  const slice = new TimeSlice(owner);
  for (const item of items) {
    made.push(map(item));
    if (slice.isOver) await slice.next();
  }
  return made;
}

/** Runs to the end, yielding to other tenants and to other work of the same tenant. */
export async function runCooperatively<T>(slices: Slices<T>, owner: string): Promise<T> {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await nextSlice(owner);
  }
}
