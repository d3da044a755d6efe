/** Puts values of inputs and rows in place of `?:name` and `?:row.column`. */
import { Digits, type Exact, type ExactObject, isObject, writeExact } from '../../ui/exact.ts';
import type { Literal } from './document.ts';
import { inputOf } from './inputs.ts';
import { fillPlaceholders, PLACEHOLDER } from './placeholders.ts';

export type Row = ExactObject;

/** Texts of a value; none means that it is left out. */
export type Filled = readonly string[];

/** The value of a row's column, also of a related row: `customers.name`. */
export function valueAt(row: Row, column: string): Exact | undefined {
  if (Object.hasOwn(row, column)) return row[column];
  const dot = column.indexOf('.');
  if (dot < 0) return undefined;
  const inner = row[column.slice(0, dot)];
  if (inner === null) return null;
  return isObject(inner) ? valueAt(inner, column.slice(dot + 1)) : undefined;
}

export function textOf(value: Exact): string {
  if (typeof value === 'string') return value;
  if (value instanceof Digits) return value.text;
  return typeof value === 'boolean' ? String(value) : writeExact(value);
}

/** Texts of a literal or a placeholder. */
export function fillValue(value: Literal, row?: Row): Filled {
  if (value === null) return [];
  if (typeof value !== 'string' || !value.startsWith('?:')) return [String(value)];
  const name = value.slice(2);
  if (!name.startsWith('row.') || row === undefined) return inputOf(name)?.texts ?? [];
  const found = valueAt(row, name.slice('row.'.length));
  return found === undefined || found === null ? [] : [textOf(found)];
}

/** A filter with its values; `undefined` if one of its inputs has none. */
export const fillFilter = (filter: string): string | undefined => fillPlaceholders(filter, (name) => inputOf(name)?.texts ?? []);

/** Parts of a block whose inputs do not change what it reads. */
const WITHOUT_DATA = new Set(['link', 'actions', 'columns', 'done']);

/** Names of the inputs that a block's data depend on. */
export function inputNamesIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return [...value.matchAll(PLACEHOLDER)].flatMap(([, name]) => (name === undefined || name === 'row' ? [] : [name]));
  if (Array.isArray(value)) return value.flatMap(inputNamesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => (WITHOUT_DATA.has(name) ? [] : inputNamesIn(item)));
}

/** Inputs that are invalid, or required and without a value. */
export function blockingInputs(names: readonly string[]): readonly string[] {
  return names.filter((name) => inputOf(name)?.problem !== undefined);
}
