/** PostgreSQL's notation for arrays: `{1,"a b",NULL}`. Writes it from values and from JSON text. */

import type { ParamValue } from '../../sql/statement.ts';
import { Decimal, type PlainValue } from '../../util/decimal.ts';
import { parseJson, writeJson } from '../../util/json.ts';

const SPECIAL = /["\\]/g;

function element(value: ParamValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return `"${value.includes('"') || value.includes('\\') ? value.replace(SPECIAL, '\\$&') : value}"`;
}

function arrayLiteral(values: readonly ParamValue[]): string {
  return `{${values.map(element).join(',')}}`;
}

/** One column of many rows. Appended to one text: a list of thousands of elements would be made only to be joined. */
export function columnLiteral(
  rows: readonly (readonly ParamValue[])[],
  index: number,
  bindable: (value: ParamValue) => ParamValue,
): string {
  let text = '';
  for (const row of rows) text += `${text === '' ? '' : ','}${element(bindable(row[index] ?? null))}`;
  return `{${text}}`;
}

/**
 * `[1,[2,null]]` as `{1,{2,NULL}}`; what is no array stays as it is, for the server to refuse. `whole` is for arrays of JSON, where a list
 * inside is an element and not a dimension.
 */
export function arrayFromJson(text: string, lists: 'nested' | 'whole'): string {
  const value = parseJson(Buffer.from(text), { maxDepth: MAX_DEPTH });
  if (!Array.isArray(value)) return text;
  return lists === 'nested' ? nested(value) : arrayLiteral(value.map((item: PlainValue) => (item === null ? null : writeJson(item))));
}

const MAX_DEPTH = 64;

function nested(values: readonly PlainValue[]): string {
  return `{${values.map((value) => (Array.isArray(value) ? nested(value) : element(scalar(value)))).join(',')}}`;
}

function scalar(value: PlainValue): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Decimal) return value.text;
  return value instanceof Map ? writeJson(value) : String(value);
}
