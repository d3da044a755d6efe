/**
 * Converts plain values to values of the language and back. Rows stay the host's maps until a
 * program reads them. Ints and decimals keep all their digits; strings are well-formed on both
 * sides.
 */
import { Decimal, type PlainMap, type PlainValue, plainFloat } from '../../../util/text/decimal.ts';
import { MAX_DATA_DEPTH, tooDeepData } from './depth.ts';
import { fail } from './failure.ts';
import { ENTRY_BYTES } from './indexing.ts';
import { normalInt } from './int.ts';
import { chargeElements, elementsOf } from './iterate.ts';
import { LarkStruct } from './struct.ts';
import { LarkDict, LarkRecord } from './table.ts';
import { readable } from './text/utf8.ts';
import type { Thread } from './thread.ts';
import { ExactFloat, LarkBytes, LarkFloat, LarkList, type LarkValue, typeOf } from './value.ts';

/** Accepts plain values only; anything else becomes None. */
export function toLark(value: unknown): LarkValue {
  switch (typeof value) {
    case 'string':
      return readable(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isInteger(value) ? (Number.isSafeInteger(value) ? value + 0 : BigInt(value)) : new LarkFloat(value);
    case 'bigint':
      return normalInt(value);
    default:
      return value === null || value === undefined ? null : compoundToLark(value);
  }
}

function compoundToLark(value: unknown): LarkValue {
  if (value instanceof Map) return new LarkDict(value, toLark);
  if (Array.isArray(value)) return new LarkList(value.map(toLark));
  return value instanceof Decimal ? new ExactFloat(value) : null;
}

/** A dict whose keys can be read as attributes: `input.x` as well as `input["x"]`. */
export function recordToLark(value: ReadonlyMap<string, unknown>, name: string): LarkValue {
  const record = new LarkRecord(value, toLark);
  record.name = name;
  return record;
}

export function fromLark(thread: Thread, value: LarkValue, depth = 0): PlainValue {
  if (typeof value === 'string') return thread.strings.cut ? readable(value) : value;
  if (typeof value !== 'object') return value;
  if (value === null) return null;
  if (depth > MAX_DATA_DEPTH) tooDeepData();
  thread.spend(1);
  if (value instanceof LarkDict) return dictFromLark(thread, value, depth);
  if (value instanceof ExactFloat) return value.decimal;
  if (value instanceof LarkFloat) return plainFloat(value.value);
  if (value instanceof LarkStruct) return mapFromLark(thread, value.fields, depth);
  if (value instanceof LarkBytes) return Buffer.from(value.data).toString('base64');
  const items = value instanceof LarkList ? value.items : elementsOf(thread, value);
  if (items === undefined) return fail(`a ${typeOf(value)} cannot be a result`);
  chargeElements(thread, items.length);
  const out: PlainValue[] = [];
  for (const item of items) out.push(fromLark(thread, item, depth + 1));
  return out;
}

function dictFromLark(thread: Thread, dict: LarkDict, depth: number): PlainMap {
  const untouched = dict.untouched;
  if (untouched !== undefined) return untouched as PlainMap;
  return mapFromLark(thread, dict.pairs(), depth);
}

function mapFromLark(thread: Thread, pairs: Iterable<readonly [LarkValue, LarkValue]>, depth: number): PlainMap {
  const map: PlainMap = new Map();
  for (const [key, value] of pairs) {
    thread.charge(ENTRY_BYTES);
    map.set(keyFromLark(key), fromLark(thread, value, depth + 1));
  }
  return map;
}

function keyFromLark(key: LarkValue): string {
  if (typeof key === 'string') return readable(key);
  if (typeof key === 'number' || typeof key === 'bigint') return String(key);
  return fail(`a dict with a ${typeOf(key)} key cannot be a result: want string keys`);
}
