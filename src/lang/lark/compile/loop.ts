/**
 * Runs a function for each element of a value, which must not change during the loop. Every
 * iteration is a step.
 */
import { fail } from '../values/failure.ts';
import { iteratorOf } from '../values/iterate.ts';
import { LarkDict, LarkSet } from '../values/table.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, LarkRange, LarkTuple, type LarkValue, typeOf } from '../values/value.ts';

/** An iteration that returns a value other than `undefined` ends the loop with it. */
export function forEach<R>(thread: Thread, over: LarkValue, body: (value: LarkValue) => R | undefined): R | undefined {
  if (over instanceof LarkList) {
    over.iterating++;
    try {
      return overItems(thread, over.items, body);
    } finally {
      over.iterating--;
    }
  }
  if (over instanceof LarkRange) return overRange(thread, over, body);
  if (over instanceof LarkTuple) return overItems(thread, over.items, body);
  if (over instanceof LarkDict || over instanceof LarkSet) {
    over.iterating++;
    try {
      return overIterator(thread, over, body);
    } finally {
      over.iterating--;
    }
  }
  return overIterator(thread, over, body);
}

function overItems<R>(thread: Thread, items: readonly LarkValue[], body: (value: LarkValue) => R | undefined): R | undefined {
  for (let i = 0; i < items.length; i++) {
    if (--thread.slice < 0) thread.tick();
    const result = body(items[i] as LarkValue);
    if (result !== undefined) return result;
  }
  return undefined;
}

function overRange<R>(thread: Thread, range: LarkRange, body: (value: LarkValue) => R | undefined): R | undefined {
  const { length, step } = range;
  for (let i = 0, value = range.start; i < length; i++, value += step) {
    if (--thread.slice < 0) thread.tick();
    const result = body(value);
    if (result !== undefined) return result;
  }
  return undefined;
}

function overIterator<R>(thread: Thread, over: LarkValue, body: (value: LarkValue) => R | undefined): R | undefined {
  const iterator = iteratorOf(thread, over) ?? fail(`${typeOf(over)} value is not iterable`);
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    if (--thread.slice < 0) thread.tick();
    const result = body(next.value);
    if (result !== undefined) return result;
  }
  return undefined;
}
