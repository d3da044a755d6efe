/** Parses an integer of any base, for the builtin `int`. */
import { fail } from '../values/failure.ts';
import { chargeDigits, type Int, normalInt } from '../values/int.ts';
import type { Thread } from '../values/thread.ts';

const PREFIXES: Readonly<Record<string, number>> = { '0b': 2, '0o': 8, '0x': 16 };
/** Binary digits of the largest int. Longer inputs would take long to parse. */
const MAX_DIGITS = 65_536;

export function parseInteger(thread: Thread, text: string, base: number): Int {
  if (base !== 0 && (base < 2 || base > 36)) fail('int: base must be an integer >= 2 && <= 36');
  const invalid = (): never => fail(`int: invalid literal with base ${base}: ${text}`);
  const negative = text.startsWith('-');
  let digits = negative || text.startsWith('+') ? text.slice(1) : text;
  const prefix = PREFIXES[digits.slice(0, 2).toLowerCase()];
  let radix = base;
  if (prefix !== undefined && (base === 0 || base === prefix)) {
    digits = digits.slice(2);
    radix = prefix;
  } else if (base === 0) {
    if (digits.length > 1 && digits.startsWith('0')) invalid();
    radix = 10;
  }
  thread.spend(text.length >> 5);
  if (digits.length > MAX_DIGITS) fail(`int: more than ${MAX_DIGITS} digits`);
  chargeDigits(thread, digits.length);
  if (!isDigits(digits, radix)) invalid();
  const value = digits.length < 10 ? Number.parseInt(digits, radix) : normalInt(readDigits(digits, radix));
  return negative && value !== 0 ? -value : value;
}

function isDigits(digits: string, radix: number): boolean {
  if (digits === '') return false;
  for (const c of digits.toLowerCase()) {
    const worth = c >= '0' && c <= '9' ? c.charCodeAt(0) - 48 : c >= 'a' && c <= 'z' ? c.charCodeAt(0) - 87 : 99;
    if (worth >= radix) return false;
  }
  return true;
}

const NATIVE: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' };

/** Divide and conquer, so that long numbers in odd bases do not take quadratic time. */
function readDigits(digits: string, radix: number): bigint {
  const native = NATIVE[radix];
  if (native !== undefined) return BigInt(native + digits);
  if (digits.length <= 9) return BigInt(Number.parseInt(digits, radix));
  const low = digits.length >> 1;
  return readDigits(digits.slice(0, -low), radix) * BigInt(radix) ** BigInt(low) + readDigits(digits.slice(-low), radix);
}
