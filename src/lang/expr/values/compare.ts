/**
 * Equality and order of values. As in the reference, `==` compares numbers across kinds and lists
 * element by element, while values inside maps must also agree in kind.
 */
import { compareExact, Decimal } from '../../../util/text/decimal.ts';
import type { Budget } from '../../budget.ts';
import { chargeNumber } from './run.ts';
import { compareText } from './text.ts';
import { compareTimes } from './time.ts';
import {
  AnyMap,
  Byte,
  checkDepth,
  Duration,
  type ExprValue,
  ExprZone,
  Fault,
  Float,
  floatOf,
  intOf,
  isArray,
  isNil,
  MAX_INT64,
  MIN_INT64,
  NamedInt,
  numberOf,
  Time,
  typeName,
} from './value.ts';

/** Length up to which a key costs no more than a step. */
const SHORT = 64;

/**
 * Negative, zero or positive; NaN if the numbers have no order; `undefined` if one is not a number.
 */
function compareNumbers(a: ExprValue, b: ExprValue, budget: Budget): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) return undefined;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  const exact = exactNumber(a);
  const other = exactNumber(b);
  // A decimal and an int compare digit by digit; an int and a computed float compare as floats.
  if (a instanceof Decimal || b instanceof Decimal || isWide(a) || isWide(b)) {
    chargeNumber(budget, a);
    chargeNumber(budget, b);
    return compareExact(exact, other);
  }
  if (floatOf(a) === undefined && floatOf(b) === undefined) return exact < other ? -1 : exact > other ? 1 : 0;
  return x < y ? -1 : x > y ? 1 : 0;
}

function isWide(value: ExprValue): boolean {
  return typeof value === 'bigint' && (value > MAX_INT64 || value < MIN_INT64);
}

function exactNumber(value: ExprValue): Decimal | bigint | number {
  if (value instanceof Float || value instanceof Byte) return value.value;
  return value as Decimal | bigint | number;
}

export function less(a: ExprValue, b: ExprValue, budget: Budget): boolean {
  return order(a, b, '<', budget) < 0;
}

/** Negative, zero or positive; NaN if the values have no order. */
export function order(a: ExprValue, b: ExprValue, op: string, budget: Budget): number {
  if (typeof a === 'string' && typeof b === 'string') return orderText(a, b, budget);
  const numbers = compareNumbers(a, b, budget);
  if (numbers !== undefined) return numbers;
  if (a instanceof Time && b instanceof Time) return compareTimes(a, b);
  if (a instanceof Duration && b instanceof Duration) return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  throw new Fault(`${typeName(a)} ${op} ${typeName(b)} is not possible`);
}

function orderText(a: string, b: string, budget: Budget): number {
  budget.spend(Math.min(a.length, b.length) >> 4);
  return a === b ? 0 : compareText(a, b);
}

/** Strings of the same length are compared to their end. */
function chargeEqualText(a: ExprValue, b: ExprValue, budget: Budget): void {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) budget.spend(a.length >> 6);
}

export function equal(a: ExprValue, b: ExprValue, budget: Budget, depth = 0): boolean {
  chargeEqualText(a, b, budget);
  if (a === b) return !Number.isNaN(a);
  if (typeof a === 'string' || typeof b === 'string' || typeof a === 'boolean' || typeof b === 'boolean') return false;
  const numbers = compareNumbers(a, b, budget);
  if (numbers !== undefined) return numbers === 0;
  if (isNil(a) && isNil(b)) return true;
  const left = listOf(a);
  const right = listOf(b);
  if (left !== undefined && right !== undefined) {
    checkDepth(depth);
    return left.length === right.length && left.every((item, i) => visit(budget) && equal(item, right[i] ?? null, budget, depth + 1));
  }
  return deepEqual(a, b, budget, depth);
}

/** Charges one part of two values that are compared. */
function visit(budget: Budget): true {
  if (--budget.slice < 0) budget.spend(0);
  return true;
}

