/**
 * Finds the slots whose type only their value determines: operands of arithmetic, items of a
 * SELECT, arguments of functions for any type. Elsewhere (beside a column, in an argument of
 * another function, before a cast) the server takes the type from the surroundings.
 */
import type { Slices } from '../../util/concurrency/slices.ts';
import { SLICE_TOKENS } from './scan.ts';
import { isSymbol, isWord, keywords } from './syntax.ts';
import type { SqlToken } from './token.ts';

const ARITHMETIC = /^[-+*/%^][-+]*$/;
const COMPARISON = /^(?:=|<>|!=|<|>|<=|>=)$/;
const OPERATOR = /^[-+*/%^=<>!|&#~@?`]$/;

/** Functions for arguments of any type, and functions of numbers. */
const OF_ANY_TYPE = keywords(
  'JSON_BUILD_OBJECT JSONB_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_ARRAY TO_JSON TO_JSONB JSON_AGG JSONB_AGG ARRAY_AGG MOD DIV POWER POW',
);
/** The same for the first argument only. */
const OF_FIRST = keywords(
  'ABS CEIL CEILING FLOOR ROUND TRUNC SIGN SQRT EXP LN LOG SUM AVG MIN MAX UNNEST CARDINALITY ARRAY_LENGTH ARRAY_POSITION',
);
/** The operands have one type, which a column or a text among them determines. */
const OF_ONE_TYPE = keywords('COALESCE GREATEST LEAST NULLIF ARRAY CASE');

/** Words around a complete expression. */
const BOUNDARIES = keywords(`
  SELECT DISTINCT ALL AS FROM WHERE AND OR NOT ON HAVING GROUP ORDER BY LIMIT OFFSET FETCH UNION INTERSECT EXCEPT RETURNING CASE WHEN THEN ELSE
  END IS WINDOW FOR`);
const END_OF_ITEMS = ['FROM', 'WHERE', 'GROUP', 'ORDER', 'HAVING', 'LIMIT', 'OFFSET', 'WINDOW', 'FOR', 'FETCH'];

/** A pair of parentheses or brackets, a CASE, or the whole statement. */
interface Frame {
  readonly call: string;
  arguments: number;
  isInItems: boolean;
  /** `true` if the type of its items may be that of a table's columns. */
  isMixed: boolean;
  /** `true` if each operand is a number, a slot or NULL. */
  isPlain: boolean;
  /** `true` if it follows a slash, or is inside of such parentheses. */
  readonly isDivisor: boolean;
  readonly items: number[];
  readonly operands: number[];
}

const isNumeric = ({ kind, text }: SqlToken): boolean =>
  kind === 'slot' || kind === 'number' || (kind === 'symbol' && ARITHMETIC.test(text));

const frameOf = (call: string, isDivisor = false): Frame => ({
  call,
  arguments: 0,
  isInItems: false,
  isMixed: false,
  isPlain: true,
  isDivisor,
  items: [],
  operands: [],
});

/** Positions of these slots among the significant tokens, and of slots in divisors. */
export interface Operands {
  readonly all: ReadonlySet<number>;
  readonly divisors: ReadonlySet<number>;
}

export function* findOperands(tokens: readonly SqlToken[]): Slices<Operands> {
  const found = { all: new Set<number>(), divisors: new Set<number>() };
  if (!tokens.some(({ kind }) => kind === 'slot')) return found;
  const search = new OperandSearch(tokens, found);
  for (let i = 0; i < tokens.length; i++) {
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
    search.visit(i);
  }
  search.end();
  return found;
}

class OperandSearch {
  readonly #tokens: readonly SqlToken[];
  readonly #found: Set<number>;
  readonly #divisors: Set<number>;
  readonly #frames: Frame[] = [frameOf('')];

  constructor(tokens: readonly SqlToken[], { all, divisors }: { readonly all: Set<number>; readonly divisors: Set<number> }) {
    this.#tokens = tokens;
    this.#found = all;
    this.#divisors = divisors;
  }

  visit(i: number): void {
    const token = this.#tokens[i] as SqlToken;
    if (token.kind === 'slot') this.#slot(i);
    if (token.kind === 'word') this.#word(token.text.toUpperCase(), i);
    else if (isSymbol(token, '(') || isSymbol(token, '[')) this.#open(i);
    else if (isSymbol(token, ')') || isSymbol(token, ']')) this.#close();
    else if (isSymbol(token, ',')) this.#top.arguments++;
    else if (!isNumeric(token) && this.#top.call !== 'CASE') this.#top.isPlain = false;
  }

  end(): void {
    while (this.#frames.length > 0) this.#settle(this.#frames.pop() as Frame);
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #open(i: number): void {
    if (this.#top.call !== 'CASE') this.#top.isPlain = false;
    const before = this.#tokens[i - 1];
    const call = before?.kind === 'word' ? before.text.toUpperCase() : '';
    this.#frames.push(frameOf(call, this.#isDivisor(call === '' ? i : i - 1)));
  }

  #close(): void {
    if (this.#frames.length > 1) this.#settle(this.#frames.pop() as Frame);
  }

  #settle({ call, items, operands, isMixed, isPlain }: Frame): void {
    if (!isMixed) for (const i of items) this.#found.add(i);
    if (isPlain && OF_ONE_TYPE.has(call)) for (const i of operands) this.#found.add(i);
  }

  #word(word: string, i: number): void {
    const top = this.#top;
    if (word === 'CASE') this.#frames.push(frameOf(word, this.#isDivisor(i)));
    else if (word === 'END' && top.call === 'CASE') this.#close();
    else if (word === 'THEN' || word === 'ELSE') top.isPlain &&= this.#isSingleResult(i + 1);
    else if (word === 'SELECT') top.isInItems = true;
    else if (END_OF_ITEMS.includes(word)) top.isInItems &&= word === 'FROM' && isWord(this.#tokens[i - 1], 'DISTINCT');
    else if (['UNION', 'INTERSECT', 'EXCEPT', 'INSERT'].includes(word)) top.isMixed = true;
    else if (top.call !== 'CASE' && word !== 'NULL') top.isPlain = false;
  }

  /** `true` if the result of a branch is a number, a slot or NULL. */
  #isSingleResult(i: number): boolean {
    const result = this.#tokens[i];
    const isPlain = result?.kind === 'number' || result?.kind === 'slot' || isWord(result, 'NULL');
    return isPlain && isWord(this.#tokens[i + 1], 'WHEN', 'ELSE', 'END');
  }

  #slot(i: number): void {
    if (isSymbol(this.#tokens[i + 1], ':')) return;
    const [from, to] = this.#widened(i);
    if (this.#isDivisor(from)) this.#divisors.add(i);
    if (ARITHMETIC.test(this.#operatorBefore(from)) || ARITHMETIC.test(this.#operatorAfter(to)) || this.#isCompared(i)) this.#found.add(i);
    else this.#item(i);
  }

  #isDivisor(i: number): boolean {
    let at = i - 1;
    while (isSymbol(this.#tokens[at], '-') || isSymbol(this.#tokens[at], '+')) at--;
    return this.#top.isDivisor || isSymbol(this.#tokens[at], '/');
  }

  /** A slot that is a whole item or argument. */
  #item(i: number): void {
    const top = this.#top;
    const before = this.#tokens[i - 1];
    const after = this.#tokens[i + 1];
    if (top.call === 'CASE') {
      if (isWord(before, 'THEN', 'ELSE') && isWord(after, 'WHEN', 'ELSE', 'END')) top.operands.push(i);
      return;
    }
    if (top.isInItems) {
      const isFirst = isWord(before, 'SELECT', 'DISTINCT', 'ALL') || isSymbol(before, ',');
      const isLast = after === undefined || isSymbol(after, ',') || isSymbol(after, ')') || after.kind === 'word' || after.kind === 'name';
      if (isFirst && isLast) top.items.push(i);
      return;
    }
    const isWhole =
      (isSymbol(before, '(') || isSymbol(before, '[') || isSymbol(before, ',')) &&
      (isSymbol(after, ')') || isSymbol(after, ']') || isSymbol(after, ','));
    if (!isWhole) return;
    if (OF_ANY_TYPE.has(top.call) || (OF_FIRST.has(top.call) && top.arguments === 0)) this.#found.add(i);
    else top.operands.push(i);
  }

  /** The positions of a slot with the parentheses that contain nothing else. */
  #widened(i: number): readonly [number, number] {
    let from = i;
    let to = i;
    while (isSymbol(this.#tokens[from - 1], '(') && isSymbol(this.#tokens[to + 1], ')') && !this.#isCall(from - 2)) {
      from--;
      to++;
    }
    return [from, to];
  }

  #isCall(i: number): boolean {
    const token = this.#tokens[i];
    return token?.kind === 'name' || (token?.kind === 'word' && !BOUNDARIES.has(token.text.toUpperCase()));
  }

  /** Compared with a number or another slot, beside which there is no other operator. */
  #isCompared(i: number): boolean {
    const before = this.#operatorBefore(i);
    if (COMPARISON.test(before)) {
      const other = i - before.length - 1;
      return this.#isOperand(other) && this.#isBoundary(other - 1) && this.#isBoundary(i + 1);
    }
    const after = this.#operatorAfter(i);
    let other = i + after.length + 1;
    if (COMPARISON.test(after)) {
      if (!this.#isBoundary(i - 1)) return false;
      if (isWord(this.#tokens[other], 'ANY', 'ALL', 'SOME')) return this.#isOperand(other + 2);
      return this.#isOperand(other) && this.#isBoundary(other + 1);
    }
    if (isWord(this.#tokens[other], 'NOT')) other++;
    if (isWord(this.#tokens[other], 'BETWEEN')) return this.#isOperand(other + 1);
    return isWord(this.#tokens[other], 'IN') && this.#isOperand(other + 2);
  }

  #isOperand(i: number): boolean {
    const token = this.#tokens[i];
    return token?.kind === 'number' || (token?.kind === 'slot' && !isSymbol(this.#tokens[i + 1], ':'));
  }

  #isBoundary(i: number): boolean {
    const token = this.#tokens[i];
    if (token === undefined || isSymbol(token, '(') || isSymbol(token, ')') || isSymbol(token, ',')) return true;
    return token.kind === 'word' && BOUNDARIES.has(token.text.toUpperCase());
  }

  /** The operator that ends before a token: symbols without a space between them. */
  #operatorBefore(i: number): string {
    let text = '';
    for (let at = i - 1; this.#isOperator(at) && (text === '' || this.#touch(at)); at--) text = (this.#tokens[at] as SqlToken).text + text;
    return text;
  }

  #operatorAfter(i: number): string {
    let text = '';
    for (let at = i + 1; this.#isOperator(at) && (text === '' || this.#touch(at - 1)); at++) text += (this.#tokens[at] as SqlToken).text;
    return text;
  }

  #isOperator(i: number): boolean {
    const token = this.#tokens[i];
    return token?.kind === 'symbol' && OPERATOR.test(token.text);
  }

  #touch(i: number): boolean {
    const token = this.#tokens[i];
    return token !== undefined && token.at + token.text.length === this.#tokens[i + 1]?.at;
  }
}
