/** A table in the address, and the paths of its API. */
import { request, serviceUrl } from '../../api/request.ts';
import type { TableDetail, TableItem } from '../../api/types.ts';
import { addressOf } from '../../app/router.ts';

export interface DatabaseTarget {
  readonly dbType: string;
  /** With the schema behind a dot: `shop.sales`. */
  readonly schema: string;
}

export interface TableTarget extends DatabaseTarget {
  readonly table: string;
}

const segmentsOf = ({ dbType, schema, table }: TableTarget): readonly string[] => [dbType, schema, table];

/** Path below the fixed segment. `behind` are further segments: a key, `query`. */
export const autoPath = (target: TableTarget, ...behind: readonly string[]): string =>
  `api/rest/auto/v1/${[...segmentsOf(target), ...behind].map(encodeURIComponent).join('/')}`;

/** The path as the service sees it, for texts that show a request. */
export const shownPath = (path: string, query = ''): string => `${serviceUrl(path).pathname}${query === '' ? '' : `?${query}`}`;

export const tableAddress = (target: TableTarget, search = ''): string => addressOf(['data', ...segmentsOf(target)], search);
export const rowAddress = (target: TableTarget, key: string): string => addressOf(['data', ...segmentsOf(target), key]);
export const databaseAddress = ({ dbType, schema }: DatabaseTarget): string => addressOf(['data', dbType, schema]);

export async function readDetail({ dbType, schema, table }: TableTarget, signal: AbortSignal): Promise<TableDetail> {
  const answer = await request('GET', 'rest/meta/v1/table/detail', { query: { type: dbType, schema, table }, signal, asPersona: true });
  return JSON.parse(answer.text) as TableDetail;
}

export async function readTables({ dbType, schema }: DatabaseTarget, signal: AbortSignal): Promise<readonly TableItem[]> {
  const answer = await request('GET', 'rest/meta/v1/table/list', { query: { type: dbType, schema }, signal, asPersona: true });
  return JSON.parse(answer.text) as readonly TableItem[];
}
