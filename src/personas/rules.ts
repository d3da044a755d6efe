/**
 * Parses the row rules of a persona: Auto filters in which `?:name` is a caller value. Must not
 * know tables.
 */
import { parseFilterText, type RawFilter, type RawValue } from '../auto/request/filter-syntax.ts';
import { ApiError } from '../errors.ts';
import { OPERATORS } from '../sql/operators.ts';
import { callerValueName, isCallerValue, KNOWN_NAMES } from './caller-values.ts';

/** Thrown for an invalid rule, with the reason. */
export class InvalidRule extends Error {}

export function parseRule(text: string): RawFilter {
  try {
    return checked(parseFilterText(text));
  } catch (error) {
    throw error instanceof ApiError ? new InvalidRule(error.message.replace(/[.\s]+$/, '')) : error;
  }
}

/** Returns the name of a caller value, or `undefined` for a fixed value. */
export function nameIn({ text, quoted }: RawValue): string | undefined {
  return !quoted && isCallerValue(text) ? callerValueName(text) : undefined;
}

function checked(filter: RawFilter): RawFilter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, of: filter.of.map(checked) };
    case 'not':
      return { op: 'not', of: checked(filter.of) };
    case 'null':
    case 'notnull':
      return { ...filter, column: namedColumn(filter.column) };
    case 'has':
    case 'hasnot':
      throw new InvalidRule('a rule can only use columns of its own table, not $has and $hasnot');
    default: {
      const values = OPERATORS[filter.op].values === 'range' ? splitRange(filter.values) : filter.values;
      for (const value of values)
        if (!value.quoted && isCallerValue(value.text) && nameIn(value) === undefined)
          throw new InvalidRule(`"${value.text.slice(0, 80)}" is not a caller value; known are ${KNOWN_NAMES}`);
      return { op: filter.op, column: namedColumn(filter.column), values };
    }
  }
}

function namedColumn(name: string): string {
  if (name === '') throw new InvalidRule('it names no column');
  return name;
}

const RANGE = /^(\?:(?:claims\.)?[^.]+)\.(.+)$|^(.+?)\.(\?:.+)$/s;

/** Splits a range at the boundary of a caller value. */
function splitRange(values: readonly RawValue[]): readonly RawValue[] {
  const [only] = values;
  if (values.length !== 1 || only === undefined || only.quoted || !only.text.includes('?:')) return values;
  const match = RANGE.exec(only.text);
  const low = match?.[1] ?? match?.[3];
  const high = match?.[2] ?? match?.[4];
  if (low === undefined || high === undefined) throw new InvalidRule('the range needs two values, as in bw.?:claims.from.?:claims.to');
  return [
    { text: low, quoted: false },
    { text: high, quoted: false },
  ];
}

/** Columns that a rule uses. */
export function columnsOf(filter: RawFilter): readonly string[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.of.flatMap(columnsOf);
    case 'not':
      return columnsOf(filter.of);
    case 'has':
    case 'hasnot':
      return [];
    default:
      return [filter.column];
  }
}
