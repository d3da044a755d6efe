/**
 * Access to parts of values: members, indices, slices, membership, ranges, and the items of a
 * predicate.
 */
import type { Budget } from '../../budget.ts';
import { chargeKey, equal, keyId } from './compare.ts';
import { isAscii, runeCount, sliceBytes, utf8Bytes, utf8Length } from './text.ts';
import { hasMethod } from './time-methods.ts';
import { AnyMap, BoundMethod, Byte, type ExprValue, Fault, isArray, makeInt, NIL_ARRAY, Time, typeName, wantInt } from './value.ts';

/** Length from which the bytes of a string are worth a charge of their own. */
const LONG_TEXT = 64;

function show(key: ExprValue): string {
  if (typeof key === 'string') return `field ${JSON.stringify(key.slice(0, 80))}`;
  return typeof key === 'number' ? `element ${key}` : `element by ${typeName(key)}`;
}

/** `base.key` and `base[key]`: a missing key of a map is nil, a missing element is an error. */
export function fetch(base: ExprValue, key: ExprValue, budget: Budget): ExprValue {
  chargeKey(budget, key);
  if (base instanceof Map) return base.get(mapKey(key)) ?? null;
  if (base === null) throw new Fault(`nil has no ${show(key)}`);
  if (typeof key === 'string' && hasMethod(base, key)) return new BoundMethod(base, key);
  if (base instanceof AnyMap) return fetchAny(base, key, budget);
  const length = elementCount(base, budget);
  if (length === undefined || typeof key === 'string') throw new Fault(`${typeName(base)} has no ${show(key)}`);
  const index = wantInt(key);
  const at = index < 0 ? length + index : index;
  if (at < 0 || at >= length) throw new Fault(`the index ${index} is out of range, there are ${length} elements`);
  return elementAt(base, at);
}

function mapKey(key: ExprValue): string {
  if (typeof key === 'string') return key;
  // As in the reference, nil is equivalent to the empty key.
  if (key === null) return '';
  throw new Fault(`${typeName(key)} is no key of a map`);
}

function fetchAny(base: AnyMap, key: ExprValue, budget: Budget): ExprValue {
  const entry = base.entries.get(keyId(key, budget));
  return entry === undefined ? base.missing : entry.value;
}

/**
 * Number of elements that can be indexed (bytes of a string); `undefined` if the value has no
 * elements.
 */
function elementCount(base: ExprValue, budget: Budget): number | undefined {
  if (isArray(base) || base instanceof Uint8Array) return base.length;
  if (typeof base !== 'string') return undefined;
  chargeUtf8(base, budget);
  return utf8Length(base);
}

/** Charges for the bytes of a string. */
function chargeUtf8(text: string, budget: Budget): void {
  budget.spend(text.length >> 4);
  if (text.length > LONG_TEXT && !isAscii(text)) budget.spend(text.length);
}

function elementAt(base: ExprValue, at: number): ExprValue {
  if (isArray(base)) return base[at] ?? null;
  if (base instanceof Uint8Array) return new Byte(base[at] ?? 0);
  if (typeof base !== 'string') return null;
  return new Byte(isAscii(base) ? base.charCodeAt(at) : (utf8Bytes(base)[at] ?? 0));
}

/** `get(base, key)`: like a member access, but nil if the member does not exist. */
export function get(base: ExprValue, key: ExprValue, budget: Budget): ExprValue {
  if (base === null) return null;
  chargeKey(budget, key);
  if (hasMethod(base, key)) return new BoundMethod(base, key as string);
  if (base instanceof Map) return base.get(mapKey(key)) ?? null;
  if (base instanceof AnyMap) return base.entries.get(keyId(key, budget))?.value ?? null;
  const length = elementCount(base, budget);
  if (length === undefined) return null;
  const index = wantInt(key);
  const at = index < 0 ? length + index : index;
  return at < 0 || at >= length ? null : elementAt(base, at);
}

