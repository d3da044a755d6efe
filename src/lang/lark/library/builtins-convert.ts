/**
 * Builtins that convert a value to another type: `int`, `float`, `str`, `list`, `dict` and others.
 */

import { truth } from '../values/compare.ts';
import { fail } from '../values/failure.ts';
import type { BuiltinBody, NamedArgument } from '../values/function.ts';
import { ENTRY_BYTES } from '../values/indexing.ts';
import { floatToInt, intToFloat } from '../values/int.ts';
import { elementsOf, wantElements } from '../values/iterate.ts';
import { LarkDict, LarkSet } from '../values/table.ts';
import { characterOf } from '../values/text/quote.ts';
import { repr, str } from '../values/text/text.ts';
import { readable, runeOf } from '../values/text/utf8.ts';
import type { Thread } from '../values/thread.ts';
import { LarkBytes, LarkFloat, LarkList, LarkTuple, type LarkValue, typeOf } from '../values/value.ts';
import { positional, single, unpack } from './args.ts';
import { updateDict } from './dict-methods.ts';
import { parseInteger } from './parse-int.ts';

function toInt(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const [value, base] = unpack('int', args, named, ['x', 'base?']);
  if (typeof value === 'string') return parseInteger(thread, value, base === undefined ? 10 : wantBase(base));
  if (base !== undefined) fail("int: can't convert non-string with explicit base");
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof LarkFloat) return prefixed('int', () => floatToInt(value.value));
  return fail(`int: cannot convert ${typeOf(value ?? null)} to int`);
}

function wantBase(base: LarkValue): number {
  if (typeof base === 'number') return base;
  return fail(typeof base === 'bigint' ? 'int: base must be an integer >= 2 && <= 36' : `int: for base, got ${typeOf(base)}, want int`);
}

function prefixed<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NAMED_FLOAT: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};

function toFloat(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  if (named.length > 0) fail('float does not accept keyword arguments');
  if (args.length > 1) fail(`float got ${args.length} arguments, wants 1`);
  const [value] = args;
  if (value === undefined) return new LarkFloat(0);
  if (value instanceof LarkFloat) return value;
  if (typeof value === 'boolean') return new LarkFloat(value ? 1 : 0);
  if (typeof value === 'number' || typeof value === 'bigint') return new LarkFloat(intToFloat(value));
  if (typeof value !== 'string') return fail(`float got ${typeOf(value)}, want number or string`);
  thread.spend(value.length >> 4);
  if (value === '') return fail('float: empty string');
  const special = NAMED_FLOAT[value.replace(/^[+-]/, '').toLowerCase()];
  if (special !== undefined) return new LarkFloat(value.startsWith('-') ? -special : special);
  if (!FLOAT.test(value)) return fail(`invalid float literal: ${value}`);
  const number = Number(value);
  return Number.isFinite(number) ? new LarkFloat(number) : fail(`floating-point number too large: ${value}`);
}

function toBytes(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const value = single('bytes', args, named, 'exactly 1');
  if (value instanceof LarkBytes) return value;
  if (typeof value === 'string') {
    thread.charge(value.length * 3);
    thread.spend(value.length >> 3);
    return new LarkBytes(Buffer.from(readable(value)));
  }
  const items = elementsOf(thread, value) ?? fail(`bytes: got ${typeOf(value)}, want string, bytes, or iterable of ints`);
  const data = items.map((item, i) => {
    if (typeof item !== 'number' && typeof item !== 'bigint') return fail(`bytes: at index ${i}, got ${typeOf(item)}, want int`);
    if (item < 0 || item > 255) fail(`bytes: at index ${i}, ${item} out of range (want value in unsigned 8-bit range)`);
    return Number(item);
  });
  return new LarkBytes(Uint8Array.from(data));
}

function chr(_thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const value = single('chr', args, named, '1');
  if (typeof value !== 'number' && typeof value !== 'bigint') return fail(`chr: got ${typeOf(value)}, want int`);
  if (typeof value === 'bigint' || Math.abs(value) > 0x7fff_ffff) return fail(`chr: ${value} out of range`);
  if (value < 0) fail(`chr: Unicode code point ${value} out of range (<0)`);
  if (value > 0x10ffff) fail(`chr: Unicode code point U+${value.toString(16).toUpperCase()} out of range (>0x10FFFF)`);
  return characterOf(value);
}

function ord(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const value = single('ord', args, named, '1');
  if (value instanceof LarkBytes) {
    return value.data.length === 1 ? (value.data[0] ?? 0) : fail(`ord: bytes has length ${value.data.length}, want 1`);
  }
  if (typeof value !== 'string') return fail(`ord: got ${typeOf(value)}, want string or bytes`);
  thread.spend(value.length * 2);
  const points = [...value];
  return points.length === 1 ? runeOf(value) : fail(`ord: string encodes ${points.length} Unicode code points, want 1`);
}

/** Constructors that take at most one iterable. */
const collect = (name: string, make: (thread: Thread, items: LarkValue[]) => LarkValue): BuiltinBody => {
  return (thread, args, named) => {
    const [value] = positional(name, args, named, 0, 1);
    return make(thread, value === undefined ? [] : wantElements(thread, value, `${name}: for parameter 1`));
  };
};

export const CONVERSIONS: Readonly<Record<string, BuiltinBody>> = {
  bool: (_thread, args, named) => truth(positional('bool', args, named, 0, 1)[0] ?? null),
  bytes: toBytes,
  chr,
  dict: (thread, args, named) => {
    const dict = new LarkDict();
    updateDict(thread, 'dict', dict, args, named);
    return dict;
  },
  float: toFloat,
  int: toInt,
  list: collect('list', (_thread, items) => new LarkList(items)),
  ord,
  repr: (thread, args, named) => repr(thread, positional('repr', args, named, 1, 1)[0] ?? null),
  set: collect('set', (thread, items) => {
    thread.charge(items.length * ENTRY_BYTES);
    const set = new LarkSet();
    for (const item of items) set.add(thread, item);
    return set;
  }),
  str: (thread, args, named) => str(thread, single('str', args, named, 'exactly 1')),
  tuple: (thread, args, named) => {
    const [value] = positional('tuple', args, named, 0, 1);
    if (value instanceof LarkTuple) return value;
    return new LarkTuple(value === undefined ? [] : wantElements(thread, value, 'tuple: for parameter 1'));
  },
};
