/**
 * Compiles the row rules of a persona for a table. Columns and fixed values are checked once; each
 * request only fills in caller values. Must not know SQL.
 */

import type { Rule, Subject } from '../auto/plan/access.ts';
import { comparison, findColumn } from '../auto/plan/filters.ts';
import { fromText, InvalidValue } from '../auto/plan/values.ts';
import type { RawFilter, RawValue } from '../auto/request/filter-syntax.ts';
import { apiError } from '../errors.ts';
import type { Column, Table } from '../model/table.ts';
import { OPERATORS } from '../sql/operators.ts';
import type { Condition } from '../sql/plan.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { callerValue, textOfValue } from './caller-values.ts';
import { nameIn, parseRule } from './rules.ts';

/** Conditions that match no row and every row. */
const NOTHING: Condition = { op: 'or', of: [] };
const EVERYTHING: Condition = { op: 'and', of: [] };

/** Combines rules with AND; `undefined` for an empty list. */
export function compileRules(rows: readonly string[], table: Table): Rule | undefined {
  if (rows.length === 0) return undefined;
  return joined(
    'and',
    rows.map((text) => compileRule(parseRule(text), table)),
  );
}

export function conditionFor(rule: Rule, subject: Subject): Condition {
  return typeof rule === 'function' ? rule(subject) : rule;
}

export function compileRule(filter: RawFilter, table: Table): Rule {
  switch (filter.op) {
    case 'and':
    case 'or':
      return joined(
        filter.op,
        filter.of.map((part) => compileRule(part, table)),
      );
    case 'not': {
      const inner = compileRule(filter.of, table);
      return typeof inner === 'function' ? (subject) => ({ op: 'not', of: inner(subject) }) : { op: 'not', of: inner };
    }
    case 'null':
    case 'notnull':
      return { op: filter.op, column: findColumn(table, filter.column) };
    case 'has':
    case 'hasnot':
      throw new Error('rules cannot use other tables');
    default:
      return compileComparison(filter, findColumn(table, filter.column));
  }
}

function joined(op: 'and' | 'or', parts: readonly Rule[]): Rule {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const constants = parts.filter((part): part is Condition => typeof part !== 'function');
  if (constants.length === parts.length) return { op, of: constants };
  return (subject) => ({ op, of: parts.map((part) => conditionFor(part, subject)) });
}

type Comparing = Extract<RawFilter, { readonly values: readonly RawValue[] }>;

function compileComparison({ op, values }: Comparing, column: Column): Rule {
  const fixed = values.filter((value) => nameIn(value) === undefined);
  // Fixed values must fit for every caller.
  if (fixed.length === values.length) return comparison(op, column, values);
  checkFixed({ op, values: fixed }, column);
  const { values: form, columns } = OPERATORS[op];
  return (subject) => {
    const filled: RawValue[] = [];
    for (const value of values) {
      const name = nameIn(value);
      if (name === undefined) filled.push(value);
      else
        for (const text of callerTexts(subject, name, form === 'list' ? 'many' : 'one'))
          filled.push(fitting(subject, name, column, text, columns));
    }
    if (form === 'list' && filled.length === 0) return op === 'in' ? NOTHING : EVERYTHING;
    return comparison(op, column, filled);
  };
}

/** Checks each fixed value, and that the operator suits the column. */
function checkFixed({ op, values }: Pick<Comparing, 'op' | 'values'>, column: Column): void {
  const sample: RawValue = { text: '', quoted: true };
  const isText = OPERATORS[op].columns === 'text';
  if (isText) comparison(op, column, [sample]);
  else if (!column.sortable) throw apiError('column_not_comparable', column.name, op);
  else for (const value of values) comparison('eq', column, [value]);
}

/** Returns the caller's value as text; for lists, all its values. */
function callerTexts(subject: Subject, name: string, count: 'one' | 'many'): readonly string[] {
  const value = callerValue(subject.caller, name);
  if (value === undefined) throw claimError(subject, name, 'which you do not have');
  const values = Array.isArray(value) && count === 'many' ? (value as readonly PlainValue[]) : [value];
  return values.map((one) => {
    const text = textOfValue(one);
    if (text === undefined) throw claimError(subject, name, 'and yours is not of a kind that can be compared so');
    return text;
  });
}

/** Checks a caller value against its column and returns it as a quoted value. */
function fitting(subject: Subject, name: string, column: Column, text: string, columns: 'comparable' | 'text'): RawValue {
  const spelled = column.takesBooleans === true && (text === 'true' || text === 'false') ? (text === 'true' ? '1' : '0') : text;
  try {
    if (columns === 'comparable') fromText(column, spelled, 'compare');
  } catch (error) {
    if (error instanceof InvalidValue) throw claimError(subject, name, `and yours does not fit: ${error.message}`);
    throw error;
  }
  return { text: spelled, quoted: true };
}

export function claimError({ persona }: Subject, name: string, why: string): Error {
  return apiError('persona_claim', persona, name, why);
}
