/** Values of JSON types, and of types that are shown as JSON, in PostgreSQL's notation. */
import type { Column } from '../../../model/table.ts';
import type { ParamValue } from '../../../sql/statement.ts';
import { arrayFromJson } from '../types/array-literal.ts';

/** Arrays and composites are not JSON types, but are shown as JSON. */
export const isArray = (column: Column): boolean => column.kind === 'json' && column.type.endsWith(']');
export const isComposite = (column: Column): boolean => column.kind === 'json' && !isArray(column) && !/\."jsonb?"$/.test(column.cast);

/** Elements of JSON arrays may be lists themselves. */
const JSON_ARRAY = /\."_jsonb?"$/;

/** Converts a validated value to PostgreSQL's notation. */
export function toServerNotation(column: Column, value: ParamValue): ParamValue {
  if (typeof value !== 'string' || !isArray(column)) return value;
  return arrayFromJson(value, JSON_ARRAY.test(column.cast) ? 'whole' : 'nested', column.cast.endsWith('."_box"') ? ';' : ',');
}
