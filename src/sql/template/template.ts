/**
 * The SQL of a step as a template: fixed text, and slots where bound values go. `?:name` and `'?:name'` become slots, a literal with a slot inside
 * becomes a concatenation, and nothing else changes. Each slot carries what its surroundings tell about it; the engine's binder decides how a value
 * is bound.
 */
import { runToEnd, type Slices } from '../../util/concurrency/slices.ts';
import { type Path, SLICE_TOKENS, SqlProblem, type SqlToken, scanSlices } from './scan.ts';
import {
  ALSO_FUNCTIONS,
  isHarmlessWord,
  READS,
  ROW_STATEMENTS,
  SCHEMA_STATEMENTS,
  TRANSACTION_STATEMENTS,
  WRITES,
} from './sql-keywords.ts';
import { isSymbol, type SqlSyntax } from './syntax.ts';
import { tablesIn } from './tables.ts';

/**
 * Where a slot stands:
 *   limit       a number of rows
 *   comparison  beside a column that it is compared with
 *   listed      among others inside IN ( … )
 *   array       where an array of the engine belongs
 *   null_test   before IS NULL
 *   value       anywhere else
 */
export type SlotPlace = 'limit' | 'comparison' | 'listed' | 'array' | 'null_test' | 'value';

export interface TemplateSlot {
  readonly path: Path;
  readonly form: 'bare' | 'quoted';
  readonly place: SlotPlace;
}

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'slot'; readonly slot: TemplateSlot; readonly cast?: string }
  /** A literal with slots in it; its fixed pieces are literals of their own. */
  | { readonly kind: 'joined'; readonly pieces: readonly (string | TemplateSlot)[]; readonly cast?: string }
  /** `[NOT] IN (?:list)`, the parentheses holding nothing else. */
  | { readonly kind: 'in'; readonly slot: TemplateSlot; readonly negated: boolean };

export interface Template {
  readonly parts: readonly TemplatePart[];
  readonly slots: readonly TemplateSlot[];
  readonly facts: StatementFacts;
  /** The tables that it names. */
  readonly tables: readonly string[];
}

/** What the words of a statement tell about it. What is not known is not trusted. */
export interface StatementFacts {
  /** Does it only read? Functions that it calls are not looked into. */
  readonly reads: boolean;
  /** Does it touch rows and nothing else, so that it neither ends a transaction nor does half of its work by itself? */
  readonly plain: boolean;
  /** Is it one that cannot be part of a transaction? */
  readonly alone: boolean;
  /** Is the session afterwards as it was before? */
  readonly harmless: boolean;
  /** Does it change the schema? */
  readonly changesSchema: boolean;
}

export { SqlProblem } from './scan.ts';

/** Throws SqlProblem for a text that is not one statement. */
export function parseTemplate(text: string, syntax: SqlSyntax): Template {
  return runToEnd(templateSlices(text, syntax));
}

/** The same a slice at a time, for statements that would hold up others. */
export function* templateSlices(text: string, syntax: SqlSyntax): Slices<Template> {
  const tokens = withoutEnd(yield* scanSlices(text, syntax));
  const significant = tokens.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const [first] = significant;
  if (first === undefined) throw new SqlProblem(0, 'there is no statement');
  yield* refuseForeign(tokens, significant, syntax);
  const verb = first.kind === 'word' ? first.text.toUpperCase() : '(';
  if (TRANSACTION_STATEMENTS.has(verb))
    throw new SqlProblem(first.at, `${verb} has no place in a step: all sql steps of a call are one transaction`);
  const parts = yield* new Builder(tokens, significant, syntax.literalCasts).build();
  const facts = yield* factsOf(verb, tokens, significant, syntax);
  return { parts, slots: parts.flatMap(slotsOf), facts, tables: yield* tablesIn(significant) };
}

