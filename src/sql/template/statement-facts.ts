/**
 * Derives from the words of a statement what it does. Functions and words that are not listed are
 * not trusted.
 */
import type { Slices } from '../../util/concurrency/slices.ts';
import { SLICE_TOKENS } from './scan.ts';
import { ALSO_FUNCTIONS, isHarmlessWord, READS, ROW_STATEMENTS, SCHEMA_STATEMENTS, WRITES } from './sql-keywords.ts';
import { isExecuted, isSymbol, isWord, type SqlSyntax } from './syntax.ts';
import type { StatementFacts } from './template.ts';
import type { SqlToken } from './token.ts';

export function* statementFacts(
  verb: string,
  tokens: readonly SqlToken[],
  significant: readonly SqlToken[],
  syntax: SqlSyntax,
): Slices<StatementFacts> {
  const isReading = verb === '(' || READS.has(verb);
  const isOfRows = verb === '(' || ROW_STATEMENTS.has(verb);
  const isOpen = !tokens.some((token) => isExecuted(token, syntax));
  const reads = isReading && isOpen && !(yield* someOf(significant, (i) => isWrite(significant, i)));
  const words = significant.map(({ kind, text }) => (kind === 'word' ? text.toUpperCase() : '')).join(' ');
  yield;
  return {
    reads,
    plain: (isOfRows || isReading) && isOpen,
    alone: syntax.outsideTransactions.test(words),
    harmless: isOfRows && isOpen && !(yield* someOf(significant, (i) => !isHarmless(significant, i, syntax))),
    changesSchema: SCHEMA_STATEMENTS.has(verb),
  };
}

function* someOf(significant: readonly SqlToken[], test: (index: number) => boolean): Slices<boolean> {
  for (let i = 0; i < significant.length; i++) {
    if (test(i)) return true;
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
  }
  return false;
}

/**
 * `true` for a keyword that writes or locks, and is neither a function nor part of a qualified
 * name.
 */
function isWrite(significant: readonly SqlToken[], i: number): boolean {
  const token = significant[i];
  if (token?.kind !== 'word' || isSymbol(significant[i - 1], '.')) return false;
  const word = token.text.toUpperCase();
  if (word === 'SHARE') return isWord(significant[i - 1], 'FOR', 'KEY', 'IN');
  return WRITES.has(word) && !(ALSO_FUNCTIONS.has(word) && isSymbol(significant[i + 1], '('));
}

/** Next to these symbols, `@` is part of an operator, not a variable. */
const OF_OPERATORS = ['@', '>', '<', '?'];

function isHarmless(significant: readonly SqlToken[], i: number, syntax: SqlSyntax): boolean {
  const token = significant[i];
  if (isSymbol(token, '@'))
    return OF_OPERATORS.some((symbol) => isSymbol(significant[i - 1], symbol) || isSymbol(significant[i + 1], symbol));
  if (isWord(token, 'INTO')) return isWord(significant[i - 1], 'INSERT', 'REPLACE', 'MERGE', 'IGNORE');
  return !isSymbol(token, '(') || isTrustedCall(significant, i - 1, syntax);
}

const BEFORE_COLUMNS = ['INTO', 'AS', 'WITH', 'RECURSIVE'];

/**
 * `true` if a parenthesis follows nothing, a keyword, a harmless function, or a table with its
 * columns.
 */
function isTrustedCall(significant: readonly SqlToken[], last: number, syntax: SqlSyntax): boolean {
  const token = significant[last];
  if (token?.kind !== 'word' && token?.kind !== 'name') return true;
  let first = last;
  while (isSymbol(significant[first - 1], '.')) first -= 2;
  if (isWord(significant[first - 1], ...BEFORE_COLUMNS)) return true;
  return first === last && token.kind === 'word' && isHarmlessCall(token.text.toUpperCase(), syntax);
}

function isHarmlessCall(name: string, syntax: SqlSyntax): boolean {
  return isHarmlessWord(name) || syntax.isHarmless(name);
}
