/**
 * Names and placeholders as the servers write them. Refuses to know statements.
 */
import type { Table } from '../../../model/table.ts';
import { GEOMETRY } from '../types/column-types.ts';

export function quote(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

export function tableName(table: Table): string {
  return `${quote(table.schema)}.${quote(table.name)}`;
}

/** What stands for a value of that cast. A geometry is given as text. */
export function placeholder(cast: string): string {
  if (!cast.startsWith(GEOMETRY)) return '?';
  const srid = cast.slice(GEOMETRY.length + 1);
  return srid === '' ? 'ST_GeomFromText(?)' : `ST_GeomFromText(?, ${srid})`;
}
