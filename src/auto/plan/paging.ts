/** Checks shared by all paged requests. Pure. */
import { apiError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import type { ReadRequest } from '../request/request.ts';

/** Offset of a page; a bigint beyond the range of exact numbers. */
export function rowsBefore({ page, size }: Pick<ReadRequest, 'page' | 'size'>): number | bigint {
  const rows = page * size;
  return Number.isSafeInteger(rows) ? rows : BigInt(page) * BigInt(size);
}

/**
 * Clients of Custom APIs send `version` with every request. It is ambiguous if a column has that
 * name.
 */
export function checkVersion({ version }: { readonly version: string | undefined }, table: Table): void {
  if (version !== undefined && table.byName.has('version'))
    throw apiError('reserved_name', 'version', 'the table has a column of that name');
}
