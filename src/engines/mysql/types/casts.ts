/**
 * Casts that decide how a value is sent, beyond its kind, and the values they reject or rewrite.
 */
import { DbFailure } from '../../contract/engine.ts';

export const UNSIGNED = 'unsigned';
export const BIT = 'bit';
export const YEAR = 'year';
export const SINGLE = 'float';

/**
 * Returns four digits, so that 0 is the year zero: the servers take a number below 100 for a year
 * of this century or the last.
 */
export function yearText(text: string): string {
  const year = Number(text);
  if (text.trim() === '' || !(year === 0 || (year >= 1901 && year <= 2155))) throw refused(text, 'is no year from 1901 to 2155, nor 0');
  return String(year).padStart(4, '0');
}

/** Rounds to a 32-bit float for a FLOAT column, which holds nothing else. */
export function floatOf(text: string, cast: string): number {
  const n = cast === SINGLE ? Math.fround(Number(text)) : Number(text);
  if (text.trim() === '' || !Number.isFinite(n)) throw refused(text, 'is not a number that the column can hold');
  return n;
}

export function refused(value: string, why: string): DbFailure {
  return new DbFailure('invalid', `The value ${JSON.stringify(value.slice(0, 80))} ${why}`, { code: 'PARAMETER' });
}
