/** The parser's view of the tokens: one token of look-ahead, and errors about what was expected. */
import { type LarkToken, type LarkTokenKind, Scanner, tokenText } from './scan.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/**
 * Maximum nesting of a source text, so that neither the parser nor the compiled program overflows
 * the stack.
 */
const MAX_NESTING = 200;

export class TokenStream {
  readonly #scanner: Scanner;
  readonly token: LarkToken = { kind: 'end of file', at: 0, end: 0, value: '' };
  #nesting = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  get kind(): LarkTokenKind {
    return this.token.kind;
  }

  is(kind: LarkTokenKind): boolean {
    return this.token.kind === kind;
  }

  /** Consumes a token and returns its offset. */
  advance(): number {
    const at = this.token.at;
    this.#scanner.next(this.token);
    return at;
  }

  expect(kind: LarkTokenKind): number {
    if (this.kind !== kind) this.failExpecting(tokenText(kind));
    return this.advance();
  }

  failExpecting(expected: string): never {
    throw new SyntaxProblem(this.token.at, `got ${tokenText(this.kind)}, want ${expected}`);
  }

  recover(from: number): boolean {
    this.#nesting = 0;
    return this.#scanner.recover(from);
  }

  nested<T>(parse: () => T): T {
    if (++this.#nesting > MAX_NESTING) throw new SyntaxProblem(this.token.at, `nested more than ${MAX_NESTING} levels deep`);
    const result = parse();
    this.#nesting--;
    return result;
  }
}
