/** The methods of dicts. */

import { fail, orElse } from '../values/failure.ts';
import type { BuiltinBody, NamedArgument } from '../values/function.ts';
import { ENTRY_BYTES } from '../values/indexing.ts';
import { chargeElements, elementsOf } from '../values/iterate.ts';
import { LarkDict } from '../values/table.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, LarkTuple, type LarkValue, typeOf } from '../values/value.ts';
import { positional } from './args.ts';

type DictMethod = (thread: Thread, dict: LarkDict, args: readonly LarkValue[]) => LarkValue;

function method(name: string, min: number, max: number, body: DictMethod): [string, BuiltinBody] {
  return [
    name,
    (thread, args, named, self) => {
      positional(name, args, named, min, max);
      return self instanceof LarkDict ? body(thread, self, args) : fail(`${name}: not a dict`);
    },
  ];
}

/** Prefixes errors about a key with the name of the method that failed. */
function named<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('unhashable')) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

/** Adds pairs and keyword arguments to a dict, for `dict(…)` and `update`. */
export function updateDict(thread: Thread, fn: string, dict: LarkDict, args: readonly LarkValue[], keywords: NamedArgument): void {
  if (args.length > 1) fail(`${fn}: got ${args.length} arguments, want at most 1`);
  const [from] = args;
  if (from instanceof LarkDict) {
    thread.charge(from.size * ENTRY_BYTES);
    thread.spend(from.size);
    for (const [key, value] of [...from.pairs(thread)]) dict.set(thread, key, value);
  } else if (from !== undefined) {
    const pairs = elementsOf(thread, from) ?? fail(`${fn}: got ${typeOf(from)}, want iterable`);
    pairs.forEach((pair, i) => {
      setPair(thread, fn, dict, pair, i);
    });
  }
  const seen = new Set<string>();
  thread.spend(keywords.length);
  for (const [key, value] of keywords) {
    if (seen.has(key)) fail(`${fn}: duplicate keyword arg: "${key}"`);
    seen.add(key);
    thread.charge(ENTRY_BYTES);
    dict.set(thread, key, value);
  }
}

function setPair(thread: Thread, fn: string, dict: LarkDict, pair: LarkValue, i: number): void {
  const parts = elementsOf(thread, pair) ?? fail(`${fn}: dictionary update sequence element #${i} is not iterable (${typeOf(pair)})`);
  if (parts.length !== 2) fail(`${fn}: dictionary update sequence element #${i} has length ${parts.length}, want 2`);
  thread.charge(ENTRY_BYTES);
  dict.set(thread, parts[0] as LarkValue, parts[1] as LarkValue);
}

export const DICT_METHODS: ReadonlyMap<string, BuiltinBody> = new Map<string, BuiltinBody>([
  method('clear', 0, 0, (_thread, dict) => {
    dict.clear();
    return null;
  }),
  method('get', 1, 2, (thread, dict, [key = null, fallback = null]) =>
    orElse(
      named('get', () => dict.get(thread, key)),
      () => fallback,
    ),
  ),
  method('items', 0, 0, (thread, dict) => {
    chargeElements(thread, dict.size * 3);
    const items: LarkValue[] = [];
    for (const pair of dict.pairs(thread)) items.push(new LarkTuple(pair));
    return new LarkList(items);
  }),
  method('keys', 0, 0, (thread, dict) => {
    chargeElements(thread, dict.size);
    return new LarkList(dict.keyList(thread));
  }),
  method('pop', 1, 2, (thread, dict, [key = null, fallback]) => {
    const removed = named('pop', () => dict.delete(thread, key));
    if (removed !== undefined) return removed;
    return fallback === undefined ? fail('pop: missing key') : fallback;
  }),
  method('popitem', 0, 0, (thread, dict) => {
    thread.weigh(dict.size >> 6);
    const first = dict.keys(thread).next();
    if (first.done === true) return fail('popitem: empty dict');
    return new LarkTuple([first.value, dict.delete(thread, first.value) ?? null]);
  }),
  method('setdefault', 1, 2, (thread, dict, [key = null, fallback = null]) => {
    const existing = named('setdefault', () => dict.get(thread, key));
    if (existing !== undefined) return existing;
    thread.charge(ENTRY_BYTES);
    dict.set(thread, key, fallback);
    return fallback;
  }),
  [
    'update',
    (thread, args, keywords, self) => {
      if (self instanceof LarkDict) updateDict(thread, 'update', self, args, keywords);
      return null;
    },
  ],
  method('values', 0, 0, (thread, dict) => {
    chargeElements(thread, dict.size);
    return new LarkList([...dict.values(thread)]);
  }),
]);
