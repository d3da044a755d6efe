/**
 * Turns source text into tokens, including indentation. A bad token throws a SyntaxProblem with its
 * offset.
 */
import { scanNumber } from './scan-number.ts';
import { scanString } from './scan-string.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/** Punctuation and keywords are their own kind. */
export type LarkTokenKind = string;

export interface LarkToken {
  kind: LarkTokenKind;
  at: number;
  end: number;
  /** Value of an identifier or a literal. */
  value: string | number | bigint | Uint8Array;
}

const KEYWORDS = new Set('and break continue def elif else for if in lambda load not or pass return while'.split(' '));
const RESERVED = new Set('as async await class del except finally from global import is nonlocal raise try with yield'.split(' '));
const PUNCTUATION = [
  ...['<<=', '>>=', '//=', '**', '//', '<<', '>>', '<=', '>=', '==', '!=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^='],
  ...'+-*/%&|^~.,=;:()[]{}<>'.split(''),
];
const BY_FIRST = groupByFirst();
const TAB = 8;
const IDENTIFIER = /[\p{L}_][\p{L}\p{Nd}_]*/uy;

function groupByFirst(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const sign of PUNCTUATION) groups.set(sign.charAt(0), [...(groups.get(sign.charAt(0)) ?? []), sign]);
  return groups;
}

/** Name of a kind of token in messages. */
export function tokenText(kind: LarkTokenKind): string {
  return /^[a-z]/.test(kind) ? kind : `'${kind}'`;
}

export class Scanner {
  readonly text: string;
  #at = 0;
  #depth = 0;
  #lineStart = true;
  #indents: number[] = [0];
  /** Indents (positive) or outdents (negative) that are still to be returned. */
  #pending = 0;

  constructor(text: string) {
    this.text = text;
    if (text.charCodeAt(0) === 0xfeff) this.#at = 1;
  }

