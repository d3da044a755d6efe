/**
 * Grammar of statements and of a whole file. Collects all syntax errors: after one, parsing resumes
 * at the next line that begins in the first column.
 */
import type { Expression, IfStatement, LarkStatement, LoadItem, LoadStatement } from './ast.ts';
import { ExpressionParser } from './parse-expression.ts';
import { tokenText } from './scan.ts';
import { MAX_PROBLEMS, SyntaxProblem } from './syntax-problem.ts';
import { TokenStream } from './token-stream.ts';

const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '//=', '%=', '&=', '|=', '^=', '<<=', '>>=']);

export interface ParsedFile {
  readonly statements: readonly LarkStatement[];
  readonly problems: readonly SyntaxProblem[];
}

export function parseFile(text: string): ParsedFile {
  return new StatementParser(text).file();
}

class StatementParser {
  readonly #tokens: TokenStream;
  readonly #expressions: ExpressionParser;

  constructor(text: string) {
    this.#tokens = new TokenStream(text);
    this.#expressions = new ExpressionParser(this.#tokens);
  }

  file(): ParsedFile {
    const statements: LarkStatement[] = [];
    const problems: SyntaxProblem[] = [];
    for (;;) {
      try {
        this.#tokens.advance();
        this.#statements(statements);
        return { statements, problems };
      } catch (problem) {
        if (!(problem instanceof SyntaxProblem)) throw problem;
        problems.push(problem);
        const from = Math.max(problem.at, this.#tokens.token.at);
        if (problems.length >= MAX_PROBLEMS || !this.#tokens.recover(from)) return { statements, problems };
      }
    }
  }

  #statements(into: LarkStatement[]): void {
    while (!this.#tokens.is('end of file')) {
      if (this.#tokens.is('newline')) this.#tokens.advance();
      else this.#statement(into);
    }
  }

  #statement(into: LarkStatement[]): void {
    const compound = COMPOUND.get(this.#tokens.kind);
    if (compound !== undefined) into.push(this.#tokens.nested(() => compound(this)));
    else this.#simple(into);
  }

  #simple(into: LarkStatement[]): void {
    for (;;) {
      into.push(this.#small());
      if (!this.#tokens.is(';')) break;
      this.#tokens.advance();
      if (this.#tokens.is('newline') || this.#tokens.is('end of file')) break;
    }
    if (!this.#tokens.is('end of file')) this.#tokens.expect('newline');
  }

  #small(): LarkStatement {
    const { at, kind } = this.#tokens.token;
    if (kind === 'pass' || kind === 'break' || kind === 'continue') {
      this.#tokens.advance();
      return { kind, at };
    }
    if (kind === 'return') {
      this.#tokens.advance();
      const bare = this.#tokens.is('newline') || this.#tokens.is(';') || this.#tokens.is('end of file');
      return { kind, at, value: bare ? undefined : this.#expressions.expression('no trailing comma') };
    }
    if (kind === 'load') return this.#load();
    const target = this.#expressions.expression('no trailing comma');
    const op = this.#tokens.kind;
    if (!ASSIGNMENTS.has(op)) return { kind: 'expression', at, value: target };
    const sign = this.#tokens.advance();
    const value = this.#expressions.expression('no trailing comma');
    return { kind: 'assign', at: sign, op: op === '=' ? '=' : op.slice(0, -1), target, value };
  }

  #suite(): LarkStatement[] {
    const body: LarkStatement[] = [];
    if (!this.#tokens.is('newline')) {
      this.#simple(body);
      return body;
    }
    this.#tokens.advance();
    this.#tokens.expect('indent');
    while (!this.#tokens.is('outdent') && !this.#tokens.is('end of file')) this.#statement(body);
    this.#tokens.expect('outdent');
    return body;
  }

  def(): LarkStatement {
    const at = this.#tokens.expect('def');
    const nameAt = this.#tokens.token.at;
    const name = this.#expressions.identifier();
    this.#tokens.expect('(');
    const params = this.#expressions.parameters(')');
    this.#tokens.expect(')');
    this.#tokens.expect(':');
    const body = this.#suite();
    return {
      kind: 'def',
      at,
      target: { kind: 'name', at: nameAt, name, binding: undefined },
      fn: { kind: 'function', at, name, params, body, scope: undefined },
    };
  }

  if(): IfStatement {
    const at = this.#tokens.token.at;
    const arms: { condition: Expression; body: LarkStatement[] }[] = [];
    while (arms.length === 0 || this.#tokens.is('elif')) {
      this.#tokens.advance();
      const condition = this.#expressions.test();
      this.#tokens.expect(':');
      arms.push({ condition, body: this.#suite() });
    }
    if (!this.#tokens.is('else')) return { kind: 'if', at, arms, otherwise: [] };
    this.#tokens.advance();
    this.#tokens.expect(':');
    return { kind: 'if', at, arms, otherwise: this.#suite() };
  }

  for(): LarkStatement {
    const at = this.#tokens.expect('for');
    const target = this.#expressions.loopVariables();
    this.#tokens.expect('in');
    const over = this.#expressions.expression('no trailing comma');
    this.#tokens.expect(':');
    return { kind: 'for', at, target, over, body: this.#suite() };
  }

  while(): LarkStatement {
    const at = this.#tokens.expect('while');
    const condition = this.#expressions.test();
    this.#tokens.expect(':');
    return { kind: 'while', at, condition, body: this.#suite() };
  }

  #load(): LoadStatement {
    const at = this.#tokens.expect('load');
    this.#tokens.expect('(');
    const { kind, value } = this.#tokens.token;
    if (kind !== 'string literal') {
      throw new SyntaxProblem(this.#tokens.token.at, 'first operand of load statement must be a string literal');
    }
    this.#tokens.advance();
    const items: LoadItem[] = [];
    while (!this.#tokens.is(')') && !this.#tokens.is('end of file')) {
      this.#tokens.expect(',');
      if (this.#tokens.is(')')) break;
      items.push(this.#loadItem());
    }
    this.#tokens.expect(')');
    if (items.length === 0) throw new SyntaxProblem(at, 'load statement must import at least 1 symbol');
    return { kind: 'load', at, module: String(value), items };
  }

  #loadItem(): LoadItem {
    const { at, kind, value } = this.#tokens.token;
    const name = String(value);
    if (kind === 'string literal') {
      this.#tokens.advance();
      return { at, target: { kind: 'name', at, name, binding: undefined }, from: name };
    }
    if (kind !== 'identifier') {
      throw new SyntaxProblem(at, `load operand must be "name" or localname="name" (got ${tokenText(kind)})`);
    }
    this.#tokens.advance();
    if (!this.#tokens.is('=')) throw new SyntaxProblem(at, `load operand must be "${name}" or ${name}="originalname"`);
    this.#tokens.advance();
    const original = this.#tokens.token;
    if (original.kind !== 'string literal') {
      throw new SyntaxProblem(original.at, `original name of loaded symbol must be quoted: ${name}="originalname"`);
    }
    const item: LoadItem = { at: original.at, target: { kind: 'name', at, name, binding: undefined }, from: String(original.value) };
    this.#tokens.advance();
    return item;
  }
}

const COMPOUND: ReadonlyMap<string, (parser: StatementParser) => LarkStatement> = new Map([
  ['def', (parser: StatementParser): LarkStatement => parser.def()],
  ['if', (parser: StatementParser): LarkStatement => parser.if()],
  ['for', (parser: StatementParser): LarkStatement => parser.for()],
  ['while', (parser: StatementParser): LarkStatement => parser.while()],
]);
