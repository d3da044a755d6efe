/**
 * Parses YAML as untrusted text: every scalar is a string (`1.10` and all-digit ids stay as
 * written), no tags, few aliases, bounded size and depth.
 *
 * The library composes documents by recursion, and deep nesting would overflow the stack. So the
 * depth is measured on its flat token list before anything is composed.
 */
import type { CST, Document, LineCounter, YAMLMap } from 'yaml';
import { runToEnd, type Slices } from '../concurrency/slices.ts';
import { yaml } from '../on-demand.ts';
import type { PlainValue } from './decimal.ts';

const MAX_DEPTH = 64;
const MAX_ALIASES = 50;
/** Lexemes of a document (words, brackets, blanks, line ends). Each takes a few microseconds. */
const MAX_PARTS = 20_000;

export interface YamlProblem {
  readonly message: string;
  /** Starts at 1; 0 if the problem has no position. */
  readonly line: number;
  readonly column: number;
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
export function parseYaml(text: string, maxParts = MAX_PARTS): YamlDocuments {
  return runToEnd(parseYamlSlices(text, maxParts));
}

/** Parses the documents of a text in slices. */
export function* parseYamlSlices(text: string, maxParts = MAX_PARTS): Slices<YamlDocuments> {
  const { Composer, LineCounter } = yaml();
  const lines = new LineCounter();
  if (text.includes('\0')) throw new YamlError([{ message: 'there is a NUL character', line: 0, column: 0 }]);
  const tokens = yield* tokensOf(text, lines, maxParts);
  const deep = tooDeepAt(tokens);
  if (deep !== undefined) throw new YamlError([problemAt(lines, deep, `nested deeper than ${MAX_DEPTH} levels`)]);
  yield;
  const documents = [...new Composer({ schema: 'failsafe', prettyErrors: false, uniqueKeys: false }).compose(tokens)] as Document.Parsed[];
  yield;
  const problems = documents.flatMap((document) => [
    ...document.errors.map((error) => problemAt(lines, error.pos[0], error.message)),
    ...repeatedKeys(document).map((offset) => problemAt(lines, offset, 'Map keys must be unique')),
    ...taggedNodes(document).map((offset) => problemAt(lines, offset, 'tags are not allowed')),
  ]);
  if (problems.length > 0) throw new YamlError(problems);
  return { documents, lines };
}

/** Lexemes per slice, which takes a few milliseconds. */
const SLICE_PARTS = 1_000;

/** Does what the library's parse does, with a bound on the number of lexemes. */
function* tokensOf(text: string, lines: LineCounter, maxParts: number): Slices<readonly CST.Token[]> {
  const { Lexer, Parser } = yaml();
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxParts) throw new YamlError([problemAt(lines, parser.offset, `the document has more than ${maxParts} parts`)]);
    tokens.push(...parser.next(lexeme));
    if (count % SLICE_PARTS === 0) yield;
  }
  tokens.push(...parser.end());
  return tokens;
}

/** Finds duplicate keys with a set: the library compares every key of a map with every other. */
function repeatedKeys(document: Document.Parsed): readonly number[] {
  const { isScalar, visit } = yaml();
  const offsets: number[] = [];
  visit(document, {
    Map(_, { items }: YAMLMap) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) offsets.push(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
    },
  });
  return offsets;
}

function taggedNodes(document: Document.Parsed): readonly number[] {
  const offsets: number[] = [];
  yaml().visit(document, {
    Node(_, node) {
      if ('tag' in node && node.tag !== undefined) offsets.push(node.range?.[0] ?? 0);
    },
  });
  return offsets;
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
