/**
 * Parses YAML into a tree whose nodes keep their place and the source text of scalars, so that
 * `version: 1.10` stays `1.10`. Rejects tags, repeated keys, oversized documents, and aliases that
 * multiply.
 */
import type { Node, YAMLMap } from 'yaml';
import { runToEnd, type Slices } from '../../util/concurrency/slices.ts';
import { yaml } from '../../util/on-demand.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import { parseYamlSlices, type YamlDocuments, YamlError, type YamlLimits } from '../../util/text/yaml.ts';

export function placeOf({ line, column }: SourcePlace): SourcePlace {
  return { line, column };
}

export type Tree = MapTree | ListTree | ScalarTree;

/** A place in the document, counted from 1. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

export interface MapTree extends SourcePlace {
  readonly kind: 'map';
  readonly fields: ReadonlyMap<string, Tree>;
  /** Place of each key. */
  readonly keys: ReadonlyMap<string, SourcePlace>;
}

export interface ListTree extends SourcePlace {
  readonly kind: 'list';
  readonly items: readonly Tree[];
}

export interface ScalarTree extends SourcePlace {
  readonly kind: 'scalar';
  readonly value: null | boolean | number | string;
  /** Source text, before YAML infers a type. */
  readonly text: string;
  /** `true` for a block (`|` or `>`), whose text starts on the next line. */
  readonly block: boolean;
  readonly quoted: boolean;
  /** Indentation of a block. */
  readonly indent: number;
  /** Start offset in the source. */
  readonly from: number;
  readonly to: number;
}

export interface LineProblem extends SourcePlace {
  readonly message: string;
}

export class YamlProblems extends Error {
  readonly problems: readonly LineProblem[];

  constructor(problems: readonly LineProblem[]) {
    super(problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join('; '));
    this.problems = problems;
  }
}

const START: SourcePlace = { line: 1, column: 1 };
const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
const MAX_ALIASES = 50;
/** Values of a document, each alias counted with all values that it stands for. */
const MAX_VALUES = 20_000;

export function parseTree(source: string): Tree {
  return runToEnd(parseTreeSlices(source));
}

export function* parseTreeSlices(source: string, limits?: YamlLimits): Slices<Tree> {
  if (Buffer.byteLength(source) > MAX_BYTES)
    throw new YamlProblems([{ ...START, message: `the document is larger than ${MAX_BYTES} bytes` }]);
  const { documents, lines } = yield* read(source, limits);
  const placeAt = (offset: number): SourcePlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const [first, second] = documents;
  if (first === undefined || first.contents === null) throw new YamlProblems([{ ...START, message: 'the document is empty' }]);
  if (second !== undefined) throw new YamlProblems([{ ...placeAt(second.range[0]), message: 'there is more than one document' }]);
  yield;
  return new Reader(source, placeAt).read(first.contents, 1);
}

function* read(source: string, limits: YamlLimits | undefined): Slices<YamlDocuments> {
  try {
    return yield* parseYamlSlices(source, limits);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new YamlProblems(
      error.problems.map(({ line, column, message }) => ({ line: Math.max(1, line), column: Math.max(1, column), message })),
    );
  }
}

const WHOLE = /^[+-]?\d{1,15}$/;
const FRACTION = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const CONSTANTS: Readonly<Record<string, null | boolean>> = {
  '': null,
  '~': null,
  null: null,
  true: true,
  false: false,
  True: true,
  False: false,
};

/** Infers the type of an unquoted scalar as YAML does. */
function plainScalar(text: string): null | boolean | number | string {
  if (Object.hasOwn(CONSTANTS, text)) return CONSTANTS[text] ?? null;
  return WHOLE.test(text) || FRACTION.test(text) ? Number(text) : text;
}

interface Anchored {
  readonly tree: Tree;
  readonly height: number;
  readonly values: number;
}

class Reader {
  readonly #anchors = new Map<string, Anchored>();
  #aliases = 0;
  #values = 0;
  readonly #source: string;
  readonly #placeAt: (offset: number) => SourcePlace;

  constructor(source: string, placeAt: (offset: number) => SourcePlace) {
    this.#source = source;
    this.#placeAt = placeAt;
  }

