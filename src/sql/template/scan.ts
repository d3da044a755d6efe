/**
 * Splits SQL into tokens by the engine's syntax for strings, comments and quoted names. The
 * concatenated tokens are the source. Must not interpret statements.
 */
import { runToEnd, type Slices } from '../../util/concurrency/slices.ts';
import type { SqlSyntax } from './syntax.ts';
import type { Path, SqlToken, SqlTokenKind } from './token.ts';

/** Thrown for invalid SQL, with the position and the reason. */
export class SqlProblem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy;
const NUMBER = /\d[\p{L}\p{N}_.]*/uy;
const SPACE = /\s+/uy;
const PATH = /\?:([\p{L}_][\p{L}\p{M}\p{N}_]*)((?:\.[\p{L}_][\p{L}\p{M}\p{N}_]*|\[\d{1,9}\])*)/uy;
const DOLLAR_TAG = /\$(?:[\p{L}_][\p{L}\p{M}\p{N}_]*)?\$/uy;
const PATH_PART = /\.([\p{L}_][\p{L}\p{M}\p{N}_]*)|\[(\d+)\]/gu;

/** Names that start a path inside a literal, so that `'?:name.jpg'` is not a path. */
export const ROOT = /^(?:input|context|step_\d+)$/;

export function scanSql(text: string, syntax: SqlSyntax): readonly SqlToken[] {
  return runToEnd(scanSlices(text, syntax));
}

/** Scans in slices. */
export function scanSlices(text: string, syntax: SqlSyntax): Slices<readonly SqlToken[]> {
  return new Scanner(text, syntax).all();
}

/** Tokens per slice: about a millisecond. */
export const SLICE_TOKENS = 2_000;

function parsePath(first: string, rest: string): Path {
  const parts = [...rest.matchAll(PATH_PART)].map((part) => part[1] ?? Number(part[2]));
  return { text: first + rest, first, rest: parts };
}

class Scanner {
  readonly #text: string;
  readonly #syntax: SqlSyntax;
  readonly #tokens: SqlToken[] = [];
  #at = 0;

  constructor(text: string, syntax: SqlSyntax) {
    this.#text = text;
    this.#syntax = syntax;
  }

  *all(): Slices<readonly SqlToken[]> {
    while (this.#at < this.#text.length) {
      this.#next();
      if (this.#tokens.length % SLICE_TOKENS === 0) yield;
    }
    return this.#tokens;
  }

  #next(): void {
    const character = this.#text[this.#at] as string;
    const space = this.#match(SPACE);
    if (space !== undefined) this.#push('space', space.length);
    else if (this.#syntax.isLineComment(this.#text, this.#at)) this.#lineComment();
    else if (character === '/' && this.#text[this.#at + 1] === '*') this.#push('comment', this.#commentEnd() - this.#at);
    else if (this.#syntax.strings.includes(character)) this.#string('', this.#syntax.backslashes);
    else if (this.#syntax.names.includes(character)) this.#name(character);
    else if (character === '?') this.#slot();
    else if (character === '$' && this.#syntax.dollarQuotes) this.#dollar();
    else this.#wordOrSymbol();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #push(kind: SqlTokenKind, length: number, more: Partial<SqlToken> = {}): void {
    this.#tokens.push({ kind, text: this.#text.slice(this.#at, this.#at + length), at: this.#at, ...more });
    this.#at += length;
  }

  #lineComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#push('comment', (end < 0 ? this.#text.length : end) - this.#at);
  }

  #commentEnd(): number {
    let depth = 0;
    for (let at = this.#at; at < this.#text.length; at++) {
      if (this.#text[at] === '/' && this.#text[at + 1] === '*' && (depth === 0 || this.#syntax.nestedComments)) {
        depth++;
        at++;
      } else if (this.#text[at] === '*' && this.#text[at + 1] === '/') {
        at++;
        if (--depth === 0) return at + 1;
      }
    }
    throw new SqlProblem(this.#at, 'a comment is not closed');
  }

  /** Offset after the closing quote. A doubled quote is part of the text. */
  #quoteEnd(start: number, backslashes: boolean, what: string): number {
    const quote = this.#text[start];
    for (let at = start + 1; at < this.#text.length; at++) {
      if (this.#text[at] === '\\' && backslashes) at++;
      else if (this.#text[at] === quote) {
        if (this.#text[at + 1] !== quote) return at + 1;
        at++;
      }
    }
    throw new SqlProblem(start, `a ${what} is not closed`);
  }

  #name(quote: string): void {
    const end = this.#quoteEnd(this.#at, this.#syntax.nameBackslashes, `name in ${quote}`);
    this.#push('name', end - this.#at);
  }

  #string(prefix: string, backslashes: boolean): void {
    const open = this.#at + prefix.length;
    const end = this.#quoteEnd(open, backslashes, 'string');
    const body = this.#text.slice(open + 1, end - 1);
    const pieces = splitPieces(body, backslashes);
    this.#push('string', end - this.#at, { prefix, quote: this.#text[open] as string, ...(pieces === undefined ? {} : { pieces }) });
  }

  #slot(): void {
    PATH.lastIndex = this.#at;
    const match = PATH.exec(this.#text);
    if (match === null) this.#push('symbol', 1);
    else this.#push('slot', match[0].length, { path: parsePath(match[1] as string, match[2] as string) });
  }

  #dollar(): void {
    const tag = this.#match(DOLLAR_TAG);
    if (tag === undefined) {
      this.#push('symbol', 1);
      return;
    }
    const end = this.#text.indexOf(tag, this.#at + tag.length);
    if (end < 0) throw new SqlProblem(this.#at, `a string in ${tag} is not closed`);
    this.#push('string', end + tag.length - this.#at);
  }

  #wordOrSymbol(): void {
    const number = this.#match(NUMBER);
    if (number !== undefined) {
      this.#push('number', number.length);
      return;
    }
    const word = this.#match(WORD);
    if (word === undefined) {
      this.#push('symbol', (this.#text.codePointAt(this.#at) ?? 0) > 0xffff ? 2 : 1);
      return;
    }
    const prefix = this.#text[this.#at + word.length] === '&' ? `${word}&` : word;
    const quote = this.#text[this.#at + prefix.length] ?? '';
    if (quote !== '' && this.#syntax.prefixes.test(prefix)) {
      if (this.#syntax.strings.includes(quote)) {
        this.#string(prefix, this.#syntax.backslashes || /^e$/i.test(prefix));
        return;
      }
    }
    this.#push('word', word.length);
  }
}

/** Splits the body of a literal at its slots; `undefined` if it has none. */
function splitPieces(body: string, backslashes: boolean): readonly (string | Path)[] | undefined {
  const pieces: (string | Path)[] = [];
  let start = 0;
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '\\' && backslashes) {
      at++;
      continue;
    }
    if (body[at] !== '?') continue;
    PATH.lastIndex = at;
    const match = PATH.exec(body);
    if (match === null) continue;
    const first = match[1] as string;
    const rest = ROOT.test(first) ? (match[2] as string) : '';
    if (at > start) pieces.push(body.slice(start, at));
    pieces.push(parsePath(first, rest));
    start = at + 2 + first.length + rest.length;
    at = start - 1;
  }
  if (start === 0) return undefined;
  if (start < body.length) pieces.push(body.slice(start));
  return pieces;
}