function listOf(value: ExprValue): readonly ExprValue[] | undefined {
  if (isArray(value)) return value;
  return value instanceof Uint8Array ? Array.from(value) : undefined;
}

function sameKind(a: ExprValue, b: ExprValue): boolean {
  if (intOf(a) !== undefined) return intOf(b) !== undefined && a instanceof Byte === b instanceof Byte;
  return floatOf(a) !== undefined && floatOf(b) !== undefined;
}

function deepEqual(a: ExprValue, b: ExprValue, budget: Budget, depth: number): boolean {
  visit(budget);
  chargeEqualText(a, b, budget);
  if (a === b) return true;
  checkDepth(depth);
  const numbers = compareNumbers(a, b, budget);
  if (numbers !== undefined) return numbers === 0 && sameKind(a, b);
  if (a instanceof Map && b instanceof Map) return equalMaps(a, b, budget, depth);
  if (a instanceof AnyMap && b instanceof AnyMap) return equalAnyMaps(a, b, budget, depth);
  const left = listOf(a);
  const right = listOf(b);
  if (left !== undefined && right !== undefined) {
    return left.length === right.length && left.every((item, i) => deepEqual(item, right[i] ?? null, budget, depth + 1));
  }
  return equalOthers(a, b);
}

function equalOthers(a: ExprValue, b: ExprValue): boolean {
  if (a instanceof Time && b instanceof Time) return compareTimes(a, b) === 0;
  if (a instanceof Duration && b instanceof Duration) return a.nanos === b.nanos;
  if (a instanceof NamedInt && b instanceof NamedInt) return a.type === b.type && a.value === b.value;
  return a instanceof ExprZone && b instanceof ExprZone && a.name === b.name;
}

function equalMaps(a: ReadonlyMap<string, ExprValue>, b: ReadonlyMap<string, ExprValue>, budget: Budget, depth: number): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !deepEqual(value, other, budget, depth + 1)) return false;
  }
  return true;
}

function equalAnyMaps(a: AnyMap, b: AnyMap, budget: Budget, depth: number): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [id, { value }] of a.entries) {
    const other = b.entries.get(id);
    if (other === undefined || !deepEqual(value, other.value, budget, depth + 1)) return false;
  }
  return true;
}

/** Charges an access to a map by a key that the engine hashes and compares. */
export function chargeKey(budget: Budget, key: ExprValue): void {
  if (typeof key === 'string' && key.length > SHORT) budget.spend(key.length >> 4);
}

/** Identity of a map key: the same for equal keys. A list or map cannot be a key. */
export function keyId(key: ExprValue, budget: Budget): unknown {
  if (key === null || typeof key === 'boolean') return key;
  if (typeof key === 'string') {
    chargeKey(budget, key);
    return `"${key}`;
  }
  chargeNumber(budget, key);
  const int = intOf(key);
  // The engine hashes only the lowest 64 bits of a bigint.
  if (int !== undefined) return key instanceof Byte ? `b${key.value}` : typeof int === 'bigint' ? `i${int}` : int;
  if (floatOf(key) !== undefined) return floatId(key);
  if (key instanceof Duration) return `d${key.nanos}`;
  if (key instanceof Time) return `t${key.seconds}.${key.nanos} ${key.zone.name}`;
  if (key instanceof NamedInt) return `${key.type} ${key.value}`;
  throw new Fault(`${typeName(key)} cannot be a key`);
}

/** 1.5, 1.50 and the float 1.5 are the same key. */
function floatId(key: ExprValue): unknown {
  const text = key instanceof Decimal ? key.text : String(key instanceof Float ? key.value : key);
  if (text === 'NaN') return {};
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = `${whole}${fraction}`;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const scale = Number(exponent) - fraction.length + digits.length - end;
  const significant = digits.slice(0, end).replace(/^0+/, '');
  return significant === '' ? 'f0' : `f${mantissa.startsWith('-') ? '-' : ''}${significant}e${scale}`;
}
