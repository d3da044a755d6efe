/**
 * The filter operators, one row each: values, columns, meaning (for the reference) and SQL in terms
 * of a dialect's predicates. A new operator is a new row.
 */
import type { Operand } from './statement.ts';

/** Form of the values: `eq.v`, `bw.v.w`, `in.v,w,…`. */
export type Values = 'one' | 'range' | 'list';

export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';

export interface Search {
  readonly text: string;
  readonly at: 'anywhere' | 'start';
  /** `own`: case sensitivity of the column's collation. */
  readonly letters: 'own' | 'any case';
  readonly negated: boolean;
}

/** Predicates of a dialect on one column. None of them is true for NULL. */
export interface Predicates {
  compare(sign: Sign, value: Operand): string;
  between(low: Operand, high: Operand): string;
  /** Tests whether the value is one of the list, or none of it. */
  member(values: readonly Operand[], negated: boolean): string;
  contains(search: Search): string;
}

export interface OperatorRow {
  readonly values: Values;
  /** `comparable`: all sortable columns. `text`: text columns. */
  readonly columns: 'comparable' | 'text';
  readonly meaning: string;
  readonly sql: (column: Predicates, values: readonly Operand[]) => string;
}

const comparing = (sign: Sign, meaning: string): OperatorRow => ({
  values: 'one',
  columns: 'comparable',
  meaning,
  sql: (column, [value = '']) => column.compare(sign, value),
});

const searching = (at: Search['at'], meaning: string, { letters = 'own', negated = false }: Partial<Search> = {}): OperatorRow => ({
  values: 'one',
  columns: 'text',
  meaning,
  sql: (column, [value = '']) => column.contains({ text: String(value), at, letters, negated }),
});

const listing = (negated: boolean, meaning: string): OperatorRow => ({
  values: 'list',
  columns: 'comparable',
  meaning,
  sql: (column, values) => column.member(values, negated),
});

export const OPERATORS = {
  eq: comparing('=', 'equal to'),
  ne: comparing('<>', 'not equal to'),
  lt: comparing('<', 'less than'),
  le: comparing('<=', 'less than or equal to'),
  gt: comparing('>', 'greater than'),
  ge: comparing('>=', 'greater than or equal to'),
  bw: {
    values: 'range',
    columns: 'comparable',
    meaning: 'between, both ends included',
    sql: (column, [low = '', high = '']) => column.between(low, high),
  },
  in: listing(false, 'in a list'),
  nin: listing(true, 'not in a list'),
  li: searching('anywhere', 'contains'),
  rli: searching('start', 'begins with'),
  nli: searching('anywhere', 'does not contain', { negated: true }),
  il: searching('anywhere', 'contains, ignoring case', { letters: 'any case' }),
} as const satisfies Readonly<Record<string, OperatorRow>>;

export type Operator = keyof typeof OPERATORS;

const NAMES: ReadonlyMap<string, Operator> = new Map(Object.keys(OPERATORS).map((name) => [name, name as Operator]));

/** Returns the operator as the table's own string, which is fast to look up. */
export function operatorNamed(name: string): Operator | undefined {
  return NAMES.get(name);
}

export function isOperator(name: string): name is Operator {
  return NAMES.has(name);
}

/** Escape character of LIKE patterns. `!` is not special in any engine's string literals. */
export const LIKE_ESCAPE = '!';

/** Builds the LIKE pattern for a search. */
export function likePattern({ text, at }: Search): string {
  const literal = text.replace(/[%_!]/g, (character) => LIKE_ESCAPE + character);
  return at === 'start' ? `${literal}%` : `%${literal}%`;
}
