/**
 * Separates the filters of a query from its parameters. The only place that distinguishes reserved
 * names from filters, so that no misspelt filter is ignored.
 */
import { apiError } from '../../errors.ts';
import type { QueryParameter } from '../../util/text/query.ts';
import { columnList } from './column-lists.ts';
import { looksLikeFilter, parseFilter, parseNamedFilter, type RawFilter } from './filter-syntax.ts';
import { FILTER_NAMES } from './parameters.ts';

/** Parameters that may appear once. There are few, so a list is faster than a map. */
export class SingleParameters {
  readonly #parameters: QueryParameter[] = [];

  add(parameter: QueryParameter): void {
    if (this.get(parameter.name) !== undefined) throw apiError('repeated_parameter', parameter.name);
    this.#parameters.push(parameter);
  }

  get(name: string): string | undefined {
    return firstOf(this.#parameters, name);
  }

  hasAny(names: readonly string[]): boolean {
    for (const { name } of this.#parameters) if (names.includes(name)) return true;
    return false;
  }

  get format(): string {
    return this.get('format') ?? 'json';
  }

  /** Parses `true` or `false`. */
  flag(name: string): boolean {
    const text = this.get(name);
    if (text === undefined || text === 'false') return false;
    if (text === 'true') return true;
    throw apiError('parameter_invalid', name, 'it must be true or false');
  }

  /** Parses column names between commas; `"a,b"` is one name. */
  list(name: string): readonly string[] | undefined {
    return columnList(name, this.get(name));
  }
}

export function firstOf(parameters: readonly QueryParameter[], name: string): string | undefined {
  for (const parameter of parameters) if (parameter.name === name) return parameter.value;
  return undefined;
}

export interface SortedQuery {
  readonly single: SingleParameters;
  readonly sets: readonly string[];
  readonly filters: readonly RawFilter[];
}

const GENERAL = ['format', 'pwt'];
const RESERVED = ['pg', 'ps', 'set', 'version'];

/** Meaning of a parameter for a method. */
interface Meaning {
  /** The same string for all requests, so that comparing it is fast. */
  readonly name: string;
  readonly use: 'once' | 'set' | 'unused' | 'filter';
  /** `true` if a column could have this name, so that a value like a filter is ambiguous. */
  readonly isReserved: boolean;
}

/** Parameters that a method accepts, and whether it accepts filters. */
export interface Vocabulary {
  readonly meanings: ReadonlyMap<string, Meaning>;
  readonly filters: 'accepted' | 'rejected';
}

export function vocabulary(names: readonly string[], filters: Vocabulary['filters']): Vocabulary {
  const meanings = new Map<string, Meaning>();
  const add = (name: string, use: Meaning['use']): void => {
    if (!meanings.has(name)) meanings.set(name, { name, use, isReserved: GENERAL.includes(name) || RESERVED.includes(name) });
  };
  for (const name of [...GENERAL, ...names]) add(name, name === 'set' ? 'set' : 'once');
  for (const name of RESERVED) add(name, 'unused');
  for (const name of FILTER_NAMES) add(name, 'filter');
  return { meanings, filters };
}

export function sortQuery(query: readonly QueryParameter[], { meanings, filters: filterUse }: Vocabulary): SortedQuery {
  const single = new SingleParameters();
  const sets: string[] = [];
  const filters: RawFilter[] = [];
  let misused: string | undefined;
  for (const { name, value } of query) {
    const meaning = meanings.get(name);
    if (meaning === undefined || meaning.use === 'filter') {
      if (meaning === undefined && name.startsWith('$')) throw apiError('parameter_unknown', name);
      if (filterUse === 'rejected') throw apiError('filter_not_here', name);
      filters.push(meaning === undefined ? parseFilter(name, value) : parseNamedFilter(name, value));
      continue;
    }
    if (meaning.isReserved && looksLikeFilter(value)) throw apiError('reserved_name', name, 'its value looks like a filter');
    if (meaning.use === 'set') sets.push(value);
    else if (meaning.use === 'once') single.add({ name: meaning.name, value });
    else misused ??= name;
  }
  if (misused !== undefined) throw apiError('reserved_name', misused, 'this method does not use it');
  return { single, sets, filters };
}
