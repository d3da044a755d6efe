/**
 * Checks values against their columns before any SQL exists, the same way for all engines, and
 * returns the text or bytes to bind. Throws InvalidValue with the reason. Pure.
 */
import type { Column, Kind } from '../../model/table.ts';
import type { Operand, ParamValue } from '../../sql/statement.ts';
import { type JsonCell, JsonError, JsonNumber, parseJson, RawJson, writeJson } from '../../util/json/json.ts';
import { isCommonTimestamp } from '../../util/text/fast-timestamp.ts';
import { checkDate, checkTime, checkTimestamp, InvalidValue } from './temporal.ts';

export { InvalidValue };

/**
 * A comparison may use more digits than the column stores: `price=gt.1.005` is valid for two
 * decimals.
 */
export type Use = 'compare' | 'store';

type Check = (column: Column, text: string, use: Use) => Operand;

const INT = /^-?\d{1,80}$/;
const DECIMAL = /^(-?)(\d{1,1000})(?:\.(\d{1,1000}))?(?:[eE]([+-]?\d{1,4}))?$/;
const FLOAT = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SPECIAL_FLOATS = new Set(['NaN', 'Infinity', '-Infinity']);
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['1', 'true'],
  ['0', 'false'],
]);
/** Integers with at most this many digits fit 32 bits. */
const SHORT_INT = 9;
const INT32_MAX = 2n ** 31n - 1n;
const JSON_DEPTH = 64;

const CHECKS: Readonly<Record<Kind, Check>> = {
  int: checkInt,
  decimal: checkDecimal,
  float: checkFloat,
  bool: (_, text) => {
    const value = BOOLEANS.get(text);
    if (value === undefined) throw new InvalidValue('it must be true or false');
    return value;
  },
  text: checkLength,
  enum: (column, text) => {
    if (column.values?.includes(text)) return text;
    throw new InvalidValue(`it must be one of ${(column.values ?? []).slice(0, 20).join(', ')}`);
  },
  set: (column, text) => {
    if (text === '' || text.split(',').every((member) => column.values?.includes(member))) return text;
    throw new InvalidValue(`its members must be of ${(column.values ?? []).slice(0, 20).join(', ')}`);
  },
  uuid: (_, text) => {
    const lower = text.toLowerCase();
    if (!UUID.test(lower)) throw new InvalidValue('it must be a UUID');
    return lower;
  },
  date: checkDate,
  time: checkTime,
  timestamp: checkTimestamp,
  timestamptz: checkTimestamp,
  bytes: checkBytes,
  json: (_, text) => {
    checkJson(text);
    return text;
  },
  other: (_, text) => text,
};

/** Checks a value of the query string (filters, `set`). */
export function fromText(column: Column, text: string, use: Use): Operand {
  return CHECKS[column.kind](column, text, use);
}

/**
 * Checks a value of a JSON body. A string is accepted for every type; a number or boolean is not
 * accepted for text.
 */
export function fromJson(column: Column, cell: JsonCell): ParamValue {
  if (cell === null) {
    if (!column.nullable) throw new InvalidValue('it must not be null');
    return null;
  }
  if (column.kind === 'json') return jsonText(cell);
  if (typeof cell === 'string') return CHECKS[column.kind](column, cell, 'store');
  if (cell instanceof JsonNumber) return fromNumber(column, cell);
  if (cell instanceof RawJson) throw new InvalidValue(`a JSON array or object does not fit the type ${column.type}`);
  return fromBoolean(column, cell);
}

/**
 * Returns the end of the value in text[from..to) if it fits as it is written, or -1 if `fromJson`
 * must check it. Most values pass without creating an object.
 */
export type QuickCheck = (column: Column, text: Buffer, from: number, to: number) => number;

const FULL_CHECK: QuickCheck = () => -1;

const TEXT_QUICK_CHECKS: Partial<Readonly<Record<Kind, QuickCheck>>> = {
  // A text has at most as many characters as bytes.
  text: ({ maxLength }, _, from, to) => (maxLength === undefined || to - from <= maxLength ? to : -1),
  timestamp: ({ fraction }, text, from, to) => (isCommonTimestamp(text, from, to, fraction ?? 0) ? to - 1 : -1),
  timestamptz: ({ fraction }, text, from, to) => (isCommonTimestamp(text, from, to, fraction ?? 0) ? to : -1),
};

/** Quick check for strings without escapes. */
export const textQuickCheck = (column: Column): QuickCheck => TEXT_QUICK_CHECKS[column.kind] ?? FULL_CHECK;

/** Quick check for integers. */
export const integerQuickCheck = (column: Column): QuickCheck => (column.kind === 'int' ? quickCheckInt : FULL_CHECK);

const quickCheckInt: QuickCheck = (column, text, from, to) => (isSmallInt(column, text[from] as number, to - from) ? to : -1);

