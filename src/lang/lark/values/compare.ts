/**
 * Equality and order of values. Numbers compare as real numbers across types; NaN equals itself and
 * is above all others. Nesting is bounded, so a cycle ends in an error.
 */
import { compareExact } from '../../../util/text/decimal.ts';
import { MAX_DATA_DEPTH } from './depth.ts';
import { Extension } from './extension.ts';
import { fail } from './failure.ts';
import { chargeDecimalText, compareIntFloat } from './int.ts';
import { LarkDict, LarkSet } from './table.ts';
import { compareText } from './text/utf8.ts';
import type { Thread } from './thread.ts';
import { ExactFloat, LarkBytes, LarkFloat, LarkList, LarkRange, LarkTuple, type LarkValue, typeOf } from './value.ts';

/** Length up to which comparing strings costs no more than a step. */
const SHORT = 64;
const TOO_DEEP = 'comparison exceeded maximum recursion depth';

function isInt(value: LarkValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function compareFloats(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Negative, zero or positive for two numbers; `undefined` if one is not a number. */
function compareNumbers(thread: Thread, a: LarkValue, b: LarkValue): number | undefined {
  if (isInt(a) && isInt(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = a instanceof LarkFloat;
  const right = b instanceof LarkFloat;
  if (!(left || isInt(a)) || !(right || isInt(b))) return undefined;
  if (a instanceof ExactFloat || b instanceof ExactFloat) {
    const x = a instanceof ExactFloat ? a.decimal : left ? a.value : a;
    const y = b instanceof ExactFloat ? b.decimal : right ? b.value : b;
    if (Number.isNaN(x) || Number.isNaN(y)) return compareFloats(Number(x), Number(y));
    chargeExact(thread, a);
    chargeExact(thread, b);
    return compareExact(x, y);
  }
  if (left) return right ? compareFloats(a.value, b.value) : -compareIntFloat(b as number | bigint, a.value) || 0;
  return compareIntFloat(a as number | bigint, (b as LarkFloat).value);
}

/** An exact comparison works on the decimal digits of both numbers. */
function chargeExact(thread: Thread, value: LarkValue): void {
  if (value instanceof ExactFloat) thread.spend(value.decimal.text.length >> 2);
  else if (typeof value === 'bigint') chargeDecimalText(thread, value);
}

export function equals(thread: Thread, a: LarkValue, b: LarkValue, depth = 0): boolean {
  if (typeof a === 'string' || typeof b === 'string') return equalStrings(thread, a, b);
  if (a === b && (typeof a !== 'object' || a === null)) return true;
  if (a === null || b === null || typeof a === 'boolean' || typeof b === 'boolean') return false;
  const numbers = compareNumbers(thread, a, b);
  if (numbers !== undefined) return numbers === 0;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (--thread.slice < 0) thread.tick();
  if (depth > MAX_DATA_DEPTH) fail(TOO_DEEP);
  if ((a instanceof LarkList && b instanceof LarkList) || (a instanceof LarkTuple && b instanceof LarkTuple)) {
    return equalItems(thread, a.items, b.items, depth);
  }
  if (a instanceof LarkDict) return b instanceof LarkDict && equalDicts(thread, a, b, depth);
  if (a instanceof LarkSet) return b instanceof LarkSet && a.size === b.size && contains(thread, a, b);
  if (a instanceof LarkBytes) return b instanceof LarkBytes && compareBytes(thread, a, b) === 0;
  if (a instanceof LarkRange) return b instanceof LarkRange && equalRanges(a, b);
  if (a instanceof Extension) return b instanceof Extension && a.equals(b, (x, y) => equalFields(thread, x, y, depth));
  return a === b;
}

/** Equal strings are compared to their end, unless they are the same object. */
export function equalStrings(thread: Thread, a: LarkValue, b: LarkValue): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length && a.length > SHORT) thread.spend(a.length >> 5);
  return a === b;
}

function equalFields(thread: Thread, a: LarkValue, b: LarkValue, depth: number): boolean {
  if (--thread.slice < 0) thread.tick();
  return equals(thread, a, b, depth + 1);
}

function compareBytes(thread: Thread, a: LarkBytes, b: LarkBytes): number {
  thread.spend(Math.min(a.data.length, b.data.length) >> 6);
  return Buffer.compare(a.data, b.data);
}

function orderStrings(thread: Thread, a: string, b: string): number {
  if (a.length + b.length > SHORT) thread.spend((a.length + b.length) >> 3);
  return compareText(a, b);
}

function equalItems(thread: Thread, a: readonly LarkValue[], b: readonly LarkValue[], depth: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (--thread.slice < 0) thread.tick();
    if (!equals(thread, a[i] as LarkValue, b[i] as LarkValue, depth + 1)) return false;
  }
  return true;
}

function equalDicts(thread: Thread, a: LarkDict, b: LarkDict, depth: number): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a.pairs(thread)) {
    if (--thread.slice < 0) thread.tick();
    const other = b.get(thread, key);
    if (other === undefined || !equals(thread, value, other, depth + 1)) return false;
  }
  return true;
}

