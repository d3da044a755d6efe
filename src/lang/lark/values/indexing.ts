/** `x[i]`, `x[i] = v` and `x[i:j:k]` over all types that support them. */
import { fail, LarkFailure } from './failure.ts';
import { chargeElements } from './iterate.ts';
import { LarkDict, LarkRecord } from './table.ts';
import { CHAR_BYTES, repr } from './text/text.ts';
import type { Thread } from './thread.ts';
import { LarkBytes, LarkList, LarkRange, LarkTuple, type LarkValue, typeOf } from './value.ts';
import { BytesElements, StringElements } from './views.ts';

/** Positions beyond 32 bits are always out of range. */
const INT32 = 2 ** 31;

/** Normalizes an index: negative ones count from the end. */
export function position(key: LarkValue, length: number, type: string): number {
  if (typeof key !== 'number') {
    return fail(`${type} index: ${typeof key === 'bigint' ? `${key} out of range` : `got ${typeOf(key)}, want int`}`);
  }
  if (Math.abs(key) >= INT32) return fail(`${type} index: ${key} out of range`);
  const at = key < 0 ? key + length : key;
  if (at >= 0 && at < length) return at;
  if (length === 0) return fail(`index ${key} out of range: empty ${type}`);
  return fail(`${type} index ${key} out of range [${-length}:${length - 1}]`);
}

function missingKey(thread: Thread, dict: LarkDict, key: LarkValue): never {
  const isField = dict instanceof LarkRecord && typeof key === 'string';
  throw new LarkFailure(`key ${repr(thread, key)} not in dict`, isField ? { kind: 'absent', of: dict.name, name: key } : undefined);
}

export function getIndex(thread: Thread, object: LarkValue, key: LarkValue): LarkValue {
  if (object instanceof LarkDict) {
    const value = object.get(thread, key);
    return value === undefined ? missingKey(thread, object, key) : value;
  }
  if (object instanceof LarkList || object instanceof LarkTuple) {
    return object.items[position(key, object.items.length, object.type)] as LarkValue;
  }
  if (typeof object === 'string') {
    const bytes = thread.strings.of(object);
    return thread.strings.byteAt(bytes, position(key, bytes.length, 'string'));
  }
  if (object instanceof LarkRange) return object.start + object.step * position(key, object.length, 'range');
  if (object instanceof LarkBytes) {
    const at = position(key, object.data.length, 'bytes');
    return new LarkBytes(object.data.slice(at, at + 1));
  }
  if (object instanceof StringElements || object instanceof BytesElements) {
    return object.at(position(key, object.length, object.type));
  }
  return fail(`unhandled index operation ${typeOf(object)}[${typeOf(key)}]`);
}

export function setIndex(thread: Thread, object: LarkValue, key: LarkValue, value: LarkValue): void {
  if (object instanceof LarkDict) {
    thread.charge(ENTRY_BYTES);
    object.set(thread, key, value);
    return;
  }
  if (!(object instanceof LarkList)) fail(`${typeOf(object)} value does not support item assignment`);
  if (typeof key !== 'number' || Math.abs(key) >= INT32) {
    fail(typeof key === 'number' || typeof key === 'bigint' ? `${key} out of range` : `got ${typeOf(key)}, want int`);
  }
  const at = position(key, object.items.length, 'list');
  object.checkMutable('assign to element of');
  object.items[at] = value;
}

/** Bytes charged per entry of a dict or set. */
export const ENTRY_BYTES = 48;

interface Bounds {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly count: number;
}

function bound(value: LarkValue | undefined, what: string, fn?: string): number | undefined {
  const prefix = fn === undefined ? '' : `${fn}: `;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' && typeof value !== 'bigint') return fail(`${prefix}invalid ${what}: got ${typeOf(value)}, want int`);
  return typeof value === 'number' && Math.abs(value) < INT32 ? value : fail(`${prefix}invalid ${what}: ${value} out of range`);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/** `start` and `end` of a method such as `find`, clamped to the length. */
export function subrange(fn: string, low: LarkValue | undefined, high: LarkValue | undefined, length: number): readonly [number, number] {
  const start = bound(low, 'start index', fn) ?? 0;
  const stop = bound(high, 'end index', fn) ?? length;
  const from = clamp(start < 0 ? start + length : start, 0, length);
  return [from, Math.max(from, clamp(stop < 0 ? stop + length : stop, 0, length))];
}

function bounds(length: number, low?: LarkValue, high?: LarkValue, stepValue?: LarkValue): Bounds {
  const step = bound(stepValue, 'slice step') ?? 1;
  if (step === 0) fail('zero is not a valid slice step');
  const absolute = (at: number): number => (at < 0 ? at + length : at);
  const start = bound(low, 'start index');
  const stop = bound(high, 'end index');
  if (step > 0) {
    const from = clamp(absolute(start ?? 0), 0, length);
    const to = clamp(absolute(stop ?? length), 0, length);
    return { start: from, stop: Math.max(from, to), step, count: Math.max(0, Math.ceil((to - from) / step)) };
  }
  const from = start === undefined ? length - 1 : clamp(absolute(start), -1, length - 1);
  const to = stop === undefined ? -1 : clamp(absolute(stop), -1, length - 1);
  return { start: from, stop: Math.min(from, to), step, count: Math.max(0, Math.ceil((to - from) / step)) };
}

function pick<T>(thread: Thread, items: ArrayLike<T>, { start, step, count }: Bounds): T[] {
  thread.spend(count);
  const out: T[] = [];
  for (let i = 0, at = start; i < count; i++, at += step) out.push(items[at] as T);
  return out;
}

export function getSlice(thread: Thread, object: LarkValue, low?: LarkValue, high?: LarkValue, step?: LarkValue): LarkValue {
  if (typeof object === 'string') {
    const { strings } = thread;
    const bytes = strings.of(object);
    const part = bounds(bytes.length, low, high, step);
    // A slice of an ASCII string shares its memory.
    thread.charge(16 + (part.step === 1 && bytes === object ? 0 : part.count * CHAR_BYTES));
    return part.step === 1 ? strings.slice(object, part.start, part.stop) : strings.from(pick(thread, bytes, part).join(''));
  }
  if (object instanceof LarkList || object instanceof LarkTuple) {
    const part = bounds(object.items.length, low, high, step);
    chargeElements(thread, part.count);
    const items = part.step === 1 ? object.items.slice(part.start, part.stop) : pick(thread, object.items, part);
    return object instanceof LarkList ? new LarkList(items) : new LarkTuple(items);
  }
  if (object instanceof LarkRange) {
    const part = bounds(object.length, low, high, step);
    const at = (i: number): number => object.start + object.step * i;
    return new LarkRange(at(part.start), at(part.stop), object.step * part.step);
  }
  if (object instanceof LarkBytes) {
    const part = bounds(object.data.length, low, high, step);
    thread.charge(part.count);
    thread.spend(part.count >> 6);
    return new LarkBytes(part.step === 1 ? object.data.slice(part.start, part.stop) : Uint8Array.from(pick(thread, object.data, part)));
  }
  return fail(`invalid slice operand ${typeOf(object)}`);
}
