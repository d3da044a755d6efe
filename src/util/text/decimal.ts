/**
 * An exact decimal, kept as its digits: databases and JSON bodies send them, and they leave
 * unchanged. Can be compared and converted to a float, but does no arithmetic.
 *
 * The value model shared by the languages, the formats and the database rows ("plain values"):
 *   null, boolean, string
 *   number   an integer within ±2^53 is an int; any other number is a float
 *   bigint   an int beyond ±2^53
 *   Decimal  digits that must not be rounded, or a float with an integral value (`1.0`)
 *   readonly PlainValue[], and Map<string, PlainValue> for objects (insertion order, no prototype)
 */
export type PlainValue = null | boolean | string | number | bigint | Decimal | readonly PlainValue[] | PlainMap;
export type PlainMap = Map<string, PlainValue>;

/** Converts an object made of strings, numbers, lists and objects into a plain value. */
export function plainOf(value: unknown): PlainValue {
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== 'object' || value === null) return value as PlainValue;
  return new Map(Object.entries(value).map(([name, field]) => [name, plainOf(field)]));
}

/** Digits that are equal for equal decimals of one column: `1.50` is `1.5`, and `2.00` is `2`. */
export function withoutTrailingZeros(digits: string): string {
  return digits.includes('.') && !/[eE]/.test(digits) ? digits.replace(/\.?0+$/, '') : digits;
}

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Larger exponents are compared as floats. No database stores such numbers. */
const MAX_EXPONENT = 100_000;

export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toNumber(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** Used by JSON.stringify for logs, where a float is exact enough. The formats write `text`. */
  toJSON(): number {
    return this.toNumber();
  }
}

interface Parts {
  readonly negative: boolean;
  /** Digits without leading zeros; '' is zero. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

function parts(value: Decimal | bigint | number): Parts {
  const text = value instanceof Decimal ? value.text : String(value);
  const match = SHAPE.exec(text);
  if (match === null) throw new RangeError(`not a decimal: ${text}`);
  const fraction = match[3] ?? '';
  const exponent = Number(match[4] ?? '0') - fraction.length;
  const digits = `${match[2] ?? ''}${fraction}`.replace(/^0+/, '');
  return { negative: match[1] === '-' && digits !== '', digits, exponent };
}

/**
 * Compares exactly across types. Returns a negative number, zero or a positive number. The caller
 * handles NaN.
 */
export function compareExact(left: Decimal | bigint | number, right: Decimal | bigint | number): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (isInfinite(left) || isInfinite(right)) return toFloat(left) - toFloat(right);
  const a = parts(left);
  const b = parts(right);
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const order = compareMagnitude(a, b);
  return a.negative ? -order : order;
}

function isInfinite(value: Decimal | bigint | number): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

export function toFloat(value: Decimal | bigint | number): number {
  return value instanceof Decimal ? value.toNumber() : Number(value);
}

function compareMagnitude(a: Parts, b: Parts): number {
  if (a.digits === '' || b.digits === '') return a.digits.length - b.digits.length;
  const topA = a.digits.length + a.exponent;
  const topB = b.digits.length + b.exponent;
  if (topA !== topB || Math.abs(a.exponent) > MAX_EXPONENT || Math.abs(b.exponent) > MAX_EXPONENT) return topA - topB;
  const width = Math.max(a.digits.length, b.digits.length);
  const left = a.digits.padEnd(width, '0');
  const right = b.digits.padEnd(width, '0');
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Converts a float to a plain value. An integral one becomes a Decimal (`2.0`), so that it stays a
 * float.
 */
export function plainFloat(value: number): number | Decimal {
  if (!Number.isInteger(value) || Object.is(value, -0)) return Object.is(value, -0) ? new Decimal('-0.0') : value;
  const text = String(value);
  return new Decimal(/[e.]/.test(text) ? text : `${text}.0`);
}
