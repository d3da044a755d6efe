/**
 * Placeholders: `?:name` is the value of an input, `?:row.column` that of a row. They are values,
 * never parsed as a part of a filter.
 */
import type { RawFilter, RawValue } from '../../auto/request/filter-syntax.ts';
import { OPERATORS } from '../../sql/operators.ts';

const START = '?:';
const ROW = 'row.';

export type Placeholder = { readonly of: 'input'; readonly name: string } | { readonly of: 'row'; readonly name: string };

/** `undefined` if the text is a literal. */
export function placeholderOf(text: string): Placeholder | undefined {
  if (!text.startsWith(START)) return undefined;
  const name = text.slice(START.length);
  return name.startsWith(ROW) && name.length > ROW.length ? { of: 'row', name: name.slice(ROW.length) } : { of: 'input', name };
}

/** Returns the placeholder of a value that is not quoted. */
export function placeholderIn({ text, quoted }: RawValue): Placeholder | undefined {
  return quoted ? undefined : placeholderOf(text);
}

/** The low end is a placeholder without dots, or the high end is one. */
const RANGE = /^(\?:[^.]+)\.(.+)$|^(.+?)\.(\?:[^.]+)$/s;

/** Values of a comparison; a range is split at the boundary of a placeholder. */
export function valuesOf(filter: Extract<RawFilter, { readonly values: readonly RawValue[] }>): readonly RawValue[] {
  const [only] = filter.values;
  const isWhole = OPERATORS[filter.op].values === 'range' && filter.values.length === 1 && only?.quoted === false;
  const match = isWhole ? RANGE.exec(only.text) : null;
  const ends = match === null ? undefined : [match[1] ?? match[3] ?? '', match[2] ?? match[4] ?? ''];
  return ends === undefined ? filter.values : ends.map((text) => ({ text, quoted: false }));
}

/** Placeholders of a filter, also of the related rows in it. */
export function placeholdersIn(filter: RawFilter): readonly Placeholder[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.of.flatMap(placeholdersIn);
    case 'not':
      return placeholdersIn(filter.of);
    case 'has':
    case 'hasnot':
      return filter.selector.filters.flatMap(placeholdersIn);
    case 'null':
    case 'notnull':
      return [];
    default:
      return valuesOf(filter).flatMap((value) => placeholderIn(value) ?? []);
  }
}
