/** What a running expression has at hand. A closure takes it and gives a value. Refuses to know how closures are made. */
import type { Budget } from '../budget.ts';
import { Fault, type Value } from './value.ts';

export interface Run {
  readonly lookUp: (name: string) => Value;
  /** The whole environment, for `$env`. */
  readonly whole: () => Value;
  readonly budget: Budget;
  /** The values of `let`, by slot. */
  readonly locals: Value[];
  /** Where in the text something may go wrong next. */
  at: number;
  /** Of the innermost predicate: the element, its index, and what `reduce` has so far. */
  item: Value | typeof NO_ITEM;
  index: number;
  acc: Value;
}

export type Code = (run: Run) => Value;

/** Stands for the element where a predicate runs over a map, which has a size but no elements. */
export const NO_ITEM = Symbol('no element');

export function itemOf(run: Run): Value {
  if (run.item === NO_ITEM) throw new Fault('the entries of a map cannot be visited; use keys, values or toPairs');
  return run.item;
}

/** Beyond this length a joined string is charged in part for being copied when it is read. */
const LONG_TEXT = 4096;

/** Before two strings become one. */
export function chargeJoin(budget: Budget, left: number, right: number): void {
  const length = left + right;
  if (length > MAX_TEXT) throw new Fault(`a string is at most ${MAX_TEXT} characters long`);
  budget.charge(Math.min(left, right) + 32 + (length > LONG_TEXT ? length >> 4 : 0));
}

/** The longest string that V8 can hold is near this. */
const MAX_TEXT = 500_000_000;
