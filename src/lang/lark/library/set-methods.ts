/** The methods of sets. */

import { fail, LarkFailure } from '../values/failure.ts';
import type { BuiltinBody } from '../values/function.ts';
import { ENTRY_BYTES } from '../values/indexing.ts';
import { elementsOf } from '../values/iterate.ts';
import { LarkSet, setOf } from '../values/table.ts';
import type { Thread } from '../values/thread.ts';
import { type LarkValue, typeOf } from '../values/value.ts';
import { positional } from './args.ts';

type SetMethod = (thread: Thread, set: LarkSet, args: readonly LarkValue[]) => LarkValue;

function method(name: string, min: number, max: number, body: SetMethod): [string, BuiltinBody] {
  return [
    name,
    (thread, args, named, self) => {
      if (max === Number.POSITIVE_INFINITY && named.length > 0) fail(`${name}: does not accept keyword arguments`);
      positional(name, args, named, min, max);
      if (!(self instanceof LarkSet)) return fail(`${name}: not a set`);
      return prefixed(name, () => body(thread, self, args));
    },
  ];
}

/** Prefixes errors with the name of the method. */
function prefixed<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof LarkFailure && !error.message.startsWith(`${name}: `)) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

function elements(thread: Thread, name: string, value: LarkValue): LarkValue[] {
  const items = elementsOf(thread, value) ?? fail(`${name}: for parameter other: got ${typeOf(value)}, want iterable`);
  thread.charge(items.length * ENTRY_BYTES);
  return items;
}

function each(thread: Thread, args: readonly LarkValue[]): LarkValue[][] {
  return args.map((value, i) => {
    const items = elementsOf(thread, value) ?? fail(`argument #${i + 1} is not iterable: ${typeOf(value)}`);
    thread.charge(items.length * ENTRY_BYTES);
    return items;
  });
}

function other(thread: Thread, name: string, value: LarkValue): LarkSet {
  return value instanceof LarkSet ? value : setOf(thread, elements(thread, name, value));
}

function* where(thread: Thread, set: LarkSet, keep: (value: LarkValue) => boolean): Generator<LarkValue> {
  for (const value of set.values()) {
    thread.spend(1);
    if (keep(value)) yield value;
  }
}

function addNew(thread: Thread, set: LarkSet, value: LarkValue): void {
  thread.charge(ENTRY_BYTES);
  thread.spend(1);
  set.add(thread, value);
}

function setOfNew(thread: Thread, values: Iterable<LarkValue>): LarkSet {
  const set = new LarkSet();
  for (const value of values) addNew(thread, set, value);
  return set;
}

export const SET_METHODS: ReadonlyMap<string, BuiltinBody> = new Map([
  method('add', 1, 1, (thread, set, [value = null]) => {
    thread.charge(ENTRY_BYTES);
    set.add(thread, value);
    return null;
  }),
  method('clear', 0, 0, (_thread, set) => {
    set.clear();
    return null;
  }),
  method('difference', 1, 1, (thread, set, [value = null]) => {
    const without = other(thread, 'difference', value);
    return setOfNew(
      thread,
      where(thread, set, (item) => !without.has(thread, item)),
    );
  }),
  method('discard', 1, 1, (thread, set, [value = null]) => {
    set.delete(thread, value);
    return null;
  }),
  method('intersection', 1, 1, (thread, set, [value = null]) => {
    const both = other(thread, 'intersection', value);
    return setOfNew(
      thread,
      where(thread, set, (item) => both.has(thread, item)),
    );
  }),
  method('issubset', 1, 1, (thread, set, [value = null]) => {
    const outer = other(thread, 'issubset', value);
    return where(thread, set, (item) => !outer.has(thread, item)).next().done === true;
  }),
  method('issuperset', 1, 1, (thread, set, [value = null]) => {
    return elements(thread, 'issuperset', value).every((item) => set.has(thread, item));
  }),
  method('pop', 0, 0, (thread, set) => {
    thread.weigh(set.size >> 6);
    const first = set.values().next();
    if (first.done === true) return fail('empty set');
    set.delete(thread, first.value);
    return first.value;
  }),
  method('remove', 1, 1, (thread, set, [value = null]) => (set.delete(thread, value) ? null : fail('missing key'))),
  method('symmetric_difference', 1, 1, (thread, set, [value = null]) => {
    const right = other(thread, 'symmetric_difference', value);
    const result = setOfNew(
      thread,
      where(thread, set, (item) => !right.has(thread, item)),
    );
    for (const item of where(thread, right, (candidate) => !set.has(thread, candidate))) addNew(thread, result, item);
    return result;
  }),
  method('union', 0, Number.POSITIVE_INFINITY, (thread, set, args) => {
    const result = setOfNew(thread, set.values());
    for (const items of each(thread, args)) for (const item of items) result.add(thread, item);
    return result;
  }),
  method('update', 0, Number.POSITIVE_INFINITY, (thread, set, args) => {
    for (const items of each(thread, args)) for (const item of items) set.add(thread, item);
    return null;
  }),
]);
