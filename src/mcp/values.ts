/**
 * Converts arguments and results of tools. Numbers that JSON clients would round are passed as
 * strings.
 */
import { parseJson, writeJson } from '../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import { type InnerResponse, ToolError } from './session.ts';

/** Number of digits that a double preserves. */
const SAFE_DIGITS = 15;

/** Doubles below this one have fewer digits. */
const MIN_NORMAL = 2 ** -1022;

function isDouble({ text }: Decimal): boolean {
  const digits = text.replace(/[eE].*$|[^0-9]/g, '').replace(/^0+/, '');
  const size = Math.abs(Number(text));
  return digits === '' || (digits.length <= SAFE_DIGITS && size >= MIN_NORMAL && size <= Number.MAX_VALUE);
}

/** Converts numbers that a double cannot hold to strings. */
export function forClients(value: PlainValue): PlainValue {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return isDouble(value) ? value : value.text;
  if (Array.isArray(value)) return (value as readonly PlainValue[]).map(forClients);
  return value instanceof Map ? new Map([...value].map(([name, item]) => [name, forClients(item)])) : value;
}

/** Rejects an integer beyond 2^53, because the client may have rounded it already. */
export function rejectUnsafe(value: PlainValue): void {
  if (typeof value === 'bigint') throw new ToolError(`The integer ${value} is beyond 2^53; send it as a string.`);
  if (Array.isArray(value)) for (const item of value as readonly PlainValue[]) rejectUnsafe(item);
  if (value instanceof Map) for (const item of value.values()) rejectUnsafe(item);
}

/** Converts maps to objects for the filter parser. */
export function asObject(value: PlainValue): unknown {
  if (value instanceof Decimal) return value.text;
  if (Array.isArray(value)) return (value as readonly PlainValue[]).map(asObject);
  return value instanceof Map ? Object.fromEntries([...value].map(([name, item]) => [name, asObject(item)])) : value;
}

export function jsonBytes(value: PlainValue): Buffer {
  return Buffer.from(writeJson(value));
}

/** Returns the body of a response. Throws a ToolError with the message of an error response. */
export function bodyOf(response: InnerResponse): PlainValue {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const value =
    isJson && response.body.length > 0 ? parseJson(response.body, { maxDepth: 600, repeatedKeys: 'last' }) : response.body.toString();
  if (response.status < 400) return value;
  const message = value instanceof Map ? value.get('message') : undefined;
  throw new ToolError(typeof message === 'string' ? message : `The service answered ${response.status}.`, response.status);
}

export function mapOf(fields: Readonly<Record<string, PlainValue | undefined>>): PlainMap {
  return new Map(Object.entries(fields).filter((field): field is [string, PlainValue] => field[1] !== undefined));
}
