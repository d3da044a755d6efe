/**
 * The rules of a persona for one table: columns looked up and values checked once, so that a request only fills in what is its caller's. Knows no
 * SQL; the conditions are those of any filter.
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

/** Matches no row, and every row. */
const NOTHING: Condition = { op: 'or', of: [] };
const EVERYTHING: Condition = { op: 'and', of: [] };

/** All of them must hold; undefined when there is none. */
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
      throw new Error('no rule reaches another table');
    default:
      return compileComparison(filter, findColumn(table, filter.column));
  }
}

function joined(op: 'and' | 'or', parts: readonly Rule[]): Rule {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const fixed = parts.filter((part): part is Condition => typeof part !== 'function');
  if (fixed.length === parts.length) return { op, of: fixed };
  return (subject) => ({ op, of: parts.map((part) => conditionFor(part, subject)) });
}

type Comparing = Extract<RawFilter, { readonly values: readonly RawValue[] }>;

function compileComparison({ op, values }: Comparing, column: Column): Rule {
  const own = values.filter((value) => nameIn(value) === undefined);
  // What the rule says itself must fit, whoever calls.
  if (own.length === values.length) return comparison(op, column, values);
  checkOwn({ op, values: own }, column);
  const { values: form, columns } = OPERATORS[op];
  return (subject) => {
    const filled: RawValue[] = [];
    for (const value of values) {
      const name = nameIn(value);
      if (name === undefined) filled.push(value);
      else
        for (const text of textsOf(subject, name, form === 'list' ? 'many' : 'one'))
          filled.push(fitting(subject, name, column, text, columns));
    }
    if (form === 'list' && filled.length === 0) return op === 'in' ? NOTHING : EVERYTHING;
    return comparison(op, column, filled);
  };
}

/** Every value by itself, and whether the operator suits the column at all. */
function checkOwn({ op, values }: Pick<Comparing, 'op' | 'values'>, column: Column): void {
  const sample: RawValue = { text: '', quoted: true };
  const isText = OPERATORS[op].columns === 'text';
  if (isText) comparison(op, column, [sample]);
  else if (!column.sortable) throw apiError('column_not_comparable', column.name, op);
  else for (const value of values) comparison('eq', column, [value]);
}

/** The caller's value as texts: one, or for lists as many as it has. */
function textsOf(subject: Subject, name: string, how: 'one' | 'many'): readonly string[] {
  const value = callerValue(subject.caller, name);
  if (value === undefined) throw claimError(subject, name, 'which you do not have');
  const values = Array.isArray(value) && how === 'many' ? (value as readonly PlainValue[]) : [value];
  return values.map((one) => {
    const text = textOfValue(one);
    if (text === undefined) throw claimError(subject, name, 'and yours is not of a kind that can be compared so');
    return text;
  });
}

/** A value that its column takes, as if it had been written in quotes. */
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
