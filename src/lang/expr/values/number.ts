/**
 * Arithmetic: ints are 64 bits wide and wrap around, floats are JavaScript's. A wider int from the
 * environment stays exact.
 */
import { raise } from './power.ts';
import { addDuration, subtractTimes } from './time.ts';
import {
  Byte,
  bigOf,
  Duration,
  type ExprValue,
  Fault,
  floatOf,
  intOf,
  MAX_INT64,
  MIN_INT64,
  makeFloat,
  makeInt,
  numberOf,
  Time,
  typeName,
} from './value.ts';

/** Maximum size of exact ints. */
const MAX_BITS = 2048n;
const LIMIT = 1n << MAX_BITS;

type IntOperation = (a: bigint, b: bigint) => bigint;

function exact(a: bigint, b: bigint, operation: IntOperation): number | bigint {
  const result = operation(a, b);
  if (isWide(a) || isWide(b)) {
    if (result > LIMIT || result < -LIMIT) throw new Fault(`the integer needs more than ${MAX_BITS} bits`);
    return makeInt(result);
  }
  return makeInt(BigInt.asIntN(64, result));
}

function isWide(value: bigint): boolean {
  return value > MAX_INT64 || value < MIN_INT64;
}

function invalid(a: ExprValue, op: string, b: ExprValue): Fault {
  return new Fault(`${typeName(a)} ${op} ${typeName(b)} is not possible`);
}

/**
 * Combines two numbers: ints with ints, otherwise as floats; `undefined` if one is not a number.
 */
function numeric(a: ExprValue, b: ExprValue, ints: IntOperation, floats: (a: number, b: number) => number): ExprValue | undefined {
  const x = intOf(a);
  const y = intOf(b);
  if (x !== undefined && y !== undefined) return exact(BigInt(x), BigInt(y), ints);
  const left = numberOf(a);
  const right = numberOf(b);
  return left === undefined || right === undefined ? undefined : makeFloat(floats(left, right));
}

export function add(a: ExprValue, b: ExprValue): ExprValue {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  const result = numeric(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
  );
  if (result !== undefined) return result;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos);
  if (a instanceof Time && b instanceof Duration) return addDuration(a, b.nanos);
  if (a instanceof Duration && b instanceof Time) return addDuration(b, a.nanos);
  throw invalid(a, '+', b);
}

export function subtract(a: ExprValue, b: ExprValue): ExprValue {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  const result = numeric(
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  );
  if (result !== undefined) return result;
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos - b.nanos);
  if (a instanceof Time && b instanceof Duration) return addDuration(a, -b.nanos);
  if (a instanceof Time && b instanceof Time) return new Duration(subtractTimes(a, b));
  throw invalid(a, '-', b);
}

export function multiply(a: ExprValue, b: ExprValue): ExprValue {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    const product = a * b;
    // The int zero has no sign, but -5 * 0 in JavaScript is -0.
    if (Number.isSafeInteger(product)) return product === 0 ? 0 : product;
  }
  const result = numeric(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
  if (result !== undefined) return result;
  const product = multiplyDurations(a, b);
  if (product === undefined) throw invalid(a, '*', b);
  return product;
}

/** A duration times an int is a duration; times a float it is a number of nanoseconds. */
function multiplyDurations(a: ExprValue, b: ExprValue): ExprValue | undefined {
  const duration = a instanceof Duration ? a : b instanceof Duration ? b : undefined;
  if (duration === undefined) return undefined;
  const other = duration === a ? b : a;
  if (other instanceof Duration) return new Duration(duration.nanos * other.nanos);
  if (intOf(other) !== undefined) return new Duration(duration.nanos * bigOf(other));
  const float = floatOf(other);
  return float === undefined ? undefined : makeFloat(Number(duration.nanos) * float);
}

export function divide(a: ExprValue, b: ExprValue): ExprValue {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) throw invalid(a, '/', b);
  return makeFloat(x / y);
}

export function modulo(a: ExprValue, b: ExprValue): ExprValue {
  const x = intOf(a);
  const y = intOf(b);
  if (x === undefined || y === undefined) throw invalid(a, '%', b);
  if (y === 0) throw new Fault('division of an int by zero');
  if (typeof x === 'number' && typeof y === 'number') return x % y || 0;
  return makeInt(BigInt(x) % BigInt(y));
}

export function power(a: ExprValue, b: ExprValue): ExprValue {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) throw invalid(a, '**', b);
  return makeFloat(raise(x, y));
}

export function negate(value: ExprValue): ExprValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 0 - value : makeFloat(-value);
  if (typeof value === 'bigint') return exact(0n, value, (x, y) => x - y);
  if (value instanceof Byte) return new Byte(-value.value);
  const float = floatOf(value);
  if (float === undefined) throw new Fault(`-${typeName(value)} is not possible`);
  return makeFloat(-float);
}

/** Rounds half away from zero. */
export function roundHalfAway(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

/** Truncates a float to an int. A value out of range becomes the smallest int. */
export function truncateToInt(value: number): number | bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole === 0 ? 0 : whole;
  if (!Number.isFinite(whole)) return MIN_INT64;
  const big = BigInt(whole);
  return isWide(big) ? MIN_INT64 : big;
}
