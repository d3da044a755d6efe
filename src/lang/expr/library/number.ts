/** Builtins of numbers: rounding, extremes, averages, bits. */

import type { Budget } from '../../budget.ts';
import { less } from '../values/compare.ts';
import { negate, roundHalfAway } from '../values/number.ts';
import type { ExprBuiltin } from '../values/run.ts';
import { spendAtOnce } from '../values/run.ts';
import { underlyingInt } from '../values/time-methods.ts';
import {
  Byte,
  bigOf,
  checkDepth,
  type ExprValue,
  Fault,
  floatOf,
  intOf,
  isArray,
  makeFloat,
  makeInt,
  numberOf,
  typeName,
} from '../values/value.ts';

function rounding(name: string, round: (value: number) => number): ExprBuiltin {
  return ([value = null]) => {
    const number = numberOf(value);
    if (number === undefined) throw new Fault(`${name} takes a number, not ${typeName(value)}`);
    return makeFloat(floatOf(value) === undefined ? number : round(number));
  };
}

function abs([value = null]: readonly ExprValue[], budget: Budget): ExprValue {
  if (value instanceof Byte) return value;
  if (numberOf(value) === undefined) throw new Fault(`abs takes a number, not ${typeName(value)}`);
  return less(value, 0, budget) ? negate(value) : value;
}

/** Visits every number in the arguments, including nested lists. */
function eachNumber(name: string, args: readonly ExprValue[], budget: Budget, visit: (value: ExprValue) => void, depth = 0): void {
  checkDepth(depth);
  for (const arg of args) {
    budget.spend(1);
    if (isArray(arg)) eachNumber(name, arg, budget, visit, depth + 1);
    else if (arg instanceof Uint8Array) eachByte(arg, budget, visit);
    else if (numberOf(arg) !== undefined) visit(arg);
    else throw new Fault(`${name} takes numbers, not ${typeName(arg)}`);
  }
}

function eachByte(bytes: Uint8Array, budget: Budget, visit: (value: ExprValue) => void): void {
  budget.spend(bytes.length);
  for (const byte of bytes) visit(new Byte(byte));
}

function extreme(name: string, comesAfter: (best: ExprValue, next: ExprValue, budget: Budget) => boolean): ExprBuiltin {
  return (args, budget) => {
    const [only = null] = args;
    // As in the reference, a single argument that is neither a number nor a list is returned as it
    // is.
    if (args.length === 1 && !isArray(only) && !(only instanceof Uint8Array)) return only;
    let best: ExprValue = null;
    eachNumber(name, args, budget, (value) => {
      if (best === null || comesAfter(best, value, budget)) best = value;
    });
    return best;
  };
}

function floats(name: string, args: readonly ExprValue[], budget: Budget): number[] {
  const values: number[] = [];
  const bare = args.map((arg) => underlyingInt(arg) ?? arg);
  eachNumber(name, bare, budget, (value) => {
    budget.charge(8);
    values.push(numberOf(value) ?? 0);
  });
  return values;
}

function mean(args: readonly ExprValue[], budget: Budget): ExprValue {
  const values = floats('mean', args, budget);
  const total = values.reduce((sum, value) => sum + value, 0);
  return makeFloat(values.length === 0 ? 0 : total / values.length);
}

function median(args: readonly ExprValue[], budget: Budget): ExprValue {
  const values = floats('median', args, budget);
  spendAtOnce(budget, values.length * Math.ceil(Math.log2(values.length + 1)));
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  const upper = values[middle] ?? 0;
  return makeFloat(values.length % 2 === 1 || values.length === 0 ? upper : ((values[middle - 1] ?? 0) + upper) / 2);
}

function bits(name: string, operation: (x: bigint, y: bigint) => bigint): ExprBuiltin {
  return ([a = null, b = null]) => {
    if (intOf(a) === undefined || intOf(b) === undefined)
      throw new Fault(`${name} takes ints, not ${typeName(intOf(a) === undefined ? a : b)}`);
    return makeInt(BigInt.asIntN(64, operation(BigInt.asIntN(64, bigOf(a)), BigInt.asIntN(64, bigOf(b)))));
  };
}

function shift(name: string, operation: (x: bigint, count: bigint) => bigint): ExprBuiltin {
  return bits(name, (x, y) => {
    if (y < 0n) throw new Fault(`${name} takes a count from 0, not ${y}`);
    return operation(x, y > 64n ? 64n : y);
  });
}

export const NUMBER_BUILTINS: Readonly<Record<string, ExprBuiltin>> = {
  abs,
  ceil: rounding('ceil', Math.ceil),
  floor: rounding('floor', Math.floor),
  round: rounding('round', roundHalfAway),
  max: extreme('max', less),
  min: extreme('min', (best, next, budget) => less(next, best, budget)),
  mean,
  median,
  bitand: bits('bitand', (x, y) => x & y),
  bitor: bits('bitor', (x, y) => x | y),
  bitxor: bits('bitxor', (x, y) => x ^ y),
  bitnand: bits('bitnand', (x, y) => x & ~y),
  bitshl: shift('bitshl', (x, count) => x << count),
  bitshr: shift('bitshr', (x, count) => x >> count),
  bitushr: shift('bitushr', (x, count) => BigInt.asUintN(64, x) >> count),
  bitnot: (args) => bits('bitnot', (x) => ~x)([args[0] ?? null, 0], undefined as never),
};
