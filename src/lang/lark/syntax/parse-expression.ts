/**
 * Grammar of expressions, by recursive descent and operator precedence. The resolver checks names.
 */
import type { Argument, DictEntry, Expression, ForClause, FunctionNode, IfClause, ParameterNode } from './ast.ts';
import { tokenText } from './scan.ts';
import { SyntaxProblem } from './syntax-problem.ts';
import type { TokenStream } from './token-stream.ts';

const NOT = 2;
const COMPARISON = 3;
const PRECEDENCE: ReadonlyMap<string, number> = new Map(
  [
    ['or'],
    ['and'],
    [],
    ['==', '!=', '<', '>', '<=', '>=', 'in', 'not in'],
    ['|'],
    ['^'],
    ['&'],
    ['<<', '>>'],
    ['+', '-'],
    ['*', '/', '//', '%'],
  ].flatMap((ops, level) => ops.map((op) => [op, level] as const)),
);
/** Maximum length of a chain of operators, which nests the tree. */
const MAX_CHAIN = 1000;
const LIST_ENDS = new Set(['end of file', 'newline', '=', '}', ']', ')', ';']);
const LITERALS: ReadonlyMap<string, 'int' | 'float' | 'string' | 'bytes'> = new Map([
  ['int literal', 'int'],
  ['float literal', 'float'],
  ['string literal', 'string'],
  ['bytes literal', 'bytes'],
]);

export class ExpressionParser {
  readonly tokens: TokenStream;

  constructor(tokens: TokenStream) {
    this.tokens = tokens;
  }

  /** An expression or a tuple without parentheses. */
  expression(trailing: 'comma allowed' | 'no trailing comma'): Expression {
    const at = this.tokens.token.at;
    const first = this.test();
    if (!this.tokens.is(',')) return first;
    return { kind: 'tuple', at, items: this.#more(first, trailing) };
  }

  #more(first: Expression, trailing: 'comma allowed' | 'no trailing comma'): Expression[] {
    const items = [first];
    while (this.tokens.is(',')) {
      const comma = this.tokens.advance();
      if (LIST_ENDS.has(this.tokens.kind)) {
        if (trailing === 'no trailing comma') throw new SyntaxProblem(comma, 'unparenthesized tuple with trailing comma');
        break;
      }
      items.push(this.test());
    }
    return items;
  }

  test(): Expression {
    return this.tokens.nested(() => {
      if (this.tokens.is('lambda')) return this.#lambda(() => this.test());
      const then = this.#binary(0);
      if (!this.tokens.is('if')) return then;
      const at = this.tokens.advance();
      const condition = this.#binary(0);
      if (!this.tokens.is('else')) throw new SyntaxProblem(at, 'conditional expression without else clause');
      this.tokens.advance();
      return { kind: 'conditional', at, condition, then, otherwise: this.test() };
    });
  }

