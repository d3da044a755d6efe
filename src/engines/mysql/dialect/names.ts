/**
 * Writes names and geometries as the servers do. Knows no statements.
 */
import type { Table } from '../../../model/table.ts';
import type { MysqlColumn } from '../types/column-types.ts';

export function quote(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

export function tableName(table: Table): string {
  return `${quote(table.schema)}.${quote(table.name)}`;
}

/** A value, or its placeholder, as the column takes it: a geometry is given as text. */
export function geometryOf({ geometry }: MysqlColumn, text: string): string {
  if (geometry === undefined) return text;
  return geometry.srid === null ? `ST_GeomFromText(${text})` : `ST_GeomFromText(${text}, ${geometry.srid})`;
}

/** What to select of a column. */
export function selectItem(column: MysqlColumn): string {
  const name = quote(column.name);
  if (column.isWeight === true) return `WEIGHT_STRING(${name})`;
  return column.geometry === undefined ? name : `ST_AsText(${name})`;
}
