/** Filters as the builder edits them, read from and written as parameters of the API. Pure. */
import { indexOutsideQuotes, isQuotedText, quoteName, quoteValue, splitGroup, splitItems, unquote } from './items.ts';
import { formOf, OPERATORS } from './operators.ts';

export interface Comparison {
  readonly type: 'comparison';
  readonly column: string;
  readonly operator: string;
  /** None, one, two, or those of a list. */
  readonly values: readonly string[];
}

export interface Group {
  readonly type: 'or' | 'and' | 'not';
  readonly filters: readonly Filter[];
}

export interface Related {
  readonly type: 'has' | 'hasnot';
  /** With its hint: `orders!sender_id`. */
  readonly relation: string;
  readonly filters: readonly Filter[];
}

/** A parameter that the builder cannot show as fields. It stays in force as it is. */
export interface RawFilter {
  readonly type: 'raw';
  readonly name: string;
  readonly value: string;
}

export type Filter = Comparison | Group | Related | RawFilter;
export type Pair = readonly [name: string, value: string];

const GROUPS: ReadonlySet<string> = new Set(['$or', '$and', '$not']);
const RELATED: ReadonlySet<string> = new Set(['$has', '$hasnot']);
const NULLS: ReadonlySet<string> = new Set(['$null', '$notnull']);

export const isRelated = (filter: Filter): filter is Related => filter.type === 'has' || filter.type === 'hasnot';

/** `true` if the parameter is a filter. */
export const isFilterName = (name: string): boolean => !name.startsWith('$') || GROUPS.has(name) || RELATED.has(name) || NULLS.has(name);

export function readFilter([name, value]: Pair): Filter {
  if (NULLS.has(name)) return { type: 'comparison', column: unquote(value), operator: name.slice(1), values: [] };
  if (GROUPS.has(name)) return readGroup(name, value);
  if (RELATED.has(name)) return readRelated(name, value);
  return readComparison(name, value);
}

function readGroup(name: string, value: string): Filter {
  const { head, inside } = splitGroup(value);
  if (head !== '' || inside === undefined) return { type: 'raw', name, value };
  return { type: name.slice(1) as Group['type'], filters: readMembers(inside, ',') };
}

function readRelated(name: string, value: string): Filter {
  const { head, inside } = splitGroup(value);
  return {
    type: name.slice(1) as Related['type'],
    relation: head,
    filters: inside === undefined || inside === '' ? [] : readMembers(inside, ';'),
  };
}

/** A list inside of a group ends before the next `name=`, so members without one belong to it. */
function readMembers(text: string, separator: string): readonly Filter[] {
  const members: string[] = [];
  for (const item of splitItems(text, separator)) {
    const isMember = indexOutsideQuotes(item, '=') > 0;
    if (isMember || members.length === 0) members.push(item);
    else members.push(`${members.pop() ?? ''}${separator}${item}`);
  }
  return members.map((member) => {
    const at = indexOutsideQuotes(member, '=');
    return at < 0 ? { type: 'raw', name: member, value: '' } : readFilter([member.slice(0, at), member.slice(at + 1)]);
  });
}

function readComparison(name: string, value: string): Filter {
  const dot = value.indexOf('.');
  const operator = value.slice(0, dot);
  if (dot < 0 || !Object.hasOwn(OPERATORS, operator)) return { type: 'raw', name, value };
  const values = readValues(operator, value.slice(dot + 1));
  return values === undefined ? { type: 'raw', name, value } : { type: 'comparison', column: unquote(name), operator, values };
}

/** `undefined` if the text cannot be split into values without knowing the column's type. */
function readValues(operator: string, text: string): readonly string[] | undefined {
  const form = formOf(operator);
  if (form === 'one') return [unquote(text)];
  if (form === 'list') return splitItems(text, ',').map(unquote);
  const halves = splitItems(text, '.');
  return halves.length === 2 ? halves.map(unquote) : undefined;
}

export function writeFilter(filter: Filter): Pair {
  if (filter.type === 'raw') return [filter.name, filter.value];
  if (filter.type === 'comparison') return writeComparison(filter);
  if (isRelated(filter)) {
    const inside = filter.filters.length === 0 ? '' : `(${writeMembers(filter.filters, ';')})`;
    return [`$${filter.type}`, filter.relation + inside];
  }
  return [`$${filter.type}`, `(${writeMembers(filter.filters, ',')})`];
}

const writeMembers = (filters: readonly Filter[], separator: string): string =>
  filters.map((filter) => writeFilter(filter).join('=')).join(separator);

function writeComparison({ column, operator, values }: Comparison): Pair {
  const form = formOf(operator);
  const name = quoteName(column);
  if (form === 'none') return [`$${operator}`, name];
  if (form === 'list') return [name, `${operator}.${values.map(quoteListed).join(',')}`];
  if (form === 'range') return [name, `${operator}.${values.map(quoteAlways).join('.')}`];
  return [name, `${operator}.${quoteValue(values[0] ?? '')}`];
}

const quoteAlways = (text: string): string => (/^[\p{L}\p{N}_-]+$/u.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);
const quoteListed = (text: string): string => (isQuotedText(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : quoteValue(text));

/** `true` if everything that the filter needs is filled in. */
export function isComplete(filter: Filter): boolean {
  if (filter.type === 'raw') return true;
  if (filter.type === 'comparison') {
    const count = { none: 0, one: 1, range: 2, list: 1 }[formOf(filter.operator)];
    return filter.column !== '' && filter.values.length >= count;
  }
  if (isRelated(filter)) return filter.relation !== '' && filter.filters.every(isComplete);
  return filter.filters.length > 0 && filter.filters.every(isComplete);
}