function* factsOf(verb: string, tokens: readonly SqlToken[], significant: readonly SqlToken[], syntax: SqlSyntax): Slices<StatementFacts> {
  const isReading = verb === '(' || READS.has(verb);
  const isOfRows = verb === '(' || ROW_STATEMENTS.has(verb);
  const isOpen = !tokens.some((token) => isExecuted(token, syntax));
  const reads = isReading && isOpen && !(yield* someOf(significant, (i) => isWrite(significant, i)));
  const words = significant.map(({ kind, text }) => (kind === 'word' ? text.toUpperCase() : '')).join(' ');
  yield;
  return {
    reads,
    plain: (isOfRows || isReading) && isOpen,
    alone: syntax.outsideTransactions.test(words),
    harmless: isOfRows && isOpen && !(yield* someOf(significant, (i) => !isHarmless(significant, i, syntax))),
    changesSchema: SCHEMA_STATEMENTS.has(verb),
  };
}

function* someOf(significant: readonly SqlToken[], test: (index: number) => boolean): Slices<boolean> {
  for (let i = 0; i < significant.length; i++) {
    if (test(i)) return true;
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
  }
  return false;
}

/** A word that writes or locks, and is neither a function nor a part of a longer name. */
function isWrite(significant: readonly SqlToken[], i: number): boolean {
  const token = significant[i];
  if (token?.kind !== 'word' || isSymbol(significant[i - 1], '.')) return false;
  const word = token.text.toUpperCase();
  if (word === 'SHARE') return isWord(significant[i - 1], 'FOR', 'KEY', 'IN');
  return WRITES.has(word) && !(ALSO_FUNCTIONS.has(word) && isSymbol(significant[i + 1], '('));
}

function slotsOf(part: TemplatePart): readonly TemplateSlot[] {
  if (part.kind === 'text') return [];
  return part.kind === 'joined' ? part.pieces.filter((piece) => typeof piece !== 'string') : [part.slot];
}

/** A semicolon may end the statement; behind it there may be nothing. */
function withoutEnd(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const end = tokens.findIndex((token) => isSymbol(token, ';'));
  if (end < 0) return tokens;
  const more = tokens.slice(end + 1).find(({ kind, text }) => kind !== 'space' && kind !== 'comment' && text !== ';');
  if (more !== undefined) throw new SqlProblem(more.at, 'a step is one statement; make another step for what follows the semicolon');
  return tokens.slice(0, end);
}

function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

function isExecuted({ kind, text }: SqlToken, { executableComment }: SqlSyntax): boolean {
  return kind === 'comment' && executableComment?.test(text) === true;
}

/** The engines' own placeholders would clash with ours. */
function* refuseForeign(tokens: readonly SqlToken[], significant: readonly SqlToken[], syntax: SqlSyntax): Slices<void> {
  for (const token of tokens) {
    if (isExecuted(token, syntax) && token.text.includes('?'))
      throw new SqlProblem(token.at, 'a comment that the server executes cannot have parameters');
    if (token.kind === 'string' && token.pieces !== undefined && !/^e?$/i.test(token.prefix ?? ''))
      throw new SqlProblem(token.at, `a literal that begins with ${token.prefix} cannot have parameters`);
  }
  for (const [i, token] of significant.entries()) {
    const foreign = syntax.foreignPlaceholder(significant, i);
    if (foreign !== undefined) throw new SqlProblem(token.at, `${foreign} is no parameter here; write ?:name`);
    if (i % SLICE_TOKENS === SLICE_TOKENS - 1) yield;
  }
}

const COMPARISONS = ['LIKE', 'ILIKE', 'RLIKE', 'REGEXP', 'BETWEEN'];
const ARRAY_CALLS = /^(?:ANY|ALL|SOME|UNNEST|CARDINALITY|ARRAY_\w+)$/i;

class Builder {
  readonly #tokens: readonly SqlToken[];
  readonly #significant: readonly SqlToken[];
  readonly #casts: SqlSyntax['literalCasts'];
  readonly #parts: TemplatePart[] = [];
  readonly #open: boolean[] = [];
  #text = '';
  #inSet = false;
  #inLimit = false;

