/** Reads single rows again, for comparisons and after writes. */
import { request } from '../../../api/request.ts';
import type { TableDetail } from '../../../api/types.ts';
import type { ReadRow } from '../edit/pending.ts';
import { writePairs } from '../query/query.ts';
import { autoPath, type TableTarget } from '../table-target.ts';
import { filterOfKeys, keyColumns, rowKey } from './row-key.ts';
import { readRows } from './row-page.ts';
import type { RawRow } from './row-store.ts';

/** Number of rows in one request. */
const BATCH = 200;

const rowsIn = (text: string): readonly RawRow[] => {
  const page = readRows(text);
  return Array.from({ length: page.rowCount }, (_, row) => new Map(page.columns.map((name, at) => [name, page.raw(row, at) ?? 'null'])));
};

/** One row with its entity tag. */
export async function readRow(target: TableTarget, key: string, stop?: AbortSignal): Promise<ReadRow> {
  const answer = await request('GET', autoPath(target, key), { asPersona: true, ...(stop && { signal: stop }) });
  const [row = new Map()] = rowsIn(`[${answer.text}]`);
  return { row, etag: answer.headers.get('etag') ?? undefined };
}

/** Rows by their keys. Rows that do not exist any more are absent. */
export async function readRowsByKey(
  target: TableTarget,
  detail: TableDetail,
  rows: readonly RawRow[],
  stop: AbortSignal,
): Promise<ReadonlyMap<string, RawRow>> {
  const columns = keyColumns(detail);
  const found = new Map<string, RawRow>();
  for (let first = 0; first < rows.length; first += BATCH) {
    const batch = rows.slice(first, first + BATCH);
    const filter = filterOfKeys(
      columns,
      batch.map((row) => (name) => row.get(name)),
    );
    const answer = await longQuery(target, `${writePairs([filter]).slice(1)}&pg=0&ps=${batch.length}`, stop);
    for (const row of rowsIn(answer.text)) found.set(rowKey(columns, (name) => row.get(name)) ?? '', row);
  }
  return found;
}

/** Number of rows that match a filter, counted by the database. */
export async function countRows(target: TableTarget, filter: string, stop: AbortSignal): Promise<number> {
  const answer = await longQuery(target, [filter, 'pg=0&ps=1&$count=exact'].filter((part) => part !== '').join('&'), stop);
  return Number(answer.headers.get('x-total-count'));
}

const longQuery = (target: TableTarget, query: string, stop: AbortSignal) =>
  request('POST', autoPath(target, 'query'), {
    body: query,
    contentType: 'application/x-www-form-urlencoded',
    signal: stop,
    asPersona: true,
  });