/** `true` if the first set is a superset of the second. */
function contains(thread: Thread, outer: LarkSet, inner: LarkSet): boolean {
  thread.spend(inner.size);
  for (const value of inner.values()) if (!outer.has(thread, value)) return false;
  return true;
}

function equalRanges(a: LarkRange, b: LarkRange): boolean {
  if (a.length !== b.length) return false;
  return a.length === 0 || (a.start === b.start && (a.length === 1 || a.step === b.step));
}

export type Ordering = '<' | '<=' | '>' | '>=';

const HOLDS: Readonly<Record<Ordering, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

export function holds(thread: Thread, op: Ordering, a: LarkValue, b: LarkValue): boolean {
  if (a instanceof LarkSet && b instanceof LarkSet) return setHolds(thread, op, a, b);
  return HOLDS[op](order(thread, op, a, b, 0));
}

function setHolds(thread: Thread, op: Ordering, a: LarkSet, b: LarkSet): boolean {
  const [outer, inner] = op === '<' || op === '<=' ? [b, a] : [a, b];
  if ((op === '<' || op === '>') && outer.size === inner.size) return false;
  return contains(thread, outer, inner);
}

/** Order of two values under an operator, which errors name. */
export function order(thread: Thread, op: string, a: LarkValue, b: LarkValue, depth: number): number {
  if (typeof a === 'string' && typeof b === 'string') return orderStrings(thread, a, b);
  const numbers = compareNumbers(thread, a, b);
  if (numbers !== undefined) return numbers;
  if (depth > MAX_DATA_DEPTH) fail(TOO_DEEP);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if ((a instanceof LarkList && b instanceof LarkList) || (a instanceof LarkTuple && b instanceof LarkTuple)) {
    return orderItems(thread, op, a.items, b.items, depth);
  }
  if (a instanceof LarkBytes && b instanceof LarkBytes) return compareBytes(thread, a, b);
  const extended = a instanceof Extension && b instanceof Extension && a.type === b.type ? a.order(b) : undefined;
  return extended ?? fail(`${typeOf(a)} ${op} ${typeOf(b)} not implemented`);
}

function orderItems(thread: Thread, op: string, a: readonly LarkValue[], b: readonly LarkValue[], depth: number): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) {
    if (--thread.slice < 0) thread.tick();
    const x = a[i] as LarkValue;
    const y = b[i] as LarkValue;
    if (!equals(thread, x, y, depth + 1)) return order(thread, op, x, y, depth + 1);
  }
  return a.length - b.length;
}

export function truth(value: LarkValue): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === 0 || value === '') return false;
  if (typeof value !== 'object') return true;
  if (value instanceof LarkList || value instanceof LarkTuple) return value.items.length > 0;
  if (value instanceof LarkDict || value instanceof LarkSet) return value.size > 0;
  if (value instanceof LarkFloat) return value.value !== 0;
  if (value instanceof LarkRange) return value.length > 0;
  if (value instanceof LarkBytes) return value.data.length > 0;
  return value instanceof Extension ? value.truth() : true;
}
