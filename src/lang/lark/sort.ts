/** Sorting, stable, with the comparisons of the language; lists of ints or of strings take the short way. */
import { callBack } from './call.ts';
import { order } from './compare.ts';
import { LarkFailure } from './failure.ts';
import { chargeElements } from './iterate.ts';
import type { Thread } from './thread.ts';
import { typeOf, type Value } from './value.ts';

type Direction = 'ascending' | 'descending';

export function sortValues(thread: Thread, items: Value[], key: Value | undefined, direction: Direction): Value[] {
  chargeElements(thread, items.length);
  payForComparisons(thread, items.length);
  if (key === undefined) return sortPlain(thread, items, direction);
  const keys = items.map((item) => callBack(thread, key, [item]));
  const places = items.map((_, i) => i);
  const compare = comparator(thread, keys);
  const sign = direction === 'descending' ? -1 : 1;
  places.sort((a, b) => sign * compare(keys[a] as Value, keys[b] as Value));
  return places.map((place) => items[place] as Value);
}

/** A sort of n elements takes about n log n comparisons, paid at once so that the count does not depend on the engine. */
function payForComparisons(thread: Thread, length: number): void {
  thread.spend(Math.ceil(length * Math.log2(length + 1)));
}

function sortPlain(thread: Thread, items: Value[], direction: Direction): Value[] {
  const compare = comparator(thread, items);
  return direction === 'ascending' ? items.sort(compare) : items.sort((a, b) => -compare(a, b));
}

function comparator(thread: Thread, values: readonly Value[]): (a: Value, b: Value) => number {
  if (values.every((value) => typeof value === 'number')) return (a, b) => (a as number) - (b as number);
  if (values.every((value) => typeof value === 'string')) {
    return (a, b) => ((a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0);
  }
  return (a, b) => {
    try {
      return order(thread, '<', a, b, 0);
    } catch (error) {
      throw error instanceof LarkFailure ? new LarkFailure(incomparable(values, error.message)) : error;
    }
  };
}

/** Of neighbours that have no order, the last pair is named, whatever order the engine compares in. */
function incomparable(values: readonly Value[], fallback: string): string {
  for (let i = values.length - 1; i > 0; i--) {
    const a = typeOf(values[i] as Value);
    const b = typeOf(values[i - 1] as Value);
    if (a !== b && !(isNumber(a) && isNumber(b))) return `${a} < ${b} not implemented`;
  }
  return fallback;
}

function isNumber(type: string): boolean {
  return type === 'int' || type === 'float';
}
