/** Builtins of lists and maps that take no predicate. */

import type { Budget } from '../../budget.ts';
import { fetch, get, lengthOf } from '../values/access.ts';
import { chargeKey, equal, keyId, order } from '../values/compare.ts';
import type { ExprBuiltin } from '../values/run.ts';
import { spendAtOnce } from '../values/run.ts';
import {
  AnyMap,
  Byte,
  checkDepth,
  type ExprValue,
  Fault,
  isArray,
  isInt,
  NIL_ARRAY,
  numberOf,
  typeName,
  wantString,
} from '../values/value.ts';

function bytesOf(value: Uint8Array, budget: Budget): readonly Byte[] {
  budget.charge(value.length * 24);
  budget.spend(value.length);
  return Array.from(value, (byte) => new Byte(byte));
}

function wantList(name: string, value: ExprValue | undefined, budget: Budget): readonly ExprValue[] {
  if (isArray(value ?? null)) return value as readonly ExprValue[];
  if (value instanceof Uint8Array) return bytesOf(value, budget);
  throw new Fault(`${name} takes an array, not ${typeName(value ?? null)}`);
}

function charged<T extends readonly ExprValue[]>(list: T, budget: Budget): T {
  budget.charge(list.length * 8 + 16);
  budget.spend(1 + (list.length >> 2));
  return list;
}

function concat(args: readonly ExprValue[], budget: Budget): ExprValue {
  const lists = args.map((arg) => wantList('concat', arg, budget));
  for (const list of lists) charged(list, budget);
  const all = ([] as ExprValue[]).concat(...lists);
  return all.length === 0 ? NIL_ARRAY : all;
}

function flatten(list: readonly ExprValue[], into: ExprValue[], budget: Budget, depth: number): ExprValue[] {
  checkDepth(depth);
  charged(list, budget);
  budget.spend(list.length);
  for (const item of list) {
    if (isArray(item) || item instanceof Uint8Array) flatten(wantList('flatten', item, budget), into, budget, depth + 1);
    else into.push(item);
  }
  return into;
}

/** Equal scalars have the same mark; values without a mark are compared one by one. */
function markOf(value: ExprValue): unknown {
  if (typeof value === 'string') return `"${value}`;
  if (value === null || typeof value === 'boolean') return value;
  return typeof value === 'number' ? value : undefined;
}

/** Steps charged per element of `uniq`. */
const ITEM_STEPS = 4;

function uniq(args: readonly ExprValue[], budget: Budget): ExprValue {
  const marks = new Set<unknown>();
  const others: ExprValue[] = [];
  const out: ExprValue[] = [];
  for (const item of charged(wantList('uniq', args[0], budget), budget)) {
    budget.spend(ITEM_STEPS);
    if (typeof item === 'string') chargeKey(budget, item);
    const mark = markOf(item);
    if (mark === undefined || Number.isNaN(mark)) {
      budget.spend(others.length + 1);
      if (others.some((other) => equal(other, item, budget)) || marks.has(numberMark(item, budget))) continue;
      others.push(item);
    } else {
      if (marks.has(mark) || (typeof mark === 'number' && others.some((other) => equal(other, item, budget)))) continue;
      marks.add(mark);
    }
    out.push(item);
  }
  return out;
}

/** The bare number that equals a boxed one, so that `uniq` treats 1 and 1.0 as equal. */
function numberMark(value: ExprValue, budget: Budget): unknown {
  const number = numberOf(value);
  return number === undefined || !equal(number, value, budget) ? undefined : number;
}

export function readOrder(value: ExprValue): 'asc' | 'desc' {
  const text = wantString(value);
  if (text === 'asc' || text === 'desc') return text;
  throw new Fault(`the order is "asc" or "desc", not ${JSON.stringify(text.slice(0, 20))}`);
}