function fromNumber(column: Column, cell: JsonNumber): ParamValue {
  switch (column.kind) {
    case 'int':
    case 'decimal':
    case 'float':
      return CHECKS[column.kind](column, cell.text, 'store');
    default:
      throw new InvalidValue(`a JSON number does not fit the type ${column.type}`);
  }
}

function fromBoolean(column: Column, cell: boolean): ParamValue {
  if (column.kind === 'bool') return cell ? 'true' : 'false';
  if (column.takesBooleans === true) return cell ? '1' : '0';
  throw new InvalidValue(`a JSON boolean does not fit the type ${column.type}`);
}

function jsonText(cell: Exclude<JsonCell, null>): string {
  if (cell instanceof RawJson || cell instanceof JsonNumber) return cell.text;
  return writeJson(cell);
}

const TRUTH: ReadonlyMap<string, string> = new Map([
  ['true', '1'],
  ['false', '0'],
]);

function checkInt(column: Column, text: string): string {
  const truth = column.takesBooleans === true ? TRUTH.get(text) : undefined;
  if (truth !== undefined) return truth;
  if (!INT.test(text)) throw new InvalidValue('it must be a whole number');
  if (isSmallInt(column, text.charCodeAt(0), text.length)) return text;
  const value = BigInt(text);
  if ((column.min !== undefined && value < column.min) || (column.max !== undefined && value > column.max)) {
    throw new InvalidValue(`it must be between ${column.min} and ${column.max}`);
  }
  return value.toString();
}

/** Avoids BigInt arithmetic for short numbers in columns with a wide range. */
function isSmallInt({ min, max }: Column, first: number, digits: number): boolean {
  return digits <= SHORT_INT && first > 0x30 && max !== undefined && max >= INT32_MAX && min !== undefined && min < 0n;
}

function checkDecimal(column: Column, text: string, use: Use): string {
  if (SPECIAL_FLOATS.has(text)) return text;
  const match = DECIMAL.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent] = match ?? [];
  if (match === null) throw new InvalidValue('it must be a decimal number');
  const plain = exponent === undefined ? ([whole, fraction] as const) : shifted(whole, fraction, Number(exponent));
  const digits = plain[0].replace(/^0+(?=\d)/, '') || '0';
  if (use === 'store') checkDigits(column, digits, plain[1]);
  return `${sign}${digits}${plain[1] === '' ? '' : `.${plain[1]}`}`;
}

/** Applies an exponent of at most 400 to a decimal. */
function shifted(whole: string, fraction: string, exponent: number): readonly [string, string] {
  if (Math.abs(exponent) > 400) throw new InvalidValue('its exponent is too large');
  if (exponent >= 0) return [whole + fraction.padEnd(exponent, '0').slice(0, exponent), fraction.slice(exponent)];
  const padded = whole.padStart(-exponent, '0');
  return [padded.slice(0, padded.length + exponent) || '0', padded.slice(padded.length + exponent) + fraction];
}

function checkDigits(column: Column, digits: string, fraction: string): void {
  if (column.precision === undefined || column.scale === undefined) return;
  const max = Math.max(column.precision - column.scale, 0);
  if ((digits === '0' ? 0 : digits.length) > max) throw new InvalidValue(`it may have ${max} digits before the point`);
  if (fraction.replace(/0+$/, '').length > Math.max(column.scale, 0)) {
    throw new InvalidValue(`it may have ${Math.max(column.scale, 0)} digits after the point`);
  }
}

function checkFloat(column: Column, text: string): string {
  if (SPECIAL_FLOATS.has(text)) return text;
  const value = Number(text);
  if (!FLOAT.test(text)) throw new InvalidValue('it must be a number');
  if (!Number.isFinite(value) || (column.precision === 24 && !Number.isFinite(Math.fround(value))))
    throw new InvalidValue('it is out of range');
  return text;
}

function checkLength(column: Column, text: string, use: Use): string {
  const max = column.maxLength;
  // A character has one or two UTF-16 units, so a short text needs no counting.
  if (use === 'compare' || max === undefined || text.length <= max) return text;
  if ([...text].length > max) throw new InvalidValue(`it may be ${max} characters long`);
  return text;
}

function checkBytes(column: Column, text: string, use: Use): Uint8Array {
  if (!BASE64.test(text)) throw new InvalidValue('it must be base64');
  const bytes = Buffer.from(text, 'base64');
  if (use === 'store' && column.maxLength !== undefined && bytes.length > column.maxLength)
    throw new InvalidValue(`it may be ${column.maxLength} bytes long`);
  return bytes;
}

function checkJson(text: string): void {
  try {
    parseJson(Buffer.from(text), { maxDepth: JSON_DEPTH, repeatedKeys: 'last' });
  } catch (error) {
    throw new InvalidValue(error instanceof JsonError ? `it must be JSON: ${error.message}` : 'it must be JSON');
  }
}
