/**
 * Stable sorting with the comparisons of the language; fast paths for ints, strings and tuples of
 * them.
 */
import { callBack } from './call.ts';
import { equals, order } from './compare.ts';
import { LarkFailure } from './failure.ts';
import { chargeElements, chargeSort } from './iterate.ts';
import { compareText, hasOwnOrder } from './text/utf8.ts';
import type { Thread } from './thread.ts';
import { LarkTuple, type LarkValue, typeOf } from './value.ts';

type Direction = 'ascending' | 'descending';
type Compare = (a: LarkValue, b: LarkValue) => number;

export function sortValues(thread: Thread, items: LarkValue[], key: LarkValue | undefined, direction: Direction): LarkValue[] {
  chargeElements(thread, items.length);
  chargeSort(thread, items.length);
  return key === undefined ? sortPlain(thread, items, direction) : sortByKey(thread, items, key, direction);
}

/**
 * Equal ints and equal strings are interchangeable, so reversing the engine's own order counts as
 * stable.
 */
function sortPlain(thread: Thread, items: LarkValue[], direction: Direction): LarkValue[] {
  if (isNumbers(items)) {
    const sorted: LarkValue[] = Array.from(Float64Array.from(items).sort());
    return direction === 'ascending' ? sorted : sorted.reverse();
  }
  if (isStrings(items) && hasEngineOrder(thread, items)) {
    items.sort();
    return direction === 'ascending' ? items : items.reverse();
  }
  const compare = comparator(thread, items);
  return direction === 'ascending' ? items.sort(compare) : items.sort((a, b) => -compare(a, b));
}

function sortByKey(thread: Thread, items: readonly LarkValue[], key: LarkValue, direction: Direction): LarkValue[] {
  const keys = items.map((item) => callBack(thread, key, [item]));
  const sign = direction === 'descending' ? -1 : 1;
  const packed = isNumbers(keys) ? packPlaces(keys, sign) : undefined;
  if (packed !== undefined) return unpackPlaces(packed, items);
  const compare = comparator(thread, keys);
  const places = items.map((_, i) => i);
  places.sort((a, b) => sign * compare(keys[a] as LarkValue, keys[b] as LarkValue));
  return places.map((place) => items[place] as LarkValue);
}

function isNumbers(values: readonly LarkValue[]): values is number[] {
  return values.every((value) => typeof value === 'number');
}

function isStrings(values: readonly LarkValue[]): values is string[] {
  return values.every((value) => typeof value === 'string');
}

/**
 * `true` if the engine orders the strings as the language does. Charges for comparing each string
 * to its end, as common prefixes demand.
 */
export function hasEngineOrder(thread: Thread, values: readonly string[]): boolean {
  let units = 0;
  for (const value of values) units += value.length;
  thread.spend(units >> 3);
  const own = values.some(hasOwnOrder);
  thread.spend(Math.ceil((units * Math.log2(values.length + 1)) / (own ? 8 : 64)));
  return !own;
}

/**
 * Key and index packed into one number where both fit, so that sorting needs no comparison
 * function.
 */
function packPlaces(keys: readonly number[], sign: number): Float64Array | undefined {
  const count = keys.length;
  const packed = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const value = sign * (keys[i] as number) * count + i;
    if (!Number.isSafeInteger(value)) return undefined;
    packed[i] = value;
  }
  return packed.sort();
}

function unpackPlaces(packed: Float64Array, items: readonly LarkValue[]): LarkValue[] {
  const count = packed.length;
  const sorted: LarkValue[] = [];
  for (let i = 0; i < count; i++) {
    const place = (packed[i] as number) % count;
    sorted.push(items[place < 0 ? place + count : place] as LarkValue);
  }
  return sorted;
}

function comparator(thread: Thread, values: readonly LarkValue[]): Compare {
  if (isStrings(values)) {
    hasEngineOrder(thread, values);
    return (a, b) => compareText(a as string, b as string);
  }
  const compare: Compare = values.every((value) => value instanceof LarkTuple)
    ? (a, b) => orderTuples(thread, a as LarkTuple, b as LarkTuple)
    : (a, b) => order(thread, '<', a, b, 0);
  return (a, b) => {
    if (--thread.slice < 0) thread.tick();
    try {
      return compare(a, b);
    } catch (error) {
      throw error instanceof LarkFailure ? new LarkFailure(incomparable(values, error.message)) : error;
    }
  };
}

function orderTuples(thread: Thread, a: LarkTuple, b: LarkTuple): number {
  const common = Math.min(a.items.length, b.items.length);
  for (let i = 0; i < common; i++) {
    const x = a.items[i] as LarkValue;
    const y = b.items[i] as LarkValue;
    if (typeof x === 'number' && typeof y === 'number') {
      if (x !== y) return x < y ? -1 : 1;
      continue;
    }
    if (--thread.slice < 0) thread.tick();
    if (!equals(thread, x, y, 1)) return order(thread, '<', x, y, 1);
  }
  return a.items.length - b.items.length;
}

/**
 * Reports the last pair of neighbours without an order, so the message does not depend on the
 * engine.
 */
function incomparable(values: readonly LarkValue[], fallback: string): string {
  for (let i = values.length - 1; i > 0; i--) {
    const a = typeOf(values[i] as LarkValue);
    const b = typeOf(values[i - 1] as LarkValue);
    if (a !== b && !(isNumber(a) && isNumber(b))) return `${a} < ${b} not implemented`;
  }
  return fallback;
}

function isNumber(type: string): boolean {
  return type === 'int' || type === 'float';
}
