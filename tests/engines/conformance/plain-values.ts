// Converts cells of the five formats to one shape, so that they can be compared with JSON.
import { Binary, Decimal128, Long } from 'bson';
import { parseJson } from '../../../src/util/json/json.ts';
import { Decimal, type PlainValue } from '../../../src/util/text/decimal.ts';

/** A cell of CSV or XML: strings bare, everything else as JSON has it. */
export function plainText(json: string): string | null {
  if (json === 'null') return null;
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Digits and exponent without insignificant zeros: `1.50`, `1.5` and `15E-1` are one number. */
function numberKey(text: string): string {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return text;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign === '-' ? '-' : ''}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

type Shape = string | null | boolean | readonly Shape[] | { readonly [name: string]: Shape };

function shapeOf(value: unknown, numbers: (text: string) => string): Shape {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return `text ${value}`;
  if (typeof value === 'number' || typeof value === 'bigint') return numbers(String(value));
  if (value instanceof Decimal) return numbers(value.text);
  if (value instanceof Long || value instanceof Decimal128) return numbers(value.toString());
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, numbers));
  const members = value instanceof Map ? [...value] : Object.entries(value as object);
  return Object.fromEntries(members.map(([name, item]) => [String(name), shapeOf(item, numbers)]));
}

const read = (json: string): PlainValue => parseJson(Buffer.from(json), { maxDepth: 64, repeatedKeys: 'last' });

/** YAML parsers read every number with a fraction as a double. */
const asDouble = (text: string): string => (/^-?\d+$/.test(text) ? numberKey(text) : numberKey(String(Number(text))));

export const plainYaml = (value: unknown): Shape => shapeOf(value, asDouble);
export const yamlOf = (json: string): Shape => shapeOf(read(json), asDouble);

/** Describes how a BSON value differs from the JSON; `undefined` if it does not. */
export function wrongBson(value: unknown, json: string): string | undefined {
  const wrong = `${json} is ${String(value)} in BSON`;
  if (value instanceof Date)
    return JSON.stringify(value.toISOString().slice(0, 19)) === `${json.slice(0, 20)}"` && sameMillis(value, json) ? undefined : wrong;
  if (value instanceof Binary) return JSON.stringify(Buffer.from(value.buffer).toString('base64')) === json ? undefined : wrong;
  const text = typeof value === 'number' || value instanceof Decimal128 ? value.toString() : undefined;
  if (text !== undefined && /NaN|Infinity/.test(text)) return json === JSON.stringify(text) ? undefined : wrong;
  // A number of more digits than decimal128 has is a text.
  if (typeof value === 'string' && !json.startsWith('"')) return value === json && /\d{34}/.test(json.replace('.', '')) ? undefined : wrong;
  if (typeof value === 'number' && Number(json) === value) return undefined;
  return JSON.stringify(shapeOf(value, numberKey)) === JSON.stringify(shapeOf(read(json), numberKey)) ? undefined : wrong;
}

function sameMillis(value: Date, json: string): boolean {
  const fraction = (/\.(\d+)/.exec(json)?.[1] ?? '').padEnd(3, '0').slice(0, 3);
  return String(value.getUTCMilliseconds()).padStart(3, '0') === fraction;
}

/**
 * `true` if both are the same JSON, regardless of escapes and the order of members. Numbers are
 * compared by their digits.
 */
export function sameNested(a: string, b: string): boolean {
  return canonical(shapeOf(read(a), (text) => text)) === canonical(shapeOf(read(b), (text) => text));
}

function canonical(shape: Shape): string {
  if (Array.isArray(shape)) return `[${shape.map(canonical).join()}]`;
  if (shape === null || typeof shape !== 'object') return JSON.stringify(shape);
  const members = Object.entries(shape).map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`);
  return `{${members.sort().join()}}`;
}
