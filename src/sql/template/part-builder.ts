/**
 * Turns the tokens of a statement into template parts, and derives the place of each slot from its
 * surroundings.
 */
import type { Slices } from '../../util/concurrency/slices.ts';
import type { Operands } from './operands.ts';
import { SLICE_TOKENS } from './scan.ts';
import { isSymbol, isWord, type SqlSyntax } from './syntax.ts';
import type { SlotPlace, TemplatePart, TemplateSlot } from './template.ts';
import type { SqlToken } from './token.ts';

const COMPARISONS = ['LIKE', 'ILIKE', 'RLIKE', 'REGEXP', 'BETWEEN'];
const ARRAY_CALLS = /^(?:ANY|ALL|SOME|UNNEST|CARDINALITY|ARRAY_\w+)$/i;

export class PartBuilder {
  readonly #tokens: readonly SqlToken[];
  readonly #significant: readonly SqlToken[];
  readonly #casts: SqlSyntax['literalCasts'];
  readonly #operands: Operands;
  readonly #parts: TemplatePart[] = [];
  readonly #open: boolean[] = [];
  #text = '';
  #inSet = false;
  #inLimit = false;

  constructor(tokens: readonly SqlToken[], significant: readonly SqlToken[], casts: SqlSyntax['literalCasts'], operands: Operands) {
    this.#tokens = tokens;
    this.#significant = significant;
    this.#casts = casts;
    this.#operands = operands;
  }

  *build(): Slices<readonly TemplatePart[]> {
    let s = 0;
    for (let i = 0; i < this.#tokens.length; i++) {
      if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
      const token = this.#tokens[i] as SqlToken;
      if (token.kind === 'space' || token.kind === 'comment') {
        this.#text += token.text;
        continue;
      }
      const taken = this.#take(s);
      this.#follow(token, s);
      if (taken === 0) this.#text += token.text;
      // Skip the tokens of the part, including blanks.
      for (let left = taken - 1; left > 0; ) {
        i++;
        const passed = this.#tokens[i];
        if (passed?.kind !== 'space' && passed?.kind !== 'comment') {
          left--;
          s++;
        }
      }
      s++;
    }
    this.#flush();
    return this.#parts;
  }

  /**
   * Makes a part from the significant tokens at `s` and returns their number; 0 for ordinary text.
   */
  #take(s: number): number {
    const at = (offset: number): SqlToken | undefined => this.#significant[s + offset];
    const token = at(0) as SqlToken;
    const skip = isWord(token, 'NOT') ? 1 : 0;
    const list = wholeSlot(at(skip + 2));
    if (isWord(at(skip), 'IN') && isSymbol(at(skip + 1), '(') && list !== undefined && isSymbol(at(skip + 3), ')')) {
      this.#push({ kind: 'in', slot: { ...list, place: 'listed', isOperand: false, isDivisor: false }, negated: skip === 1 });
      return skip + 4;
    }
    const cast = token.kind === 'word' ? this.#casts[token.text.toUpperCase()] : undefined;
    if (cast !== undefined && at(1)?.kind === 'string' && at(1)?.pieces !== undefined && !isSymbol(at(-1), '.')) {
      this.#push({ ...this.#partOf(at(1) as SqlToken, s + 1), cast });
      return 2;
    }
    if (token.kind !== 'slot' && token.pieces === undefined) return 0;
    this.#push(this.#partOf(token, s));
    return 1;
  }

  #partOf(token: SqlToken, s: number): Extract<TemplatePart, { kind: 'slot' | 'joined' }> {
    const whole = wholeSlot(token);
    if (whole !== undefined)
      return {
        kind: 'slot',
        slot: { ...whole, place: this.#place(s), isOperand: this.#operands.all.has(s), isDivisor: this.#operands.divisors.has(s) },
      };
    const { prefix = '', quote = "'", pieces = [] } = token;
    return {
      kind: 'joined',
      pieces: pieces.map((piece) =>
        typeof piece === 'string'
          ? `${prefix}${quote}${piece}${quote}`
          : { path: piece, form: 'quoted', place: 'value', isOperand: false, isDivisor: false },
      ),
    };
  }

  #push(part: TemplatePart): void {
    // A placeholder directly after a word would become part of it.
    if (/[\p{L}\p{N}_$]$/u.test(this.#text)) this.#text += ' ';
    this.#flush();
    this.#parts.push(part);
  }

  #flush(): void {
    if (this.#text !== '') this.#parts.push({ kind: 'text', text: this.#text });
    this.#text = '';
  }

  /** Tracks clauses and parentheses. */
  #follow(token: SqlToken, s: number): void {
    if (isSymbol(token, '(')) this.#open.push(isWord(this.#significant[s - 1], 'IN'));
    if (isSymbol(token, ')')) this.#open.pop();
    if (isWord(token, 'SET') || (isWord(token, 'UPDATE') && isWord(this.#significant[s - 1], 'KEY'))) this.#inSet = true;
    if (isWord(token, 'WHERE', 'FROM', 'RETURNING', 'SELECT', 'WHEN')) this.#inSet = false;
    if (isWord(token, 'LIMIT', 'OFFSET', 'FETCH', 'TOP')) this.#inLimit = true;
    else if (!isWord(token, 'FIRST', 'NEXT') && token.kind !== 'number' && token.kind !== 'slot' && token.pieces === undefined)
      this.#inLimit &&= isSymbol(token, ',') || isSymbol(token, '(');
  }

  #place(s: number): SlotPlace {
    const before = (count: number): SqlToken | undefined => this.#significant[s - count];
    const after = (count: number): SqlToken | undefined => this.#significant[s + count];
    if (this.#inLimit) return 'limit';
    if (isWord(after(1), 'IS') && (isWord(after(2), 'NULL') || (isWord(after(2), 'NOT') && isWord(after(3), 'NULL')))) return 'null_test';
    if (this.#open.at(-1) === true && (isSymbol(before(1), '(') || isSymbol(before(1), ','))) return 'listed';
    if (isSymbol(after(1), ':') && isSymbol(after(2), ':') && isSymbol(after(4), '[')) return 'array';
    if (isSymbol(before(1), '(') && before(2)?.kind === 'word' && ARRAY_CALLS.test(before(2)?.text ?? '')) return 'array';
    if (isSymbol(before(1), '&') && isSymbol(before(2), '&')) return 'array';
    return !this.#inSet && this.#isCompared(s) ? 'comparison' : 'value';
  }

  #isCompared(s: number): boolean {
    const before = (count: number): SqlToken | undefined => this.#significant[s - count];
    if (isWord(before(1), 'AND') && isWord(before(3), 'BETWEEN')) return true;
    let left = 1;
    while (before(left)?.kind === 'symbol' && '=<>!'.includes(before(left)?.text ?? ' ')) left++;
    if (left === 1) {
      if (!isWord(before(1), ...COMPARISONS)) return false;
      left = isWord(before(2), 'NOT') ? 3 : 2;
    }
    return before(left)?.kind === 'word' || before(left)?.kind === 'name';
  }
}

/** Returns the slot of `?:name`, or of a literal that contains only a slot. */
function wholeSlot(token: SqlToken | undefined): Pick<TemplateSlot, 'path' | 'form'> | undefined {
  if (token?.kind === 'slot' && token.path !== undefined) return { path: token.path, form: 'bare' };
  const [only] = token?.pieces ?? [];
  if (token?.pieces?.length !== 1 || only === undefined || typeof only === 'string') return undefined;
  return { path: only, form: 'quoted' };
}
