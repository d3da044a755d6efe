/**
 * Declarations → functions that check values, made once when a definition is compiled. Texts (from queries, paths and forms) are converted to the
 * declared type; JSON values must have it. Every problem is noted with the path of its field; nothing is thrown.
 */

import { re2 } from '../../util/on-demand.ts';
import { compareExact, Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import type { Declaration, Declarations, DeclaredType, ExactNumber } from './declaration.ts';

/** Where a value comes from: texts are converted, JSON is taken as it is. */
export type Origin = 'text' | 'json';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Nobody reads more of them at a time. */
export const MOST_PROBLEMS = 100;

/** The value as steps see it; a value that is wrong gives null and a problem. */
export type Check = (value: PlainValue, origin: Origin, path: string, problems: FieldProblem[]) => PlainValue;

/** A declared field: `absent` gives what stands for a value that was not sent. */
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
  const { required, default: usual = null } = declaration;
  if (!required) return { check, absent: () => usual };
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
  if (problems.length < MOST_PROBLEMS) problems.push({ field, message });
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

const TWICE = 'must be given once';

function stringCheck({ minLength, maxLength, pattern, enum: words }: Declaration): Check {
  const matches = pattern === undefined ? undefined : wholeMatch(pattern);
  const allowed = words === undefined ? undefined : new Set(words);
  return (value, origin, path, problems) => {
    if (typeof value !== 'string') return wrong(problems, path, origin === 'text' && Array.isArray(value) ? TWICE : 'must be a text');
    if (minLength !== undefined && (value.length < minLength || lengthOf(value) < minLength))
      return wrong(problems, path, `must have at least ${minLength} characters`);
    if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength)
      return wrong(problems, path, `must have at most ${maxLength} characters`);
    if (allowed !== undefined && !allowed.has(value)) return wrong(problems, path, `must be one of ${words?.join(', ')}`);
    if (matches !== undefined && !matches(value)) return wrong(problems, path, `must match ${pattern}`);
    return value;
  };
}

/** In code points. */
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

/** A match takes time in proportion to the text's length times the size of the program; longer ones match nothing. */
const MOST_WORK = 20_000_000;

function wholeMatch(pattern: string): (text: string) => boolean {
  const compiled = re2().RE2JS.compile(pattern);
  const longest = MOST_WORK / Math.max(1, compiled.programSize());
  return (text) => text.length <= longest && compiled.matches(text);
}

type ReadNumber = (value: PlainValue, origin: Origin) => ExactNumber | undefined;

function numberCheck({ minimum, maximum }: Declaration, words: string, read: ReadNumber): Check {
  return (value, origin, path, problems) => {
    const number = read(value, origin);
    if (number === undefined) return wrong(problems, path, origin === 'text' && Array.isArray(value) ? TWICE : words);
    if (minimum !== undefined && compareExact(number, minimum) < 0) return wrong(problems, path, `must be at least ${String(minimum)}`);
    if (maximum !== undefined && compareExact(number, maximum) > 0) return wrong(problems, path, `must be at most ${String(maximum)}`);
    return number;
  };
}

/** Nobody means a longer number. */
const LONGEST_NUMBER = 1000;
const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
const WHOLE_DECIMAL = /^(-?\d+)\.0+$/;
/** As many digits are always a safe integer. */
const SMALL = 15;

function integerOf(digits: string): ExactNumber {
  if (digits.length <= SMALL) return Number(digits) + 0;
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

/** `from` to `to` are digits. */
function numberAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = number * 10 + text.charCodeAt(i) - ZERO;
  return number;
}

function integerIn(text: string): ExactNumber | undefined {
  if (text.length > 0 && text.length <= SMALL && areDigits(text, 0, text.length)) return numberAt(text, 0, text.length);
  return text.length <= LONGEST_NUMBER && INTEGER.test(text) ? integerOf(text) : undefined;
}

export function readInteger(value: PlainValue, origin: Origin): ExactNumber | undefined {
  if (origin === 'text') return typeof value === 'string' ? integerIn(value) : undefined;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value;
  const whole = value instanceof Decimal && value.text.length <= LONGEST_NUMBER ? WHOLE_DECIMAL.exec(value.text)?.[1] : undefined;
  return whole === undefined ? undefined : integerOf(whole);
}

export function readNumber(value: PlainValue, origin: Origin): ExactNumber | undefined {
  if (origin === 'text') {
    if (typeof value !== 'string') return undefined;
    return integerIn(value) ?? (value.length <= LONGEST_NUMBER && NUMBER.test(value) ? new Decimal(value) : undefined);
  }
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal ? value : undefined;
}

const booleanCheck: Check = (value, origin, path, problems) => {
  if (origin === 'json' && typeof value === 'boolean') return value;
  if (origin === 'text' && (value === 'true' || value === 'false')) return value === 'true';
  return wrong(problems, path, origin === 'text' && Array.isArray(value) ? TWICE : 'must be true or false');
};

function textCheck(words: string, isRight: (text: string) => boolean): Check {
  return (value, origin, path, problems) => {
    if (typeof value === 'string' && isRight(value)) return value;
    return wrong(problems, path, origin === 'text' && Array.isArray(value) ? TWICE : words);
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A text that begins with four, two and two digits. */
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
    for (let i = 0; i < list.length && problems.length < MOST_PROBLEMS; i++)
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

/** The declared fields of a JSON object; any other is a problem. */
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
    if (!(value instanceof Map)) return wrong(problems, path, Array.isArray(value) ? TWICE : 'must be a file');
    if (maxBytes !== undefined && Number(value.get('size')) > maxBytes) return wrong(problems, path, `must have at most ${maxBytes} bytes`);
    return value;
  };
}
