/**
 * Compiles declarations into functions that check values. Strings (queries, paths, forms) are
 * converted to the declared type; JSON values must have it. Problems are collected, never thrown.
 */
import { re2 } from '../../util/on-demand.ts';
import { compareExact, Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import type { Declaration, Declarations, DeclaredType, ExactNumber } from './declaration.ts';

/** `text` values are converted to the declared type, `json` values are not. */
export type Origin = 'text' | 'json';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Problems in one response; a client fixes only a few at a time. */
export const MAX_PROBLEMS = 100;

/** Returns the value for the steps, or reports a problem and returns null. */
export type Check = (value: PlainValue, origin: Origin, path: string, problems: FieldProblem[]) => PlainValue;

/** A declared field. `absent` returns the value to use if none was sent. */
export interface CheckedField {
  readonly check: Check;
  absent(path: string, problems: FieldProblem[]): PlainValue;
}

export type CheckedFields = ReadonlyMap<string, CheckedField>;

export function compileFields(declarations: Declarations): CheckedFields {
  return new Map([...declarations].map(([name, declaration]) => [name, compileField(declaration)]));
}

export function compileField(declaration: Declaration): CheckedField {
  const check = compileCheck(declaration);
  const { required, default: fallback = null } = declaration;
  if (!required) return { check, absent: () => fallback };
  return { check, absent: (path, problems) => wrong(problems, path, 'is required') };
}

export function compileCheck(declaration: Declaration): Check {
  const check = CHECKS[declaration.type](declaration);
  const { nullable } = declaration;
  return (value, origin, path, problems) => {
    if (value !== null) return check(value, origin, path, problems);
    return nullable ? null : wrong(problems, path, 'must not be null');
  };
}

export function wrong(problems: FieldProblem[], field: string, message: string): null {
  if (problems.length < MAX_PROBLEMS) problems.push({ field, message });
  return null;
}

const CHECKS: Readonly<Record<DeclaredType, (declaration: Declaration) => Check>> = {
  string: stringCheck,
  integer: (declaration) => numberCheck(declaration, 'must be a whole number', readInteger),
  number: (declaration) => numberCheck(declaration, 'must be a number', readNumber),
  boolean: () => booleanCheck,
  date: () => textCheck('must be a date such as 2024-03-31', isDate),
  timestamp: () => textCheck('must be a moment with its offset such as 2024-03-31T12:00:00Z', isTimestamp),
  uuid: () => textCheck('must be a UUID', (text) => UUID.test(text)),
  array: arrayCheck,
  object: objectCheck,
  file: fileCheck,
  any: () => (value) => value,
};

const REPEATED = 'must be given once';

function stringCheck({ minLength, maxLength, pattern, enum: values }: Declaration): Check {
  const matches = pattern === undefined ? undefined : wholeMatch(pattern);
  const allowed = values === undefined ? undefined : new Set(values);
  return (value, origin, path, problems) => {
    if (typeof value !== 'string') return wrong(problems, path, origin === 'text' && Array.isArray(value) ? REPEATED : 'must be a text');
    if (minLength !== undefined && (value.length < minLength || lengthOf(value) < minLength))
      return wrong(problems, path, `must have at least ${minLength} characters`);
    if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength)
      return wrong(problems, path, `must have at most ${maxLength} characters`);
    if (allowed !== undefined && !allowed.has(value)) return wrong(problems, path, `must be one of ${values?.join(', ')}`);
    if (matches !== undefined && !matches(value)) return wrong(problems, path, `must match ${pattern}`);
    return value;
  };
}

/** Length in code points. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const code = text.charCodeAt(i);
    const next = text.charCodeAt(i + 1);
    if (code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) {
      length--;
      i++;
    }
  }
  return length;
}

/**
 * Limit of string length × program size, to which matching time is proportional. Longer strings
 * never match.
 */
const MAX_WORK = 20_000_000;

function wholeMatch(pattern: string): (text: string) => boolean {
  const compiled = re2().RE2JS.compile(pattern);
  const maxLength = MAX_WORK / Math.max(1, compiled.programSize());
  return (text) => text.length <= maxLength && compiled.matches(text);
}

type ReadNumber = (value: PlainValue, origin: Origin) => ExactNumber | undefined;

function numberCheck({ minimum, maximum }: Declaration, message: string, read: ReadNumber): Check {
  return (value, origin, path, problems) => {
    const number = read(value, origin);
    if (number === undefined) return wrong(problems, path, origin === 'text' && Array.isArray(value) ? REPEATED : message);
    if (minimum !== undefined && compareExact(number, minimum) < 0) return wrong(problems, path, `must be at least ${String(minimum)}`);
    if (maximum !== undefined && compareExact(number, maximum) > 0) return wrong(problems, path, `must be at most ${String(maximum)}`);
    return number;
  };
}

/** Maximum number of digits. */
const MAX_DIGITS = 1000;
const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
const WHOLE_DECIMAL = /^(-?\d+)\.0+$/;
/** Numbers with up to 15 digits are safe integers. */
const SAFE_DIGITS = 15;

