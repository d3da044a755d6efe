/**
 * Parses YAML as untrusted text: every scalar is a string (`1.10` and all-digit ids stay as
 * written), no tags, few aliases, bounded size and depth.
 *
 * The library composes documents by recursion, and deep nesting would overflow the stack. So the
 * depth is measured on its flat token list before anything is composed.
 */
import type { CST, Document, LineCounter } from 'yaml';
import { runToEnd, type Slices } from '../concurrency/slices.ts';
import { yaml } from '../on-demand.ts';
import type { PlainValue } from './decimal.ts';
import { composeSlices, nodeProblems, tooLargeAt } from './yaml-compose.ts';

const MAX_DEPTH = 64;
const MAX_ALIASES = 50;

export interface YamlLimits {
  /** Lexemes of a document (words, brackets, blanks, line ends). Each takes a few microseconds. */
  readonly maxParts: number;
  /** Characters of one value. */
  readonly maxScalar: number;
}

const LIMITS: YamlLimits = { maxParts: 20_000, maxScalar: Number.POSITIVE_INFINITY };

/** Both start at 1; 0 if a problem has no position. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface YamlProblem extends TextPlace {
  readonly message: string;
}

/** The start of a text, for problems without a position. */
export const TEXT_START: TextPlace = { line: 1, column: 1 };

/** Problems as clients see them: each has a position, and they are in the order of the text. */
export function placedProblems(problems: readonly YamlProblem[]): readonly YamlProblem[] {
  return problems
    .map(({ message, line, column }) => ({ message, ...(line === 0 ? TEXT_START : { line, column }) }))
    .toSorted((one, other) => one.line - other.line || one.column - other.column);
}

export class YamlError extends Error {
  readonly problems: readonly YamlProblem[];

  constructor(problems: readonly YamlProblem[]) {
    super(problems.map(({ message, line, column }) => (line === 0 ? message : `line ${line}, column ${column}: ${message}`)).join('; '));
    this.problems = problems;
  }
}

export interface YamlDocuments {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

function problemAt(lines: LineCounter, offset: number, message: string): YamlProblem {
  const { line, col } = lines.linePos(offset);
  return { message, line, column: col };
}

/** Offset of the first token that is nested too deeply, found without recursion. */
function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const { isCollection } = yaml().CST;
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) return token.offset;
    const inside = token.type === 'document' ? [{ value: token.value }] : isCollection(token) ? token.items : [];
    for (const item of inside)
      for (const child of ['key' in item ? item.key : undefined, item.value]) if (child) open.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

/** Parses the documents of a text at once. Throws YamlError with all problems. */
export function parseYaml(text: string, limits = LIMITS): YamlDocuments {
  return runToEnd(parseYamlSlices(text, limits));
}

/** Parses the documents of a text in slices. */
export function* parseYamlSlices(text: string, limits = LIMITS): Slices<YamlDocuments> {
  const lines = new (yaml().LineCounter)();
  if (text.includes('\0')) throw new YamlError([{ message: 'there is a NUL character', line: 0, column: 0 }]);
  const tokens = yield* tokensOf(text, lines, limits);
  const deep = tooDeepAt(tokens);
  if (deep !== undefined) throw tooDeep(lines, deep);
  yield;
  const large = tooLargeAt(tokens);
  if (large !== undefined) throw new YamlError([problemAt(lines, large, 'the value has too many parts')]);
  yield;
  const documents = yield* composeSlices(tokens);
  // Later errors of the syntax are mostly consequences of the first one.
  const [first] = documents.flatMap(({ errors }) => errors).toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) throw new YamlError([problemAt(lines, startOf(first.pos[0], tokens), first.message)]);
  const problems: YamlProblem[] = [];
  for (const document of documents)
    for (const { message, offset } of yield* nodeProblems(document)) problems.push(problemAt(lines, offset, message));
  if (problems.length > 0) throw new YamlError(problems);
  return { documents, lines };
}

/**
 * Start of the innermost bracket or quote that should have been closed before an error; without
 * one, the error itself.
 */
