/**
 * Compares an expected value with the actual one, and lists the differences. A subset of an object
 * suffices unless it must be exact; lists are compared by position and length, numbers exactly
 * (`1.50` is `1.5`). Pure.
 */

import { writeJson } from '../../util/json/json.ts';
import { compareExact, Decimal, type PlainValue } from '../../util/text/decimal.ts';

export type Extent = 'part' | 'whole';

export function differencesOf(expected: PlainValue, actual: PlainValue | undefined, path: string, extent: Extent): readonly string[] {
  if (actual === undefined) return [`${path}: expected ${shown(expected)}, but it is not there`];
  if (Array.isArray(expected)) return listDifferences(expected as readonly PlainValue[], actual, path, extent);
  if (expected instanceof Map) return mapDifferences(expected, actual, path, extent);
  return isEqual(expected, actual) ? [] : [unlike(expected, actual, path)];
}

function listDifferences(expected: readonly PlainValue[], actual: PlainValue, path: string, extent: Extent): readonly string[] {
  if (!Array.isArray(actual)) return [unlike(expected, actual, path)];
  const items = actual as readonly PlainValue[];
  const shorter = Math.min(expected.length, items.length);
  const found = expected.slice(0, shorter).flatMap((item, i) => differencesOf(item, items[i], `${path}[${i}]`, extent));
  if (expected.length === items.length) return found;
  return [`${path}: expected ${counted(expected.length)}, got ${counted(items.length)}: ${shown(actual)}`, ...found];
}

function counted(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}

function mapDifferences(expected: ReadonlyMap<string, PlainValue>, actual: PlainValue, path: string, extent: Extent): readonly string[] {
  if (!(actual instanceof Map)) return [unlike(expected as PlainValue, actual, path)];
  const found = [...expected].flatMap(([name, value]) => differencesOf(value, actual.get(name), inside(path, name), extent));
  if (extent === 'part') return found;
  const more = [...actual].filter(([name]) => !expected.has(name));
  return [...found, ...more.map(([name, value]) => `${inside(path, name)}: nothing was expected, got ${shown(value)}`)];
}

function inside(path: string, name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

type Numeric = number | bigint | Decimal;

function isNumeric(value: PlainValue): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal;
}

function isEqual(expected: PlainValue, actual: PlainValue): boolean {
  return isNumeric(expected) && isNumeric(actual) ? compareExact(expected, actual) === 0 : expected === actual;
}

/** Quotes distinguish a string from a number that looks the same. */
function unlike(expected: PlainValue, actual: PlainValue, path: string): string {
  return `${path}: expected ${shown(expected)}, got ${shown(actual)}`;
}

const MAX_SHOWN = 300;

export function shown(value: PlainValue): string {
  const text = writeJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text;
}

const STEP = /^(?:\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\])/;

/** The value at a path such as `items[2].price`, or `undefined`. */
export function valueAt(body: PlainValue, path: string): PlainValue | undefined {
  let value: PlainValue | undefined = body;
  for (let rest = path.replace(/^\$/, ''); rest !== ''; ) {
    const match = STEP.exec(rest);
    if (match === null || value === undefined) return undefined;
    rest = rest.slice(match[0].length);
    const [, name, index, quoted] = match;
    if (index !== undefined) value = Array.isArray(value) ? (value as readonly PlainValue[])[Number(index)] : undefined;
    else value = value instanceof Map ? value.get(name ?? (JSON.parse(`"${quoted}"`) as string)) : undefined;
  }
  return value;
}

/** String that a pattern is matched with: strings as they are, other values as JSON. */
export function textOfValue(value: PlainValue): string {
  return typeof value === 'string' ? value : writeJson(value);
}
