/** Functions that every program has, by name. Conversions between types have their own table. */

import { REFUSALS } from '../../source.ts';
import { callBack } from '../values/call.ts';
import { order, truth } from '../values/compare.ts';
import { fail, LarkFailure } from '../values/failure.ts';
import { type BuiltinBody, LarkBuiltin, type NamedArgument } from '../values/function.ts';
import { negateInt } from '../values/int.ts';
import { chargeElements, lengthOf, viewOf, wantElements } from '../values/iterate.ts';
import { sortValues } from '../values/sort.ts';
import { CHAR_BYTES, shown, str } from '../values/text/text.ts';
import { readable, runeOf } from '../values/text/utf8.ts';
import type { Thread } from '../values/thread.ts';
import { LarkBytes, LarkFloat, LarkList, LarkRange, LarkTuple, type LarkValue, typeOf } from '../values/value.ts';
import { positional, single, unpack, wantBool, wantCallable, wantIndex, wantString } from './args.ts';
import { attributeNames, findAttribute, missingText } from './attributes.ts';
import { CONVERSIONS } from './builtins-convert.ts';

/** Joins the arguments of `print` and `fail`; only `print` writes bytes as they are. */
function joined(thread: Thread, fn: 'print' | 'fail', args: readonly LarkValue[], named: NamedArgument): string {
  let separator = ' ';
  for (const [name, value] of named) {
    if (name !== 'sep') fail(`${fn}: unexpected keyword argument "${name}"`);
    separator = wantString(fn, 'sep', value);
  }
  thread.spend(args.length);
  const write = (arg: LarkValue): string => (fn === 'print' && arg instanceof LarkBytes ? str(thread, arg) : shown(thread, arg));
  const parts = args.map(write);
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  thread.charge(length * CHAR_BYTES);
  thread.spend(length >> 4);
  return readable(thread.strings.joined(parts.join(separator)));
}

function extreme(name: 'max' | 'min', better: (order: number) => boolean): BuiltinBody {
  const sign = name === 'max' ? '>' : '<';
  return (thread, args, named) => {
    if (args.length === 0) fail(`${name} requires at least one positional argument`);
    const [keyValue] = unpack(name, [], named, ['key?']);
    const key = keyValue === undefined || keyValue === null ? undefined : wantCallable(name, 'key', keyValue);
    const source = args.length === 1 ? (args[0] as LarkValue) : new LarkTuple(args);
    const items = viewOf(thread, source) ?? fail(`${name}: ${typeOf(source)} value is not iterable`);
    chargeElements(thread, items.length);
    if (items.length === 0) fail(`${name}: argument is an empty sequence`);
    let best = items[0] as LarkValue;
    let bestKey = key === undefined ? best : callBack(thread, key, [best]);
    for (const item of items.slice(1)) {
      const itemKey = key === undefined ? item : callBack(thread, key, [item]);
      if (!better(prefixed(name, () => order(thread, sign, itemKey, bestKey, 0)))) continue;
      best = item;
      bestKey = itemKey;
    }
    return best;
  };
}

/** Prefixes errors of a comparison with the name of the builtin. */
function prefixed<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof LarkFailure) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

const every = (name: 'all' | 'any', decisive: boolean): BuiltinBody => {
  return (thread, args, named) => {
    const [value = null] = positional(name, args, named, 1, 1);
    for (const item of wantElements(thread, value, `${name}: for parameter 1`)) if (truth(item) === decisive) return decisive;
    return !decisive;
  };
};

function abs(_thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const [value = null] = positional('abs', args, named, 1, 1);
  if (value instanceof LarkFloat) return new LarkFloat(Math.abs(value.value));
  if (typeof value !== 'number' && typeof value !== 'bigint') return fail(`abs: got ${typeOf(value)}, want int or float`);
  return value < 0 ? negateInt(value) : value;
}

function enumerate(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const [value = null, from = 0] = positional('enumerate', args, named, 1, 2);
  const items = wantElements(thread, value, 'enumerate: for parameter 1');
  const start = wantIndex('enumerate', 2, from);
  chargeElements(thread, items.length * 2);
  return new LarkList(items.map((item, i) => new LarkTuple([start + i, item])));
}

function zip(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  if (named.length > 0) fail('zip does not accept keyword arguments');
  const lists = args.map((arg, i) => viewOf(thread, arg) ?? fail(`zip: argument #${i + 1} is not iterable: ${typeOf(arg)}`));
  const rows = lists.length === 0 ? 0 : Math.min(...lists.map((list) => list.length));
  chargeElements(thread, rows * (lists.length + 1));
  const result: LarkValue[] = [];
  for (let i = 0; i < rows; i++) result.push(new LarkTuple(lists.map((list) => list[i] as LarkValue)));
  return new LarkList(result);
}

