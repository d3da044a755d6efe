/**
 * Values of the language. Plain values are used without a copy; the classes here are kinds that
 * plain values lack.
 *   int: a number within ±2^53, or a bigint.
 *   float: any other number, or a Float if its value is integral.
 *   Decimal: a float that keeps its digits until it is used in arithmetic.
 */

import { Decimal, type PlainValue, toFloat } from '../../../util/text/decimal.ts';
import type { RunVerdict } from '../../source.ts';

export type ExprValue =
  | PlainValue
  | Float
  | Byte
  | Duration
  | NamedInt
  | AnyMap
  | BoundMethod
  | Time
  | ExprZone
  | Uint8Array
  | readonly ExprValue[]
  | Map<string, ExprValue>;

/** A float with an integral value. A bare number would be an int. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Result of indexing a string. */
export class Byte {
  readonly value: number;

  constructor(value: number) {
    this.value = value & 0xff;
  }
}

export class Duration {
  /** Within int64. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = BigInt.asIntN(64, nanos);
  }
}

/** A month or weekday: an int with a name. */
export class NamedInt {
  readonly type: 'time.Month' | 'time.Weekday';
  readonly value: number;
  readonly text: string;

  constructor(type: 'time.Month' | 'time.Weekday', value: number, text: string) {
    this.type = type;
    this.value = value;
    this.text = text;
  }
}

export interface ZoneState {
  /** Seconds east of UTC. */
  readonly offset: number;
  readonly abbreviation: string;
}

export class ExprZone {
  readonly name: string;
  readonly #at: (seconds: number) => ZoneState;

  constructor(name: string, at: (seconds: number) => ZoneState) {
    this.name = name;
    this.#at = at;
  }

  /** Offset at a time in seconds since 1970. */
  offsetAt(seconds: number): ZoneState {
    return this.#at(seconds);
  }
}

export class Time {
  /** Seconds since 1970. */
  readonly seconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
  readonly zone: ExprZone;

  constructor(seconds: number, nanos: number, zone: ExprZone) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.zone = zone;
  }
}

/** A method that is accessed but not called. */
export class BoundMethod {
  readonly receiver: ExprValue;
  readonly name: string;

  constructor(receiver: ExprValue, name: string) {
    this.receiver = receiver;
    this.name = name;
  }
}

/** A map with keys of any hashable kind, in insertion order. */
export class AnyMap {
  readonly entries = new Map<unknown, { readonly key: ExprValue; value: ExprValue }>();
  /** Value of a missing key: nil, or the nil list for groups. */
  readonly missing: ExprValue;

  constructor(missing: ExprValue) {
    this.missing = missing;
  }
}

/** The nil list: empty, and equal to nil. */
export const NIL_ARRAY: readonly ExprValue[] = Object.freeze([]);

/** Runtime error. The catcher adds the position. */
export class Fault extends Error {
  /** `undefined` for a mistake of the expression. */
  readonly verdict: RunVerdict | undefined;

  constructor(message: string, verdict?: RunVerdict) {
    super(message);
    this.verdict = verdict;
  }
}

export const MAX_INT64 = 2n ** 63n - 1n;
export const MIN_INT64 = -(2n ** 63n);

/** Clamps to the nearest 64-bit integer. */
export function clampInt64(value: bigint): bigint {
  if (value > MAX_INT64) return MAX_INT64;
  return BigInt.asIntN(64, value) === value ? value : MIN_INT64;
}

/** Maximum nesting of values that builtins or the conversion of results recurse into. */
const MAX_VALUE_DEPTH = 1000;

export function checkDepth(depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new Fault(`the value is nested deeper than ${MAX_VALUE_DEPTH} levels`);
}

export function makeFloat(value: number): number | Float {
  return Number.isSafeInteger(value) ? new Float(value) : value;
}

export function makeInt(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

export function isNil(value: ExprValue): boolean {
  return value === null || value === NIL_ARRAY;
}

export function isArray(value: ExprValue): value is readonly ExprValue[] {
  return Array.isArray(value);
}

export function isInt(value: ExprValue): value is number | bigint {
  return typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint';
}

/** Value of an int of any kind; `undefined` for any other value. */
export function intOf(value: ExprValue): number | bigint | undefined {
  if (isInt(value)) return value;
  return value instanceof Byte ? value.value : undefined;
}

/** Value of a float of any kind; `undefined` for any other value. */
export function floatOf(value: ExprValue): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? undefined : value;
  if (value instanceof Float) return value.value;
  return value instanceof Decimal ? toFloat(value) : undefined;
}

/** Any number as a float; `undefined` for any other value. */
export function numberOf(value: ExprValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Byte ? value.value : floatOf(value);
}

export function bigOf(value: ExprValue): bigint {
  const int = intOf(value);
  if (int === undefined) throw new Fault(`${typeName(value)} is not an int`);
  return BigInt(int);
}

/** Result of `type(…)`, also used in messages. */
export function typeName(value: ExprValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'float';
    default:
      return objectName(value);
  }
}

function objectName(value: Exclude<ExprValue, string | boolean | bigint | number>): string {
  if (value === null) return 'nil';
  if (isArray(value) || value instanceof Uint8Array) return 'array';
  if (value instanceof Map || value instanceof AnyMap) return 'map';
  if (value instanceof Float || value instanceof Decimal) return 'float';
  if (value instanceof Byte) return 'uint';
  if (value instanceof Duration) return 'time.Duration';
  if (value instanceof NamedInt) return value.type;
  if (value instanceof BoundMethod) return 'func';
  return value instanceof ExprZone ? 'time.Location' : 'time.Time';
}

export function wantString(value: ExprValue): string {
  if (typeof value !== 'string') throw new Fault(`expected a string, not ${typeName(value)}`);
  return value;
}

export function wantBool(value: ExprValue): boolean {
  if (typeof value !== 'boolean') throw new Fault(`expected a bool, not ${typeName(value)}`);
  return value;
}

/** Any number truncated to an int, for indices, counts and bounds of ranges. */
export function wantInt(value: ExprValue): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const number = numberOf(value);
  if (number === undefined) throw new Fault(`expected an int, not ${typeName(value)}`);
  return Number.isNaN(number)
    ? Number.MIN_SAFE_INTEGER
    : Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(number)));
}
