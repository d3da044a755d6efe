/**
 * Parses filters: `column=operator.value`, quoting, lists, ranges and groups. Must not know tables:
 * columns and types are checked later.
 */
import { apiError } from '../../errors.ts';
import type { Hint } from '../../model/relation.ts';
import { isOperator, OPERATORS, type Operator, operatorNamed, type Values } from '../../sql/operators.ts';
import type { Condition } from '../../sql/plan.ts';
import { columnName, quoted } from './quoting.ts';
import { readItem } from './related-item.ts';

export { columnName };

/** A value as written. Whether it is quoted decides how a range may be split. */
export interface RawValue {
  readonly text: string;
  readonly quoted: boolean;
}

export type RawFilter =
  | { readonly op: Operator; readonly column: string; readonly values: readonly RawValue[] }
  | { readonly op: 'and' | 'or'; readonly of: readonly RawFilter[] }
  | { readonly op: 'not'; readonly of: RawFilter }
  | { readonly op: 'null' | 'notnull'; readonly column: string }
  | RelatedFilter;

/** Selects related rows of another table. */
export interface RelatedSelector {
  readonly table: string;
  readonly hint: Hint | undefined;
  readonly filters: readonly RawFilter[];
}

/** Matches rows with or without related rows. `condition` is set when the relation is resolved. */
export interface RelatedFilter {
  readonly op: 'has' | 'hasnot';
  readonly selector: RelatedSelector;
  readonly condition?: Condition;
}

const MAX_DEPTH = 16;
const MAX_LIST = 10_000;

export function parseFilter(name: string, expression: string): RawFilter {
  const column = columnName(name);
  const dot = expression.indexOf('.');
  if (dot < 0) throw isOperator(expression) ? apiError('operator_missing', column) : operatorError(column, expression);
  const op = operatorNamed(expression.slice(0, dot));
  if (op === undefined) throw operatorError(column, expression.slice(0, dot));
  const text = expression.slice(dot + 1);
  return { op, column, values: PARSERS[OPERATORS[op].values](column, text) };
}

/** Operators of other APIs, which are rejected. */
const FOREIGN_OPERATORS = ['is', 'lli'];

/** `true` if the value of a reserved parameter looks like a filter on a column of that name. */
export function looksLikeFilter(value: string): boolean {
  const dot = value.indexOf('.');
  if (dot < 2) return false;
  const op = value.slice(0, dot);
  return isOperator(op) || FOREIGN_OPERATORS.includes(op);
}

/** A word is an unknown operator; anything else means that the operator is missing. */
function operatorError(column: string, op: string): Error {
  return /^[A-Za-z_]{1,32}$/.test(op) ? apiError('operator_unknown', op, column) : apiError('operator_missing', column);
}

const PARSERS: Readonly<Record<Values, (column: string, text: string) => readonly RawValue[]>> = {
  one: (column, text) => [one(column, text)],
  list: parseList,
  range: parseRange,
};

function one(column: string, text: string): RawValue {
  if (!text.startsWith('"')) return { text, quoted: false };
  const { value, next } = quoted(text, 0, column);
  if (next !== text.length) throw apiError('value_quoting', column, 'there is something after the closing quote');
  return { text: value, quoted: true };
}

export function parseList(column: string, text: string): readonly RawValue[] {
  if (text === '') throw apiError('list_empty', column);
  const values: RawValue[] = [];
  let at = 0;
  while (at <= text.length) {
    if (values.length === MAX_LIST) throw apiError('value_invalid', column, `a list may have ${MAX_LIST} values at most`);
    if (text[at] === '"') {
      const { value, next } = quoted(text, at, column);
      if (next < text.length && text[next] !== ',') throw apiError('value_quoting', column, 'a comma must follow a closing quote');
      values.push({ text: value, quoted: true });
      at = next + 1;
      continue;
    }
    const comma = text.indexOf(',', at);
    const end = comma < 0 ? text.length : comma;
    values.push({ text: text.slice(at, end), quoted: false });
    at = end + 1;
  }
  return values;
}

/**
 * Returns two values if quotes delimit them, otherwise one that is split when the column's type is
 * known.
 */
