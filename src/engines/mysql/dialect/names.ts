/** Quotes names and wraps geometries. Pure. */
import type { Table } from '../../../model/table.ts';
import type { MysqlColumn } from '../types/column-types.ts';

export function quote(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

export function tableName(table: Table): string {
  return `${quote(table.schema)}.${quote(table.name)}`;
}

/** Converts a value, or its placeholder, to a geometry if the column is one. */
export function geometryOf({ geometry }: MysqlColumn, text: string): string {
  if (geometry === undefined) return text;
  return geometry.srid === null ? `ST_GeomFromText(${text})` : `ST_GeomFromText(${text}, ${geometry.srid})`;
}

/** Returns the expression that selects a column. */
export function selectItem(column: MysqlColumn): string {
  const name = quote(column.name);
  if (column.isWeight === true) return `WEIGHT_STRING(${name})`;
  return column.geometry === undefined ? name : `ST_AsText(${name})`;
}
