/** Columns of tables and records: those of the document, or all of the rows. */
import { read, serviceRoot } from '../page/api.ts';
import type { ColumnSpec } from '../page/document.ts';
import type { Row } from '../page/fill.ts';
import { isTable } from '../page/rows.ts';

/** Binary columns have no format of their own. */
export function columnsOf(
  written: readonly (string | ColumnSpec)[] | undefined,
  rows: readonly Row[],
  binary: ReadonlySet<string> = new Set(),
): readonly ColumnSpec[] {
  const all = written?.map((column) => (typeof column === 'string' ? { name: column } : column));
  const columns = all ?? Object.keys(rows[0] ?? {}).map((name): ColumnSpec => ({ name }));
  return columns.map((column) => (binary.has(column.name) ? { ...column, format: 'binary' } : column));
}

export const labelOf = ({ name, label }: ColumnSpec): string => label ?? name;

export interface Column {
  readonly name: string;
  readonly kind: string;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly generated: boolean;
  readonly max_length?: number;
  readonly values?: readonly string[];
  readonly operations?: readonly string[];
}

export async function readColumnsOf(table: string): Promise<readonly Column[]> {
  const [type = '', schema = '', name = ''] = table.split('/');
  const url = new URL(`rest/meta/v1/table/detail?${new URLSearchParams({ type, schema, table: name })}`, serviceRoot);
  return (JSON.parse((await read(url)).text) as { columns: readonly Column[] }).columns;
}

/** Names of a table's binary columns, whose values the API writes as base64. */
export async function readBinaryColumns(from: string): Promise<ReadonlySet<string>> {
  if (!isTable(from)) return new Set();
  const columns = await readColumnsOf(from).catch((): readonly Column[] => []);
  return new Set(columns.filter(({ kind }) => kind === 'bytes').map(({ name }) => name));
}
