/**
 * Keys of dicts and sets: equal values give the same JavaScript Map key. Strings and small ints are
 * their own key; all others use a canonical string.
 */
import { compareExact } from '../../../util/text/decimal.ts';
import { Extension } from './extension.ts';
import { fail } from './failure.ts';
import { LarkBuiltin, LarkFunction } from './function.ts';
import { type Int, intText, normalInt } from './int.ts';
import type { Thread } from './thread.ts';
import { ExactFloat, LarkBytes, LarkFloat, type LarkObject, LarkTuple, type LarkValue } from './value.ts';

/** Key of a value that is not its own key, within one table. */
export class CompoundKey {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Key = null | boolean | number | string | LarkObject | CompoundKey;

/** A float key equals the int of the same value. */
function floatKey(thread: Thread, value: LarkFloat): Int | undefined {
  const number = value.value;
  if (value instanceof ExactFloat && compareExact(value.decimal, number) !== 0) {
    thread.spend(value.decimal.text.length);
    const whole = /^([+-]?\d+)(?:\.0*)?$/.exec(value.decimal.text)?.[1];
    return whole === undefined ? undefined : normalInt(BigInt(whole));
  }
  if (!Number.isInteger(number)) return number;
  return Number.isSafeInteger(number) ? number + 0 : BigInt(number);
}

/** Length from which the engine hashes strings by their length only, so that they may collide. */
const COLLIDING_LENGTH = 16_384;
/** Entries from which a bad distribution of the keys is worth a reading of the clock. */
const LARGE_TABLE = 2048;

/** Charges one access to a table by a key that is its own. */
export function chargeAccess(thread: Thread, key: string | number, size: number): void {
  if (size >= LARGE_TABLE) thread.weigh(Math.min(size >> 11, 64));
  if (typeof key === 'number' || key.length < 64) return;
  thread.spend(key.length >> 5);
  if (key.length >= COLLIDING_LENGTH) thread.weigh((key.length * size) >> 6);
}

/** Key of a simple value; `undefined` for one that needs a canonical string. */
export function simpleKey(thread: Thread, value: LarkValue): Exclude<Key, CompoundKey> | undefined {
  if (typeof value === 'bigint') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LarkFloat) {
    const key = floatKey(thread, value);
    // The engine hashes only the lowest 64 bits of a bigint.
    return typeof key === 'bigint' ? undefined : key;
  }
  if (value instanceof LarkFunction || value instanceof LarkBuiltin) return value;
  return undefined;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identity(value: object): number {
  const known = identities.get(value) ?? ++lastIdentity;
  identities.set(value, known);
  return known;
}

const UNHASHABLE_TYPES = new Set(['list', 'dict', 'set']);
const MAX_DEPTH = 100;
/** Steps charged per part of a canonical string. */
const PART_STEPS = 4;

/** Canonical string of any hashable value. Lengths separate adjacent parts. */
export function compoundText(thread: Thread, value: LarkValue, depth = 0): string {
  if (depth > MAX_DEPTH) fail('hashing exceeded maximum recursion depth');
  thread.spend(PART_STEPS);
  const text = partText(thread, value, depth);
  thread.charge(text.length);
  thread.spend(text.length >> 5);
  return text;
}

function partText(thread: Thread, value: LarkValue, depth: number): string {
  if (typeof value === 'string') return `s${value.length}:${value}`;
  const simple = value instanceof LarkFloat ? floatKey(thread, value) : simpleKey(thread, value);
  if (typeof value === 'bigint' || typeof simple === 'bigint')
    return `${intText(thread, typeof value === 'bigint' ? value : (simple as bigint))};`;
  if (simple === null || typeof simple === 'boolean' || typeof simple === 'number') return `${simple};`;
  if (simple !== undefined) return `o${identity(simple as LarkObject)};`;
  if (value instanceof LarkTuple) return `t${value.items.length}(${joinParts(thread, value.items, depth)})`;
  if (value instanceof LarkBytes) return `b${value.data.length}:${Buffer.from(value.data).toString('latin1')}`;
  if (value instanceof ExactFloat) return `d${withoutTrailingZeros(value.decimal.text)};`;
  if (value instanceof Extension) return `x${value.hashKey((inner) => compoundText(thread, inner, depth + 1), thread)};`;
  return fail(unhashable(value));
}

function joinParts(thread: Thread, items: readonly LarkValue[], depth: number): string {
  let text = '';
  for (const item of items) text += compoundText(thread, item, depth + 1);
  return text;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, digits[end - 1] === '.' ? end - 1 : end);
}

function unhashable(value: LarkValue): string {
  const type = value !== null && typeof value === 'object' ? value.type : typeof value;
  return UNHASHABLE_TYPES.has(type) ? `unhashable type: ${type}` : `unhashable: ${type}`;
}