export function slice(base: ExprValue, from: ExprValue | undefined, to: ExprValue | undefined, budget: Budget): ExprValue {
  const length = elementCount(base, budget);
  if (length === undefined) throw new Fault(`${typeName(base)} cannot be sliced`);
  const bound = (value: ExprValue): number => {
    const index = wantInt(value);
    return Math.min(Math.max(index < 0 ? length + index : index, 0), length);
  };
  const end = to === undefined ? length : bound(to);
  const start = Math.min(from === undefined ? 0 : bound(from), end);
  budget.spend((end - start) >> 3);
  budget.charge((isArray(base) ? 8 : 2) * (end - start) + 16);
  if (typeof base === 'string') return sliceBytes(base, start, end);
  if (base instanceof Uint8Array) return base.slice(start, end);
  return base === NIL_ARRAY ? base : (base as readonly ExprValue[]).slice(start, end);
}

export function contains(needle: ExprValue, haystack: ExprValue, budget: Budget): boolean {
  if (haystack === null) return false;
  if (isArray(haystack)) {
    budget.spend(haystack.length >> 2);
    return haystack.some((item) => equal(item, needle, budget));
  }
  chargeKey(budget, needle);
  if (haystack instanceof Map) return haystack.has(mapKey(needle));
  if (haystack instanceof AnyMap) return haystack.entries.has(keyId(needle, budget));
  if (haystack instanceof Uint8Array) {
    budget.spend(haystack.length);
    return haystack.some((byte) => equal(byte, needle, budget));
  }
  if (haystack instanceof Time) {
    if (typeof needle !== 'string') throw new Fault(`${typeName(needle)} is no name of a field`);
    return false;
  }
  throw new Fault(`in is not possible with a ${typeName(haystack)} on its right`);
}

export function range(from: ExprValue, to: ExprValue, budget: Budget): ExprValue {
  const [first, last] = [int64Of(from), int64Of(to)];
  // The size wraps around like any int, so the range from -1 to the largest int is empty.
  const size = Number(BigInt.asIntN(64, BigInt(last) - BigInt(first) + 1n));
  if (size <= 0) return [];
  budget.charge(size * 8);
  budget.spend(size >> 3);
  if (typeof first === 'bigint') return Array.from({ length: size }, (_, i) => makeInt(first + BigInt(i)));
  const items = new Array<number>(size);
  for (let i = 0; i < size; i++) items[i] = first + i;
  return items;
}

function int64Of(value: ExprValue): number | bigint {
  return typeof value === 'bigint' ? value : wantInt(value);
}

/** Length of a value: characters of a string, elements of a list, entries of a map. */
export function lengthOf(value: ExprValue): number {
  if (typeof value === 'string') return runeCount(value);
  if (isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Map) return value.size;
  if (value instanceof AnyMap) return value.entries.size;
  throw new Fault(`${typeName(value)} has no length`);
}

/** Steps charged per byte that becomes an item. */
const BYTE_STEPS = 8;

/** Items that a predicate visits. Maps only have a size: their entries cannot be visited. */
export interface Items {
  readonly length: number;
  readonly list: readonly ExprValue[] | undefined;
}

export function itemsOf(value: ExprValue, budget: Budget): Items {
  if (isArray(value)) return { length: value.length, list: value };
  if (value instanceof Map || value instanceof AnyMap) return { length: lengthOf(value), list: undefined };
  if (typeof value === 'string') chargeUtf8(value, budget);
  const bytes = typeof value === 'string' ? utf8Bytes(value) : value;
  if (!(bytes instanceof Uint8Array)) throw new Fault(`expected an array, not ${typeName(value)}`);
  budget.charge(bytes.length * 24);
  budget.spend(bytes.length * BYTE_STEPS);
  return { length: bytes.length, list: Array.from(bytes, (byte) => new Byte(byte)) };
}
