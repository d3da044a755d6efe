/**
 * Keys of dicts and sets: equal values give the same JavaScript Map key. Strings and ints are their
 * own key; compound values use a canonical string.
 */
import { compareExact } from '../../../util/text/decimal.ts';
import { Extension } from './extension.ts';
import { fail } from './failure.ts';
import { LarkBuiltin, LarkFunction } from './function.ts';
import { normalInt } from './int.ts';
import { ExactFloat, LarkBytes, LarkFloat, type LarkObject, LarkTuple, type LarkValue } from './value.ts';

/** Key of a compound value within one table. */
export class CompoundKey {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Key = null | boolean | number | bigint | string | LarkObject | CompoundKey;

/** A float key equals the int of the same value. */
function floatKey(value: LarkFloat): number | bigint | undefined {
  const number = value.value;
  if (value instanceof ExactFloat && compareExact(value.decimal, number) !== 0) {
    const whole = /^([+-]?\d+)(?:\.0*)?$/.exec(value.decimal.text)?.[1];
    return whole === undefined ? undefined : normalInt(BigInt(whole));
  }
  if (!Number.isInteger(number)) return number;
  return Number.isSafeInteger(number) ? number + 0 : BigInt(number);
}

/** Key of a simple value; `undefined` for a compound one. */
export function simpleKey(value: LarkValue): Exclude<Key, CompoundKey> | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LarkFloat) return floatKey(value);
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

/** Canonical string of any hashable value. Lengths separate adjacent parts. */
export function compoundText(value: LarkValue, depth = 0): string {
  if (depth > MAX_DEPTH) fail('hashing exceeded maximum recursion depth');
  const simple = simpleKey(value);
  if (typeof simple === 'string') return `s${simple.length}:${simple}`;
  if (simple === null || typeof simple === 'boolean') return `${simple};`;
  if (typeof simple === 'number' || typeof simple === 'bigint') return `${simple};`;
  if (simple !== undefined) return `o${identity(simple)};`;
  if (value instanceof LarkTuple) return `t${value.items.length}(${value.items.map((item) => compoundText(item, depth + 1)).join('')})`;
  if (value instanceof LarkBytes)
    return `b${Buffer.from(value.data).toString('latin1').length}:${Buffer.from(value.data).toString('latin1')}`;
  if (value instanceof ExactFloat) return `d${value.decimal.text.replace(/\.?0+$/, '')};`;
  if (value instanceof Extension) return `x${value.hashKey((inner) => compoundText(inner, depth + 1))};`;
  return fail(unhashable(value));
}

function unhashable(value: LarkValue): string {
  const type = value !== null && typeof value === 'object' ? value.type : typeof value;
  return UNHASHABLE_TYPES.has(type) ? `unhashable type: ${type}` : `unhashable: ${type}`;
}
