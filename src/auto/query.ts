/**
 * Sorts the query of a request: filters, and parameters that may appear once. The only place that tells reserved names from filters, so that a
 * misspelt filter is never ignored.
 */
import { apiError } from '../errors.ts';
import type { QueryParameter } from '../util/query.ts';
import { columnList } from './column-lists.ts';
import { looksLikeFilter, parseFilter, parseNamedFilter, type RawFilter } from './filter-syntax.ts';

/** Parameters that may be given once. They are few: a list is quicker than a map. */
export class Given {
  readonly #parameters: QueryParameter[] = [];

  add(parameter: QueryParameter): void {
    if (this.get(parameter.name) !== undefined) throw apiError('repeated_parameter', parameter.name);
    this.#parameters.push(parameter);
  }

  get(name: string): string | undefined {
    return firstOf(this.#parameters, name);
  }

  get format(): string {
    return this.get('format') ?? 'json';
  }

  /** `true` or `false`. */
  flag(name: string): boolean {
    const text = this.get(name);
    if (text === undefined || text === 'false') return false;
    if (text === 'true') return true;
    throw apiError('parameter_invalid', name, 'it must be true or false');
  }

  /** Column names between commas; `"a,b"` is one name. */
  list(name: string): readonly string[] | undefined {
    return columnList(name, this.get(name));
  }
}

/** The first value of a name. */
export function firstOf(parameters: readonly QueryParameter[], name: string): string | undefined {
  for (const parameter of parameters) if (parameter.name === name) return parameter.value;
  return undefined;
}

export interface SortedQuery {
  readonly single: Given;
  readonly sets: readonly string[];
  readonly filters: readonly RawFilter[];
}

const FILTER_NAMES = new Set(['$or', '$and', '$not', '$null', '$notnull', '$has', '$hasnot']);
const GENERAL = ['format', 'pwt'];
const RESERVED = new Set(['pg', 'ps', 'set', 'version']);

/** What a method takes: the names of parameters that may be given once (and `set`), and whether it takes filters. */
export interface Vocabulary {
  readonly names: readonly string[];
  readonly filters: 'demanded' | 'taken' | 'none';
}

export function sortQuery(query: readonly QueryParameter[], { names, filters: takesFilters }: Vocabulary): SortedQuery {
  const single = new Given();
  const sets: string[] = [];
  const filters: RawFilter[] = [];
  let misused: string | undefined;
  for (const parameter of query) {
    const { name, value } = parameter;
    if (isReserved(name) && looksLikeFilter(value)) throw apiError('reserved_name', name, 'its value looks like a filter');
    if (name === 'set' && names.includes('set')) sets.push(value);
    else if (GENERAL.includes(name) || names.includes(name)) single.add(parameter);
    else if (RESERVED.has(name)) misused ??= name;
    else if (FILTER_NAMES.has(name) || !name.startsWith('$')) {
      if (takesFilters === 'none') throw apiError('filter_not_here', name);
      filters.push(name.startsWith('$') ? parseNamedFilter(name, value) : parseFilter(name, value));
    } else throw apiError('parameter_unknown', name);
  }
  // That a filter is missing weighs more.
  if (misused !== undefined && (filters.length > 0 || takesFilters !== 'demanded'))
    throw apiError('reserved_name', misused, 'this method does not use it');
  return { single, sets, filters };
}

const isReserved = (name: string): boolean => GENERAL.includes(name) || RESERVED.has(name);
