/** Addresses of the rows of blocks, and the rows in their answers. */
import { type Exact, isObject, parseExact } from '../../ui/exact.ts';
import { baseRoot, read, serviceRoot } from './api.ts';
import type { Data } from './document.ts';
import { fillFilter, fillValue, type Row } from './fill.ts';
import { type Place, placeOfProject } from './project.ts';

const TABLE = /^(ms|ma|pg|ch)\/([^/]+)\/([^/]+)$/;

export const isTable = (from: string): boolean => TABLE.test(from);

export type Pair = readonly [name: string, value: string];

/** Path of a table, and of one of its rows. */
export function tableUrl(from: string, pairs: readonly Pair[], key?: readonly string[]): URL {
  const path = from.split('/').map(encodeURIComponent).join('/');
  const row = key === undefined ? '' : `/${encodeURIComponent(key.map(quoteKey).join(','))}`;
  const url = new URL(`api/rest/auto/v1/${path}${row}`, serviceRoot);
  url.search = writePairs(pairs);
  return url;
}

const quoteKey = (text: string): string => (/^[\w:-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);

const writePairs = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

/** The first `=` outside of quotes divides a filter. */
function pairOf(filter: string): Pair {
  let isQuoted = false;
  for (let at = 0; at < filter.length; at++) {
    const letter = filter.charAt(at);
    if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted && letter === '\\') at++;
    else if (letter === '=' && !isQuoted) return [filter.slice(0, at), filter.slice(at + 1)];
  }
  return [filter, ''];
}

/** Filters of a table that have all their values. */
export const filterPairs = ({ filters = [] }: Pick<Data, 'filters'>): readonly Pair[] =>
  filters.flatMap((filter) => {
    const filled = fillFilter(filter);
    return filled === undefined ? [] : [pairOf(filled)];
  });

const listPair = (name: string, items: readonly string[] | undefined): readonly Pair[] =>
  items === undefined || items.length === 0 ? [] : [[name, items.join(',')]];

/** Parameters of a table's rows, without paging. */
export function tablePairs(data: Data): readonly Pair[] {
  const { order, expand, group, agg, having } = data;
  const filled = (items: readonly string[] | undefined) => items?.flatMap((item) => fillFilter(item) ?? []);
  return [
    ...filterPairs(data),
    ...listPair('$order', order),
    ...listPair('$expand', filled(expand)),
    ...listPair('$group', group),
    ...listPair('$agg', agg),
    ...((filled(having) ?? []).length === 0 ? [] : [['$having', `(${(filled(having) ?? []).join(',')})`] as const]),
  ];
}

/** Address of a call. Every list item is a parameter of its own. */
export function callUrl({ org, project }: Place, uri: string, pairs: readonly Pair[]): URL {
  const path = [org, project, ...uri.split('/')].map(encodeURIComponent).join('/');
  const url = new URL(path, baseRoot);
  url.search = writePairs(pairs);
  return url;
}

async function endpointUrl({ from, params = {}, version }: Data, more: readonly Pair[]): Promise<URL> {
  const pairs = Object.entries(params).flatMap(([name, value]) => fillValue(value).map((text): Pair => [name, text]));
  return callUrl(await placeOfProject(), from, [
    ...pairs,
    ...(version === undefined ? [] : [['version', String(version)] as const]),
    ...more,
  ]);
}

/** Address of all rows of a block, with more parameters. */
export function dataUrl(data: Data, more: readonly Pair[]): Promise<URL> {
  return isTable(data.from) ? Promise.resolve(tableUrl(data.from, [...tablePairs(data), ...more])) : endpointUrl(data, more);
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly headers: Headers;
}

export async function readRows(url: URL): Promise<Rows> {
  const { text, headers } = await read(url);
  return { rows: rowsOf(parseExact(text)), headers };
}

/** A result that is not a list of objects is one row, or rows with the column `value`. */
export function rowsOf(value: Exact): readonly Row[] {
  if (Array.isArray(value)) return (value as readonly Exact[]).map((item) => (isObject(item) ? item : { value: item }));
  return [isObject(value) ? value : { value }];
}