function integerOf(digits: string): ExactNumber {
  if (digits.length <= SAFE_DIGITS) return Number(digits) + 0;
  const big = BigInt(digits);
  const small = Number(big);
  return Number.isSafeInteger(small) ? small : big;
}

const ZERO = 48;

function areDigits(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

/** Requires digits between `from` and `to`. */
function numberAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = number * 10 + text.charCodeAt(i) - ZERO;
  return number;
}

function integerIn(text: string): ExactNumber | undefined {
  if (text.length > 0 && text.length <= SAFE_DIGITS && areDigits(text, 0, text.length)) return numberAt(text, 0, text.length);
  return text.length <= MAX_DIGITS && INTEGER.test(text) ? integerOf(text) : undefined;
}

export function readInteger(value: PlainValue, origin: Origin): ExactNumber | undefined {
  if (origin === 'text') return typeof value === 'string' ? integerIn(value) : undefined;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value;
  const whole = value instanceof Decimal && value.text.length <= MAX_DIGITS ? WHOLE_DECIMAL.exec(value.text)?.[1] : undefined;
  return whole === undefined ? undefined : integerOf(whole);
}

export function readNumber(value: PlainValue, origin: Origin): ExactNumber | undefined {
  if (origin === 'text') {
    if (typeof value !== 'string') return undefined;
    return integerIn(value) ?? (value.length <= MAX_DIGITS && NUMBER.test(value) ? new Decimal(value) : undefined);
  }
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal ? value : undefined;
}

const booleanCheck: Check = (value, origin, path, problems) => {
  if (origin === 'json' && typeof value === 'boolean') return value;
  if (origin === 'text' && (value === 'true' || value === 'false')) return value === 'true';
  return wrong(problems, path, origin === 'text' && Array.isArray(value) ? REPEATED : 'must be true or false');
};

function textCheck(message: string, isValid: (text: string) => boolean): Check {
  return (value, origin, path, problems) => {
    if (typeof value === 'string' && isValid(value)) return value;
    return wrong(problems, path, origin === 'text' && Array.isArray(value) ? REPEATED : message);
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `true` if the day exists. Requires a string that starts with YYYY-MM-DD. */
function hasDay(text: string): boolean {
  const year = numberAt(text, 0, 4);
  const month = numberAt(text, 5, 7);
  const day = numberAt(text, 8, 10);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return year > 0 && day >= 1 && day <= days;
}

function isDate(text: string): boolean {
  const hasForm = text.length === 10 && text[4] === '-' && text[7] === '-';
  return hasForm && areDigits(text, 0, 4) && areDigits(text, 5, 7) && areDigits(text, 8, 10) && hasDay(text);
}

const isTimestamp = (text: string): boolean => TIMESTAMP.test(text) && hasDay(text);

function arrayCheck({ items, minItems, maxItems }: Declaration): Check {
  const check = items === undefined ? undefined : compileCheck(items);
  return (value, origin, path, problems) => {
    const list = Array.isArray(value) ? (value as readonly PlainValue[]) : origin === 'text' ? [value] : undefined;
    if (list === undefined) return wrong(problems, path, 'must be a list');
    if (minItems !== undefined && list.length < minItems) return wrong(problems, path, `must have at least ${minItems} items`);
    if (maxItems !== undefined && list.length > maxItems) return wrong(problems, path, `must have at most ${maxItems} items`);
    if (check === undefined) return list;
    const checked = new Array<PlainValue>(list.length);
    for (let i = 0; i < list.length && problems.length < MAX_PROBLEMS; i++)
      checked[i] = check(list[i] as PlainValue, origin, `${path}[${i}]`, problems);
    return checked;
  };
}

function objectCheck({ fields }: Declaration): Check {
  const declared = fields === undefined ? undefined : compileFields(fields);
  return (value, origin, path, problems) => {
    if (!(value instanceof Map) || origin === 'text') return wrong(problems, path, 'must be an object');
    return declared === undefined ? value : checkFields(declared, value, (name) => `${path}.${name}`, problems);
  };
}

/** Checks the declared fields of a JSON object and reports any other. */
function checkFields(declared: CheckedFields, values: PlainMap, pathOf: (name: string) => string, problems: FieldProblem[]): PlainMap {
  const checked: PlainMap = new Map();
  let known = 0;
  for (const [name, field] of declared) {
    const value = values.get(name);
    if (value === undefined) checked.set(name, field.absent(pathOf(name), problems));
    else {
      known++;
      checked.set(name, field.check(value, 'json', pathOf(name), problems));
    }
  }
  if (known < values.size) for (const name of values.keys()) if (!declared.has(name)) wrong(problems, pathOf(name), 'is not declared');
  return checked;
}

function fileCheck({ maxBytes }: Declaration): Check {
  return (value, _, path, problems) => {
    if (!(value instanceof Map)) return wrong(problems, path, Array.isArray(value) ? REPEATED : 'must be a file');
    if (maxBytes !== undefined && Number(value.get('size')) > maxBytes) return wrong(problems, path, `must have at most ${maxBytes} bytes`);
    return value;
  };
}
