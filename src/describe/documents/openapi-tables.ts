/** Tables as the sections of an OpenAPI document need them. Pure. */
import { createHash } from 'node:crypto';
import type { Column } from '../../model/table.ts';
import { isFiltered } from '../column-schema.ts';
import { type DescribedTable, type Description, keyOf } from '../description.ts';
import { tableName } from '../names.ts';
import { tableFingerprint } from '../table-fingerprint.ts';
import type { FilterParameters } from './openapi-filters.ts';

export interface ColumnFilter {
  readonly column: Column;
  /** Name of the parameter component. */
  readonly parameter: string;
}

export interface DocumentedTable extends DescribedTable {
  /** Name in components and operation ids. */
  readonly name: string;
  readonly filters: readonly ColumnFilter[];
  /** `true` if its rows have paths: there is a key, and the caller may read it. */
  readonly isAddressable: boolean;
  /** Equal if and only if the table's parts of the document are equal. */
  readonly fingerprint: string;
}

export function documentTable(description: Description, described: DescribedTable, parameters: FilterParameters): DocumentedTable {
  const { columns = [], masked } = described.rights.read ?? {};
  const filters = columns
    .filter((column) => isFiltered(column) && masked?.has(column) !== true)
    .map((column): ColumnFilter => ({ column, parameter: parameters.nameOf(column) }));
  const key = keyOf(described.table);
  const isAddressable = key.length > 0 && key.every((column) => columns.includes(column));
  const name = tableName(described.type, described.database, described.table.name);
  return { ...described, name, filters, isAddressable, fingerprint: fingerprintOf(description, described, filters) };
}

function fingerprintOf(
  { prefix, org, project }: Description,
  { ref, table, keys, rights }: DescribedTable,
  filters: readonly ColumnFilter[],
): string {
  const granted = Object.entries(rights).map(([operation, { columns, masked = [], maxPageSize }]) => [
    operation,
    namesOf(columns),
    namesOf([...masked]),
    maxPageSize,
  ]);
  const parameters = filters.map(({ parameter }) => parameter);
  return createHash('sha256')
    .update(JSON.stringify([prefix, org, project, ref, tableFingerprint(table), keys, granted, parameters]))
    .digest('base64url');
}

const namesOf = (columns: readonly Column[]): readonly string[] => columns.map(({ name }) => name);
