/** The operator `%` on strings: conversions by position or by key, without width and precision. */
import { fail, orElse } from '../failure.ts';
import { floatToInt, intText, intToFloat } from '../int.ts';
import { LarkDict } from '../table.ts';
import type { Thread } from '../thread.ts';
import { LarkFloat, LarkTuple, type LarkValue, typeOf } from '../value.ts';
import { fixedText, floatText } from './float-text.ts';
import { characterOf } from './quote.ts';
import { CHAR_BYTES, repr, shown } from './text.ts';
import { readable } from './utf8.ts';

/** Steps charged per conversion of a format. */
export const CONVERSION_STEPS = 4;
const RADIX: Readonly<Record<string, number>> = { d: 10, i: 10, o: 8, x: 16, X: 16 };

export function formatPercent(thread: Thread, format: string, operand: LarkValue): string {
  const args = operand instanceof LarkTuple ? operand.items : [operand];
  let used = 0;
  let out = '';
  let done = 0;
  thread.charge(format.length * CHAR_BYTES);
  thread.spend(format.length >> 5);
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', done)) {
    thread.spend(CONVERSION_STEPS);
    out += format.slice(done, at);
    done = at + 1;
    if (format.charAt(done) === '%') {
      out += '%';
      done++;
      continue;
    }
    let value: LarkValue;
    if (format.charAt(done) === '(') {
      const close = format.indexOf(')', done);
      if (close < 0) fail('incomplete format key');
      if (!(operand instanceof LarkDict)) fail('format requires a mapping');
      const key = format.slice(done + 1, close);
      value = orElse(operand.get(thread, key), () => fail(`key not found: ${key}`));
      done = close + 1;
    } else {
      if (used >= args.length) fail('not enough arguments for format string');
      value = args[used++] as LarkValue;
    }
    const conversion = format.charAt(done++);
    if (conversion === '') fail('incomplete format');
    const text = convert(thread, conversion, value);
    thread.charge(text.length * CHAR_BYTES);
    out += text;
  }
  if (used < args.length && !(operand instanceof LarkDict)) fail('too many arguments for format string');
  return thread.strings.joined(out + format.slice(done));
}

function convert(thread: Thread, conversion: string, value: LarkValue): string {
  if (conversion === 's') return shown(thread, value);
  if (conversion === 'r') return repr(thread, value);
  const radix = RADIX[conversion];
  if (radix !== undefined) return integer(thread, conversion, radix, value);
  if ('eEfFgG'.includes(conversion)) return float(conversion, value);
  if (conversion === 'c') return character(value);
  return fail(`unknown conversion %${conversion}`);
}

function integer(thread: Thread, conversion: string, radix: number, value: LarkValue): string {
  const int = value instanceof LarkFloat ? wholeOf(conversion, value.value) : value;
  if (typeof int !== 'number' && typeof int !== 'bigint') {
    return fail(`%${conversion} format requires integer: cannot convert ${typeOf(value)} to int`);
  }
  const text = intText(thread, int, radix);
  return conversion === 'X' ? text.toUpperCase() : text;
}

function wholeOf(conversion: string, value: number): number | bigint {
  if (Number.isFinite(value)) return floatToInt(value);
  return fail(`%${conversion} format requires integer: cannot convert float ${Number.isNaN(value) ? 'NaN' : 'infinity'} to integer`);
}

function float(conversion: string, value: LarkValue): string {
  const number =
    value instanceof LarkFloat ? value.value : typeof value === 'number' || typeof value === 'bigint' ? intToFloat(value) : undefined;
  if (number === undefined) return fail(`%${conversion} format requires float, not ${typeOf(value)}`);
  const lower = conversion.toLowerCase();
  const text = lower === 'g' ? floatText(number) : fixedText(number, lower === 'e' ? 'e' : 'f');
  return conversion === lower || !Number.isFinite(number) ? text : text.toUpperCase();
}

function character(value: LarkValue): string {
  if (typeof value === 'string') {
    return value.length <= 2 && [...value].length === 1 ? readable(value) : fail('%c format requires a single-character string');
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    return fail(`%c format requires int or single-character string, not ${typeOf(value)}`);
  }
  if (value < 0 || value > 0x10ffff) fail(`%c format requires a valid Unicode code point, got ${value}`);
  return characterOf(Number(value));
}