  /** Condition of an `if` in a comprehension, where a conditional would be ambiguous. */
  #testWithoutConditional(): Expression {
    return this.tokens.is('lambda') ? this.#lambda(() => this.#testWithoutConditional()) : this.#binary(0);
  }

  #lambda(body: () => Expression): FunctionNode {
    const at = this.tokens.expect('lambda');
    const params = this.parameters(':');
    this.tokens.expect(':');
    const value = body();
    return { kind: 'function', at, name: 'lambda', params, body: [{ kind: 'return', at: value.at, value }], scope: undefined };
  }

  parameters(close: string): ParameterNode[] {
    const params: ParameterNode[] = [];
    while (!this.tokens.is(close) && !this.tokens.is('end of file')) {
      if (params.length > 0) this.tokens.expect(',');
      if (this.tokens.is(close)) break;
      params.push(this.#parameter());
    }
    return params;
  }

  #parameter(): ParameterNode {
    const at = this.tokens.token.at;
    if (this.tokens.is('*') || this.tokens.is('**')) {
      const star = this.tokens.kind;
      this.tokens.advance();
      if (star === '*' && !this.tokens.is('identifier'))
        return { kind: 'bare-star', at, name: '', fallback: undefined, binding: undefined };
      return { kind: star === '*' ? 'star' : 'star-star', at, name: this.identifier(), fallback: undefined, binding: undefined };
    }
    const name = this.identifier();
    if (!this.tokens.is('=')) return { kind: 'plain', at, name, fallback: undefined, binding: undefined };
    this.tokens.advance();
    return { kind: 'optional', at, name, fallback: this.test(), binding: undefined };
  }

  identifier(): string {
    if (!this.tokens.is('identifier')) throw new SyntaxProblem(this.tokens.token.at, 'not an identifier');
    const name = String(this.tokens.token.value);
    this.tokens.advance();
    return name;
  }

  #binary(level: number): Expression {
    let left: Expression;
    if (this.tokens.is('not') && level <= NOT) {
      const at = this.tokens.advance();
      left = { kind: 'unary', at, op: 'not', operand: this.tokens.nested(() => this.#binary(NOT)) };
    } else {
      left = this.primaryWithSuffix();
    }
    let compared = '';
    for (let chain = 0; ; chain++) {
      const at = this.tokens.token.at;
      const op = this.#operator();
      const precedence = PRECEDENCE.get(op);
      if (precedence === undefined || precedence < level) return left;
      if (precedence === COMPARISON) {
        if (compared !== '') throw new SyntaxProblem(at, `${compared} does not associate with ${op} (use parens)`);
        compared = op;
      } else {
        compared = '';
      }
      if (chain >= MAX_CHAIN) throw new SyntaxProblem(at, `more than ${MAX_CHAIN} operators in one expression`);
      this.tokens.advance();
      left = { kind: 'binary', at, op, left, right: this.#binary(precedence + 1) };
    }
  }

  /** `not` after an operand must begin `not in`, which becomes one token. */
  #operator(): string {
    const token = this.tokens.token;
    if (token.kind !== 'not') return token.kind;
    this.tokens.advance();
    if (!this.tokens.is('in')) this.tokens.failExpecting('in');
    token.kind = 'not in';
    return token.kind;
  }

  primaryWithSuffix(): Expression {
    let value = this.#primary();
    for (let chain = 0; ; chain++) {
      if (chain >= MAX_CHAIN) throw new SyntaxProblem(value.at, `more than ${MAX_CHAIN} suffixes in one expression`);
      if (this.tokens.is('.')) {
        const at = this.tokens.advance();
        value = { kind: 'dot', at, object: value, name: this.identifier() };
      } else if (this.tokens.is('[')) {
        value = this.#subscript(value);
      } else if (this.tokens.is('(')) {
        const at = this.tokens.advance();
        const args = this.#arguments();
        this.tokens.expect(')');
        value = { kind: 'call', at, callee: value, args };
      } else {
        return value;
      }
    }
  }

  #arguments(): Argument[] {
    const args: Argument[] = [];
    while (!this.tokens.is(')') && !this.tokens.is('end of file')) {
      if (args.length > 0) this.tokens.expect(',');
      if (this.tokens.is(')')) break;
      args.push(this.#argument());
    }
    return args;
  }

  #argument(): Argument {
    const at = this.tokens.token.at;
    if (this.tokens.is('*') || this.tokens.is('**')) {
      const kind = this.tokens.is('*') ? 'spread' : 'spread-named';
      this.tokens.advance();
      return { kind, at, name: '', value: this.test() };
    }
    const value = this.test();
    if (!this.tokens.is('=')) return { kind: 'positional', at, name: '', value };
    if (value.kind !== 'name') throw new SyntaxProblem(at, 'keyword argument must have form name=expr');
    this.tokens.advance();
    return { kind: 'named', at, name: value.name, value: this.test() };
  }

  #subscript(object: Expression): Expression {
    const at = this.tokens.expect('[');
    let low: Expression | undefined;
    if (!this.tokens.is(':')) {
      low = this.expression('no trailing comma');
      if (this.tokens.is(']')) {
        this.tokens.advance();
        return { kind: 'index', at, object, key: low };
      }
    }
    let high: Expression | undefined;
    let step: Expression | undefined;
    this.tokens.expect(':');
    if (!this.tokens.is(':') && !this.tokens.is(']')) high = this.test();
    if (this.tokens.is(':')) {
      this.tokens.advance();
      if (!this.tokens.is(']')) step = this.test();
    }
    this.tokens.expect(']');
    return { kind: 'slice', at, object, low, high, step };
  }

  #primary(): Expression {
    const { at, kind, value } = this.tokens.token;
    if (kind === 'identifier') return { kind: 'name', at, name: this.identifier(), binding: undefined };
    const literal = LITERALS.get(kind);
    if (literal !== undefined) {
      this.tokens.advance();
      return { kind: 'literal', at, type: literal, value };
    }
    if (kind === '(') return this.tokens.nested(() => this.#parenthesized());
    if (kind === '[') return this.tokens.nested(() => this.#list());
    if (kind === '{') return this.tokens.nested(() => this.#dict());
    if (kind === '-' || kind === '+' || kind === '~') {
      this.tokens.advance();
      return { kind: 'unary', at, op: kind, operand: this.tokens.nested(() => this.primaryWithSuffix()) };
    }
    return this.tokens.failExpecting('primary expression');
  }

  #parenthesized(): Expression {
    const at = this.tokens.expect('(');
    if (this.tokens.is(')')) {
      this.tokens.advance();
      return { kind: 'tuple', at, items: [] };
    }
    const value = this.expression('comma allowed');
    this.tokens.expect(')');
    return value;
  }

  #list(): Expression {
    const at = this.tokens.expect('[');
    if (this.tokens.is(']')) {
      this.tokens.advance();
      return { kind: 'list', at, items: [] };
    }
    const first = this.test();
    if (this.tokens.is('for')) {
      return { kind: 'comprehension', at, body: first, entry: undefined, clauses: this.#clauses(']') };
    }
    const items = this.#more(first, 'comma allowed');
    this.tokens.expect(']');
    return { kind: 'list', at, items };
  }

  #dict(): Expression {
    const at = this.tokens.expect('{');
    if (this.tokens.is('}')) {
      this.tokens.advance();
      return { kind: 'dict', at, entries: [] };
    }
    const first = this.#entry();
    if (this.tokens.is('for')) {
      return { kind: 'comprehension', at, body: undefined, entry: first, clauses: this.#clauses('}') };
    }
    const entries = [first];
    while (this.tokens.is(',')) {
      this.tokens.advance();
      if (this.tokens.is('}')) break;
      entries.push(this.#entry());
    }
    this.tokens.expect('}');
    return { kind: 'dict', at, entries };
  }

  #entry(): DictEntry {
    const key = this.test();
    const at = this.tokens.expect(':');
    return { at, key, value: this.test() };
  }

  #clauses(close: ']' | '}'): [ForClause, ...(ForClause | IfClause)[]] {
    const clauses: [ForClause, ...(ForClause | IfClause)[]] = [this.#forClause()];
    while (!this.tokens.is(close)) {
      if (clauses.length > MAX_CHAIN / 10) throw new SyntaxProblem(this.tokens.token.at, 'too many clauses in one comprehension');
      if (this.tokens.is('for')) {
        clauses.push(this.#forClause());
      } else if (this.tokens.is('if')) {
        const at = this.tokens.advance();
        clauses.push({ kind: 'if', at, condition: this.#testWithoutConditional() });
      } else {
        this.tokens.failExpecting(`${tokenText(close)}, for, or if`);
      }
    }
    this.tokens.advance();
    return clauses;
  }

  #forClause(): ForClause {
    const at = this.tokens.expect('for');
    const target = this.loopVariables();
    this.tokens.expect('in');
    return { kind: 'for', at, target, over: this.#binary(0) };
  }

  /** `x` or `x, y`, without an `in` operator. */
  loopVariables(): Expression {
    const at = this.tokens.token.at;
    const first = this.primaryWithSuffix();
    if (!this.tokens.is(',')) return first;
    const items = [first];
    while (this.tokens.is(',')) {
      this.tokens.advance();
      if (LIST_ENDS.has(this.tokens.kind) || this.tokens.is('in')) break;
      items.push(this.primaryWithSuffix());
    }
    return { kind: 'tuple', at, items };
  }
}
