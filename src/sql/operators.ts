/**
 * The operators of filters, one row each: how many values it takes, which columns it fits, what it means (the line in the reference), and its SQL
 * in terms of the predicates that every dialect has. A new operator is a new row; where engines differ is their `predicates.ts`.
 */
import type { Operand } from './statement.ts';

/** `eq.v`, `bw.v.w`, `in.v,w,…` */
export type Values = 'one' | 'range' | 'list';

export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';

export interface Search {
  readonly text: string;
  readonly at: 'anywhere' | 'start';
  /** `own`: as the column's collation has it. */
  readonly letters: 'own' | 'any case';
  readonly negated: boolean;
}

/** What a dialect can say of one column. None of these holds for NULL, whatever it is compared with. */
export interface Predicates {
  compare(sign: Sign, value: Operand): string;
  between(low: Operand, high: Operand): string;
  /** Is it one of these, or none of them? */
  member(values: readonly Operand[], negated: boolean): string;
  contains(search: Search): string;
}

export interface OperatorRow {
  readonly values: Values;
  /** `comparable`: every column that its engine can compare. `text`: columns of text. */
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

/** The operator of that name. It is the table's own text, by which everything else is found at once. */
export function operatorNamed(name: string): Operator | undefined {
  return NAMES.get(name);
}

/** Is that the name of an operator? */
export function isOperator(name: string): name is Operator {
  return NAMES.has(name);
}

/** Makes `%`, `_` and the escape character of a LIKE pattern literal. `!` is no special character of any engine's string literals. */
export const LIKE_ESCAPE = '!';

/** The pattern of LIKE that finds a text. */
export function likePattern({ text, at }: Search): string {
  const literal = text.replace(/[%_!]/g, (character) => LIKE_ESCAPE + character);
  return at === 'start' ? `${literal}%` : `%${literal}%`;
}
