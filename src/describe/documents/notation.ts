/** Writes plain objects as JSON, or as YAML at any depth of indentation. Pure. */
import { memberStart, scalarText } from '../../formats/yaml.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { quoteJson } from '../../util/json/json-write.ts';

/** An object that is written as JSON or YAML. Members that are `undefined` are left out. */
export type Json = { readonly [name: string]: unknown; readonly [SHARED]?: Shared };

/** Members of an object whose names are data, such as paths. */
export type Members = readonly (readonly [name: string, value: unknown])[];

/** Key for members that an object has in common with others, after its own members. */
export const SHARED = Symbol('shared members');

/**
 * An object or a list that occurs many times in a document, and so is written once per depth.
 * A shared list inside a list is replaced by its items. Must not be empty.
 */
export class Shared {
  readonly value: Json | readonly unknown[];
  readonly #texts = new Map<string, string>();

  constructor(value: Json | readonly unknown[]) {
    this.value = value;
  }

  /** `write` returns the members or items. */
  text(key: string, write: () => string): string {
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = write();
      this.#texts.set(key, text);
    }
    return text;
  }
}

const isSharedList = (value: unknown): value is Shared => value instanceof Shared && Array.isArray(value.value);

export interface Notation {
  readonly start: string;
  readonly end: string;
  readonly separator: string;
  /** Writes members without the braces of their object. */
  write(members: Members, depth: number): string;
  open(name: string, depth: number): string;
  readonly close: string;
}

const JSON_NOTATION: Notation = {
  start: '{',
  end: '}\n',
  separator: ',',
  write: (members) => members.map(([name, value]) => `${quoteJson(name)}:${jsonText(value)}`).join(','),
  open: (name) => `${quoteJson(name)}:{`,
  close: '}',
};

function jsonText(value: unknown): string {
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = jsonInner(value as Block);
  return Array.isArray(value) || isSharedList(value) ? `[${inner}]` : `{${inner}}`;
}

type Block = Json | readonly unknown[] | Shared;

/** Members or items without the braces or brackets. */
function jsonInner(block: Block): string {
  if (block instanceof Shared) return block.text('json', () => jsonInner(block.value));
  let text = '';
  let separator = '';
  if (Array.isArray(block)) {
    for (const item of block) {
      text += separator + (isSharedList(item) ? jsonInner(item) : jsonText(item));
      separator = ',';
    }
    return text;
  }
  const object = block as Json;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    text += `${separator}${quoteJson(name)}:${jsonText(value)}`;
    separator = ',';
  }
  return object[SHARED] === undefined ? text : text + separator + jsonInner(object[SHARED]);
}

const YAML_NOTATION: Notation = {
  start: '',
  end: '',
  separator: '',
  write(members, depth) {
    const out: string[] = [];
    const indent = indentOf(depth);
    for (const [name, value] of members) addMember(name, value, depth, out, indent);
    return out.join('');
  },
  open: (name, depth) => `${indentOf(depth)}${memberStart(name, indentOf(depth))}\n`,
  close: '',
};

export const NOTATIONS = { json: JSON_NOTATION, yaml: YAML_NOTATION } as const;
export type NotationName = keyof typeof NOTATIONS;

const indentOf = (depth: number): string => '  '.repeat(depth);

/** Adds the lines of members or items. `first` replaces the indentation of the first line. */
function addBlock(block: Block, depth: number, out: string[], first: string): void {
  const indent = indentOf(depth);
  if (block instanceof Shared) {
    const text = block.text(`yaml ${depth}`, () => yamlText(block.value, depth));
    out.push(first, text.slice(indent.length));
    return;
  }
  let before = first;
  if (Array.isArray(block)) {
    for (const item of block) {
      if (isSharedList(item)) addBlock(item, depth, out, before);
      else {
        out.push(before, '-');
        addValue(item, depth + 1, out, ' ');
      }
      before = indent;
    }
    return;
  }
  const object = block as Json;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    addMember(name, value, depth, out, before);
    before = indent;
  }
  if (object[SHARED] !== undefined) addBlock(object[SHARED], depth, out, before);
}

function yamlText(block: Block, depth: number): string {
  const out: string[] = [];
  addBlock(block, depth, out, indentOf(depth));
  return out.join('');
}

function addMember(name: string, value: unknown, depth: number, out: string[], before: string): void {
  const indent = indentOf(depth);
  out.push(before, memberStart(name, indent));
  addValue(value, depth + 1, out, `\n${indent}  `);
}

/** Adds what follows a key or a hyphen. `first` precedes the first line of a block. */
function addValue(value: unknown, depth: number, out: string[], first: string): void {
  if (typeof value !== 'object' || value === null) {
    out.push(' ', yamlScalar(value as string | number | boolean | null), '\n');
    return;
  }
  const length = out.length;
  addBlock(value as Block, depth, out, first);
  if (out.length === length) out.push(Array.isArray(value) ? ' []\n' : ' {}\n');
}

/** Most strings of a document occur many times. */
const scalars = new BoundedMap<string, string>(20_000);

function yamlScalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return scalarText(value);
  const known = scalars.get(value);
  if (known !== undefined) return known;
  const text = scalarText(value);
  scalars.set(value, text);
  return text;
}
