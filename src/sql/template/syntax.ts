/**
 * What the reader of a step's SQL must know of an engine's syntax: where strings, names and comments end, which placeholders are the engine's
 * own, and which words have consequences. Each engine describes its own; what they share is in `bind-words.ts`.
 */
import type { SqlToken } from './token.ts';

export interface SqlSyntax {
  /** Quotes of string literals, and of names. */
  readonly strings: string;
  readonly names: string;
  /** Do backslashes escape in ordinary strings; and in quoted names? */
  readonly backslashes: boolean;
  readonly nameBackslashes: boolean;
  readonly nestedComments: boolean;
  readonly dollarQuotes: boolean;
  /** Does a comment to the end of the line begin here? */
  isLineComment(text: string, at: number): boolean;
  /** Words that belong to the literal when they stand right before its quote. */
  readonly prefixes: RegExp;
  /** Comments that the server executes; absent where it executes none. */
  readonly executableComment?: RegExp;
  /** How a placeholder of the engine's own is spelled that begins at this token; undefined when none does. It would be mixed up with ours. */
  foreignPlaceholder(significant: readonly SqlToken[], at: number): string | undefined;
  /** Types whose name before a literal says what it is, and the cast that says it of a bound value. */
  readonly literalCasts: Readonly<Record<string, string>>;
  /** Statements that cannot be part of a transaction, by their first words. */
  readonly outsideTransactions: RegExp;
  /** Functions, beyond those that every engine has, after which the session is as it was. Given in upper case. */
  isHarmless(name: string): boolean;
}

/** A set of words out of a text. */
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
