/** Example values for the operations on a table, made from the types of its columns. Pure. */
import type { Column } from '../../model/table.ts';
import { type ColumnUse, columnExample } from '../column-schema.ts';
import { type DescribedTable, keyOf } from '../description.ts';
import type { Json } from './notation.ts';

export type ChangeExample = readonly [column: string, value: unknown];

/** A column that is part of a foreign key must hold a value of the other table. */
export function useOf({ keys }: DescribedTable, { name }: Column): ColumnUse {
  return keys.some(({ columns }) => columns.includes(name)) ? 'reference' : 'own';
}

/** Tools would resolve an example with this member as a reference. */
const isReference = ({ name }: Column): boolean => name === '$ref';

/** The key of a row as a path has it. `undefined` if a part of it has no example. */
export function keyExample({ table }: DescribedTable): string | undefined {
  const values = keyOf(table).map((column) => columnExample(column, 'reference'));
  return values.every((value) => ['string', 'number', 'boolean'].includes(typeof value)) ? values.join(',') : undefined;
}

/** A column to update and its new value. Prefers columns that belong to no key. */
export function changeExample(described: DescribedTable): ChangeExample | undefined {
  const columns = described.rights.update?.columns ?? [];
  const isKnown = (column: Column): boolean => !isReference(column) && !['object', 'undefined'].includes(typeof columnExample(column));
  const isOutsideKey = (column: Column): boolean => !column.primaryKey && isKnown(column);
  const column =
    columns.find((candidate) => isOutsideKey(candidate) && useOf(described, candidate) === 'own') ??
    columns.find(isOutsideKey) ??
    columns.find(isKnown);
  return column === undefined ? undefined : [column.name, columnExample(column, useOf(described, column))];
}

/** A row with its key and the required columns. `undefined` if one of them has no example. */
export function insertExample(described: DescribedTable): Json | undefined {
  const { table, rights } = described;
  const columns = rights.insert?.columns ?? [];
  const required = columns.filter((column) => column.required || (keyOf(table).includes(column) && column.default === null));
  const shown = required.length > 0 ? required : columns.slice(0, 1);
  const values = shown.map((column): [string, unknown] => [column.name, columnExample(column, useOf(described, column))]);
  const isUnknown = values.length === 0 || shown.some(isReference) || values.some(([, value]) => value === undefined);
  return isUnknown ? undefined : Object.fromEntries(values);
}
