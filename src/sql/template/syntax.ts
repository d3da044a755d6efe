/**
 * Syntax of an engine, as needed to read a step's SQL: strings, names, comments, placeholders and
 * words with side effects. Shared keywords are in `sql-keywords.ts`.
 */
import type { SqlToken } from './token.ts';

export interface SqlSyntax {
  /** Quotes of string literals, and of names. */
  readonly strings: string;
  readonly names: string;
  /** `true` if backslashes escape in strings, and in quoted names. */
  readonly backslashes: boolean;
  readonly nameBackslashes: boolean;
  readonly nestedComments: boolean;
  readonly dollarQuotes: boolean;
  /** `true` if a line comment starts at the offset. */
  isLineComment(text: string, at: number): boolean;
  /** Words that are part of a literal directly before its quote. */
  readonly prefixes: RegExp;
  /** Comments that the server executes; absent where it executes none. */
  readonly executableComment?: RegExp;
  /**
   * Returns the engine's own placeholder that starts at a token, if any. It would be confused with
   * a slot.
   */
  foreignPlaceholder(significant: readonly SqlToken[], at: number): string | undefined;
  /** Types that may precede a literal, and the cast for a bound value. */
  readonly literalCasts: Readonly<Record<string, string>>;
  /** Statements that cannot be part of a transaction, by their first words. */
  readonly outsideTransactions: RegExp;
  /** `true` for further functions, in upper case, that leave the session unchanged. */
  isHarmless(name: string): boolean;
}

/** Splits a text into a set of words. */
export const keywords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const isDashes = (text: string, at: number): boolean => text[at] === '-' && text[at + 1] === '-';

export function isSymbol(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text;
}

/** `true` for a word, in any case, that is one of `words`. */
export function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

/** `true` for a comment that the server executes. */
export function isExecuted({ kind, text }: SqlToken, { executableComment }: SqlSyntax): boolean {
  return kind === 'comment' && executableComment?.test(text) === true;
}
