/** The operator `in`. */
import { equals } from './compare.ts';
import { fail, LarkFailure } from './failure.ts';
import { LarkDict, LarkSet } from './table.ts';
import { firstOf } from './text/search.ts';
import type { Thread } from './thread.ts';
import { LarkBytes, LarkFloat, LarkList, LarkRange, LarkTuple, type LarkValue, typeOf } from './value.ts';

/** `undefined` if the right operand is not a container. */
export function membership(thread: Thread, value: LarkValue, container: LarkValue): boolean | undefined {
  if (container instanceof LarkList || container instanceof LarkTuple) return inItems(thread, value, container.items);
  if (container instanceof LarkDict) return inDict(thread, value, container);
  if (typeof container === 'string') return inString(thread, value, container);
  if (container instanceof LarkSet) return container.has(thread, value);
  if (container instanceof LarkRange) return inRange(value, container);
  return container instanceof LarkBytes ? inBytes(thread, value, container) : undefined;
}

function inItems(thread: Thread, value: LarkValue, items: readonly LarkValue[]): boolean {
  for (const item of items) {
    if (--thread.slice < 0) thread.tick();
    if (equals(thread, item, value)) return true;
  }
  return false;
}

/** An unhashable value is never in a dict. */
function inDict(thread: Thread, value: LarkValue, dict: LarkDict): boolean {
  try {
    return dict.has(thread, value);
  } catch (error) {
    if (error instanceof LarkFailure) return false;
    throw error;
  }
}

function inString(thread: Thread, value: LarkValue, text: string): boolean {
  if (typeof value !== 'string') return fail(`'in <string>' requires string as left operand, not ${typeOf(value)}`);
  const { strings } = thread;
  return strings.isPart(value) ? firstOf(thread, strings.of(text), strings.of(value)) >= 0 : firstOf(thread, text, value) >= 0;
}

function inRange(value: LarkValue, range: LarkRange): boolean {
  const number = value instanceof LarkFloat && Number.isFinite(value.value) ? value.value : value;
  if (typeof number === 'bigint') return false;
  if (typeof number !== 'number') return fail(`'in <range>' requires integer as left operand, not ${typeOf(value)}`);
  const index = (number - range.start) / range.step;
  return Number.isInteger(index) && index >= 0 && index < range.length;
}

function inBytes(thread: Thread, value: LarkValue, bytes: LarkBytes): boolean {
  thread.spend(bytes.data.length >> 5);
  if (value instanceof LarkBytes) return firstOf(thread, byteText(bytes), byteText(value)) >= 0;
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    return fail(`'in bytes' requires bytes or int as left operand, not ${typeOf(value)}`);
  }
  if (value < 0 || value > 255) fail(`int in bytes: ${value} out of range`);
  return bytes.data.includes(Number(value));
}

function byteText({ data }: LarkBytes): string {
  return Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1');
}