function startOf(error: number, tokens: readonly CST.Token[]): number {
  const { isCollection } = yaml().CST;
  let start = -1;
  const open: (CST.Token | null | undefined)[] = tokens.map((token) => (token.type === 'document' ? token.value : undefined));
  while (open.length > 0) {
    const token = open.pop();
    if (!token || token.offset >= error) continue;
    if (isUnclosed(token)) start = Math.max(start, token.offset);
    if (isCollection(token)) for (const { key, value } of token.items) open.push(key, value);
  }
  return start < 0 ? error : start;
}

function isUnclosed(token: CST.Token): boolean {
  if (token.type === 'flow-collection') return !token.end.some(({ source }) => source === (token.start.source === '[' ? ']' : '}'));
  if (token.type !== 'double-quoted-scalar' && token.type !== 'single-quoted-scalar') return false;
  return token.source.length < 2 || !token.source.endsWith(token.source.charAt(0));
}

function tooDeep(lines: LineCounter, offset: number): YamlError {
  return new YamlError([problemAt(lines, offset, `nested deeper than ${MAX_DEPTH} levels`)]);
}

/** Lexemes per slice, which takes a few milliseconds. */
const SLICE_PARTS = 500;

/** Does what the library's parse does, within limits. */
function* tokensOf(text: string, lines: LineCounter, { maxParts, maxScalar }: YamlLimits): Slices<readonly CST.Token[]> {
  const { Lexer, Parser } = yaml();
  const parser = new Parser(lines.addNewLine);
  const nesting = new Nesting();
  const tokens: CST.Token[] = [];
  let count = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxParts) throw new YamlError([problemAt(lines, parser.offset, `the document has more than ${maxParts} parts`)]);
    if (lexeme.length > maxScalar) throw new YamlError([problemAt(lines, parser.offset, `a value has more than ${maxScalar} characters`)]);
    if (nesting.after(lexeme) > MAX_DEPTH) throw tooDeep(lines, parser.offset);
    tokens.push(...parser.next(lexeme));
    if (count % SLICE_PARTS === 0) yield;
  }
  tokens.push(...parser.end());
  return tokens;
}

/**
 * Follows brackets and the dashes of one line, so that a flood of them ends before it is parsed.
 */
class Nesting {
  #brackets = 0;
  #dashes = 0;
  #isScalarNext = false;

  /** Returns a lower bound of the depth after a lexeme. */
  after(lexeme: string): number {
    const isScalar = this.#isScalarNext;
    this.#isScalarNext = lexeme === yaml().CST.SCALAR;
    if (isScalar) return 0;
    if (lexeme === '[' || lexeme === '{') this.#brackets++;
    else if (lexeme === ']' || lexeme === '}') this.#brackets = Math.max(0, this.#brackets - 1);
    else if (lexeme === '-' || lexeme === '?') this.#dashes++;
    else if (lexeme.startsWith('\n') || lexeme.startsWith('\r\n')) this.#dashes = 0;
    return Math.max(this.#brackets, this.#brackets === 0 ? this.#dashes : 0);
  }
}

/**
 * A document as plain values: strings, lists and maps. Throws YamlError on keys that are not
 * strings and on too many aliases.
 */
export function yamlValue(document: Document.Parsed): PlainValue {
  let value: unknown;
  try {
    value = document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new YamlError([{ message: error instanceof Error ? error.message : 'aliases do not resolve', line: 0, column: 0 }]);
  }
  checkTree(value, new Set());
  return value as PlainValue;
}

/** Rejects a document that contains itself through an alias. */
function checkTree(value: unknown, around: Set<unknown>): void {
  if (!Array.isArray(value) && !(value instanceof Map)) return;
  if (around.has(value)) throw new YamlError([{ message: 'an alias stands inside what it names', line: 0, column: 0 }]);
  around.add(value);
  if (value instanceof Map && ![...value.keys()].every((key) => typeof key === 'string'))
    throw new YamlError([{ message: 'a key is not a plain string', line: 0, column: 0 }]);
  for (const child of value.values()) checkTree(child, around);
  around.delete(value);
}
