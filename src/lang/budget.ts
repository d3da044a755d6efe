/**
 * What a program may use: steps, bytes, call depth and wall time. Every operation that grows something asks first.
 * Steps and bytes are counted alike on every machine; only the wall clock differs.
 */
import type { Problem } from './source.ts';

export interface RunLimits {
  readonly steps: number;
  readonly bytes: number;
  readonly millis: number;
  readonly depth: number;
}

export type BudgetKind = 'steps' | 'memory' | 'time' | 'depth';

export class BudgetError extends Error {
  readonly kind: BudgetKind;
  /** Where the program ran out, if the language knows. */
  problem: Problem | undefined = undefined;

  constructor(kind: BudgetKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export const DEFAULT_LIMITS: RunLimits = { steps: 50_000_000, bytes: 64 * 1024 * 1024, millis: 1000, depth: 200 };

/** Steps between two readings of the clock: few, as a step of a cold program may take some microseconds. */
const SLICE = 256;

export class Budget {
  readonly limits: RunLimits;
  /** Steps left until the next reading of the clock; hot loops do `if (--budget.slice < 0) budget.tick();`. */
  slice = 0;
  #stepsLeft: number;
  #bytesLeft: number;
  readonly #deadline: number;

  constructor(limits: RunLimits) {
    this.limits = limits;
    this.#stepsLeft = limits.steps;
    this.#bytesLeft = limits.bytes;
    this.#deadline = performance.now() + limits.millis;
    this.#refill();
  }

  tick(): void {
    if (this.#stepsLeft <= 0) throw new BudgetError('steps', `the program took more than its ${this.limits.steps} steps`);
    this.checkTime();
    this.#refill();
  }

  checkTime(): void {
    if (performance.now() > this.#deadline) this.timeIsUp();
  }

  /** Several steps at once: for a builtin that handles n elements. */
  spend(steps: number): void {
    this.slice -= steps;
    while (this.slice < 0) {
      const owed = this.slice;
      this.slice = 0;
      this.tick();
      this.slice += owed;
      if (this.slice < 0 && this.#stepsLeft <= 0) this.tick();
    }
  }

  /** The time left until the deadline; negative after it. */
  get millisLeft(): number {
    return this.#deadline - performance.now();
  }

  timeIsUp(): never {
    throw new BudgetError('time', `the program ran longer than its ${this.limits.millis} ms`);
  }

  /** Call this before anything grows by this many bytes. */
  charge(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) {
      throw new BudgetError('memory', `the program needed more than its ${Math.floor(this.limits.bytes / 1024 / 1024)} MiB of memory`);
    }
  }

  #refill(): void {
    this.slice = Math.min(SLICE, this.#stepsLeft);
    this.#stepsLeft -= this.slice;
  }
}
