/**
 * Parser: tokens to a tree. Builtins with predicates have their own syntax, so it imports their
 * names.
 */

import { isBuiltin, PREDICATE_ARGS } from '../types/signatures.ts';
import { makeNode, type Node, type NodeShape } from './ast.ts';
import { type ExprToken, type ExprTokenKind, isWord, lex, SyntaxFault } from './lex.ts';
import { parseNumber } from './literal.ts';
import { BINARY, COMPARISONS, NEGATABLE, UNARY } from './operators.ts';

/** The limit of the reference. */
const MAX_NODES = 10_000;
/** Maximum depth of the tree: later passes and closures recurse over it. */
const MAX_DEPTH = 1000;
/** Maximum nesting of brackets and operands. Each level takes several calls of the parser. */
const MAX_NESTING = 400;
const MAX_SOURCE = 256 * 1024;

export function parse(text: string): Node {
  if (text.length > MAX_SOURCE) throw new SyntaxFault(0, `the expression is longer than ${MAX_SOURCE} characters`);
  const parser = new Parser(lex(text));
  return parser.whole();
}

class Parser {
  readonly #tokens: readonly ExprToken[];
  #index = 0;
  #nodes = 0;
  #nesting = 0;
  /** Nesting depth of predicates. Outside of a predicate, `#` and a leading dot are invalid. */
  #predicates = 0;

  constructor(tokens: readonly ExprToken[]) {
    this.#tokens = tokens;
  }

  whole(): Node {
    const node = this.#sequence();
    if (!this.#is('end')) this.#unexpected();
    return node;
  }

  get #current(): ExprToken {
    const token = this.#tokens[this.#index];
    if (token === undefined) throw new SyntaxFault(this.#tokens.at(-1)?.at ?? 0, 'the expression ends too early');
    return token;
  }

  #is(kind: ExprTokenKind, text?: string): boolean {
    const token = this.#current;
    return token.kind === kind && (text === undefined || token.text === text);
  }

