/**
 * A request to the Auto API as data: what its query asks for, before any table is known. Reserved names are told apart from filters here
 * and nowhere else, so that a misspelt filter is never taken for nothing.
 */
import { apiError } from '../errors.ts';
import type { QueryParameter } from '../util/query.ts';
import { columnName, looksLikeFilter, parseFilter, parseGroup, type RawFilter } from './filter-syntax.ts';

export interface Options {
  readonly format: string;
  readonly filters: readonly RawFilter[];
}

export interface ReadRequest extends Options {
  readonly do: 'read';
  readonly page: number;
  readonly size: number;
  readonly select: readonly string[] | undefined;
  readonly order: readonly { readonly column: string; readonly direction: 'asc' | 'desc' }[] | undefined;
  readonly count: boolean;
  /** Keyset paging: the cursor, empty for the first page; undefined when it was not asked for. */
  readonly after: string | undefined;
  /** `version` is for Custom endpoints: it means nothing here, unless the table has a column of that name. */
  readonly version: string | undefined;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly maxAffected: number | undefined;
}

export interface InsertRequest extends WriteOptions {
  readonly do: 'insert';
  readonly format: string;
  readonly body: Buffer;
  readonly upsert: boolean;
}

export interface UpdateRequest extends Options, WriteOptions {
  readonly do: 'update';
  readonly set: { readonly column: string; readonly value: string };
}

export interface DeleteRequest extends Options, WriteOptions {
  readonly do: 'delete';
}

export type WriteRequest = InsertRequest | UpdateRequest | DeleteRequest;
export type AutoRequest = ReadRequest | WriteRequest;

/** Parameters that may be given once. They are few: a list is quicker than a map. */
class Given {
  readonly #parameters: QueryParameter[] = [];

  add(parameter: QueryParameter): void {
    if (this.get(parameter.name) !== undefined) throw apiError('repeated_parameter', parameter.name);
    this.#parameters.push(parameter);
  }

