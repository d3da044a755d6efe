/** The methods of lists. */

import { equals } from '../values/compare.ts';
import { fail } from '../values/failure.ts';
import type { BuiltinBody } from '../values/function.ts';
import { position, subrange } from '../values/indexing.ts';
import { SLOT_BYTES, wantElements } from '../values/iterate.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, type LarkValue } from '../values/value.ts';
import { positional, wantIndex } from './args.ts';

type ListMethod = (thread: Thread, list: LarkList, args: readonly LarkValue[]) => LarkValue;

function method(name: string, min: number, max: number, body: ListMethod): [string, BuiltinBody] {
  return [
    name,
    (thread, args, named, self) => {
      positional(name, args, named, min, max);
      return self instanceof LarkList ? body(thread, self, args) : fail(`${name}: not a list`);
    },
  ];
}

function find(thread: Thread, items: readonly LarkValue[], value: LarkValue, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    if (--thread.slice < 0) thread.tick();
    if (equals(thread, items[i] as LarkValue, value)) return i;
  }
  return -1;
}

export const LIST_METHODS: ReadonlyMap<string, BuiltinBody> = new Map([
  method('append', 1, 1, (thread, list, [value = null]) => {
    list.checkMutable('append to');
    thread.charge(SLOT_BYTES);
    list.items.push(value);
    return null;
  }),
  method('clear', 0, 0, (_thread, list) => {
    list.checkMutable('clear');
    list.items = [];
    return null;
  }),
  method('extend', 1, 1, (thread, list, [value = null]) => {
    const added = wantElements(thread, value, 'extend: for parameter 1');
    list.checkMutable('extend');
    for (const item of added) list.items.push(item);
    return null;
  }),
  method('index', 1, 3, (thread, list, [value = null, low, high]) => {
    const [from, to] = subrange('index', low, high, list.items.length);
    const at = find(thread, list.items, value, from, to);
    return at >= 0 ? at : fail('index: value not in list');
  }),
  method('insert', 2, 2, (thread, list, [index = null, value = null]) => {
    const at = wantIndex('insert', 1, index);
    list.checkMutable('insert into');
    thread.charge(SLOT_BYTES);
    thread.spend(list.items.length >> 6);
    list.items.splice(at < 0 ? Math.max(0, at + list.items.length) : at, 0, value);
    return null;
  }),
  method('pop', 0, 1, (thread, list, [index]) => {
    const length = list.items.length;
    const at = index === undefined ? length - 1 : wantIndex('pop', 1, index);
    const place = position(index === undefined && length > 0 ? at : at, length, 'list');
    list.checkMutable('pop from');
    if (place === length - 1) return list.items.pop() ?? null;
    thread.spend(length >> 6);
    return list.items.splice(place, 1)[0] ?? null;
  }),
  method('remove', 1, 1, (thread, list, [value = null]) => {
    list.checkMutable('remove from');
    const at = find(thread, list.items, value, 0, list.items.length);
    if (at < 0) fail('remove: element not found');
    thread.spend(list.items.length >> 6);
    list.items.splice(at, 1);
    return null;
  }),
]);