/** Stable sorted copy of a list by its keys; `keys[i]` belongs to `list[i]`. */
export function sorted(list: readonly ExprValue[], keys: readonly ExprValue[], direction: 'asc' | 'desc', budget: Budget): ExprValue[] {
  budget.charge(list.length * 24);
  spendAtOnce(budget, list.length * Math.ceil(Math.log2(list.length + 1)));
  const sign = direction === 'asc' ? 1 : -1;
  const compare = (i: number, j: number): number => sign * (order(keys[i] ?? null, keys[j] ?? null, '<', budget) || 0) || i - j;
  return Array.from(list.keys())
    .sort(compare)
    .map((i) => list[i] ?? null);
}

function sort(args: readonly ExprValue[], budget: Budget): ExprValue {
  const direction = args.length > 1 ? readOrder(args[1] ?? null) : 'asc';
  const [list = null] = args;
  return isArray(list) ? sorted(list, list, direction, budget) : NIL_ARRAY;
}

function take(args: readonly ExprValue[], budget: Budget): ExprValue {
  const list = wantList('take', args[0], budget);
  const [, count = null] = args;
  if (!isInt(count)) throw new Fault(`take needs an int, not ${typeName(count)}`);
  if (count < 0) throw new Fault(`take needs a count from 0, not ${count}`);
  budget.charge(Math.min(list.length, Number(count)) * 8 + 16);
  budget.spend(1 + (Math.min(list.length, Number(count)) >> 2));
  const taken = list.slice(0, Number(count));
  return args[0] instanceof Uint8Array ? args[0].slice(0, Number(count)) : taken;
}

/** First or last element; nil if the value has no elements. */
function end(index: number): ExprBuiltin {
  return ([value = null], budget) => {
    try {
      return fetch(value, index, budget);
    } catch (error) {
      if (error instanceof Fault) return null;
      throw error;
    }
  };
}

function entries(name: string, value: ExprValue | undefined, budget: Budget): (readonly [ExprValue, ExprValue])[] {
  let pairs: (readonly [ExprValue, ExprValue])[];
  chargeEntries(value, budget);
  if (value instanceof Map) pairs = [...value];
  else if (value instanceof AnyMap) pairs = Array.from(value.entries.values(), (entry) => [entry.key, entry.value] as const);
  else throw new Fault(`${name} takes a map, not ${typeName(value ?? null)}`);
  return pairs;
}

function chargeEntries(value: ExprValue | undefined, budget: Budget): void {
  const count = value instanceof Map ? value.size : value instanceof AnyMap ? value.entries.size : 0;
  budget.charge(count * 40);
  budget.spend(count);
}

function fromPairs(args: readonly ExprValue[], budget: Budget): ExprValue {
  const map = new AnyMap(null);
  for (const pair of wantList('fromPairs', args[0], budget)) {
    if (!isArray(pair) || pair.length !== 2) throw new Fault('fromPairs takes an array of pairs');
    budget.spend(1);
    budget.charge(64);
    const [key = null, value = null] = pair;
    setKey(map, key, value, budget);
  }
  return map;
}

/** Replacing a value keeps the position of its key. */
function setKey(map: AnyMap, key: ExprValue, value: ExprValue, budget: Budget): void {
  const id = keyId(key, budget);
  const entry = map.entries.get(id);
  if (entry === undefined) map.entries.set(id, { key, value });
  else entry.value = value;
}

export const ARRAY_BUILTINS: Readonly<Record<string, ExprBuiltin>> = {
  len: ([value = null], budget) => {
    if (typeof value === 'string') budget.spend(value.length >> 4);
    return lengthOf(value);
  },
  first: end(0),
  last: end(-1),
  get: ([base = null, key = null], budget) => get(base, key, budget),
  take,
  concat,
  flatten: (args, budget) => flatten(wantList('flatten', args[0], budget), [], budget, 0),
  reverse: (args, budget) => [...charged(wantList('reverse', args[0], budget), budget)].reverse(),
  uniq,
  sort,
  keys: ([map], budget) => entries('keys', map, budget).map(([key]) => key),
  values: ([map], budget) => entries('values', map, budget).map(([, value]) => value),
  toPairs: ([map], budget) => entries('toPairs', map, budget).map(([key, value]) => [key, value]),
  fromPairs,
};
