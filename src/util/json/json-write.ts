/**
 * Writes plain values as JSON text with all their digits. The formats write rows from bytes
 * instead.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { Decimal, type PlainValue } from '../text/decimal.ts';

const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LOOSE_NUMBER = /^([+-]?)(\d*)\.?(\d*)((?:[eE][+-]?\d+)?)$/;

/** Writers recurse once per level. A deeper result is rejected before it overflows the stack. */
export const MAX_RESULT_DEPTH = 512;

export class NestingError extends Error {
  constructor() {
    super(`the value is nested deeper than ${MAX_RESULT_DEPTH}`);
    this.name = 'NestingError';
  }
}

export function writeJson(value: PlainValue): string {
  return write(value, 0);
}

/** Appends the JSON text item by item, so that a long list never becomes one string. */
export function appendJson(value: PlainValue, out: ByteWriter): void {
  if (!Array.isArray(value)) {
    out.text(writeJson(value));
    return;
  }
  out.byte(0x5b);
  value.forEach((item: PlainValue, index) => {
    if (index > 0) out.byte(0x2c);
    out.text(write(item, 1));
    out.flushIfFull();
  });
  out.byte(0x5d);
}

/** A JSON string with its quotes. An unpaired surrogate becomes U+FFFD. */
export function quoteJson(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`;
  return JSON.stringify(text.replace(LONE_SURROGATE, '\ufffd'));
}

/**
 * The digits of a Decimal in JSON's notation (`+.5` is `0.5`). NaN and Infinity stay as they are.
 */
export function exactDigits({ text }: Decimal): string {
  if (NUMBER.test(text)) return text;
  const [, sign, whole = '', fraction = '', exponent = ''] = LOOSE_NUMBER.exec(text) ?? [];
  if (whole === '' && fraction === '') return text;
  return `${sign === '-' ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
}

function write(value: PlainValue, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  if (value === null) return 'null';
  if (value instanceof Decimal) {
    const digits = exactDigits(value);
    return NUMBER.test(digits) ? digits : quoteJson(digits);
  }
  if (depth === MAX_RESULT_DEPTH) throw new NestingError();
  return value instanceof Map ? writeMembers(value, depth + 1) : writeItems(value, depth + 1);
}

function writeMembers(members: ReadonlyMap<string, PlainValue>, depth: number): string {
  let text = '{';
  for (const [key, value] of members) text += `${text.length > 1 ? ',' : ''}${quoteJson(key)}:${write(value, depth)}`;
  return `${text}}`;
}

function writeItems(items: readonly PlainValue[], depth: number): string {
  let text = '[';
  for (const item of items) text += `${text.length > 1 ? ',' : ''}${write(item, depth)}`;
  return `${text}]`;
}
