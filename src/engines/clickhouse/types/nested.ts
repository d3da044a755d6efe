/**
 * Reads JSON values as members of nested types: lists, pairs, tuples and scalars, with all their
 * digits. Must not know how values are written.
 */

import { JsonError, parseJson } from '../../../util/json/json.ts';
import { Decimal, type PlainValue } from '../../../util/text/decimal.ts';
import { invalid } from './invalid-value.ts';
import type { ChType } from './type-text.ts';

const DEEPEST = 64;

export function parseNested(text: string): PlainValue {
  try {
    return parseJson(Buffer.from(text), { maxDepth: DEEPEST, repeatedKeys: 'last' });
  } catch (error) {
    throw error instanceof JsonError ? invalid(`not valid JSON: ${error.message}`) : error;
  }
}

export function isNumber(value: PlainValue): value is number | bigint | Decimal {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal;
}

export function numberText(value: number | bigint | Decimal): string {
  return value instanceof Decimal ? value.text : String(value);
}

const LONGEST_SHOWN = 60;

export function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

export function memberOf(type: ChType, index: number): ChType {
  const member = type.of[index];
  if (member === undefined) throw invalid(`${type.name} has no member ${index + 1}`);
  return member;
}

export function listOf(value: PlainValue): readonly PlainValue[] {
  if (!Array.isArray(value)) throw invalid('a list is needed');
  return value as readonly PlainValue[];
}

/** Returns the members of an object, or of a list of pairs: keys of maps need not be strings. */
export function entriesOf(value: PlainValue): readonly (readonly [PlainValue, PlainValue])[] {
  if (value instanceof Map) return [...value];
  throw invalid('an object is needed');
}

/** Returns the items of a tuple, which is a list, or an object if its members have names. */
export function tupleItems(type: ChType, value: PlainValue): readonly PlainValue[] {
  if (!(value instanceof Map)) {
    const items = listOf(value);
    if (items.length !== type.of.length) throw invalid(`a tuple of ${type.of.length} members is needed`);
    return items;
  }
  if (value.size > type.fields.length) throw invalid('the tuple has members that its type does not name');
  return type.fields.map((field) => {
    const item: PlainValue | undefined = value.get(field);
    if (item === undefined) throw invalid(`the tuple lacks its member ${shown(field)}`);
    return item;
  });
}

/**
 * Returns a JSON scalar as canonical text. String columns accept strings only, so that a number is
 * never stored as its digits by accident.
 */
export function scalarText(type: ChType, value: PlainValue): string {
  if (typeof value === 'string') return value;
  if (isNumber(value) && type.name !== 'String' && type.name !== 'FixedString') return numberText(value);
  if (typeof value === 'boolean' && (type.name === 'Bool' || /^U?Int/.test(type.name)))
    return type.name === 'Bool' ? String(value) : value ? '1' : '0';
  throw invalid(`a value of ${type.name} is needed`);
}
