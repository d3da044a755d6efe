/** `string(…)`: the reference's plain text form of a value. */
import { Decimal } from '../../../util/text/decimal.ts';
import type { Budget } from '../../budget.ts';
import { durationText } from './duration.ts';
import { timeText } from './layout.ts';
import { chargeNumber, chargeSort, TIME_STEPS } from './run.ts';
import { compareText } from './text.ts';
import { AnyMap, Byte, checkDepth, Duration, type ExprValue, ExprZone, Float, isArray, NamedInt, Time } from './value.ts';

/** Shortest digits of a float, with an exponent below 0.0001 and from a million on. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 6) return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  return String(value);
}

export function formatValue(value: ExprValue, budget: Budget, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : floatText(value);
  chargeNumber(budget, value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null) return '<nil>';
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Decimal) return value.text;
  if (value instanceof Byte) return String(value.value);
  if (value instanceof Time) {
    budget.spend(TIME_STEPS);
    return timeText(value);
  }
  if (value instanceof Duration) return durationText(value.nanos);
  if (value instanceof NamedInt) return value.text;
  if (value instanceof ExprZone) return value.name;
  return formatContainer(value, budget, depth);
}

/** Keys of a map in the order in which it is written. */
export function sortedKeys(map: ReadonlyMap<string, ExprValue>, budget: Budget): string[] {
  chargeSort(budget, map.size);
  const keys = [...map.keys()];
  for (const key of keys) budget.spend(key.length >> 3);
  return keys.sort(compareText);
}

function formatContainer(value: ExprValue, budget: Budget, depth: number): string {
  checkDepth(depth);
  const inner = (item: ExprValue): string => {
    budget.spend(1);
    const text = formatValue(item, budget, depth + 1);
    budget.charge(text.length + 8);
    return text;
  };
  if (isArray(value)) return `[${value.map(inner).join(' ')}]`;
  if (value instanceof Uint8Array) {
    budget.charge(value.length * 8);
    budget.spend(value.length);
    return `[${value.join(' ')}]`;
  }
  if (value instanceof Map) {
    return `map[${sortedKeys(value, budget)
      .map((key) => `${key}:${inner(value.get(key) ?? null)}`)
      .join(' ')}]`;
  }
  if (value instanceof AnyMap) {
    chargeSort(budget, value.entries.size);
    return `map[${[...value.entries.values()]
      .map((entry) => `${inner(entry.key)}:${inner(entry.value)}`)
      .sort(compareText)
      .join(' ')}]`;
  }
  return 'func';
}
