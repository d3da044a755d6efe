/**
 * Updates rows by their keys in one statement: the rows travel as a JSON document that is joined
 * with the table. Keys are compared in the column's type and collation, so that their index is
 * used.
 */
import type { Column } from '../../../model/table.ts';
import { changedColumns } from '../../../sql/compile/update-rows.ts';
import type { BoundStatement } from '../../../sql/dialect.ts';
import type { UpdateRowsPlan } from '../../../sql/plan.ts';
import type { RowValues } from '../../../sql/rows.ts';
import { BIT, UNSIGNED, YEAR } from '../types/casts.ts';
import type { MysqlColumn } from '../types/column-types.ts';
import { JSON_TYPE, MAX_BYTES } from './insert.ts';
import { jsonDocuments, jsonSource } from './insert-json.ts';
import { quote, tableName } from './names.ts';
import { guarded, temporalType } from './strict.ts';

export function updateRows(plan: UpdateRowsPlan): readonly BoundStatement[] | undefined {
  const { table, key, columns, rows } = plan;
  const name = (column: Column): string => `${tableName(table)}.${quote(column.name)}`;
  const given = (column: Column): string => `given._${columns.indexOf(column)}`;
  const found = key.flatMap((column) => {
    const value = comparable(column, given(column), rows, columns.indexOf(column));
    return value === undefined ? [] : [guarded(`${name(column)} = ${value}`, name(column), column.kind)];
  });
  const source = found.length === key.length ? jsonSource(columns) : undefined;
  const documents = source === undefined ? undefined : jsonDocuments(columns, rows, MAX_BYTES);
  if (source === undefined || documents === undefined) return undefined;
  const set = changedColumns(plan).map((column) => `${name(column)} = ${given(column)}`);
  if (set.length === 0) set.push(...key.slice(0, 1).map((column) => `${name(column)} = ${name(column)}`));
  const text = `UPDATE ${source} STRAIGHT_JOIN ${tableName(table)}${byIndex(plan)} SET ${set.join(', ')} WHERE ${found.join(' AND ')}`;
  return documents.map((document) => ({ statement: { text, types: [JSON_TYPE] }, params: [document] }));
}

/**
 * Forces the index, so that each row of the document is looked up. Without statistics, the servers
 * take a table for empty and would scan it for each row.
 */
function byIndex({ table, key }: UpdateRowsPlan): string {
  const isPrimary = key.length === table.primaryKey.length && key.every((column) => table.primaryKey.includes(column));
  return isPrimary ? ' FORCE INDEX (PRIMARY)' : '';
}

/**
 * Converts text of the document to a value of the column. `undefined` if keys of this type are
 * better passed as parameters.
 */
function comparable(column: MysqlColumn, text: string, rows: RowValues, index: number): string | undefined {
  const { kind, cast, collation } = column;
  if (kind === 'int' && cast !== BIT && cast !== YEAR) return `CAST(${text} AS ${cast === UNSIGNED ? 'UNSIGNED' : 'SIGNED'})`;
  if (kind === 'uuid') return `CAST(${text} AS UUID)`;
  if (kind === 'text' && collation !== undefined) return inCollation(text, collation, rows, index);
  const moment = temporalType(kind);
  return moment === undefined ? undefined : `CAST(${text} AS ${moment})`;
}

const WIDEST = 'utf8mb4';

/** In another character set only ASCII is safe: other characters may change in the conversion. */
function inCollation(text: string, collation: string, rows: RowValues, index: number): string | undefined {
  const [set = ''] = collation.split('_');
  if (set === WIDEST) return `${text} COLLATE ${collation}`;
  for (let row = 0; row < rows.count; row++) if (!isAscii(String(rows.value(row * rows.width + index)))) return undefined;
  return `CONVERT(${text} USING ${set}) COLLATE ${collation}`;
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
