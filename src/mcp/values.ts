/** Arguments and answers of tools as plain values: what a client of JSON can hold goes as it is, integers and digits beyond that as texts. */

import { parseJson, writeJson } from '../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import { type InnerAnswer, ToolError } from './session.ts';

/** Digits that a double keeps. */
const SAFE_DIGITS = 15;

/** For clients that read numbers as doubles. */
export function forClients(value: PlainValue): PlainValue {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal)
    return value.text.replace(/[eE].*$|[^0-9]/g, '').replace(/^0+/, '').length > SAFE_DIGITS ? value.text : value;
  if (Array.isArray(value)) return (value as readonly PlainValue[]).map(forClients);
  return value instanceof Map ? new Map([...value].map(([name, item]) => [name, forClients(item)])) : value;
}

/** An integer that a client cannot have meant exactly is refused: it was rounded on its way. */
export function refuseUnsafe(value: PlainValue): void {
  if (typeof value === 'bigint') throw new ToolError(`The integer ${value} is beyond 2^53; send it as a text.`);
  if (Array.isArray(value)) for (const item of value as readonly PlainValue[]) refuseUnsafe(item);
  if (value instanceof Map) for (const item of value.values()) refuseUnsafe(item);
}

/** As the objects that conditions are written in. */
export function asObject(value: PlainValue): unknown {
  if (value instanceof Decimal) return value.text;
  if (Array.isArray(value)) return (value as readonly PlainValue[]).map(asObject);
  return value instanceof Map ? Object.fromEntries([...value].map(([name, item]) => [name, asObject(item)])) : value;
}

export function jsonBytes(value: PlainValue): Buffer {
  return Buffer.from(writeJson(value));
}

/** The body of an answer; one that refuses is an error with the service's own message. */
export function bodyOf(answer: InnerAnswer): PlainValue {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const value = isJson && answer.body.length > 0 ? parseJson(answer.body, { maxDepth: 600, repeatedKeys: 'last' }) : answer.body.toString();
  if (answer.status < 400) return value;
  const message = value instanceof Map ? value.get('message') : undefined;
  throw new ToolError(typeof message === 'string' ? message : `The service answered ${answer.status}.`, answer.status);
}

export function mapOf(fields: Readonly<Record<string, PlainValue | undefined>>): PlainMap {
  return new Map(Object.entries(fields).filter((field): field is [string, PlainValue] => field[1] !== undefined));
}
