/** Builtins that convert between kinds of values: numbers, strings, JSON, base64. */
import { Decimal } from '../../../util/text/decimal.ts';
import type { Budget } from '../../budget.ts';
import { REFUSALS } from '../../source.ts';
import { formatValue } from '../values/format.ts';
import { truncateToInt } from '../values/number.ts';
import type { ExprBuiltin } from '../values/run.ts';
import { isAscii, textOfBytes, utf8Bytes } from '../values/text.ts';
import { underlyingInt } from '../values/time-methods.ts';
import {
  type ExprValue,
  Fault,
  floatOf,
  intOf,
  MAX_INT64,
  MIN_INT64,
  makeFloat,
  makeInt,
  numberOf,
  typeName,
  wantString,
} from '../values/value.ts';
import { readJson, writeJson } from './json.ts';

function toInt([value = null]: readonly ExprValue[], budget: Budget): ExprValue {
  if (typeof value === 'string') budget.spend(value.length >> 6);
  if (typeof value === 'string') return parseInt64(value);
  const int = intOf(value) ?? underlyingInt(value);
  if (int !== undefined) return int;
  // The integral part of a decimal is converted exactly.
  if (value instanceof Decimal && /^-?\d{1,400}(?:\.\d*)?$/.test(value.text)) return makeInt(BigInt(value.text.split('.')[0] ?? '0'));
  const float = floatOf(value);
  if (float === undefined) throw new Fault(`int cannot convert a ${typeName(value)}`);
  return truncateToInt(float);
}

function parseInt64(text: string): ExprValue {
  const invalid = new Fault(`${JSON.stringify(text.slice(0, 40))} is not an int`);
  if (!/^[+-]?\d{1,400}$/.test(text)) throw invalid;
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > MAX_INT64 || value < MIN_INT64) throw invalid;
  return makeInt(value);
}

/** Each has one way to match, so that a text that does not match fails in linear time. */
const DECIMAL_FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const HEX_FLOAT = /^([+-]?)0[xX]_?([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d{1,5})$/;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
]);

function toFloat([value = null]: readonly ExprValue[], budget: Budget): ExprValue {
  if (typeof value === 'string') budget.spend(value.length >> 3);
  if (typeof value === 'string') return makeFloat(parseFloat64(value));
  const number = numberOf(value);
  if (number === undefined) throw new Fault(`float cannot convert a ${typeName(value)}`);
  return makeFloat(number);
}

function parseFloat64(text: string): number {
  const special = SPECIAL.get(text.replace(/^[+-]/, '').toLowerCase());
  if (special !== undefined && !/^[+-]nan/i.test(text)) return text.startsWith('-') ? -special : special;
  const hex = HEX_FLOAT.exec(text);
  const value = DECIMAL_FLOAT.test(text) ? Number(text.replaceAll('_', '')) : hex === null ? Number.NaN : hexFloat(hex);
  if (!Number.isFinite(value)) throw new Fault(`${JSON.stringify(text.slice(0, 40))} is not a float`);
  return value;
}

function hexFloat([, sign, whole = '', fraction = '', power = '0']: RegExpExecArray): number {
  const digits = `${whole}${fraction}`;
  if (digits === '') return Number.NaN;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

function fromBase64([value = null]: readonly ExprValue[]): ExprValue {
  const text = wantString(value).replace(/[\r\n]/g, '');
  const decoded = Buffer.from(text, 'base64');
  const padded = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  if (!padded) throw new Fault('the text is not base64');
  return textOfBytes(decoded);
}

/** Steps charged per character of base64, whose bytes may not be UTF-8. */
const DECODE_STEPS = 8;

/** Ends the run: the request is rejected with the author's status and message. */
function refuse([status = null, message = null]: readonly ExprValue[]): never {
  const code = intOf(status);
  if (code === undefined || code < REFUSALS.min || code > REFUSALS.max)
    throw new Fault(`refuse needs a status from ${REFUSALS.min} to ${REFUSALS.max}`);
  const text = wantString(message);
  throw new Fault(text, { kind: 'refuse', status: Number(code), message: text });
}

export const CONVERT_BUILTINS: Readonly<Record<string, ExprBuiltin>> = {
  refuse,
  type: ([value = null]) => typeName(value),
  int: toInt,
  float: toFloat,
  string: ([value = null], budget) => formatValue(value, budget),
  toJSON: ([value = null], budget) => writeJson(value, budget),
  fromJSON: ([value = null], budget) => readJson(wantString(value), { budget, number: jsonNumber }),
  toBase64: ([value = null], budget) => {
    const text = wantString(value);
    budget.charge(text.length * 4);
    budget.spend(isAscii(text) ? text.length >> 4 : text.length);
    return Buffer.from(utf8Bytes(text)).toString('base64');
  },
  fromBase64: (args, budget) => {
    const { length } = wantString(args[0] ?? null);
    budget.charge(length * 2);
    budget.spend(length * DECODE_STEPS);
    return fromBase64(args);
  },
};

/** As in the reference, every number of a JSON text is a float. */
function jsonNumber(text: string): ExprValue {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Fault(`the number ${text.slice(0, 40)} is too large`);
  return makeFloat(value);
}
