/**
 * `toJSON` and `fromJSON`: indented, keys sorted, exact digits where a value has them. The caller
 * of the reader converts numbers.
 */
import { Decimal } from '../../../util/text/decimal.ts';
import type { Budget } from '../../budget.ts';
import { sortedKeys } from '../values/format.ts';
import { formatTime, RFC3339_NANO } from '../values/layout.ts';
import { chargeNumber, TIME_STEPS } from '../values/run.ts';
import { wellFormed } from '../values/text.ts';
import { civilOf } from '../values/time.ts';
import { underlyingInt } from '../values/time-methods.ts';
import { Byte, checkDepth, type ExprValue, ExprZone, Fault, floatOf, isArray, isNil, Time, typeName } from '../values/value.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function quote(text: string, budget: Budget): string {
  budget.spend(text.length >> 2);
  return JSON.stringify(wellFormed(text))
    .replace(/[<>&\u2028\u2029\x7f]/g, (c) => (c === '\x7f' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`))
    .replace(/\\b|\\f/g, (c) => (c === '\\b' ? '\\u0008' : '\\u000c'));
}

export function writeJson(value: ExprValue, budget: Budget): string {
  return write(value, budget, '\n', 0);
}

function write(value: ExprValue, budget: Budget, newline: string, depth: number): string {
  budget.spend(2);
  chargeNumber(budget, value);
  if (isNil(value)) return 'null';
  if (typeof value === 'string') {
    budget.charge(value.length * 2);
    return quote(value, budget);
  }
  const number = writeNumber(value);
  if (number !== undefined) return number;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Time) return writeTime(value, budget);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (value instanceof ExprZone) return '{}';
  checkDepth(depth);
  const inner = `${newline}  `;
  const pieces: string[] = [];
  if (isArray(value)) {
    for (const item of value) pieces.push(write(item, budget, inner, depth + 1));
  } else if (value instanceof Map) {
    for (const key of sortedKeys(value, budget))
      pieces.push(`${quote(key, budget)}: ${write(value.get(key) ?? null, budget, inner, depth + 1)}`);
  } else {
    throw new Fault(`toJSON cannot write a ${typeName(value)} ${typeName(value) === 'map' ? 'whose keys are not strings' : ''}`.trimEnd());
  }
  const [open, close] = isArray(value) ? ['[', ']'] : ['{', '}'];
  if (pieces.length === 0) return `${open}${close}`;
  budget.charge(pieces.reduce((sum, piece) => sum + piece.length + inner.length, 0));
  return `${open}${inner}${pieces.join(`,${inner}`)}${newline}${close}`;
}

function writeNumber(value: ExprValue): string | undefined {
  if (value instanceof Decimal && JSON_NUMBER.test(value.text)) return value.text;
  const float = floatOf(value);
  if (float !== undefined) {
    if (!Number.isFinite(float)) throw new Fault(`${float} cannot be written as JSON`);
    return Object.is(float, -0) ? '-0' : String(float);
  }
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Byte) return String(value.value);
  const int = underlyingInt(value);
  return int === undefined ? undefined : String(int);
}

function writeTime(time: Time, budget: Budget): string {
  budget.spend(TIME_STEPS);
  const { year } = civilOf(time);
  if (year < 0 || year > 9999) throw new Fault('a year outside of 0 to 9999 cannot be written as JSON');
  return `"${formatTime(time, RFC3339_NANO)}"`;
}

export interface JsonOptions {
  readonly number: (text: string) => ExprValue;
  readonly budget: Budget;
}

export function readJson(text: string, options: JsonOptions): ExprValue {
  return new Reader(text, options).whole();
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN = /[^"\\\0-\x1f]*/y;
const LITERALS: readonly (readonly [string, ExprValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class Reader {
  readonly #text: string;
  readonly #options: JsonOptions;
  #at = 0;

  constructor(text: string, options: JsonOptions) {
    this.#text = text;
    this.#options = options;
    options.budget.spend(text.length >> 6);
  }

  whole(): ExprValue {
    const value = this.#value(0);
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  #fail(): never {
    const excerpt = this.#text.slice(this.#at, this.#at + 20);
    throw new Fault(excerpt === '' ? 'the JSON text ends too early' : `not JSON at character ${this.#at + 1}: ${JSON.stringify(excerpt)}`);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += match.length;
    return match;
  }

  #skip(char: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #value(depth: number): ExprValue {
    checkDepth(depth);
    this.#options.budget.spend(1);
    this.#options.budget.charge(32);
    this.#match(SPACE);
    const char = this.#text[this.#at];
    if (char === '"') return this.#string();
    if (this.#skip('{')) return this.#object(depth);
    if (this.#skip('[')) return this.#list(depth);
    const literal = LITERALS.find(([word]) => this.#text.startsWith(word, this.#at));
    if (literal !== undefined) {
      this.#at += literal[0].length;
      return literal[1];
    }
    const number = this.#match(NUMBER);
    return number === '' ? this.#fail() : this.#options.number(number);
  }

  #list(depth: number): ExprValue {
    const items: ExprValue[] = [];
    if (this.#skip(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#skip(','));
    if (!this.#skip(']')) this.#fail();
    return items;
  }

  #object(depth: number): ExprValue {
    const map = new Map<string, ExprValue>();
    if (this.#skip('}')) return map;
    do {
      this.#match(SPACE);
      if (this.#text[this.#at] !== '"') this.#fail();
      const key = this.#string();
      if (!this.#skip(':')) this.#fail();
      map.set(key, this.#value(depth + 1));
    } while (this.#skip(','));
    if (!this.#skip('}')) this.#fail();
    return map;
  }

  #string(): string {
    const from = this.#at++;
    for (;;) {
      this.#match(PLAIN);
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char !== '\\') this.#fail();
      this.#options.budget.spend(4);
      this.#at += 2;
    }
    this.#at++;
    this.#options.budget.charge((this.#at - from) * 2);
    this.#options.budget.spend((this.#at - from) >> 4);
    try {
      return wellFormed(JSON.parse(this.#text.slice(from, this.#at)) as string);
    } catch {
      this.#at = from;
      return this.#fail();
    }
  }
}
