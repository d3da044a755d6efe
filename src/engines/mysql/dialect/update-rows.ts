/**
 * Changes rows found by their keys in one statement: they travel as a JSON document that the server joins with the table. Only keys of whole numbers
 * are found this way; a text would have to be compared in the table's collation.
 */
import type { Column } from '../../../model/table.ts';
import type { BoundStatement } from '../../../sql/dialect.ts';
import type { UpdateRowsPlan } from '../../../sql/plan.ts';
import { BIT, UNSIGNED, YEAR } from '../types/casts.ts';
import { BYTES_MOST, JSON_TYPE } from './insert.ts';
import { jsonDocuments, jsonSource } from './insert-json.ts';
import { quote, tableName } from './names.ts';

const isPlainNumber = ({ kind, cast }: Column): boolean => kind === 'int' && cast !== BIT && cast !== YEAR;

export function updateRows({ table, key, columns, rows }: UpdateRowsPlan): readonly BoundStatement[] | undefined {
  const source = key.every(isPlainNumber) ? jsonSource(columns) : undefined;
  const documents = source === undefined ? undefined : jsonDocuments(columns, rows, BYTES_MOST);
  if (source === undefined || documents === undefined) return undefined;
  const name = (column: Column): string => `${tableName(table)}.${quote(column.name)}`;
  const set = columns.flatMap((column, i) => (key.includes(column) ? [] : [`${name(column)} = given._${i}`]));
  const found = key.map((column) => {
    const type = column.cast === UNSIGNED ? 'UNSIGNED' : 'SIGNED';
    return `${name(column)} = CAST(given._${columns.indexOf(column)} AS ${type})`;
  });
  const text = `UPDATE ${source} JOIN ${tableName(table)} SET ${set.join(', ')} WHERE ${found.join(' AND ')}`;
  return documents.map((document) => ({ statement: { text, types: [JSON_TYPE] }, params: [document] }));
}
