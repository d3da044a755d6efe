/** The state of a running expression. A closure takes it and returns a value. Does not know how closures are made. */
import type { Budget } from '../../budget.ts';
import { type ExprValue, Fault } from './value.ts';

export interface Run {
  readonly lookUp: (name: string) => ExprValue;
  /** The whole environment, for `$env`. */
  readonly whole: () => ExprValue;
  readonly budget: Budget;
  /** Milliseconds since 1970: it is the same time all through a run. */
  readonly now: number;
  /** The values of `let`, by slot. */
  readonly locals: ExprValue[];
  /** Where in the text something may go wrong next. */
  at: number;
  /** Of the innermost predicate: the element, its index, and what `reduce` has so far. */
  item: ExprValue | typeof NO_ITEM;
  index: number;
  acc: ExprValue;
}

export type Code = (run: Run) => ExprValue;

/** A builtin that takes no predicate. */
export type ExprBuiltin = (args: readonly ExprValue[], budget: Budget) => ExprValue;

/** Stands for the element where a predicate runs over a map, which has a size but no elements. */
export const NO_ITEM = Symbol('no element');

export function itemOf(run: Run): ExprValue {
  if (run.item === NO_ITEM) throw new Fault('the entries of a map cannot be visited; use keys, values or toPairs');
  return run.item;
}

/** Before two strings become one: the longer one is shared with the result until the result is kept. */
export function chargeJoin(budget: Budget, left: number, right: number): void {
  if (left + right > MAX_TEXT) throw new Fault(`a string is at most ${MAX_TEXT} characters long`);
  budget.charge(Math.min(left, right) + 32);
}

const LONG_TEXT = 1024;

/** Before a value goes into a list or map: a long string may have been joined, and takes its whole length when it is read. */
export function chargeKept(budget: Budget, value: ExprValue): void {
  budget.charge(typeof value === 'string' && value.length > LONG_TEXT ? value.length + 8 : 8);
}

/** A cautious guess at the steps that native code does in a millisecond. */
const STEPS_PER_MILLI = 20_000;

/** Call this before work that cannot be interrupted: work that would take longer than the time left is not started. */
export function spendAtOnce(budget: Budget, steps: number): void {
  budget.spend(Math.ceil(steps));
  if (steps > STEPS_PER_MILLI && steps / STEPS_PER_MILLI > budget.millisLeft) budget.timeIsUp();
}

/** The longest string that V8 can hold is near this. */
const MAX_TEXT = 500_000_000;
