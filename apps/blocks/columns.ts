/** Columns of tables and records: those of the document, or all of the rows. */
import type { ColumnSpec } from '../page/document.ts';
import type { Row } from '../page/fill.ts';

export function columnsOf(written: readonly (string | ColumnSpec)[] | undefined, rows: readonly Row[]): readonly ColumnSpec[] {
  if (written !== undefined) return written.map((column) => (typeof column === 'string' ? { name: column } : column));
  return Object.keys(rows[0] ?? {}).map((name) => ({ name }));
}

export const labelOf = ({ name, label }: ColumnSpec): string => label ?? name;
