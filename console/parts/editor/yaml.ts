/** Reads YAML into a tree with places. Accepts incomplete documents. Pure. */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/yaml';
import { Digits, type Exact } from '../../../ui/exact.ts';

interface Place {
  readonly from: number;
  readonly to: number;
}

export interface YamlEntry extends Place {
  readonly key: string;
  /** `undefined` if nothing is behind the colon. */
  readonly value: Yaml | undefined;
}

export interface YamlMap extends Place {
  readonly kind: 'map';
  readonly isFlow: boolean;
  readonly entries: readonly YamlEntry[];
}

export interface YamlList extends Place {
  readonly kind: 'list';
  readonly items: readonly Yaml[];
}

export interface YamlScalar extends Place {
  readonly kind: 'scalar';
  readonly text: string;
  /** `true` for a scalar without quotes, whose type YAML infers. */
  readonly isPlain: boolean;
}

export type Yaml = YamlMap | YamlList | YamlScalar;

/** Returns the first document of a text, or `undefined` if it is empty. */
export function readYaml(source: string): Yaml | undefined {
  const document = parser.parse(source).topNode.getChild('Document');
  return document === null ? undefined : readFirst(document, source);
}

function readFirst(parent: SyntaxNode, source: string): Yaml | undefined {
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    const value = read(child, source);
    if (value !== undefined) return value;
  }
  return undefined;
}

function read(node: SyntaxNode, source: string): Yaml | undefined {
  const reader = READERS[node.name];
  return reader?.(node, source);
}

const readMap = (node: SyntaxNode, source: string): Yaml => ({
  kind: 'map',
  ...placeOf(node),
  isFlow: node.name === 'FlowMapping',
  entries: node.getChildren('Pair').map((pair) => readEntry(pair, source)),
});

function readEntry(pair: SyntaxNode, source: string): YamlEntry {
  const key = pair.getChild('Key');
  const name = key === null ? undefined : readFirst(key, source);
  let value: Yaml | undefined;
  for (let node = key?.nextSibling ?? null; node !== null && value === undefined; node = node.nextSibling) value = read(node, source);
  return { ...placeOf(pair), key: name?.kind === 'scalar' ? name.text : '', value };
}

const readList = (node: SyntaxNode, source: string): Yaml => ({
  kind: 'list',
  ...placeOf(node),
  items: node.getChildren('Item').flatMap((item) => readFirst(item, source) ?? []),
});

const scalar = (node: SyntaxNode, text: string, isPlain = false): Yaml => ({ kind: 'scalar', ...placeOf(node), text, isPlain });

const READERS: Readonly<Record<string, (node: SyntaxNode, source: string) => Yaml | undefined>> = {
  BlockMapping: readMap,
  FlowMapping: readMap,
  BlockSequence: readList,
  FlowSequence: readList,
  Literal: (node, source) => scalar(node, source.slice(node.from, node.to).replace(/\s*\n\s*/g, ' '), true),
  QuotedLiteral: (node, source) => scalar(node, unquote(source.slice(node.from, node.to))),
  BlockLiteral: (node, source) => scalar(node, blockText(source.slice(node.from, node.to))),
  Tagged: readFirst,
  Anchored: readFirst,
};

const placeOf = ({ from, to }: SyntaxNode): Place => ({ from, to });

function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1).replace(/\s*\n\s*/g, ' ');
  if (quoted.startsWith("'")) return inner.replaceAll("''", "'");
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return inner;
  }
}

/** Text of a block without its indentation. Folded blocks keep their line breaks. */
function blockText(block: string): string {
  const lines = block.split('\n').slice(1);
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(indent)).join('\n');
}

export function fieldOf(tree: Yaml | undefined, ...path: readonly string[]): Yaml | undefined {
  return path.reduce<Yaml | undefined>(
    (at, name) => (at?.kind === 'map' ? at.entries.find(({ key }) => key === name)?.value : undefined),
    tree,
  );
}

export function textOf(tree: Yaml | undefined): string | undefined {
  return tree?.kind === 'scalar' ? tree.text : undefined;
}

const CONSTANTS: Readonly<Record<string, null | boolean>> = { '': null, '~': null, null: null, true: true, false: false };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value that YAML infers. Numbers keep their digits. */
export function plainValueOf(tree: Yaml | undefined): Exact {
  if (tree === undefined) return null;
  if (tree.kind === 'list') return tree.items.map(plainValueOf);
  if (tree.kind === 'map') return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainValueOf(value)]));
  if (!tree.isPlain) return tree.text;
  if (Object.hasOwn(CONSTANTS, tree.text)) return CONSTANTS[tree.text] ?? null;
  return NUMBER.test(tree.text) ? new Digits(tree.text) : tree.text;
}
