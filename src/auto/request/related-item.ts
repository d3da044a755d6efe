/**
 * Parses `[alias:]table[!hint][(option;option…)]`, where names may be quoted. Must not know
 * relations or options.
 */
import { apiError } from '../../errors.ts';
import type { Hint } from '../../model/relation.ts';
import { columnName, quoted } from './quoting.ts';

export interface RelatedItem {
  readonly alias: string | undefined;
  readonly table: string;
  readonly hint: Hint | undefined;
  readonly options: readonly { readonly name: string; readonly value: string }[];
}

export function readItem(parameter: string, text: string): RelatedItem {
  let at = 0;
  const read = (ends: RegExp): string => {
    const start = at;
    if (text[at] === '"') at = quoted(text, at, parameter).next;
    else while (at < text.length && !ends.test(text[at] as string)) at++;
    const name = columnName(text.slice(start, at));
    if (name === '') throw invalid(parameter, `a name is missing in ${text}; it must be of the form [alias:]table[!hint][(option;option)]`);
    return name;
  };
  const skip = (character: string): boolean => text[at] === character && ++at > 0;
  const first = read(/[:!()"]/);
  const alias = skip(':') ? first : undefined;
  const table = alias === undefined ? first : read(/[:!()"]/);
  const name = skip('!') ? read(/[:!()".]/) : undefined;
  const rest = name !== undefined && skip('.') ? read(/[:!()".]/) : undefined;
  const options = skip('(') ? readOptions(parameter, text, at) : [];
  if (options.length === 0 && at < text.length && text[at - 1] !== '(')
    throw invalid(parameter, `it must be of the form [alias:]table[!hint][(option;option)], and ${text} is not`);
  return { alias, table, hint: name === undefined ? undefined : { name, rest }, options };
}

function readOptions(parameter: string, text: string, from: number): RelatedItem['options'] {
  if (!text.endsWith(')')) throw invalid(parameter, `the parentheses of ${text} do not match`);
  const inner = text.slice(from, -1);
  if (inner === '') throw invalid(parameter, `there is nothing between the parentheses of ${text}`);
  return split(inner, ';', parameter).map((option) => {
    const equals = option.startsWith('"') ? option.indexOf('=', quoted(option, 0, parameter).next) : option.indexOf('=');
    // A reserved name without a value is empty, as in a query.
    if (equals < 0 && option.startsWith('$')) return { name: option, value: '' };
    if (equals < 0) throw apiError('operator_missing', option);
    return { name: option.slice(0, equals), value: option.slice(equals + 1) };
  });
}

/** Splits at separators outside of quotes and parentheses. Empty pieces are rejected. */
export function split(text: string, separator: string, parameter: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = quoted(text, at, parameter).next - 1;
    else if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === separator && depth === 0) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth < 0) break;
  }
  if (depth !== 0) throw invalid(parameter, 'the parentheses do not match');
  pieces.push(text.slice(start));
  if (pieces.includes('')) throw invalid(parameter, 'there is an empty item');
  return pieces;
}

const invalid = (name: string, why: string): Error => apiError('parameter_invalid', name, why);
