/**
 * Condition objects → quoted query parameters. Pure. Part of the client's runtime, so no
 * dependencies; the tools for agents accept the same objects.
 */

/** An invalid filter, with a message for its author. */
export class InvalidFilter extends Error {}

export type QueryPair = readonly [name: string, value: string];

const RESERVED = new Set(['pg', 'ps', 'format', 'set', 'version', 'pwt']);
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PLAIN_VALUE = /^[A-Za-z0-9_:+-]+$/;
const FORMS = new Map<string, 'one' | 'range' | 'list'>([
  ...['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'li', 'rli', 'nli', 'il'].map((op) => [op, 'one'] as const),
  ['bw', 'range'],
  ['in', 'list'],
  ['nin', 'list'],
]);

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A name that begins with `$` is written in quotes, since `$or` and its like are not columns. */
const QUOTED = /^"\$(?:[^"\\]|\\.)*"$/;

const quoted = (name: string): string => (QUOTED.test(name) ? name : quote(name));

/** A column as a filter names it. */
export const quoteName = (name: string): string => (PLAIN_NAME.test(name) && !RESERVED.has(name) ? name : quoted(name));

export function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw new InvalidFilter('a filter compares with a text, a number, a boolean or a date');
}

export function quoteValue(value: unknown): string {
  const text = textOf(value);
  return PLAIN_VALUE.test(text) ? text : quote(text);
}

const listed = (op: string, value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value as unknown[];
  throw new InvalidFilter(`${op} takes a list`);
};

function comparison(column: string, op: string, value: unknown): QueryPair {
  const name = quoteName(column);
  if (op === 'null') {
    if (typeof value !== 'boolean') throw new InvalidFilter('null takes true or false');
    return [value ? '$null' : '$notnull', PLAIN_NAME.test(column) ? column : quoted(column)];
  }
  const form = FORMS.get(op);
  if (form === undefined) throw new InvalidFilter(`${op} is no operator; use ${[...FORMS.keys()].join(', ')} or null`);
  if (form === 'list') return [name, `${op}.${listed(op, value).map(quoteValue).join(',')}`];
  if (form === 'range') {
    const [low, high, more] = listed(op, value);
    if (low === undefined || high === undefined || more !== undefined) throw new InvalidFilter(`${op} takes a list of two values`);
    return [name, `${op}.${quote(textOf(low))}.${quote(textOf(high))}`];
  }
  return [name, `${op}.${quoteValue(value)}`];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function group(name: string, items: readonly QueryPair[]): QueryPair {
  if (items.length === 0) throw new InvalidFilter(`${name} is empty`);
  return [name, `(${items.map(([key, value]) => `${key}=${value}`).join(',')})`];
}

/** Writes a condition as a single item of a group. */
function single(where: unknown): QueryPair {
  const pairs = whereToQuery(where);
  const [first] = pairs;
  if (first === undefined) throw new InvalidFilter('a filter inside of a group is empty');
  return pairs.length === 1 ? first : group('$and', pairs);
}

function member(name: string, value: unknown): readonly QueryPair[] {
  if (name === '$and') return listed(name, value).flatMap((item) => whereToQuery(item));
  if (name === '$or') return [group(name, listed(name, value).map(single))];
  if (name === '$not') return [group(name, Array.isArray(value) ? value.map(single) : whereToQuery(value))];
  if (name.startsWith('$')) throw new InvalidFilter(`${name} is unknown; use $or, $and or $not`);
  if (value === null) return [comparison(name, 'null', true)];
  if (isObject(value)) return Object.entries(value).map(([op, operand]) => comparison(name, op, operand));
  return [comparison(name, 'eq', value)];
}

/** Conditions that must all hold. Members that are `undefined` are ignored. */
export function whereToQuery(where: unknown): readonly QueryPair[] {
  if (!isObject(where)) throw new InvalidFilter('a filter is an object of columns');
  return Object.entries(where).flatMap(([name, value]) => (value === undefined ? [] : member(name, value)));
}

export interface AggregateParts {
  readonly agg?: unknown;
  readonly group?: unknown;
  readonly having?: unknown;
}

const PART = /^(.+)\.(year|quarter|month|week|day|hour|minute)$/s;
/** A name of a group or an aggregate, which may be quoted already. */
const columnOf = (name: string): string => (name[0] === '"' ? name : quoteName(name));

/** `sum.total`, with the column quoted if necessary. */
function aggregateOf(what: unknown): string {
  if (typeof what !== 'string') throw new InvalidFilter('an aggregate is a text such as count or sum.total');
  const dot = what.indexOf('.');
  return dot < 0 ? what : `${what.slice(0, dot)}.${columnOf(what.slice(dot + 1))}`;
}

function groupOf(name: unknown): string {
  if (typeof name !== 'string') throw new InvalidFilter('a group is the name of a column, with or without a part of its time');
  const [, column, part] = PART.exec(name) ?? [];
  return column === undefined ? columnOf(name) : `${columnOf(column)}.${part}`;
}

/** Each part as an object or list, or as a text in the grammar of the parameter. */
export function aggregateToQuery({ agg, group: groups, having }: AggregateParts): readonly QueryPair[] {
  const named = isObject(agg) ? Object.entries(agg).map(([name, what]) => `${quoteName(name)}:${aggregateOf(what)}`) : agg;
  const pairs: (readonly [string, string])[] = [
    ['$agg', listText('agg', named)],
    ['$group', listText('group', Array.isArray(groups) ? (groups as unknown[]).map(groupOf) : groups)],
    ['$having', isObject(having) ? group('', whereToQuery(having))[1] : listText('having', having)],
  ];
  return pairs.filter(([, value]) => value !== '');
}

function listText(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  throw new InvalidFilter(`${name} takes an object, a list or a text`);
}
