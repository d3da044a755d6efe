/**
 * Limits of a program: steps, bytes, call depth and wall time. Every operation that grows a value
 * charges it first. Only the wall clock differs between machines.
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
  /** Position at which the budget ran out, if the language provides it. */
  problem: Problem | undefined = undefined;

  constructor(kind: BudgetKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export const DEFAULT_LIMITS: RunLimits = { steps: 50_000_000, bytes: 64 * 1024 * 1024, millis: 1000, depth: 200 };

/**
 * Steps between two readings of the clock. Small, because a step of a cold program may take
 * microseconds.
 */
const SLICE = 256;
/** From this number of steps on, the duration of a charge is estimated by MILLIS_PER_STEP. */
const LONG_STEPS = 20_000;
const MILLIS_PER_STEP = 2e-5;

export class Budget {
  readonly limits: RunLimits;
  /**
   * Steps left until the next reading of the clock. Hot loops run `if (--budget.slice < 0)
   * budget.tick();`.
   */
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

  /**
   * Charges several steps at once, for work that cannot be interrupted. It does not start if the
   * remaining time is too short.
   */
  spend(steps: number): void {
    this.slice -= steps;
    while (this.slice < 0) {
      const owed = this.slice;
      this.slice = 0;
      this.tick();
      this.slice += owed;
      if (this.slice < 0 && this.#stepsLeft <= 0) this.tick();
    }
    if (steps > LONG_STEPS && this.millisLeft < steps * MILLIS_PER_STEP) this.timeIsUp();
  }

  /**
   * Brings the next reading of the clock closer without charging steps: for work that rarely takes
   * as long as it may.
   */
  weigh(steps: number): void {
    this.#stepsLeft += steps;
    this.spend(steps);
  }

  /** Time left until the deadline; negative after it. */
  get millisLeft(): number {
    return this.#deadline - performance.now();
  }

  timeIsUp(): never {
    throw new BudgetError('time', `the program ran longer than its ${this.limits.millis} ms`);
  }

  /** Charges an allocation. Must be called before anything grows by this many bytes. */
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
