/**
 * Converts plain values to values of the language and back. Rows stay the host's maps until a
 * program reads them. Ints and decimals keep all their digits; strings are well-formed on both
 * sides.
 */
import { Decimal, type PlainMap, type PlainValue, plainFloat } from '../../../util/text/decimal.ts';
import { MAX_DATA_DEPTH, tooDeepData } from './depth.ts';
import { fail } from './failure.ts';
import { ENTRY_BYTES } from './indexing.ts';
import { intText, normalInt } from './int.ts';
import { chargeElements, elementsOf } from './iterate.ts';
import { LarkStruct } from './struct.ts';
import { LarkDict, LarkRecord } from './table.ts';
import { readable } from './text/utf8.ts';
import type { Thread } from './thread.ts';
import { ExactFloat, LarkBytes, LarkFloat, LarkList, type LarkValue, typeOf } from './value.ts';

/** Length up to which a string in a result is charged with its place. */
const SHORT = 64;
const ENTRY_STEPS = 4;

/** Accepts plain values only; anything else becomes None. */
export function toLark(thread: Thread, value: unknown): LarkValue {
  switch (typeof value) {
    case 'string':
      thread.spend(value.length >> 6);
      return readable(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isInteger(value) ? (Number.isSafeInteger(value) ? value + 0 : BigInt(value)) : new LarkFloat(value);
    case 'bigint':
      return normalInt(value);
    default:
      return value === null || value === undefined ? null : compoundToLark(thread, value);
  }
}

function compoundToLark(thread: Thread, value: unknown): LarkValue {
  if (value instanceof Map) return new LarkDict(value, toLark);
  if (Array.isArray(value)) return listToLark(thread, value);
  return value instanceof Decimal ? new ExactFloat(value) : null;
}

function listToLark(thread: Thread, values: readonly unknown[]): LarkValue {
  thread.spend(values.length);
  return new LarkList(values.map((value) => toLark(thread, value)));
}

/** A dict whose keys can be read as attributes: `input.x` as well as `input["x"]`. */
export function recordToLark(value: ReadonlyMap<string, unknown>, name: string): LarkValue {
  const record = new LarkRecord(value, toLark);
  record.name = name;
  return record;
}

export function fromLark(thread: Thread, value: LarkValue, depth = 0): PlainValue {
  if (typeof value === 'string') return textFromLark(thread, value);
  if (typeof value !== 'object') return value;
  if (value === null) return null;
  if (depth > MAX_DATA_DEPTH) tooDeepData();
  thread.spend(1);
  if (value instanceof LarkDict) return dictFromLark(thread, value, depth);
  if (value instanceof ExactFloat) return value.decimal;
  if (value instanceof LarkFloat) return plainFloat(value.value);
  if (value instanceof LarkStruct) return mapFromLark(thread, value.fields, depth);
  if (value instanceof LarkBytes) return base64(thread, value.data);
  const items = value instanceof LarkList ? value.items : elementsOf(thread, value);
  if (items === undefined) return fail(`a ${typeOf(value)} cannot be a result`);
  chargeElements(thread, items.length);
  const out: PlainValue[] = [];
  for (const item of items) out.push(fromLark(thread, item, depth + 1));
  return out;
}

/** A string that occurs several times in a result is written as often. */
function textFromLark(thread: Thread, text: string): string {
  if (text.length > SHORT) {
    thread.charge(text.length);
    thread.spend(text.length >> 6);
  }
  return thread.strings.cut ? readable(text) : text;
}

function base64(thread: Thread, data: Uint8Array): string {
  thread.charge(data.length * 2);
  thread.spend(data.length >> 5);
  return Buffer.from(data).toString('base64');
}

function dictFromLark(thread: Thread, dict: LarkDict, depth: number): PlainMap {
  const untouched = dict.untouched;
  if (untouched !== undefined) return untouched as PlainMap;
  return mapFromLark(thread, dict.pairs(thread), depth);
}

function mapFromLark(thread: Thread, pairs: Iterable<readonly [LarkValue, LarkValue]>, depth: number): PlainMap {
  const map: PlainMap = new Map();
  for (const [key, value] of pairs) {
    thread.charge(ENTRY_BYTES);
    thread.spend(ENTRY_STEPS);
    map.set(keyFromLark(thread, key), fromLark(thread, value, depth + 1));
  }
  return map;
}

function keyFromLark(thread: Thread, key: LarkValue): string {
  if (typeof key === 'string') return textFromLark(thread, key);
  if (typeof key === 'number' || typeof key === 'bigint') return intText(thread, key);
  return fail(`a dict with a ${typeOf(key)} key cannot be a result: want string keys`);
}
