/** Precedence and associativity of the operators, as a table for the parser. */
interface Binding {
  readonly precedence: number;
  readonly side: 'left' | 'right';
}

const left = (precedence: number): Binding => ({ precedence, side: 'left' });
const right = (precedence: number): Binding => ({ precedence, side: 'right' });

export const UNARY: ReadonlyMap<string, number> = new Map([
  ['not', 50],
  ['!', 50],
  ['-', 90],
  ['+', 90],
]);

export const BINARY: ReadonlyMap<string, Binding> = new Map([
  ['|', left(0)],
  ['or', left(10)],
  ['||', left(10)],
  ['and', left(15)],
  ['&&', left(15)],
  ['==', left(20)],
  ['!=', left(20)],
  ['<', left(20)],
  ['>', left(20)],
  ['>=', left(20)],
  ['<=', left(20)],
  ['in', left(20)],
  ['matches', left(20)],
  ['contains', left(20)],
  ['startsWith', left(20)],
  ['endsWith', left(20)],
  ['..', left(25)],
  ['+', left(30)],
  ['-', left(30)],
  ['*', left(60)],
  ['/', left(60)],
  ['%', left(60)],
  ['**', right(100)],
  ['^', right(100)],
  ['??', left(500)],
]);

/** Operators that chain: `a < b < c` means `a < b && b < c`. */
export const COMPARISONS: ReadonlySet<string> = new Set(['<', '>', '>=', '<=']);

/** Operators with a negated form: `a not in b`. */
export const NEGATABLE: ReadonlySet<string> = new Set(['contains', 'matches', 'startsWith', 'endsWith', 'in']);

/** Keywords that are operators everywhere except after a dot. */
export const WORDS: ReadonlySet<string> = new Set([
  'not',
  'in',
  'or',
  'and',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
]);
