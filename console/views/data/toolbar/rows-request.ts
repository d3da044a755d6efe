/** Addresses and requests of the rows that a table view shows. */

import { context } from '../../../api/context.ts';
import { send, serviceUrl } from '../../../api/request.ts';

/** Path of a table below the fixed path segment; both forms answer, the long one can be shared. */
export function tablePath(database: string, table: string): string {
  const [type = '', name = ''] = database.split('/');
  const { org, project } = context.value ?? {};
  const place = org === undefined || project === undefined ? [] : [org.abbreviation, project.abbreviation];
  return ['api/rest/auto/v1', ...[...place, type, name, table].map(encodeURIComponent)].join('/');
}

/** The query of a page of rows. `search` is that of the address. */
export function pageQuery(search: string, more: readonly string[]): string {
  return [search.replace(/^\?/, ''), ...more].filter((part) => part !== '').join('&');
}

export const rowsUrl = (database: string, table: string, search: string, more: readonly string[]): URL =>
  serviceUrl(tablePath(database, table), pageQuery(search, more));

export const getRows = (url: URL, signal?: AbortSignal): Promise<Response> =>
  send('GET', url, { asPersona: true, ...(signal === undefined ? {} : { signal }) });
