/**
 * Binary and unary operators over all types, as a table. The compiler has fast paths for small
 * ints. Growth is charged before it happens.
 */
import { equals, holds, type Ordering } from './compare.ts';
import { Extension, type Side } from './extension.ts';
import { fail } from './failure.ts';
import * as ints from './int.ts';
import { chargeElements } from './iterate.ts';
import { membership } from './membership.ts';
import { LarkDict, LarkSet } from './table.ts';
import { formatPercent } from './text/format-percent.ts';
import { CHAR_BYTES } from './text/text.ts';
import type { Thread } from './thread.ts';
import { LarkBytes, LarkFloat, LarkList, LarkTuple, type LarkValue, typeOf } from './value.ts';

type BinaryOperator = (thread: Thread, a: LarkValue, b: LarkValue) => LarkValue | undefined;

const MAX_REPEAT = 2 ** 30;

function isInt(value: LarkValue): value is ints.Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Both operands as floats if both are numbers and at least one is a float. */
function floats(a: LarkValue, b: LarkValue): readonly [number, number] | undefined {
  if (a instanceof LarkFloat) {
    if (b instanceof LarkFloat) return [a.value, b.value];
    return isInt(b) ? [a.value, ints.intToFloat(b)] : undefined;
  }
  return b instanceof LarkFloat && isInt(a) ? [ints.intToFloat(a), b.value] : undefined;
}

function add(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a) && isInt(b)) return ints.addInt(thread, a, b);
  if (typeof a === 'string' && typeof b === 'string') return concat(thread, a, b);
  const pair = floats(a, b);
  if (pair !== undefined) return new LarkFloat(pair[0] + pair[1]);
  if (a instanceof LarkList && b instanceof LarkList) {
    chargeElements(thread, a.items.length + b.items.length);
    return new LarkList(a.items.concat(b.items));
  }
  if (a instanceof LarkTuple && b instanceof LarkTuple) {
    chargeElements(thread, a.items.length + b.items.length);
    return new LarkTuple(a.items.concat(b.items));
  }
  if (!(a instanceof LarkBytes && b instanceof LarkBytes)) return undefined;
  thread.charge(a.data.length + b.data.length);
  thread.spend((a.data.length + b.data.length) >> 6);
  return new LarkBytes(Buffer.concat([a.data, b.data]));
}

/** The engine joins strings lazily: only the shorter operand and a header are charged. */
export function concat(thread: Thread, a: string, b: string): string {
  thread.charge(16 + CHAR_BYTES * Math.min(a.length, b.length));
  return thread.strings.join(a, b);
}

function subtract(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a) && isInt(b)) return ints.subtractInt(thread, a, b);
  const pair = floats(a, b);
  if (pair !== undefined) return new LarkFloat(pair[0] - pair[1]);
  return a instanceof LarkSet && b instanceof LarkSet ? filterSet(thread, a, (value) => !b.has(thread, value)) : undefined;
}

function multiply(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a)) {
    if (isInt(b)) return ints.multiplyInt(thread, a, b);
    const pair = floats(a, b);
    return pair === undefined ? repeat(thread, b, a) : new LarkFloat(pair[0] * pair[1]);
  }
  const pair = floats(a, b);
  if (pair !== undefined) return new LarkFloat(pair[0] * pair[1]);
  return isInt(b) ? repeat(thread, a, b) : undefined;
}

function repeat(thread: Thread, value: LarkValue, count: ints.Int): LarkValue | undefined {
  if (typeof value === 'string') {
    const length = thread.strings.of(value).length;
    return thread.strings.joined(value.repeat(checkRepeat(thread, length, count, CHAR_BYTES)));
  }
  if (value instanceof LarkList || value instanceof LarkTuple) {
    const times = checkRepeat(thread, value.items.length, count, 16);
    const items: LarkValue[] = [];
    thread.spend((times * value.items.length) >> 1);
    for (let i = 0; i < times; i++) for (const item of value.items) items.push(item);
    return value instanceof LarkList ? new LarkList(items) : new LarkTuple(items);
  }
  if (!(value instanceof LarkBytes)) return undefined;
  const times = checkRepeat(thread, value.data.length, count, 1);
  return new LarkBytes(Buffer.alloc(value.data.length * times, value.data));
}

function checkRepeat(thread: Thread, length: number, count: ints.Int, unit: number): number {
  if (length === 0) return 0;
  if (typeof count === 'bigint' || Math.abs(count) > 0x7fff_ffff) fail(`repeat count ${count} too large`);
  if (count <= 0) return 0;
  if (length * count >= MAX_REPEAT) fail(`excessive repeat (${length} * ${count} elements)`);
  thread.charge(length * count * unit);
  thread.spend(Math.ceil((length * count * unit) / 64));
  return count;
}

function divide(_thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  const pair = isInt(a) && isInt(b) ? ([ints.intToFloat(a), ints.intToFloat(b)] as const) : floats(a, b);
  if (pair === undefined) return undefined;
  if (pair[1] === 0) fail('floating-point division by zero');
  return new LarkFloat(pair[0] / pair[1]);
}