  #take(): ExprToken {
    const token = this.#current;
    this.#index++;
    return token;
  }

  #expect(kind: ExprTokenKind, text?: string): ExprToken {
    if (!this.#is(kind, text)) this.#unexpected(text === undefined ? undefined : `'${text}'`);
    return this.#take();
  }

  #skip(kind: ExprTokenKind, text: string): boolean {
    if (!this.#is(kind, text)) return false;
    this.#index++;
    return true;
  }

  #unexpected(expected?: string): never {
    const { kind, text, at } = this.#current;
    const actual = kind === 'end' ? 'the expression ends too early' : `unexpected ${kind} ${JSON.stringify(text)}`;
    throw new SyntaxFault(at, expected === undefined ? actual : `${actual}, expected ${expected}`);
  }

  #node(shape: NodeShape, at: number): Node {
    if (++this.#nodes > MAX_NODES) throw new SyntaxFault(at, `the expression has more than ${MAX_NODES} parts`);
    const node = makeNode(shape, at);
    if (node.depth > MAX_DEPTH) throw new SyntaxFault(at, `the expression is nested deeper than ${MAX_DEPTH} levels`);
    return node;
  }

  #sequence(): Node {
    const first = this.#expression(0);
    const items = [first];
    while (this.#skip('operator', ';')) {
      if (this.#is('end')) break;
      items.push(this.#expression(0));
    }
    return items.length === 1 ? first : this.#node({ kind: 'sequence', items }, first.at);
  }

  #expression(precedence: number): Node {
    if (++this.#nesting > MAX_NESTING)
      throw new SyntaxFault(this.#current.at, `the expression is nested deeper than ${MAX_NESTING} levels`);
    const node = this.#unlimitedExpression(precedence);
    this.#nesting--;
    return node;
  }

  #unlimitedExpression(precedence: number): Node {
    if (precedence === 0 && this.#is('operator', 'let')) return this.#let();
    if (precedence === 0 && this.#is('operator', 'if')) return this.#if();
    let node = this.#primary();
    let previous = '';
    while (this.#is('operator')) {
      const negated = this.#negatedOperator(precedence);
      if (negated === 'stop') break;
      if (negated === 'yes') this.#index++;
      const token = this.#current;
      const binding = BINARY.get(token.text);
      if (binding === undefined || binding.precedence < precedence) break;
      this.#index++;
      if (token.text === '|') {
        node = this.#call(this.#expect('name'), [node]);
      } else if (previous === '??' && token.text !== '??') {
        throw new SyntaxFault(token.at, `?? and ${token.text} cannot be mixed without parentheses`);
      } else if (COMPARISONS.has(token.text)) {
        node = this.#comparison(node, token, binding.precedence);
      } else {
        const right = this.#expression(binding.side === 'left' ? binding.precedence + 1 : binding.precedence);
        node = this.#node({ kind: 'binary', op: token.text, left: node, right }, token.at);
        if (negated === 'yes') node = this.#node({ kind: 'unary', op: 'not', operand: node }, token.at);
      }
      previous = token.text;
    }
    return precedence === 0 ? this.#conditional(node) : node;
  }

  /** Recognizes a negated operator such as `not in`, or a `not` that belongs to an outer level. */
  #negatedOperator(precedence: number): 'yes' | 'no' | 'stop' {
    if (!this.#is('operator', 'not')) return 'no';
    const next = this.#tokens[this.#index + 1];
    if (next === undefined || next.kind === 'string' || !NEGATABLE.has(next.text)) {
      this.#index++;
      return this.#unexpected();
    }
    return (BINARY.get(next.text)?.precedence ?? 0) >= precedence ? 'yes' : 'stop';
  }

  #comparison(first: Node, firstToken: ExprToken, precedence: number): Node {
    let left = first;
    let token = firstToken;
    let root: Node | undefined;
    for (;;) {
      const right = this.#expression(precedence + 1);
      const one = this.#node({ kind: 'binary', op: token.text, left, right }, token.at);
      root = root === undefined ? one : this.#node({ kind: 'binary', op: '&&', left: root, right: one }, token.at);
      if (!this.#is('operator') || !COMPARISONS.has(this.#current.text)) return root;
      left = right;
      token = this.#take();
    }
  }

  #let(): Node {
    this.#index++;
    const name = this.#expect('name');
    this.#expect('operator', '=');
    const value = this.#expression(0);
    this.#expect('operator', ';');
    const body = this.#sequence();
    return this.#node({ kind: 'let', name: name.text, value, body }, name.at);
  }

  /** Counts a level for a construct that recurses without `#expression`. */
  #nested(parseIt: () => Node): Node {
    if (++this.#nesting > MAX_NESTING)
      throw new SyntaxFault(this.#current.at, `the expression is nested deeper than ${MAX_NESTING} levels`);
    const node = parseIt();
    this.#nesting--;
    return node;
  }

  #if(): Node {
    const { at } = this.#take();
    const test = this.#expression(0);
    const yes = this.#block();
    this.#expect('operator', 'else');
    const no = this.#is('operator', 'if') ? this.#nested(() => this.#if()) : this.#block();
    return this.#node({ kind: 'conditional', test, yes, no }, at);
  }

  #block(hint?: string): Node {
    this.#expect('bracket', '{');
    const node = this.#sequence();
    if (hint !== undefined && this.#is('operator', ':')) throw new SyntaxFault(this.#current.at, hint);
    this.#expect('bracket', '}');
    return node;
  }

  #conditional(first: Node): Node {
    let node = first;
    while (this.#is('operator', '?')) {
      const { at } = this.#take();
      let yes = node;
      if (!this.#skip('operator', ':')) {
        yes = this.#expression(0);
        this.#expect('operator', ':');
      }
      node = this.#node({ kind: 'conditional', test: node, yes, no: this.#expression(0) }, at);
    }
    return node;
  }

  #primary(): Node {
    const token = this.#current;
    const unary = token.kind === 'operator' ? UNARY.get(token.text) : undefined;
    if (unary !== undefined) {
      this.#index++;
      const operand = this.#expression(unary);
      return this.#postfix(this.#node({ kind: 'unary', op: token.text, operand }, token.at));
    }
    if (this.#skip('bracket', '(')) {
      const inner = this.#sequence();
      this.#expect('bracket', ')');
      return this.#postfix(inner);
    }
    if (this.#predicates > 0 && token.kind === 'operator' && (token.text === '#' || token.text === '.')) return this.#pointer(token);
    if (this.#skip('operator', '::')) return this.#postfix(this.#call(this.#expect('name'), []));
    return this.#secondary();
  }

  #pointer(token: ExprToken): Node {
    let name = '';
    if (token.text === '#') {
      this.#index++;
      if (this.#is('name')) name = this.#take().text;
    }
    return this.#postfix(this.#node({ kind: 'pointer', name }, token.at));
  }

  #secondary(): Node {
    const token = this.#current;
    const { at, text } = token;
    switch (token.kind) {
      case 'name':
        this.#index++;
        if (text === 'true' || text === 'false') return this.#node({ kind: 'bool', value: text === 'true' }, at);
        if (text === 'nil') return this.#node({ kind: 'nil' }, at);
        return this.#postfix(this.#is('bracket', '(') ? this.#call(token, []) : this.#node({ kind: 'name', name: text }, at));
      case 'number':
        this.#index++;
        return this.#node(parseNumber(text, at), at);
      case 'string':
        this.#index++;
        return this.#postfix(this.#node({ kind: 'string', value: text }, at));
      case 'bytes':
        this.#index++;
        return this.#postfix(this.#node({ kind: 'bytes', value: token.bytes ?? new Uint8Array() }, at));
      case 'bracket':
        if (text === '[') return this.#postfix(this.#array());
        if (text === '{') return this.#postfix(this.#map());
        return this.#unexpected();
      default:
        return this.#unexpected();
    }
  }

  #call(name: ExprToken, piped: readonly Node[]): Node {
    const shape = PREDICATE_ARGS.get(name.text);
    if (shape !== undefined) return this.#predicateCall(name, shape.slice(piped.length), piped);
    if (isBuiltin(name.text)) return this.#node({ kind: 'builtin', name: name.text, args: [...piped, ...this.#arguments()] }, name.at);
    const callee = this.#node({ kind: 'name', name: name.text }, name.at);
    return this.#node({ kind: 'call', callee, args: [...piped, ...this.#arguments()] }, name.at);
  }

  #predicateCall(name: ExprToken, shape: readonly string[], piped: readonly Node[]): Node {
    const args = [...piped];
    this.#expect('bracket', '(');
    for (const [i, kind] of shape.entries()) {
      if (this.#is('bracket', ')')) {
        if (kind.endsWith('?')) break;
        throw new SyntaxFault(this.#current.at, `${name.text} needs more arguments`);
      }
      if (i > 0) this.#expect('operator', ',');
      args.push(kind.startsWith('predicate') ? this.#predicate() : this.#expression(0));
    }
    this.#skip('operator', ',');
    this.#expect('bracket', ')');
    return this.#node({ kind: 'builtin', name: name.text, args }, name.at);
  }

  #predicate(): Node {
    const { at } = this.#current;
    this.#predicates++;
    let body: Node;
    if (this.#is('bracket', '{')) {
      body = this.#block('a map as the result of a predicate stands in braces of its own, {{key: value}}');
    } else {
      body = this.#expression(0);
      if (this.#is('operator', ';')) throw new SyntaxFault(this.#current.at, 'a predicate of several expressions stands in { }');
    }
    this.#predicates--;
    return this.#node({ kind: 'predicate', body }, at);
  }

  #arguments(): Node[] {
    this.#expect('bracket', '(');
    return this.#list(')');
  }

  /** Expressions separated by commas up to a closing bracket; a trailing comma is allowed. */
  #list(close: string): Node[] {
    const items: Node[] = [];
    while (!this.#is('bracket', close)) {
      if (items.length > 0) {
        this.#expect('operator', ',');
        if (this.#is('bracket', close)) break;
      }
      items.push(this.#expression(0));
    }
    this.#index++;
    return items;
  }

  #array(): Node {
    const { at } = this.#take();
    return this.#node({ kind: 'array', items: this.#list(']') }, at);
  }

  #map(): Node {
    const { at } = this.#take();
    const pairs: [Node, Node][] = [];
    while (!this.#is('bracket', '}')) {
      if (pairs.length > 0) {
        this.#expect('operator', ',');
        if (this.#is('bracket', '}')) break;
      }
      const key = this.#key();
      this.#expect('operator', ':');
      pairs.push([key, this.#expression(0)]);
    }
    this.#index++;
    return this.#node({ kind: 'map', pairs }, at);
  }

  #key(): Node {
    const { kind, text, at } = this.#current;
    if (kind === 'bracket' && text === '(') return this.#expression(0);
    if (kind !== 'number' && kind !== 'string' && kind !== 'name')
      return this.#unexpected('a key: a word, a string, a number, or an expression in parentheses');
    this.#index++;
    return this.#node({ kind: 'string', value: text }, at);
  }

  #postfix(first: Node): Node {
    let node = first;
    for (;;) {
      const { kind, text } = this.#current;
      if (kind === 'operator' && (text === '.' || text === '?.')) {
        this.#index++;
        const index = text === '?.' && this.#is('bracket', '[');
        node = index ? this.#bracketed(node, true) : this.#property(node, text === '?.');
      } else if (kind === 'bracket' && text === '[') {
        node = this.#bracketed(node, false);
      } else {
        return node;
      }
    }
  }

  #property(before: Node, optional: boolean): Node {
    const { kind, text, at } = this.#current;
    if (kind !== 'name' && !(kind === 'operator' && isWord(text))) return this.#unexpected('a name');
    this.#index++;
    const property = this.#node({ kind: 'string', value: text }, at);
    // A further member extends the chain, so a nil before it skips it too.
    const base = before.kind === 'chain' ? before.body : before;
    const member = this.#node({ kind: 'member', base, property, optional }, at);
    const node = this.#is('bracket', '(') ? this.#node({ kind: 'call', callee: member, args: this.#arguments() }, at) : member;
    return before.kind === 'chain' || optional ? this.#node({ kind: 'chain', body: node }, at) : node;
  }

  #bracketed(base: Node, optional: boolean): Node {
    const { at } = this.#take();
    const from = this.#is('operator', ':') ? undefined : this.#expression(0);
    if (this.#skip('operator', ':')) {
      const to = this.#is('bracket', ']') ? undefined : this.#expression(0);
      this.#expect('bracket', ']');
      return this.#node({ kind: 'slice', base, from, to }, at);
    }
    this.#expect('bracket', ']');
    if (from === undefined) return this.#unexpected();
    const member = this.#node({ kind: 'member', base, property: from, optional }, at);
    return optional ? this.#node({ kind: 'chain', body: member }, at) : member;
  }
}