function parseRange(column: string, text: string): readonly RawValue[] {
  if (text.startsWith('"')) {
    const { value, next } = quoted(text, 0, column);
    if (text[next] !== '.') throw apiError('range_invalid', column);
    return [{ text: value, quoted: true }, one(column, text.slice(next + 1))];
  }
  if (!text.endsWith('"')) return [{ text, quoted: false }];
  const open = text.indexOf('."');
  if (open < 0) throw apiError('range_invalid', column);
  return [{ text: text.slice(0, open), quoted: false }, one(column, text.slice(open + 1))];
}

/** Parses `(a=eq.1,$and=(b=gt.2,c=lt.3),$not=(d=eq.4))` of `$or`, `$and` and `$not`. */
export function parseGroup(name: string, text: string, depth = 0): RawFilter {
  if (depth > MAX_DEPTH) throw apiError('parameter_invalid', name, `groups may be nested ${MAX_DEPTH} deep at most`);
  if (!text.startsWith('(') || !text.endsWith(')')) throw apiError('parameter_invalid', name, 'it must be of the form (filter,filter,…)');
  const of = splitGroup(name, text.slice(1, -1)).map((item) => parseItem(item, depth));
  if (of.length === 0) throw apiError('parameter_invalid', name, 'it must have at least one filter');
  if (name === '$not') return { op: 'not', of: of.length === 1 && of[0] !== undefined ? of[0] : { op: 'and', of } };
  return { op: name === '$or' ? 'or' : 'and', of };
}

/** Parses one filter: `column=operator.value`, `$or=(…)` or `$null=column`. */
export function parseFilterText(text: string): RawFilter {
  return parseItem(text, 0);
}

function parseItem(item: string, depth: number): RawFilter {
  const equals = splitName(item);
  if (equals < 0) throw apiError('operator_missing', item);
  return parseNamedFilter(item.slice(0, equals), item.slice(equals + 1), depth + 1);
}

/** Parses `name=value` where only a filter is allowed. */
export function parseNamedFilter(name: string, value: string, depth = 0): RawFilter {
  if (name === '$or' || name === '$and' || name === '$not') return parseGroup(name, value, depth);
  if (name === '$has' || name === '$hasnot') return parseRelated(name, value, depth);
  if (name === '$null' || name === '$notnull') return { op: name === '$null' ? 'null' : 'notnull', column: columnName(value) };
  if (name.startsWith('$')) throw apiError('parameter_unknown', name);
  return parseFilter(name, value);
}

function parseRelated(name: '$has' | '$hasnot', value: string, depth: number): RelatedFilter {
  if (depth > MAX_DEPTH) throw apiError('parameter_invalid', name, `filters may be nested ${MAX_DEPTH} deep at most`);
  const { alias, table, hint, options } = readItem(name, value);
  if (alias !== undefined) throw apiError('parameter_invalid', name, 'it takes no alias');
  const filters = options.map((option) => parseNamedFilter(option.name, option.value, depth + 1));
  return { op: name === '$has' ? 'has' : 'hasnot', selector: { table, hint, filters } };
}

/** Offset of the first `=` outside of quotes. */
function splitName(item: string): number {
  return item.startsWith('"') ? item.indexOf('=', quoted(item, 0, item).next) : item.indexOf('=');
}

/** A filter whose value is a list. */
const VALUE_LIST = /^(?:"(?:[^"\\]|\\.)*"|[^="]+)=n?in\./;

/**
 * Splits items at commas outside of quotes and parentheses. A piece without `name=` continues a
 * list (`a=in.1,2`).
 */
function splitGroup(name: string, text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  const push = (end: number): void => {
    const piece = text.slice(start, end);
    if (text === '') return;
    const last = items.at(-1);
    const continuesList = last !== undefined && !/^(?:"(?:[^"\\]|\\.)*"|[^="]+)=/.test(piece);
    // An empty value may stand in a list of values only.
    if (piece === '' && (last === undefined || !VALUE_LIST.test(last)))
      throw apiError('parameter_invalid', name, 'it has an empty item; remove the comma or write a filter');
    if (continuesList) items[items.length - 1] += `,${piece}`;
    else items.push(piece);
    start = end + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = quoted(text, at, name).next - 1;
    else if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === ',' && depth === 0) push(at);
    if (depth < 0) throw apiError('parameter_invalid', name, 'the parentheses do not match');
  }
  if (depth !== 0) throw apiError('parameter_invalid', name, 'the parentheses do not match');
  push(text.length);
  return items;
}
