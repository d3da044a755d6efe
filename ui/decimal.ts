/** Decimals of any length, as a whole number and its number of decimal places. Pure. */

export interface Decimal {
  readonly units: bigint;
  /** Number of decimal places of `units`. */
  readonly scale: number;
}

const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const MAX_SCALE = 20_000;

/** `undefined` if the text is not a number: `NaN`, infinities, words. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_SCALE) return undefined;
  const digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -scale));
  return { units: sign === '-' ? -digits : digits, scale: Math.max(0, scale) };
}

const unitsAt = ({ units, scale }: Decimal, wanted: number): bigint => units * 10n ** BigInt(wanted - scale);

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b));

/** Negative, 0 or positive. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { units } = subtract(a, b);
  return units === 0n ? 0 : units < 0n ? -1 : 1;
}

/** The quotient with this many decimal places, rounded half away from zero. */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  const numerator = a.units * 10n ** BigInt(places + b.scale + 1);
  const denominator = b.units * 10n ** BigInt(a.scale);
  return round({ units: numerator / denominator, scale: places + 1 }, places);
}

export function round(value: Decimal, places: number): Decimal {
  if (value.scale <= places) return value;
  const step = 10n ** BigInt(value.scale - places);
  const half = step / 2n;
  const units = (value.units + (value.units < 0n ? -half : half)) / step;
  return { units, scale: places };
}

export function writeDecimal({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