  /** Resumes after an error at the first later line that begins in the first column. */
  recover(from: number): boolean {
    let line = this.text.indexOf('\n', from);
    while (line >= 0 && /[\s#)\]}]/.test(this.text.charAt(line + 1))) line = this.text.indexOf('\n', line + 1);
    if (line < 0 || line + 1 >= this.text.length) return false;
    this.#at = line + 1;
    this.#depth = 0;
    this.#lineStart = true;
    this.#indents = [0];
    this.#pending = 0;
    return true;
  }

  next(token: LarkToken): void {
    if (this.#lineStart && this.#depth === 0) this.#measureIndent();
    if (this.#pending !== 0) {
      const opening = this.#pending > 0;
      this.#pending += opening ? -1 : 1;
      fill(token, opening ? 'indent' : 'outdent', this.#at, this.#at);
      return;
    }
    this.#skipBlank();
    const at = this.#at;
    if (at >= this.text.length) {
      this.#end(token);
      return;
    }
    const c = this.text.charAt(at);
    if (c === '\n' || c === '\r') {
      this.#at += c === '\r' && this.text.charAt(at + 1) === '\n' ? 2 : 1;
      this.#lineStart = true;
      fill(token, 'newline', at, this.#at);
      return;
    }
    if (isDigit(c) || (c === '.' && isDigit(this.text.charAt(at + 1)))) this.#number(token);
    else if (c === '"' || c === "'") this.#string(token, '');
    else if (!this.#word(token)) this.#sign(token);
  }

  #end(token: LarkToken): void {
    if (!this.#lineStart && this.#depth === 0) {
      this.#lineStart = true;
      fill(token, 'newline', this.#at, this.#at);
      return;
    }
    if (this.#depth === 0 && this.#indents.length > 1) {
      this.#indents.pop();
      fill(token, 'outdent', this.#at, this.#at);
      return;
    }
    fill(token, 'end of file', this.#at, this.#at);
  }

  /** Counts the columns of a non-empty line and compares them with the enclosing indents. */
  #measureIndent(): void {
    const text = this.text;
    for (;;) {
      let at = this.#at;
      let column = 0;
      for (; ; at++) {
        const c = text.charAt(at);
        if (c === ' ') column++;
        else if (c === '\t') column += TAB - (column % TAB);
        else if (c !== '\f') break;
      }
      if (text.charAt(at) === '#') while (at < text.length && text.charAt(at) !== '\n') at++;
      if (at >= text.length) {
        this.#at = at;
        return;
      }
      const c = text.charAt(at);
      if (c === '\n' || c === '\r') {
        this.#at = at + (c === '\r' && text.charAt(at + 1) === '\n' ? 2 : 1);
        continue;
      }
      this.#at = at;
      this.#lineStart = false;
      this.#compareIndent(column);
      return;
    }
  }

  #compareIndent(column: number): void {
    const current = this.#indents.at(-1) ?? 0;
    if (column > current) {
      this.#indents.push(column);
      this.#pending = 1;
      return;
    }
    while (column < (this.#indents.at(-1) ?? 0)) {
      this.#indents.pop();
      this.#pending--;
    }
    if (column !== (this.#indents.at(-1) ?? 0)) {
      throw new SyntaxProblem(this.#at, 'unindent does not match any outer indentation level');
    }
  }

  #skipBlank(): void {
    const text = this.text;
    for (; this.#at < text.length; this.#at++) {
      const c = text.charAt(this.#at);
      if (c === ' ' || c === '\t' || c === '\f') continue;
      if (c === '#') {
        const line = text.indexOf('\n', this.#at);
        this.#at = (line < 0 ? text.length : line) - 1;
        continue;
      }
      if ((c === '\n' || c === '\r') && this.#depth > 0) continue;
      if (c !== '\\') return;
      const next = text.charAt(this.#at + 1);
      if (next !== '\n' && next !== '\r') throw new SyntaxProblem(this.#at, 'stray backslash in program');
      this.#at += next === '\r' && text.charAt(this.#at + 2) === '\n' ? 2 : 1;
    }
  }

  #number(token: LarkToken): void {
    const number = scanNumber(this.text, this.#at);
    fill(token, number.kind, this.#at, number.end);
    token.value = number.value;
    this.#lineStart = false;
    this.#at = number.end;
  }

  #string(token: LarkToken, prefix: string): void {
    const at = this.#at;
    const literal = scanString(this.text, at, prefix);
    fill(token, typeof literal.value === 'string' ? 'string literal' : 'bytes literal', at, literal.end);
    token.value = literal.value;
    this.#lineStart = false;
    this.#at = literal.end;
  }

  #word(token: LarkToken): boolean {
    IDENTIFIER.lastIndex = this.#at;
    const word = IDENTIFIER.exec(this.text)?.[0];
    if (word === undefined) return false;
    const quote = this.text.charAt(this.#at + word.length);
    if ((quote === '"' || quote === "'") && (word === 'r' || word === 'b' || word === 'rb')) {
      this.#string(token, word);
      return true;
    }
    fill(token, KEYWORDS.has(word) ? word : RESERVED.has(word) ? 'illegal token' : 'identifier', this.#at, this.#at + word.length);
    token.value = word;
    this.#lineStart = false;
    this.#at += word.length;
    return true;
  }

  #sign(token: LarkToken): void {
    const c = this.text.charAt(this.#at);
    const sign =
      BY_FIRST.get(c)?.find((p) => this.text.startsWith(p, this.#at)) ?? (this.text.startsWith('!=', this.#at) ? '!=' : undefined);
    if (sign === undefined) {
      const point = String.fromCodePoint(this.text.codePointAt(this.#at) ?? 0);
      throw new SyntaxProblem(this.#at, `unexpected input character ${JSON.stringify(point).replace(/^"|"$/g, "'")}`);
    }
    if (sign === '(' || sign === '[' || sign === '{') this.#depth++;
    if (sign === ')' || sign === ']' || sign === '}') {
      if (this.#depth === 0) throw new SyntaxProblem(this.#at, `unexpected '${sign}'`);
      this.#depth--;
    }
    fill(token, sign, this.#at, this.#at + sign.length);
    this.#lineStart = false;
    this.#at += sign.length;
  }
}

function fill(token: LarkToken, kind: LarkTokenKind, at: number, end: number): void {
  token.kind = kind;
  token.at = at;
  token.end = end;
  token.value = '';
}

function isDigit(c: string): boolean {
  return c >= '0' && c <= '9';
}