  constructor(tokens: readonly SqlToken[], significant: readonly SqlToken[], casts: SqlSyntax['literalCasts']) {
    this.#tokens = tokens;
    this.#significant = significant;
    this.#casts = casts;
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
      // Skip the tokens that the part has consumed, blanks included.
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

  /** Makes a part of the significant token at s, and perhaps of those after it. Returns how many it took; 0 for ordinary text. */
  #take(s: number): number {
    const at = (offset: number): SqlToken | undefined => this.#significant[s + offset];
    const token = at(0) as SqlToken;
    const skip = isWord(token, 'NOT') ? 1 : 0;
    const list = wholeSlot(at(skip + 2));
    if (isWord(at(skip), 'IN') && isSymbol(at(skip + 1), '(') && list !== undefined && isSymbol(at(skip + 3), ')')) {
      this.#push({ kind: 'in', slot: { ...list, place: 'listed' }, negated: skip === 1 });
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
    if (whole !== undefined) return { kind: 'slot', slot: { ...whole, place: this.#place(s) } };
    const { prefix = '', quote = "'", pieces = [] } = token;
    return {
      kind: 'joined',
      pieces: pieces.map((piece) =>
        typeof piece === 'string' ? `${prefix}${quote}${piece}${quote}` : { path: piece, form: 'quoted', place: 'value' },
      ),
    };
  }

  #push(part: TemplatePart): void {
    // A placeholder right behind a word would become part of it.
    if (/[\p{L}\p{N}_$]$/u.test(this.#text)) this.#text += ' ';
    this.#flush();
    this.#parts.push(part);
  }

  #flush(): void {
    if (this.#text !== '') this.#parts.push({ kind: 'text', text: this.#text });
    this.#text = '';
  }

  /** Keeps up with clauses and parentheses. */
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

/** A slot by itself: `?:name`, or a literal that holds nothing else. */
function wholeSlot(token: SqlToken | undefined): Omit<TemplateSlot, 'place'> | undefined {
  if (token?.kind === 'slot' && token.path !== undefined) return { path: token.path, form: 'bare' };
  const [only] = token?.pieces ?? [];
  if (token?.pieces?.length !== 1 || only === undefined || typeof only === 'string') return undefined;
  return { path: only, form: 'quoted' };
}

/** Beside these, an `@` is part of an operator and not of a variable. */
const OF_OPERATORS = ['@', '>', '<', '?'];

function isHarmless(significant: readonly SqlToken[], i: number, syntax: SqlSyntax): boolean {
  const token = significant[i];
  if (isSymbol(token, '@'))
    return OF_OPERATORS.some((symbol) => isSymbol(significant[i - 1], symbol) || isSymbol(significant[i + 1], symbol));
  if (isWord(token, 'INTO')) return isWord(significant[i - 1], 'INSERT', 'REPLACE', 'MERGE', 'IGNORE');
  return !isSymbol(token, '(') || isTrustedCall(significant, i - 1, syntax);
}

const BEFORE_COLUMNS = ['INTO', 'AS', 'WITH', 'RECURSIVE'];

/** What stands before a parenthesis: nothing, the grammar, a function that keeps nothing, or a table with its columns. */
function isTrustedCall(significant: readonly SqlToken[], last: number, syntax: SqlSyntax): boolean {
  const token = significant[last];
  if (token?.kind !== 'word' && token?.kind !== 'name') return true;
  let first = last;
  while (isSymbol(significant[first - 1], '.')) first -= 2;
  if (isWord(significant[first - 1], ...BEFORE_COLUMNS)) return true;
  return first === last && token.kind === 'word' && isHarmlessCall(token.text.toUpperCase(), syntax);
}

function isHarmlessCall(name: string, syntax: SqlSyntax): boolean {
  return isHarmlessWord(name) || syntax.isHarmless(name);
}
