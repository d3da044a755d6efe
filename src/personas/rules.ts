/**
 * The rules of a persona: filters of the Auto grammar in which `?:name` stands for a value of the caller. Parses them once; knows no table.
 */
import { parseFilterText, type RawFilter, type RawValue } from '../auto/request/filter-syntax.ts';
import { ApiError } from '../errors.ts';
import { OPERATORS } from '../sql/operators.ts';
import { callerValueName, isCallerValue, KNOWN_NAMES } from './caller-values.ts';

/** A rule that cannot be read, and why. */
export class InvalidRule extends Error {}

export function parseRule(text: string): RawFilter {
  try {
    return checked(parseFilterText(text));
  } catch (error) {
    throw error instanceof ApiError ? new InvalidRule(error.message.replace(/[.\s]+$/, '')) : error;
  }
}

/** The name of the caller's value that stands there; undefined for a value of the rule's own. */
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
      return filter;
    case 'has':
    case 'hasnot':
      throw new InvalidRule('a rule is about the columns of its own table; $has and $hasnot are none of it');
    default: {
      const values = OPERATORS[filter.op].values === 'range' ? splitRange(filter.values) : filter.values;
      for (const value of values)
        if (!value.quoted && isCallerValue(value.text) && nameIn(value) === undefined)
          throw new InvalidRule(`"${value.text.slice(0, 80)}" is no value of a caller; there are ${KNOWN_NAMES}`);
      return { op: filter.op, column: filter.column, values };
    }
  }
}

const RANGE = /^(\?:(?:claims\.)?[^.]+)\.(.+)$|^(.+?)\.(\?:.+)$/s;

/** A range with a caller's value in it is split where that value ends or begins. */
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

/** The columns that a rule names. */
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
