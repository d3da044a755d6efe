/** State of a running expression, which every closure receives. */
import { Decimal } from '../../../util/text/decimal.ts';
import type { Budget } from '../../budget.ts';
import { hasBrokenText } from './text.ts';
import { type ExprValue, Fault } from './value.ts';

export interface Run {
  readonly lookUp: (name: string) => ExprValue;
  /** The whole environment, for `$env`. */
  readonly whole: () => ExprValue;
  readonly budget: Budget;
  /** Milliseconds since 1970; constant during a run. */
  readonly now: number;
  /** Values of `let` variables, by slot. */
  readonly locals: ExprValue[];
  /** Offset of the operation that may fail next. */
  at: number;
  /** State of the innermost predicate: the element, its index, and the accumulator of `reduce`. */
  item: ExprValue | typeof NO_ITEM;
  index: number;
  acc: ExprValue;
}

export type Code = (run: Run) => ExprValue;

/** A builtin that takes no predicate. */
export type ExprBuiltin = (args: readonly ExprValue[], budget: Budget) => ExprValue;

/**
 * Placeholder for the element while a predicate runs over a map, which has a size but no elements.
 */
export const NO_ITEM = Symbol('no element');

export function itemOf(run: Run): ExprValue {
  if (run.item === NO_ITEM) throw new Fault('the entries of a map cannot be visited; use keys, values or toPairs');
  return run.item;
}

/** Size from which the digits of an int cost more than a few steps. */
const LONG_INT = 1n << 1024n;

/** Charges for the decimal digits of a number. Those of a long int take quadratic time. */
export function chargeNumber(budget: Budget, value: ExprValue): void {
  if (value instanceof Decimal) budget.spend(value.text.length >> 3);
  if (typeof value !== 'bigint' || (value < LONG_INT && value > -LONG_INT)) return;
  const { length } = value.toString(16);
  spendAtOnce(budget, length + length ** 2 / 2048);
}

/**
 * Charges for repairing a joined string. Another expression may have made the repair necessary, so
 * only the clock is read.
 */
export function chargeRepair(budget: Budget, length: number): void {
  if (hasBrokenText()) budget.weigh(length * 2);
}

/**
 * Charges for joining two strings. The longer one is shared with the result until the result is
 * stored.
 */
export function chargeJoin(budget: Budget, left: number, right: number): void {
  chargeRepair(budget, left + right);
  if (left + right > MAX_TEXT) throw new Fault(`a string is at most ${MAX_TEXT} characters long`);
  budget.charge(Math.min(left, right) + 32);
}

/** Steps charged for the fields of a time in its zone. */
export const TIME_STEPS = 200;

const LONG_TEXT = 1024;

/**
 * Charges for storing a value in a list or map. A long string may be a join that takes its whole
 * length when it is read.
 */
export function chargeKept(budget: Budget, value: ExprValue): void {
  budget.charge(typeof value === 'string' && value.length > LONG_TEXT ? value.length + 8 : 8);
}

/** Conservative estimate of the steps that native code runs per millisecond. */
const STEPS_PER_MILLI = 20_000;

/**
 * Charges work that cannot be interrupted. Work that would exceed the remaining time does not
 * start.
 */
export function spendAtOnce(budget: Budget, steps: number): void {
  budget.spend(Math.ceil(steps));
  if (steps > STEPS_PER_MILLI && steps / STEPS_PER_MILLI > budget.millisLeft) budget.timeIsUp();
}

/** Charges the comparisons of a sort. */
export function chargeSort(budget: Budget, count: number): void {
  spendAtOnce(budget, count * Math.ceil(Math.log2(count + 1)) * 2);
}

/** Slightly below V8's maximum string length. */
const MAX_TEXT = 500_000_000;
