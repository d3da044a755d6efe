/** Scanner: source text to tokens. The first invalid token throws a SyntaxFault. */

import { isSpace } from '../values/text.ts';
import { BadEscape, decodeBytes, decodeString } from './escapes.ts';
import { WORDS } from './operators.ts';

export type ExprTokenKind = 'name' | 'number' | 'string' | 'bytes' | 'operator' | 'bracket' | 'end';

export interface ExprToken {
  readonly kind: ExprTokenKind;
  /** Source text of the token; for strings, the decoded content. */
  readonly text: string;
  readonly bytes?: Uint8Array;
  readonly at: number;
}

/** Syntax error at an offset of the text. */
export class SyntaxFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const DIGITS: Readonly<Record<string, RegExp>> = { x: /[0-9a-fA-F_]/, o: /[0-7_]/, b: /[01_]/ };
const DECIMAL = /[0-9_]/;
const SECOND: Readonly<Record<string, string>> = { '|': '|', ':': ':', '.': '.', '#': '#', '?': '.?' };

function isWordChar(char: string): boolean {
  return /[A-Za-z0-9_$]/.test(char) || (char > '\x7f' && /[\p{L}\p{Nd}]/u.test(char));
}

export function isWord(text: string): boolean {
  return /^[\p{L}_$][\p{L}\p{Nd}_$]*$/u.test(text);
}

export function lex(text: string): ExprToken[] {
  return new Lexer(text).run();
}

class Lexer {
  readonly #text: string;
  readonly #tokens: ExprToken[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): ExprToken[] {
    while (this.#at < this.#text.length) this.#token();
    this.#tokens.push({ kind: 'end', text: '', at: Math.max(0, this.#text.length - 1) });
    return this.#tokens;
  }

  #char(offset = 0): string {
    const code = this.#text.codePointAt(this.#at + offset);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #emit(kind: ExprTokenKind, length: number): void {
    this.#tokens.push({ kind, text: this.#text.slice(this.#at, this.#at + length), at: this.#at });
    this.#at += length;
  }

  #token(): void {
    const char = this.#char();
    const next = this.#text[this.#at + 1] ?? '';
    if (isSpace(char)) this.#at += char.length;
    else if (char === '"' || char === "'") this.#quoted(char, 0);
    else if (char === '`') this.#raw();
    else if ((char === 'b' || char === 'B') && (next === '"' || next === "'")) this.#quoted(next, 1);
    else if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(next))) this.#number();
    else if (char === '/' && next === '/') this.#lineComment();
    else if (char === '/' && next === '*') this.#blockComment();
    else if ('([{)]}'.includes(char)) this.#emit('bracket', 1);
    else if (',;%+-^/'.includes(char)) this.#emit('operator', 1);
    else if ('&!=*<>'.includes(char)) this.#emit('operator', next !== '' && '&=*'.includes(next) ? 2 : 1);
    else if (SECOND[char] !== undefined) this.#pair(char, next);
    else if (isWordChar(char)) this.#word();
    else throw new SyntaxFault(this.#at, `the character ${JSON.stringify(char)} means nothing here`);
  }

  #pair(char: string, next: string): void {
    this.#emit('operator', next !== '' && (SECOND[char] ?? '').includes(next) ? 2 : 1);
    // A word right after # is the name of a pointer, even if it is an operator elsewhere.
    if (char === '#' && isWordChar(this.#char())) this.#emit('name', this.#wordLength());
  }

  #wordLength(): number {
    let length = 0;
    for (let char = this.#char(); char !== '' && isWordChar(char); char = this.#char(length)) length += char.length;
    return length;
  }

  #word(): void {
    const length = this.#wordLength();
    this.#emit(WORDS.has(this.#text.slice(this.#at, this.#at + length)) ? 'operator' : 'name', length);
  }

  #number(): void {
    const text = this.#text;
    let end = this.#at;
    const run = (digits: RegExp): void => {
      while (end < text.length && digits.test(text[end] ?? '')) end++;
    };
    const radix = text[end] === '0' ? DIGITS[(text[end + 1] ?? '').toLowerCase()] : undefined;
    const digits = radix ?? DECIMAL;
    if (radix !== undefined) end += 2;
    run(digits);
    // Two dots are a range operator, not a fraction.
    const range = text[end] === '.' && text[end + 1] === '.';
    if (!range) {
      if (text[end] === '.') {
        end++;
        run(digits);
      }
      if (/[eE]/.test(text[end] ?? '')) {
        end++;
        if (/[+-]/.test(text[end] ?? '')) end++;
        run(digits);
      }
      const after = text.codePointAt(end);
      if (after !== undefined && isWordChar(String.fromCodePoint(after))) throw new SyntaxFault(end, 'this is not a number');
    }
    this.#emit('number', end - this.#at);
  }

  #quoted(quote: string, prefix: number): void {
    const text = this.#text;
    const from = this.#at + prefix + 1;
    let end = from;
    while (text[end] !== quote) {
      if (end >= text.length || text[end] === '\n') throw new SyntaxFault(this.#at, 'the string is not closed');
      end += text[end] === '\\' ? 2 : 1;
    }
    const body = text.slice(from, end);
    try {
      if (prefix === 0) this.#tokens.push({ kind: 'string', text: decodeString(body, quote), at: this.#at });
      else this.#tokens.push({ kind: 'bytes', text: body, bytes: decodeBytes(body, quote), at: this.#at });
    } catch (error) {
      if (error instanceof BadEscape) throw new SyntaxFault(from + error.offset, error.message);
      throw error;
    }
    this.#at = end + 1;
  }

  #raw(): void {
    const from = this.#at + 1;
    let end = this.#text.indexOf('`', from);
    while (end >= 0 && this.#text[end + 1] === '`') end = this.#text.indexOf('`', end + 2);
    if (end < 0) throw new SyntaxFault(this.#at, 'the string is not closed');
    this.#tokens.push({ kind: 'string', text: this.#text.slice(from, end).replaceAll('``', '`'), at: this.#at });
    this.#at = end + 1;
  }

  #lineComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  #blockComment(): void {
    const end = this.#text.indexOf('*/', this.#at + 2);
    if (end < 0) throw new SyntaxFault(this.#at, 'the comment is not closed');
    this.#at = end + 2;
  }
}
