/**
 * Iteration over values, guarded against changes during a loop. As the specification demands,
 * strings are not iterable; their views (`elems` and others) are extensions.
 */

import { Extension } from './extension.ts';
import { fail } from './failure.ts';
import { LarkDict, LarkSet } from './table.ts';
import type { Thread } from './thread.ts';
import { LarkList, LarkRange, LarkTuple, type LarkValue, typeOf } from './value.ts';

function* rangeValues(range: LarkRange): Generator<LarkValue> {
  for (let i = 0, value = range.start; i < range.length; i++, value += range.step) yield value;
}

/** An unguarded iterator; `undefined` if the value is not iterable. */
export function iteratorOf(thread: Thread, value: LarkValue): Iterator<LarkValue> | undefined {
  if (value instanceof LarkList || value instanceof LarkTuple) return value.items[Symbol.iterator]();
  if (value instanceof LarkDict) return value.keys(thread);
  if (value instanceof LarkSet) return value.values();
  if (value instanceof LarkRange) return rangeValues(value);
  return value instanceof Extension ? value.iterate() : undefined;
}

export function isIterable(value: LarkValue): boolean {
  if (value instanceof LarkList || value instanceof LarkTuple || value instanceof LarkDict) return true;
  return value instanceof LarkSet || value instanceof LarkRange || (value instanceof Extension && value.iterate() !== undefined);
}

/** Bytes charged per element of a list or tuple. */
export const SLOT_BYTES = 16;

/** All elements as an array that the caller may keep; `undefined` if the value is not iterable. */
export function elementsOf(thread: Thread, value: LarkValue): LarkValue[] | undefined {
  if (value instanceof LarkList || value instanceof LarkTuple) {
    chargeElements(thread, value.items.length);
    return value.items.slice();
  }
  const length = lengthOf(value);
  if (length !== undefined) chargeElements(thread, length);
  if (value instanceof LarkDict) return value.keyList(thread);
  const iterator = iteratorOf(thread, value);
  if (iterator === undefined) return undefined;
  const items: LarkValue[] = [];
  for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
    if (length === undefined) chargeElements(thread, 1);
    items.push(step.value);
  }
  return items;
}

export function chargeElements(thread: Thread, count: number): void {
  thread.charge(count * SLOT_BYTES + SLOT_BYTES);
  thread.spend(count);
}

/** Charges the comparisons of a sort. */
export function chargeSort(thread: Thread, count: number): void {
  thread.spend(Math.ceil(count * Math.log2(count + 1)));
}

/** All elements for reading only, without a copy where possible. */
export function viewOf(thread: Thread, value: LarkValue): readonly LarkValue[] | undefined {
  return value instanceof LarkList || value instanceof LarkTuple ? value.items : elementsOf(thread, value);
}

export function lengthOf(value: LarkValue): number | undefined {
  if (value instanceof LarkList || value instanceof LarkTuple) return value.items.length;
  if (value instanceof LarkDict || value instanceof LarkSet) return value.size;
  if (value instanceof LarkRange) return value.length;
  if (value !== null && typeof value === 'object' && 'length' in value && typeof value.length === 'number') return value.length;
  return undefined;
}

/** All elements of an argument that must be iterable. */
export function wantElements(thread: Thread, value: LarkValue, what: string): LarkValue[] {
  return elementsOf(thread, value) ?? fail(`${what}: got ${typeOf(value)}, want iterable`);
}
