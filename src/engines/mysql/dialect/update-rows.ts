/**
 * Changes rows found by their keys in one statement: they travel as a JSON document that the server joins with the table. A key is compared as what it
 * is in the table: a number as a number, a text in its own collation, so that its index finds it and letters are the same as everywhere else.
 */
import type { Column } from '../../../model/table.ts';
import { changedColumns } from '../../../sql/compile/update-rows.ts';
import type { BoundStatement } from '../../../sql/dialect.ts';
import type { UpdateRowsPlan } from '../../../sql/plan.ts';
import type { RowValues } from '../../../sql/rows.ts';
import { BIT, UNSIGNED, YEAR } from '../types/casts.ts';
import type { MysqlColumn } from '../types/column-types.ts';
import { BYTES_MOST, JSON_TYPE } from './insert.ts';
import { jsonDocuments, jsonSource } from './insert-json.ts';
import { quote, tableName } from './names.ts';
import { guarded, momentType } from './strict.ts';

export function updateRows(plan: UpdateRowsPlan): readonly BoundStatement[] | undefined {
  const { table, key, columns, rows } = plan;
  const name = (column: Column): string => `${tableName(table)}.${quote(column.name)}`;
  const given = (column: Column): string => `given._${columns.indexOf(column)}`;
  const found = key.flatMap((column) => {
    const value = comparable(column, given(column), rows, columns.indexOf(column));
    return value === undefined ? [] : [guarded(`${name(column)} = ${value}`, name(column), column.kind)];
  });
  const source = found.length === key.length ? jsonSource(columns) : undefined;
  const documents = source === undefined ? undefined : jsonDocuments(columns, rows, BYTES_MOST);
  if (source === undefined || documents === undefined) return undefined;
  const set = changedColumns(plan).map((column) => `${name(column)} = ${given(column)}`);
  if (set.length === 0) set.push(...key.slice(0, 1).map((column) => `${name(column)} = ${name(column)}`));
  const text = `UPDATE ${source} STRAIGHT_JOIN ${tableName(table)}${byIndex(plan)} SET ${set.join(', ')} WHERE ${found.join(' AND ')}`;
  return documents.map((document) => ({ statement: { text, types: [JSON_TYPE] }, params: [document] }));
}

/**
 * The document is read once, and each of its rows looked up: a server that has not counted the rows of a table yet takes it for empty, and would
 * read all of it for each row of the document, or the document for each of its own.
 */
function byIndex({ table, key }: UpdateRowsPlan): string {
  const isPrimary = key.length === table.primaryKey.length && key.every((column) => table.primaryKey.includes(column));
  return isPrimary ? ' FORCE INDEX (PRIMARY)' : '';
}

/** A text of the document as a value of the column; undefined where a key of this type is better found by a parameter. */
function comparable(column: MysqlColumn, text: string, rows: RowValues, index: number): string | undefined {
  const { kind, cast, collation } = column;
  if (kind === 'int' && cast !== BIT && cast !== YEAR) return `CAST(${text} AS ${cast === UNSIGNED ? 'UNSIGNED' : 'SIGNED'})`;
  if (kind === 'uuid') return `CAST(${text} AS UUID)`;
  if (kind === 'text' && collation !== undefined) return inCollation(text, collation, rows, index);
  const moment = momentType(kind);
  return moment === undefined ? undefined : `CAST(${text} AS ${moment})`;
}

const WIDEST = 'utf8mb4';

/** In another character set than that of the document only what every set has: else a character may become another on its way. */
function inCollation(text: string, collation: string, rows: RowValues, index: number): string | undefined {
  const [set = ''] = collation.split('_');
  if (set === WIDEST) return `${text} COLLATE ${collation}`;
  for (let row = 0; row < rows.count; row++) if (!isAscii(String(rows.value(row * rows.width + index)))) return undefined;
  return `CONVERT(${text} USING ${set}) COLLATE ${collation}`;
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
