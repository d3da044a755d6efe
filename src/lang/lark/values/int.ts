/**
 * Arithmetic of unbounded integers: numbers while they fit, bigints beyond. A maximum size keeps
 * every operation short.
 */
import { BudgetError } from '../../budget.ts';
import { fail } from './failure.ts';
import type { Thread } from './thread.ts';

export type Int = number | bigint;

const MAX = Number.MAX_SAFE_INTEGER;
const MAX_BITS = 65_536;
const LARGEST = 1n << BigInt(MAX_BITS);
/** Size from which an operation costs more than one step. */
const LONG_BITS = 1024;
const LONG = 1n << BigInt(LONG_BITS);
const LONG_STEPS = 100;
const MAX_SHIFT = 512;
/** Powers of two above LONG, to find the size of an int by comparisons. */
const SIZES = Array.from({ length: 6 }, (_, i) => 1n << BigInt(LONG_BITS * 2 ** (i + 1)));
/** Steps of an operation that is quadratic in the size, for operands of LONG_BITS. */
const MULTIPLY_STEPS = 25;
const DIVIDE_STEPS = 4;
const DIGIT_STEPS = 70;
/** Steps of reading a decimal digit of a long int. */
const READ_STEPS = 10;

export function normalInt(value: bigint): Int {
  return value >= -BigInt(MAX) && value <= BigInt(MAX) ? Number(value) : value;
}

/** Size in multiples of LONG_BITS, rounded up to a power of two; 0 for a shorter int. */
function sizeOf(value: Int): number {
  if (typeof value === 'number' || (value <= LONG && value >= -LONG)) return 0;
  const magnitude = value < 0n ? -value : value;
  const power = SIZES.findIndex((size) => magnitude <= size);
  return 2 ** ((power < 0 ? SIZES.length : power) + 1);
}

function chargeQuadratic(thread: Thread, a: Int, b: Int, steps: number): void {
  const size = sizeOf(a) * sizeOf(b);
  if (size > 0) thread.spend(size * steps);
}

/** Charges for the decimal digits of an int, which take quadratic time. */
export function chargeDecimalText(thread: Thread, value: Int): void {
  chargeQuadratic(thread, value, value, DIGIT_STEPS);
}

export function intText(thread: Thread, value: Int, radix = 10): string {
  chargeDecimalText(thread, value);
  return value.toString(radix);
}

/** Charges for reading an int of this many digits. */
export function chargeDigits(thread: Thread, digits: number): void {
  thread.spend(digits < 64 ? digits >> 3 : digits * READ_STEPS);
}

/** Checks the size of a result and charges for it. */
function bounded(thread: Thread, value: bigint): Int {
  if (value > LONG || value < -LONG) {
    if (value > LARGEST || value < -LARGEST) throw new BudgetError('memory', `an integer grew beyond ${MAX_BITS} bits`);
    thread.spend(LONG_STEPS);
    thread.charge(MAX_BITS / 64);
  }
  return normalInt(value);
}

export function addInt(thread: Thread, a: Int, b: Int): Int {
  return bounded(thread, BigInt(a) + BigInt(b));
}

export function subtractInt(thread: Thread, a: Int, b: Int): Int {
  return bounded(thread, BigInt(a) - BigInt(b));
}

export function multiplyInt(thread: Thread, a: Int, b: Int): Int {
  chargeQuadratic(thread, a, b, MULTIPLY_STEPS);
  return bounded(thread, BigInt(a) * BigInt(b));
}

export function floorDivideInt(thread: Thread, a: Int, b: Int): Int {
  if (b === 0) fail('floored division by zero');
  if (typeof a === 'number' && typeof b === 'number') return plain(Math.floor(a / b), a, b);
  chargeQuadratic(thread, a, b, DIVIDE_STEPS);
  const x = BigInt(a);
  const y = BigInt(b);
  const quotient = x / y;
  return normalInt(x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient);
}

/** Corrects a float division by its remainder: beyond 2^53 / b the quotient may be off by one. */
function plain(quotient: number, a: number, b: number): number {
  const rest = a - quotient * b;
  if (Math.abs(quotient * b) <= MAX) {
    if (rest !== 0 && rest < 0 !== b < 0) return quotient - 1;
    if (Math.abs(rest) >= Math.abs(b)) return quotient + 1;
    return quotient === 0 ? 0 : quotient;
  }
  const exact = a % b;
  const whole = (a - exact) / b;
  return exact !== 0 && exact < 0 !== b < 0 ? whole - 1 : whole;
}

export function moduloInt(thread: Thread, a: Int, b: Int): Int {
  if (b === 0) fail('integer modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const rest = a % b;
    return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest === 0 ? 0 : rest;
  }
  chargeQuadratic(thread, a, b, DIVIDE_STEPS);
  const y = BigInt(b);
  const rest = BigInt(a) % y;
  return normalInt(rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest);
}

export function shiftLeft(thread: Thread, a: Int, b: Int): Int {
  if (b < 0) fail(`negative shift count: ${b}`);
  if (b >= MAX_SHIFT) fail(`shift count too large: ${b}`);
  return bounded(thread, BigInt(a) << BigInt(b));
}

export function shiftRight(a: Int, b: Int): Int {
  if (b < 0) fail(`negative shift count: ${b}`);
  if (typeof a === 'number' && a >= -0x8000_0000 && a < 0x8000_0000) return a >> Math.min(Number(b), 31);
  if (b >= MAX_BITS) return a < 0 ? -1 : 0;
  return normalInt(BigInt(a) >> BigInt(b));
}

function small(a: Int): a is number {
  return typeof a === 'number' && (a | 0) === a;
}

export function andInt(a: Int, b: Int): Int {
  return small(a) && small(b) ? a & b : normalInt(BigInt(a) & BigInt(b));
}

export function orInt(a: Int, b: Int): Int {
  return small(a) && small(b) ? a | b : normalInt(BigInt(a) | BigInt(b));
}

export function xorInt(a: Int, b: Int): Int {
  return small(a) && small(b) ? a ^ b : normalInt(BigInt(a) ^ BigInt(b));
}

export function invertInt(a: Int): Int {
  return typeof a === 'number' ? -a - 1 : normalInt(~a);
}

export function negateInt(a: Int): Int {
  if (typeof a === 'number') return a === 0 ? 0 : -a;
  return normalInt(-a);
}

/** Converts for float arithmetic. An int beyond the range of floats is an error, not infinity. */
export function intToFloat(a: Int): number {
  const value = Number(a);
  if (!Number.isFinite(value)) fail('int too large to convert to float');
  return value;
}

/** Truncates towards zero. */
export function floatToInt(value: number): Int {
  if (Number.isNaN(value)) fail('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) fail('cannot convert float infinity to integer');
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? (whole === 0 ? 0 : whole) : BigInt(whole);
}

/** Compares an int with a float as real numbers; NaN is above all. */
export function compareIntFloat(a: Int, b: number): number {
  if (Number.isNaN(b)) return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