function range(_thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const values = positional('range', args, named, 1, 3).map((arg, i) => wantIndex('range', i + 1, arg));
  const [first = 0, second, step = 1] = values;
  if (step === 0) fail('range: step argument must not be zero');
  return second === undefined ? new LarkRange(0, first, 1) : new LarkRange(first, second, step);
}

function sorted(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const [value = null, key, reverse = false] = unpack('sorted', args, named, ['iterable', 'key?', 'reverse?']);
  const items = wantElements(thread, value, 'sorted: for parameter iterable');
  const by = key === undefined ? undefined : wantCallable('sorted', 'key', key);
  return new LarkList(sortValues(thread, items, by, wantBool('sorted', 'reverse', reverse) ? 'descending' : 'ascending'));
}

function hash(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const [value = null] = positional('hash', args, named, 1, 1);
  if (value instanceof LarkBytes) {
    thread.spend(value.data.length >> 2);
    return fnv32(value.data);
  }
  if (typeof value !== 'string') return fail(`hash: got ${typeOf(value)}, want string or bytes`);
  thread.spend(value.length);
  let result = 0;
  for (const point of value) result = (Math.imul(31, result) + runeOf(point)) | 0;
  return result;
}

function fnv32(data: Uint8Array): number {
  let result = 0x811c9dc5;
  for (const byte of data) result = Math.imul(result ^ byte, 0x01000193);
  return result >>> 0;
}

const BODIES: Readonly<Record<string, BuiltinBody>> = {
  abs,
  all: every('all', false),
  any: every('any', true),
  dir: (thread, args, named) => {
    return new LarkList(attributeNames(thread, single('dir', args, named, '1')));
  },
  enumerate,
  fail: (thread, args, named) => {
    const message = joined(thread, 'fail', args, named);
    throw new LarkFailure(`fail: ${message}`, { kind: 'fail', message });
  },
  getattr: (thread, args, named) => {
    const [value = null, name = null, fallback] = positional('getattr', args, named, 2, 3);
    const attribute = wantString('getattr', 2, name);
    const member = findAttribute(thread, value, attribute);
    if (member !== undefined) return member;
    return fallback === undefined ? fail(`getattr: ${missingText(thread, value, attribute)}`) : fallback;
  },
  hasattr: (thread, args, named) => {
    const [value = null, name = null] = positional('hasattr', args, named, 2, 2);
    return findAttribute(thread, value, wantString('hasattr', 2, name)) !== undefined;
  },
  hash,
  len: (thread, args, named) => {
    const [value = null] = positional('len', args, named, 1, 1);
    if (typeof value === 'string') return thread.strings.of(value).length;
    if (value instanceof LarkBytes) return value.data.length;
    return lengthOf(value) ?? fail(`len: value of type ${typeOf(value)} has no len`);
  },
  max: extreme('max', (sign) => sign > 0),
  min: extreme('min', (sign) => sign < 0),
  print: (thread, args, named) => {
    thread.host.print(joined(thread, 'print', args, named));
    return null;
  },
  range,
  refuse: (_thread, args, named) => {
    const [status = null, message = null] = unpack('refuse', args, named, ['status', 'message']);
    if (typeof status !== 'number' || !Number.isInteger(status) || status < REFUSALS.min || status > REFUSALS.max)
      return fail(`refuse: the status must be a number from ${REFUSALS.min} to ${REFUSALS.max}`);
    if (typeof message !== 'string') return fail(`refuse: got ${typeOf(message)} for the message, want string`);
    throw new LarkFailure(`refuse: ${message}`, { kind: 'refuse', status, message });
  },
  reversed: (thread, args, named) => {
    const [value = null] = positional('reversed', args, named, 1, 1);
    return new LarkList(wantElements(thread, value, 'reversed: for parameter 1').reverse());
  },
  sorted,
  type: (_thread, args, named) => typeOf(single('type', args, named, 'exactly 1')),
  zip,
};

/** All builtin functions and constants except the modules. */
export const CORE: ReadonlyMap<string, LarkValue> = new Map<string, LarkValue>([
  ['None', null],
  ['True', true],
  ['False', false],
  ...Object.entries({ ...BODIES, ...CONVERSIONS }).map(([name, body]) => [name, new LarkBuiltin(name, body)] as const),
]);
