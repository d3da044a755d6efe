/** Converts results to plain values. Values that are plain already are not copied. */
import { Decimal, type PlainValue, plainFloat } from '../../../util/text/decimal.ts';
import type { Budget } from '../../budget.ts';
import { durationText } from './duration.ts';
import { formatValue } from './format.ts';
import { formatTime, RFC3339_NANO } from './layout.ts';
import { TIME_STEPS } from './run.ts';
import { wellFormed } from './text.ts';
import {
  AnyMap,
  BoundMethod,
  Byte,
  checkDepth,
  Duration,
  type ExprValue,
  ExprZone,
  Fault,
  Float,
  isArray,
  NamedInt,
  Time,
} from './value.ts';

/** Length up to which a string in a result is charged with its place. */
const SHORT = 64;

export function toPlain(value: ExprValue, budget: Budget, depth = 0): PlainValue {
  if (typeof value === 'string') return plainText(value, budget);
  if (value === null || typeof value !== 'object' || value instanceof Decimal) return value;
  if (value instanceof Float) return plainFloat(value.value);
  checkDepth(depth);
  budget.spend(1);
  if (isArray(value)) return plainList(value, budget, depth);
  if (value instanceof Map) return plainMap(value, budget, depth);
  return toPlainOther(value, budget, depth);
}

/** A string that occurs several times in a result is written as often. */
function plainText(text: string, budget: Budget): string {
  if (text.length > SHORT) {
    budget.charge(text.length);
    budget.spend(text.length >> 3);
  }
  return wellFormed(text);
}

function toPlainOther(value: ExprValue, budget: Budget, depth: number): PlainValue {
  if (value instanceof AnyMap) return plainAnyMap(value, budget, depth);
  if (value instanceof Byte || value instanceof NamedInt) return value.value;
  if (value instanceof Time) {
    budget.spend(TIME_STEPS);
    return formatTime(value, RFC3339_NANO);
  }
  if (value instanceof Duration) return durationText(value.nanos);
  if (value instanceof ExprZone) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof BoundMethod) throw new Fault(`the result is the function ${value.name}, which was not called`);
  throw new Fault('the result is not a value');
}

function plainList(list: readonly ExprValue[], budget: Budget, depth: number): PlainValue {
  budget.charge(list.length * 8);
  budget.spend(list.length);
  let copy: PlainValue[] | undefined;
  for (const [i, item] of list.entries()) {
    const plain = toPlain(item, budget, depth + 1);
    if (plain === item) continue;
    copy ??= [...(list as readonly PlainValue[])];
    copy[i] = plain;
  }
  return copy ?? (list as readonly PlainValue[]);
}

function plainMap(map: Map<string, ExprValue>, budget: Budget, depth: number): PlainValue {
  budget.charge(map.size * 8);
  budget.spend(map.size);
  let copy: Map<string, PlainValue> | undefined;
  for (const [key, item] of map) {
    const plain = toPlain(item, budget, depth + 1);
    if (plain === item) continue;
    if (copy === undefined) {
      budget.charge(map.size * 48);
      copy = new Map(map as Map<string, PlainValue>);
    }
    copy.set(key, plain);
  }
  return copy ?? (map as Map<string, PlainValue>);
}

/** Keys become strings. Two keys with the same text are an error, so that no entry is lost. */
function plainAnyMap(map: AnyMap, budget: Budget, depth: number): PlainValue {
  const plain = new Map<string, PlainValue>();
  budget.charge(map.entries.size * 48);
  budget.spend(map.entries.size);
  for (const { key, value } of map.entries.values()) {
    const name = key === null ? 'null' : key instanceof Time ? formatTime(key, RFC3339_NANO) : wellFormed(formatValue(key, budget));
    if (plain.has(name)) throw new Fault(`two keys of the resulting map are both written ${JSON.stringify(name)}`);
    plain.set(name, toPlain(value, budget, depth + 1));
  }
  return plain;
}