function floorDivide(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a) && isInt(b)) return ints.floorDivideInt(thread, a, b);
  const pair = floats(a, b);
  if (pair === undefined) return undefined;
  if (pair[1] === 0) fail('floored division by zero');
  return new LarkFloat(Math.floor(pair[0] / pair[1]));
}

function modulo(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (typeof a === 'string') return formatPercent(thread, a, b);
  if (isInt(a) && isInt(b)) return ints.moduloInt(thread, a, b);
  const pair = floats(a, b);
  if (pair === undefined) return undefined;
  const [x, y] = pair;
  if (y === 0) fail('floating-point modulo by zero');
  const rest = x % y;
  return new LarkFloat(rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest);
}

function filterSet(thread: Thread, set: LarkSet, keep: (value: LarkValue) => boolean, into = new LarkSet()): LarkSet {
  chargeElements(thread, set.size * 4);
  for (const value of set.values()) if (keep(value)) into.add(thread, value);
  return into;
}

function or(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a) && isInt(b)) return ints.orInt(a, b);
  if (a instanceof LarkSet && b instanceof LarkSet)
    return filterSet(
      thread,
      b,
      () => true,
      filterSet(thread, a, () => true),
    );
  if (!(a instanceof LarkDict && b instanceof LarkDict)) return undefined;
  chargeElements(thread, (a.size + b.size) * 4);
  const union = new LarkDict();
  for (const [key, value] of a.pairs(thread)) union.set(thread, key, value);
  for (const [key, value] of b.pairs(thread)) union.set(thread, key, value);
  return union;
}

function and(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a) && isInt(b)) return ints.andInt(a, b);
  return a instanceof LarkSet && b instanceof LarkSet ? filterSet(thread, a, (value) => b.has(thread, value)) : undefined;
}

function xor(thread: Thread, a: LarkValue, b: LarkValue): LarkValue | undefined {
  if (isInt(a) && isInt(b)) return ints.xorInt(a, b);
  if (!(a instanceof LarkSet && b instanceof LarkSet)) return undefined;
  return filterSet(
    thread,
    b,
    (value) => !a.has(thread, value),
    filterSet(thread, a, (value) => !b.has(thread, value)),
  );
}

function shiftCount(count: LarkValue): number {
  if (!isInt(count)) return fail(`got ${typeOf(count)}, want int`);
  return typeof count === 'number' && Math.abs(count) < 2 ** 31 ? count : fail(`${count} out of range`);
}

const ordering =
  (op: Ordering): BinaryOperator =>
  (thread, a, b) =>
    holds(thread, op, a, b);

const OPERATORS: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ['+', add],
  ['-', subtract],
  ['*', multiply],
  ['/', divide],
  ['//', floorDivide],
  ['%', modulo],
  ['|', or],
  ['&', and],
  ['^', xor],
  ['<<', (thread, a, b) => (isInt(a) ? ints.shiftLeft(thread, a, shiftCount(b)) : undefined)],
  ['>>', (_thread, a, b) => (isInt(a) ? ints.shiftRight(a, shiftCount(b)) : undefined)],
  ['==', (thread, a, b) => equals(thread, a, b)],
  ['!=', (thread, a, b) => !equals(thread, a, b)],
  ['<', ordering('<')],
  ['<=', ordering('<=')],
  ['>', ordering('>')],
  ['>=', ordering('>=')],
  ['in', membership],
  ['not in', (thread, a, b) => negated(membership(thread, a, b))],
]);

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

/** The operator of a sign over all types. The compiler looks it up once. */
export function binaryOperator(sign: string): (thread: Thread, a: LarkValue, b: LarkValue) => LarkValue {
  const operator = OPERATORS.get(sign) ?? (() => undefined);
  return (thread, a, b) => operator(thread, a, b) ?? extended(thread, sign, a, b);
}

function extended(thread: Thread, sign: string, a: LarkValue, b: LarkValue): LarkValue {
  const named = sign === 'not in' ? 'in' : sign;
  return (
    ask(thread, a, sign, b, 'left') ?? ask(thread, b, sign, a, 'right') ?? fail(`unknown binary op: ${typeOf(a)} ${named} ${typeOf(b)}`)
  );
}

function ask(thread: Thread, value: LarkValue, sign: string, other: LarkValue, side: Side): LarkValue | undefined {
  return value instanceof Extension ? value.binary(sign, other, side, thread) : undefined;
}

export function unary(sign: string, value: LarkValue): LarkValue {
  if (isInt(value)) return sign === '-' ? ints.negateInt(value) : sign === '~' ? ints.invertInt(value) : value;
  if (value instanceof LarkFloat && sign !== '~') return sign === '-' ? new LarkFloat(-value.value) : value;
  return fail(`unknown unary op: ${sign} ${typeOf(value)}`);
}
