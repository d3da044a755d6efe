/**
 * Plain values as nested BSON elements with exact numbers. Pure. The library is not used: it rounds
 * unsigned 64-bit numbers and rejects keys such as `_bsontype`.
 */
import type { ByteWriter } from '../util/bytes/byte-writer.ts';
import { JsonError, parseJson } from '../util/json/json.ts';
import { exactDigits, MAX_RESULT_DEPTH, NestingError } from '../util/json/json-write.ts';
import { Decimal, type PlainValue } from '../util/text/decimal.ts';
import { appendBigint, appendDecimal128, appendDouble, appendInt32, appendInteger } from './bson-number.ts';

export const STRING = 0x02;
export const DOCUMENT = 0x03;
export const ARRAY = 0x04;
export const BINARY = 0x05;
export const BOOLEAN = 0x08;
export const NULL = 0x0a;

/** Appends an element: type, name, value. */
export function appendPlain(name: string, value: PlainValue, out: ByteWriter, depth = 0): void {
  const typeAt = out.length;
  out.byte(NULL);
  appendCString(name, out);
  const type = appendContent(value, out, depth);
  out.bytes[typeAt] = type;
}

/**
 * Appends a JSON cell as a nested value. Returns `undefined` and appends nothing if it is not valid
 * JSON.
 */
export function appendCell(bytes: Buffer, out: ByteWriter): number | undefined {
  try {
    return appendContent(parseJson(bytes, { maxDepth: MAX_RESULT_DEPTH, repeatedKeys: 'last' }), out, 0);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** A zero byte ends a name, so zero bytes in names become U+FFFD. */
export function appendCString(text: string, out: ByteWriter): void {
  out.text(text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);
  out.byte(0);
}

function appendContent(value: PlainValue, out: ByteWriter, depth: number): number {
  switch (typeof value) {
    case 'string':
      return appendString(value, out);
    case 'boolean':
      out.byte(value ? 1 : 0);
      return BOOLEAN;
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? appendInteger(value, out) : appendDouble(value, out);
    case 'bigint':
      return appendBigint(value, out) ?? appendDigits(String(value), out);
  }
  if (value === null) return NULL;
  if (value instanceof Decimal) return appendDigits(exactDigits(value), out);
  if (depth === MAX_RESULT_DEPTH) throw new NestingError();
  return appendNested(value, out, depth + 1);
}

function appendNested(value: readonly PlainValue[] | Map<string, PlainValue>, out: ByteWriter, depth: number): number {
  const start = out.length;
  appendInt32(0, out);
  if (value instanceof Map) for (const [key, member] of value) appendPlain(key, member, out, depth);
  else
    value.forEach((item, index) => {
      appendPlain(String(index), item, out, depth);
    });
  out.byte(0);
  patchInt32(start, out.length - start, out);
  return value instanceof Map ? DOCUMENT : ARRAY;
}

function appendDigits(digits: string, out: ByteWriter): number {
  const bytes = Buffer.from(digits);
  return appendDecimal128(bytes, 0, bytes.length, out) ?? appendString(digits, out);
}

function appendString(text: string, out: ByteWriter): number {
  const start = out.length;
  appendInt32(0, out);
  out.text(text);
  out.byte(0);
  patchInt32(start, out.length - start - 4, out);
  return STRING;
}

/** Writes a length into the space that was reserved for it. */
export function patchInt32(at: number, value: number, out: ByteWriter): void {
  const end = out.length;
  out.length = at;
  appendInt32(value, out);
  out.length = end;
}
