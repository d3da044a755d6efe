/**
 * Compares a value with those a column's type can hold: inside its range or not, exact or between
 * two of them. Filters on any value can so be expressed with a value of the type, and writes that
 * do not fit are rejected. ClickHouse itself would wrap or truncate.
 */
import { wholeRange } from './kinds.ts';
import { DATE_RANGES, dateText, instantText, parseDate, parseInstant, secondRange } from './temporal.ts';
import { type ChType, decimalShape, literalNumber } from './type-text.ts';

export interface Fit {
  readonly side: 'below' | 'within' | 'above';
  /** `false` if the type has no such value. Then `text` is the next lower one. */
  readonly exact: boolean;
  /** Canonical text, in a precision that the type has. */
  readonly text: string;
}

const UNLIMITED = (text: string): Fit => ({ side: 'within', exact: true, text });

/** `undefined` if the text is not a value of this kind. Types without an order accept any text. */
export function fitOf(type: ChType, text: string): Fit | undefined {
  const { name } = type;
  const range = wholeRange(name);
  if (range !== undefined) return /^[+-]?\d+$/.test(text) ? ranged(BigInt(text), range.min, range.max, true, String) : undefined;
  if (name.startsWith('Decimal')) return fitDecimal(type, text);
  const dates = DATE_RANGES[name];
  if (dates !== undefined) {
    const days = parseDate(text);
    return days === undefined ? undefined : ranged(days, dates[0], dates[1], true, dateText);
  }
  if (name === 'DateTime' || name === 'DateTime32') return fitInstant(text, undefined);
  if (name === 'DateTime64') return fitInstant(text, literalNumber(type, 0));
  return UNLIMITED(text);
}

function ranged<T extends number | bigint>(value: T, min: T, max: T, exact: boolean, print: (value: T) => string): Fit {
  if (value < min) return { side: 'below', exact, text: print(min) };
  if (value > max) return { side: 'above', exact, text: print(max) };
  return { side: 'within', exact, text: print(value) };
}

function fitInstant(text: string, digits: number | undefined): Fit | undefined {
  const instant = parseInstant(text);
  if (instant === undefined) return undefined;
  const [first, last] = secondRange(digits);
  const kept = digits ?? 0;
  const finer = /\.\d*/.exec(text)?.[0].slice(kept + 1) ?? '';
  return ranged(instant.seconds, first, last, !/[1-9]/.test(finer), (seconds) => {
    return `${instantText({ seconds, nanos: instant.nanos }, kept).replace(' ', 'T')}Z`;
  });
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

function fitDecimal(type: ChType, text: string): Fit | undefined {
  const { precision, scale } = decimalShape(type);
  const scaled = scaledDecimal(text, scale);
  if (scaled === undefined) return undefined;
  const limit = 10n ** BigInt(precision) - 1n;
  return ranged(scaled.units, -limit, limit, scaled.exact, (units) => decimalText(units, scale));
}

export interface Scaled {
  /** The value times 10^scale, rounded down. */
  readonly units: bigint;
  readonly exact: boolean;
}

export function scaledDecimal(text: string, scale: number): Scaled | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const fraction = match[3] ?? '';
  const digits = `${match[2] ?? ''}${fraction}`;
  if (digits === '') return undefined;
  const shift = Number(match[4] ?? '0') - fraction.length + scale;
  const sign = match[1] === '-' ? -1n : 1n;
  if (shift >= 0) return { units: sign * BigInt(digits) * 10n ** BigInt(shift), exact: true };
  const divisor = 10n ** BigInt(-shift);
  const value = sign * BigInt(digits);
  const units = value / divisor;
  const rest = value % divisor;
  return { units: rest < 0n ? units - 1n : units, exact: rest === 0n };
}

export function decimalText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const sign = units < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
