/** What all requests for pages share: where a page begins, and the one name that means nothing to them. */
import { apiError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import type { ReadRequest } from '../request/request.ts';

/** Exact also where a product of numbers is not. */
export function rowsBefore({ page, size }: Pick<ReadRequest, 'page' | 'size'>): number | bigint {
  const rows = page * size;
  return Number.isSafeInteger(rows) ? rows : BigInt(page) * BigInt(size);
}

/** Callers of Custom APIs give a version everywhere; with a column of that name it would look like a filter. */
export function checkVersion({ version }: { readonly version: string | undefined }, table: Table): void {
  if (version !== undefined && table.byName.has('version'))
    throw apiError('reserved_name', 'version', 'the table has a column of that name');
}
