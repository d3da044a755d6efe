/** Keys of rows, as paths and filters write them. Pure. */
import type { Column, TableDetail } from '../../../api/types.ts';
import { quoteName, quoteValue } from '../query/items.ts';
import { plainText } from './cell-text.ts';

/** JSON of a value by the name of its column. */
export type ReadRaw = (column: string) => string | undefined;

/** Columns that identify a row, in the order of the path. Empty if there are none. */
export const keyColumns = ({ columns }: TableDetail): readonly Column[] =>
  columns.filter(({ key_position }) => key_position !== undefined).sort((a, b) => (a.key_position ?? 0) - (b.key_position ?? 0));

const NEEDS_QUOTES = /^$|[",\\]|^\s|\s$/;
const quotePart = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text);

/** The row's segment in a path, decoded; `undefined` if a value is missing. */
export function rowKey(columns: readonly Column[], read: ReadRaw): string | undefined {
  if (columns.length === 0) return undefined;
  const parts: string[] = [];
  for (const { name, kind } of columns) {
    const raw = read(name);
    if (raw === undefined || raw === 'null') return undefined;
    parts.push(quotePart(plainText(raw, kind)));
  }
  return parts.join(',');
}

type Pair = readonly [name: string, value: string];

/** A filter that matches these rows and no others. */
export function filterOfKeys(columns: readonly Column[], rows: readonly ReadRaw[]): Pair {
  const [first, ...more] = columns;
  if (first === undefined) throw new Error('The table has no primary key.');
  const partOf = (column: Column, read: ReadRaw): string => quoteValue(plainText(read(column.name), column.kind));
  if (more.length === 0) {
    const values = rows.map((read) => partOf(first, read));
    return [quoteName(first.name), values.length === 1 ? `eq.${values[0]}` : `in.${values.join(',')}`];
  }
  const alternatives = rows.map(
    (read) => `$and=(${columns.map((column) => `${quoteName(column.name)}=eq.${partOf(column, read)}`).join(',')})`,
  );
  return ['$or', `(${alternatives.join(',')})`];
}