  /** An alias may only follow its anchor, so that no value contains itself. */
  read(node: Node, depth: number): Tree {
    const before = this.#values++;
    const tree = this.#read(node, depth);
    const anchor = 'anchor' in node ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, { tree, height: heightOf(tree), values: this.#values - before });
    return tree;
  }

  #read(node: Node, depth: number): Tree {
    const place = this.#placeAt(node.range?.[0] ?? 0);
    const refuse = (message: string): never => {
      throw new YamlProblems([{ ...place, message }]);
    };
    if (depth > MAX_DEPTH) return refuse(`nested deeper than ${MAX_DEPTH} levels`);
    const { isAlias, isMap, isScalar, isSeq } = yaml();
    if (isAlias(node)) {
      const anchored = this.#anchors.get(node.source);
      if (anchored === undefined) return refuse(`the alias *${node.source.slice(0, 80)} has no anchor before it`);
      this.#values += anchored.values;
      if (++this.#aliases > MAX_ALIASES || this.#values > MAX_VALUES)
        return refuse('the aliases stand for too many values; write some of them out');
      if (depth + anchored.height > MAX_DEPTH) return refuse(`nested deeper than ${MAX_DEPTH} levels`);
      return anchored.tree;
    }
    if (isMap(node)) return { kind: 'map', ...place, ...this.#fields(node as YAMLMap, depth) };
    if (isSeq(node)) return { kind: 'list', ...place, items: node.items.map((item) => this.read(item as Node, depth + 1)) };
    if (!isScalar(node)) return refuse('this is not a value');
    const text = String(node.value ?? '');
    const value = node.type === 'PLAIN' || node.type === undefined ? plainScalar(text) : text;
    const block = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
    const [from, to] = node.range ?? [0, 0];
    return {
      kind: 'scalar',
      ...place,
      value,
      text,
      block,
      quoted: node.type?.startsWith('QUOTE') === true,
      indent: block ? indentOf(this.#source.slice(from, to)) : 0,
      from,
      to,
    };
  }

  #fields(map: YAMLMap, depth: number): Pick<MapTree, 'fields' | 'keys'> {
    const fields = new Map<string, Tree>();
    const keys = new Map<string, SourcePlace>();
    for (const { key, value } of map.items) {
      const place = this.#placeAt((key as Node | null)?.range?.[0] ?? 0);
      if (!yaml().isScalar(key)) throw new YamlProblems([{ ...place, message: 'a key must be a plain word' }]);
      const name = String(key.value);
      if (name === '<<') throw new YamlProblems([{ ...place, message: 'merge keys are not supported' }]);
      keys.set(name, place);
      const empty: ScalarTree = { kind: 'scalar', ...place, value: null, text: '', block: false, quoted: false, indent: 0, from: 0, to: 0 };
      fields.set(name, value === null ? empty : this.read(value as Node, depth + 1));
    }
    return { fields, keys };
  }
}

function heightOf(tree: Tree): number {
  const children = tree.kind === 'map' ? [...tree.fields.values()] : tree.kind === 'list' ? tree.items : [];
  return children.reduce((height, child) => Math.max(height, 1 + heightOf(child)), 0);
}

/** Returns the indentation of the first non-empty line after the header. */
function indentOf(block: string): number {
  const line =
    block
      .split('\n')
      .slice(1)
      .find((text) => text.trim() !== '') ?? '';
  return line.length - line.trimStart().length;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Value of a scalar. A number that a double would round keeps its digits. */
function exactValue(value: null | boolean | number | string, text: string): PlainValue {
  if (typeof value !== 'number' || String(value) === text) return value;
  if (/^[+-]?\d+$/.test(text)) return Number.isSafeInteger(value) ? value : BigInt(text);
  return JSON_NUMBER.test(text) ? new Decimal(text) : value;
}

/** Converts the tree to a plain value. `isText` selects the paths whose source text is kept. */
export function plainTree(tree: Tree, isText: (path: readonly string[]) => boolean, path: readonly string[] = []): PlainValue {
  if (tree.kind === 'list') return tree.items.map((item) => plainTree(item, isText, [...path, '*']));
  if (tree.kind === 'scalar') return tree.value !== null && isText(path) ? tree.text : exactValue(tree.value, tree.text);
  const map: PlainMap = new Map();
  for (const [name, field] of tree.fields) map.set(name, plainTree(field, isText, [...path, name]));
  return map;
}