  get(name: string): string | undefined {
    return firstOf(this.#parameters, name);
  }
}

/** The first value of a name. */
function firstOf(parameters: readonly QueryParameter[], name: string): string | undefined {
  for (const parameter of parameters) if (parameter.name === name) return parameter.value;
  return undefined;
}

/** What the query says, sorted by what each name is. */
interface Sorted {
  readonly single: Given;
  readonly sets: string[];
  readonly filters: RawFilter[];
  /** A reserved name that the method does not use. */
  readonly unused: string | undefined;
}

const FILTER_NAMES = new Set(['$or', '$and', '$not', '$null', '$notnull']);
const GENERAL = ['format', 'pwt'];
/** Names that no filter has unless it is quoted, whether a method uses them or not. */
const RESERVED = [...GENERAL, 'version', 'pg', 'ps', 'set'];

/** May the request have filters? */
type Filtering = 'allowed' | 'refused';

function sort(query: readonly QueryParameter[], allowed: readonly string[], filtering: Filtering = 'allowed'): Sorted {
  const single = new Given();
  const sets: string[] = [];
  const filters: RawFilter[] = [];
  let unused: string | undefined;
  for (const parameter of query) {
    const { name, value } = parameter;
    const isReserved = RESERVED.includes(name);
    if (isReserved && looksLikeFilter(value)) throw apiError('reserved_name', name, 'its value looks like a filter');
    if (name === 'set' && allowed.includes('set')) sets.push(value);
    else if (GENERAL.includes(name) || allowed.includes(name)) single.add(parameter);
    else if (isReserved) unused ??= name;
    else if (name.startsWith('$')) filters.push(special(name, value, filtering));
    else filters.push(parseFilter(name, value));
  }
  return { single, sets, filters, unused };
}

/** Behind the demand for a filter: a write that has none is refused for that. */
function refuseUnused(name: string | undefined): void {
  if (name !== undefined) throw apiError('reserved_name', name, 'this method does not use it');
}

function special(name: string, value: string, filtering: Filtering): RawFilter {
  if (!FILTER_NAMES.has(name) || filtering === 'refused') throw apiError('parameter_unknown', name);
  if (name === '$null' || name === '$notnull') return { op: name === '$null' ? 'null' : 'notnull', column: columnName(value) };
  return parseGroup(name, value);
}

const READ_NAMES = ['pg', 'ps', 'version', '$select', '$order', '$count', '$after'];
const WRITE_NAMES = ['$dry_run', '$max_affected'];
const UPDATE_NAMES = [...WRITE_NAMES, 'set'];
const INSERT_NAMES = [...WRITE_NAMES, '$upsert'];

export function parseRead(query: readonly QueryParameter[], maxPageSize: number): ReadRequest {
  const page = firstOf(query, 'pg');
  const size = firstOf(query, 'ps');
  if (page === undefined) throw apiError('paging_missing', 'pg');
  if (size === undefined) throw apiError('paging_missing', 'ps');
  const pageNumber = pageValue('pg', page);
  const sizeNumber = pageValue('ps', size);
  if (sizeNumber < 1) throw apiError('paging_invalid', 'ps', 'it must be at least 1');
  if (sizeNumber > maxPageSize) throw apiError('paging_invalid', 'ps', `it may be ${maxPageSize} at most`);
  const { single, filters, unused } = sort(query, READ_NAMES);
  refuseUnused(unused);
  const after = single.get('$after');
  if (after !== undefined && pageNumber !== 0) throw apiError('parameter_invalid', '$after', 'it goes with pg=0');
  return {
    do: 'read',
    format: single.get('format') ?? 'json',
    filters,
    page: pageNumber,
    size: sizeNumber,
    select: listOf('$select', single.get('$select')),
    order: orderOf(single.get('$order')),
    count: countOf(single.get('$count')),
    after,
    version: single.get('version'),
  };
}

/** Digits only: `0x10`, `1e3` and blanks are no page numbers. */
function pageValue(name: string, text: string): number {
  if (looksLikeFilter(text)) throw apiError('reserved_name', name, 'its value looks like a filter');
  if (!/^\d{1,10}$/.test(text)) throw apiError('paging_invalid', name, 'it must be a whole number of at most ten digits');
  return Number(text);
}

export function parseInsert(query: readonly QueryParameter[], body: Buffer): InsertRequest {
  for (const { name } of query) {
    if (!GENERAL.includes(name) && !name.startsWith('$')) throw apiError('filter_not_here', name);
  }
  const { single } = sort(query, INSERT_NAMES, 'refused');
  const upsert = flagOf('$upsert', single.get('$upsert'));
  return { do: 'insert', format: single.get('format') ?? 'json', body, upsert, ...writeOptions(single) };
}

export function parseUpdate(query: readonly QueryParameter[]): UpdateRequest {
  const { single, sets, filters, unused } = sort(query, UPDATE_NAMES);
  const set = setOf(sets);
  if (filters.length === 0) throw apiError('filter_missing', 'PUT');
  refuseUnused(unused);
  return { do: 'update', format: single.get('format') ?? 'json', filters, set, ...writeOptions(single) };
}

export function parseDelete(query: readonly QueryParameter[]): DeleteRequest {
  const { single, filters, unused } = sort(query, WRITE_NAMES);
  if (filters.length === 0) throw apiError('filter_missing', 'DELETE');
  refuseUnused(unused);
  return { do: 'delete', format: single.get('format') ?? 'json', filters, ...writeOptions(single) };
}

function setOf(sets: readonly string[]): { readonly column: string; readonly value: string } {
  const [set] = sets;
  if (set === undefined) throw apiError('set_invalid', 'it is missing');
  if (sets.length > 1) throw apiError('set_invalid', 'it is given more than once');
  const close = set.startsWith('"') ? set.search(/[^\\]"\./) + 2 : 0;
  const dot = set.indexOf('.', close);
  if (dot < 0) throw apiError('set_invalid', 'there is no dot between the column and the value');
  if (dot === 0) throw apiError('set_invalid', 'the column is empty');
  return { column: columnName(set.slice(0, dot)), value: set.slice(dot + 1) };
}

function writeOptions(single: Given): WriteOptions {
  const most = single.get('$max_affected');
  if (most !== undefined && !/^\d{1,15}$/.test(most)) throw apiError('parameter_invalid', '$max_affected', 'it must be a whole number');
  return { dryRun: flagOf('$dry_run', single.get('$dry_run')), maxAffected: most === undefined ? undefined : Number(most) };
}

function flagOf(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw apiError('parameter_invalid', name, 'it must be true or false');
}

function countOf(text: string | undefined): boolean {
  if (text === undefined) return false;
  if (text === 'exact') return true;
  throw apiError('parameter_invalid', '$count', 'it must be exact');
}

/** Column names between commas; `"a,b"` is one name. */
function listOf(name: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const items = text.match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
  if (items.length === 0) throw apiError('parameter_invalid', name, 'it must name at least one column');
  return items.map(columnName);
}

function orderOf(text: string | undefined): ReadRequest['order'] {
  if (text === undefined) return undefined;
  const items = text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  if (items.length === 0) throw apiError('parameter_invalid', '$order', 'it must name at least one column');
  return items.map((item) => {
    const match = /^(.*?)(?:\.(asc|desc))?$/s.exec(item);
    return { column: columnName(match?.[1] ?? item), direction: match?.[2] === 'desc' ? 'desc' : 'asc' };
  });
}
