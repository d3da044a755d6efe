/**
 * Parses the path, query and headers of an Auto request. Bodies are read later, for the table's
 * columns.
 */
import { apiError } from '../../errors.ts';
import type { QueryParameter } from '../../util/text/query.ts';
import { parseOrder } from './column-lists.ts';
import { type EntityTags, parseTags } from './entity-tags.ts';
import { type ExpandItem, parseExpand } from './expand-syntax.ts';
import { columnName, looksLikeFilter, parseList, type RawFilter, type RawValue } from './filter-syntax.ts';
import { parseGroups } from './group-syntax.ts';
import { type ApiOperation, namesOf } from './parameters.ts';
import { firstOf, type SingleParameters, sortQuery, type Vocabulary, vocabulary } from './query.ts';
import type {
  DeleteRequest,
  GroupRequest,
  InsertRequest,
  NewValues,
  PatchRowsRequest,
  ReadRequest,
  RowRequest,
  RowSelector,
  UpdateRequest,
  UpsertTarget,
  WriteOptions,
} from './request.ts';

/** Key and conditional headers of a request for one row. */
export interface RowAddress {
  readonly key: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

const GROUP_NAMES = ['$agg', '$group', '$having'];
const vocabularyOf = (operation: ApiOperation, filters: Vocabulary['filters']): Vocabulary => vocabulary(namesOf(operation), filters);
const READ = vocabularyOf('read', 'accepted');
const READ_ROW = vocabularyOf('row.read', 'rejected');
const INSERT = vocabularyOf('insert', 'rejected');
const UPDATE = vocabularyOf('update', 'accepted');
const UPDATE_ROW = vocabularyOf('row.update', 'rejected');
const PATCH = vocabularyOf('patch', 'accepted');
const PATCH_ROW = vocabularyOf('row.patch', 'rejected');
const DELETE = vocabularyOf('delete', 'accepted');
const DELETE_ROW = vocabularyOf('row.delete', 'rejected');

export function parseRead(query: readonly QueryParameter[], maxPageSize: number): ReadRequest | GroupRequest {
  const page = firstOf(query, 'pg');
  const size = firstOf(query, 'ps');
  if (page === undefined) throw apiError('paging_missing', 'pg');
  if (size === undefined) throw apiError('paging_missing', 'ps');
  const pageNumber = pageValue('pg', page);
  const sizeNumber = pageValue('ps', size);
  if (sizeNumber < 1) throw apiError('paging_invalid', 'ps', 'it must be at least 1');
  if (sizeNumber > maxPageSize) throw apiError('paging_invalid', 'ps', `it may be ${maxPageSize} at most`);
  const { single, filters } = sortQuery(query, READ);
  const after = single.get('$after');
  if (after !== undefined && pageNumber !== 0) throw apiError('parameter_invalid', '$after', 'it goes with pg=0');
  const read: ReadRequest = {
    do: 'read',
    format: single.format,
    filters,
    page: pageNumber,
    size: sizeNumber,
    select: single.list('$select'),
    order: parseOrder(single.get('$order')),
    count: countOf(single.get('$count')),
    after,
    expand: expandOf(single.get('$expand'), maxPageSize),
    version: single.get('version'),
  };
  return single.hasAny(GROUP_NAMES) ? grouped(read, single) : read;
}

function grouped({ format, filters, page, size, order, count, version }: ReadRequest, single: SingleParameters): GroupRequest {
  for (const name of ['$select', '$after', '$expand'])
    if (single.get(name) !== undefined) throw apiError('parameter_invalid', name, 'it does not go with $agg and $group');
  return { do: 'group', format, filters, page, size, order, count, version, ...parseGroups(single) };
}

function expandOf(text: string | undefined, maxPageSize: number): readonly ExpandItem[] | undefined {
  return text === undefined ? undefined : parseExpand(text, maxPageSize);
}

/** Accepts digits only, not `0x10`, `1e3` or blanks. */
function pageValue(name: string, text: string): number {
  if (looksLikeFilter(text)) throw apiError('reserved_name', name, 'its value looks like a filter');
  if (!/^\d{1,10}$/.test(text)) throw apiError('paging_invalid', name, 'it must be a whole number of at most ten digits');
  return Number(text);
}

export function parseReadRow(query: readonly QueryParameter[], row: RowAddress, maxPageSize: number): RowRequest {
  const { single } = sortQuery(query, READ_ROW);
  return {
    do: 'row',
    format: single.format,
    key: keyOf(row),
    select: single.list('$select'),
    expand: expandOf(single.get('$expand'), maxPageSize),
    ifNoneMatch: parseTags('If-None-Match', row.ifNoneMatch),
    version: single.get('version'),
  };
}

export function parseInsert(query: readonly QueryParameter[], body: Buffer): InsertRequest {
  const { single } = sortQuery(query, INSERT);
  const { dryRun, maxAffected, returning } = writeOptions(single);
  return { do: 'insert', format: single.format, body, upsert: upsertOf(single), dryRun, maxAffected, returning };
}

/** Parses `true` or the columns of a unique key. A column called true must be quoted. */
function upsertOf(single: SingleParameters): UpsertTarget | undefined {
  const text = single.get('$upsert');
  if (text === undefined || text === 'false') return undefined;
  return text === 'true' ? 'primary key' : single.list('$upsert');
}

/** `row` is set for an update by key. */
export function parseUpdate(query: readonly QueryParameter[], row?: RowAddress): UpdateRequest {
  const { single, sets, filters } = sortQuery(query, row === undefined ? UPDATE : UPDATE_ROW);
  return updateOf('PUT', single, setOf(sets), filters, row);
}

function updateOf(
  method: string,
  single: SingleParameters,
  changes: NewValues,
  filters: readonly RawFilter[],
  row: RowAddress | undefined,
): UpdateRequest {
  const where = rowsOf(method, filters, row);
  const { dryRun, maxAffected, returning } = writeOptions(single);
  return { do: 'update', format: single.format, where, changes, ifMatch: ifMatchOf(row), dryRun, maxAffected, returning };
}

/** Accepts a JSON object for matching rows, or a JSON array of rows with their keys. */
export function parsePatch(query: readonly QueryParameter[], body: Buffer, row?: RowAddress): UpdateRequest | PatchRowsRequest {
  const { single, filters } = sortQuery(query, row === undefined ? PATCH : PATCH_ROW);
  if (row === undefined && isArray(body)) {
    if (filters.length > 0) throw apiError('patch_filter');
    return { do: 'patch', format: single.format, body, ...writeOptions(single) };
  }
  return updateOf('PATCH', single, { body }, filters, row);
}

function isArray(body: Buffer): boolean {
  for (const byte of body) if (byte > 0x20) return byte === 0x5b;
  return false;
}

export function parseDelete(query: readonly QueryParameter[], row?: RowAddress): DeleteRequest {
  const { single, filters } = sortQuery(query, row === undefined ? DELETE : DELETE_ROW);
  const where = rowsOf('DELETE', filters, row);
  const { dryRun, maxAffected, returning } = writeOptions(single);
  return { do: 'delete', format: single.format, where, ifMatch: ifMatchOf(row), dryRun, maxAffected, returning };
}

function rowsOf(method: string, filters: readonly RawFilter[], row: RowAddress | undefined): RowSelector {
  if (row !== undefined) return { key: keyOf(row) };
  if (filters.length === 0) throw apiError('filter_missing', method);
  return { filters };
}

function ifMatchOf(row: RowAddress | undefined): EntityTags | undefined {
  return row && parseTags('If-Match', row.ifMatch);
}

/** Parses the values of a key, which are written like a list. */
function keyOf({ key }: RowAddress): readonly RawValue[] {
  return parseList('the key', key);
}

function setOf(sets: readonly string[]): { readonly column: string; readonly text: string } {
  const [set] = sets;
  if (set === undefined) throw apiError('set_invalid', 'it is missing');
  if (sets.length > 1) throw apiError('set_invalid', 'it is given more than once');
  const close = set.startsWith('"') ? set.search(/[^\\]"\./) + 2 : 0;
  const dot = set.indexOf('.', close);
  if (dot < 0) throw apiError('set_invalid', 'there is no dot between the column and the value');
  if (dot === 0) throw apiError('set_invalid', 'the column is empty');
  return { column: columnName(set.slice(0, dot)), text: set.slice(dot + 1) };
}

function writeOptions(single: SingleParameters): WriteOptions {
  const max = single.get('$max_affected');
  if (max !== undefined && !/^\d{1,15}$/.test(max)) throw apiError('parameter_invalid', '$max_affected', 'it must be a whole number');
  return {
    dryRun: single.flag('$dry_run'),
    maxAffected: max === undefined ? undefined : Number(max),
    returning: returningOf(single.get('$return'), single.list('$select')),
  };
}

function returningOf(text: string | undefined, select: readonly string[] | undefined): WriteOptions['returning'] {
  if (text === 'rows') return { select };
  if (text !== undefined && text !== 'count') throw apiError('parameter_invalid', '$return', 'it must be rows or count');
  if (select !== undefined) throw apiError('parameter_invalid', '$select', 'a write takes it together with $return=rows');
  return undefined;
}

function countOf(text: string | undefined): ReadRequest['count'] {
  if (text === undefined || text === 'exact' || text === 'estimated') return text;
  throw apiError('parameter_invalid', '$count', 'it must be exact or estimated');
}
