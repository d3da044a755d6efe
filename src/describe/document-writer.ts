/**
 * Writes a large document member by member into pieces of bytes, in JSON or YAML, with slice for others in between. No more than a piece of it is ever a
 * string, and what stands in many places is put into words once. Knows nothing of what is written.
 */
import { memberStart, scalarText } from '../formats/yaml.ts';
import { TimeSlice } from '../util/concurrency/slices.ts';
import { quoteJson } from '../util/json/json-write.ts';

const PIECE = 64 * 1024;

export type Json = { readonly [name: string]: unknown };

/** Texts that were made of a part, by notation and depth. */
class Texts<T> {
  readonly #made = new Map<Notation, T[]>();

  find(notation: Notation, depth: number): T | undefined {
    return this.#made.get(notation)?.[depth];
  }

  keep(notation: Notation, depth: number, text: T): T {
    const known = this.#made.get(notation) ?? [];
    this.#made.set(notation, known);
    known[depth] = text;
    return text;
  }
}

/** An object or a list that stands in many places. Inside of a list, a shared list is its items. */
export class Shared {
  readonly value: Json | readonly unknown[];
  readonly #texts = new Texts<string>();

  constructor(value: Json | readonly unknown[]) {
    this.value = value;
  }

  inner(notation: Notation, depth: number): string {
    return this.#texts.find(notation, depth) ?? this.#texts.keep(notation, depth, innerText(notation, this.value, depth));
  }
}

/** Stands for the name in a pattern: a word that no notation quotes, and that stands nowhere else. */
export const NAME = 'Name.of.the.table';

/** An object that is the same in many places but for a name, which has letters, digits and the characters `_.-~` only, and begins with a letter. */
export class Pattern {
  readonly #value: Json;
  readonly #texts = new Texts<readonly string[]>();

  constructor(value: Json) {
    this.#value = value;
  }

  named(name: string): Named {
    return new Named(this, name);
  }

  inner(notation: Notation, depth: number, name: string): string {
    const parts =
      this.#texts.find(notation, depth) ?? this.#texts.keep(notation, depth, innerText(notation, this.#value, depth).split(NAME));
    return parts.join(name);
  }
}

export class Named {
  readonly pattern: Pattern;
  readonly name: string;

  constructor(pattern: Pattern, name: string) {
    this.pattern = pattern;
    this.name = name;
  }
}

/** A member of an object whose name is hardly ever used twice: an object literal would make the runtime learn a shape for each. */
export class Member {
  readonly name: string;
  readonly value: unknown;

  constructor(name: string, value: unknown) {
    this.name = name;
    this.value = value;
  }
}

type Part = Json | Shared | Named | Member;

/** An object with the members of several. */
export class Joined {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }
}

type Compound = Part | readonly unknown[] | Joined;

const isCompound = (value: unknown): value is Compound => typeof value === 'object' && value !== null;
const isList = (value: Compound): boolean => Array.isArray(value instanceof Shared ? value.value : value);

/** Members or items, without what is around them. What is undefined is not there. */
function innerText(notation: Notation, value: Compound, depth: number): string {
  if (value instanceof Shared) return value.inner(notation, depth);
  if (value instanceof Named) return value.pattern.inner(notation, depth, value.name);
  if (value instanceof Member) return notation.member(value.name, value.value, depth);
  let text = '';
  const add = (more: string): void => {
    text += text === '' || more === '' ? more : notation.separator + more;
  };
  if (value instanceof Joined) for (const part of value.parts) add(innerText(notation, part, depth));
  else if (Array.isArray(value))
    for (const item of value as readonly unknown[])
      add(item instanceof Shared && isList(item) ? item.inner(notation, depth) : notation.item(item, depth));
  else for (const name in value as Json) if ((value as Json)[name] !== undefined) add(notation.member(name, (value as Json)[name], depth));
  return text;
}

/** How members of objects and items of lists are written. */
interface Notation {
  readonly start: string;
  readonly end: string;
  readonly separator: string;
  member(name: string, value: unknown, depth: number): string;
  item(value: unknown, depth: number): string;
  open(name: string, depth: number): string;
  readonly close: string;
  empty(name: string, depth: number): string;
}

function jsonText(value: unknown): string {
  if (typeof value === 'string') return quoteJson(value);
  if (!isCompound(value)) return JSON.stringify(value);
  // Depth means nothing here.
  const inner = innerText(JSON_NOTATION, value, 0);
  return isList(value) ? `[${inner}]` : `{${inner}}`;
}

const JSON_NOTATION: Notation = {
  start: '{',
  end: '}\n',
  separator: ',',
  member: (name, value) => `${quoteJson(name)}:${jsonText(value)}`,
  item: jsonText,
  open: (name) => `${quoteJson(name)}:{`,
  close: '}',
  empty: (name) => `${quoteJson(name)}:{}`,
};

const INDENT = 2;
const indent = (depth: number): string => ' '.repeat(depth * INDENT);

/** What follows a key: a value on its line, or lines below it. */
function yamlBehind(value: unknown, depth: number): string {
  if (!isCompound(value)) return ` ${scalarText(value as string | number | boolean | null)}\n`;
  const inner = innerText(YAML_NOTATION, value, depth + 1);
  return inner === '' ? (isList(value) ? ' []\n' : ' {}\n') : `\n${inner}`;
}

const YAML_NOTATION: Notation = {
  start: '',
  end: '',
  separator: '',
  member: (name, value, depth) => `${indent(depth)}${memberStart(name, indent(depth))}${yamlBehind(value, depth)}`,
  item(value, depth) {
    const behind = yamlBehind(value, depth);
    // The first of several lines stands behind the hyphen.
    return `${indent(depth)}- ${behind.startsWith('\n') ? behind.slice(1 + (depth + 1) * INDENT) : behind.slice(1)}`;
  },
  open: (name, depth) => `${indent(depth)}${memberStart(name, indent(depth))}\n`,
  close: '',
  empty: (name, depth) => `${indent(depth)}${memberStart(name, indent(depth))} {}\n`,
};

const NOTATIONS = { json: JSON_NOTATION, yaml: YAML_NOTATION } as const;
export type NotationName = keyof typeof NOTATIONS;

/** A character takes three bytes at most. */
const scratch = Buffer.allocUnsafeSlow(6 * PIECE);

/** `Buffer.from(text)`, which goes over the text once more to count the bytes. */
function bytesOf(text: string): Buffer {
  if (text.length * 3 > scratch.length) return Buffer.from(text);
  return Buffer.from(scratch.subarray(0, scratch.write(text)));
}

interface OpenObject {
  readonly name: string;
  hasMembers: boolean;
}

export class DocumentWriter {
  readonly #notation: Notation;
  readonly #slice: TimeSlice;
  readonly #take: (piece: Buffer) => void;
  /** Objects that stand open; what is written first in one opens it. */
  readonly #open: OpenObject[] = [{ name: '', hasMembers: false }];
  #text: string;

  /** `owner`: whose slice of the event loop are taken. `take` gets the pieces. */
  constructor(notation: NotationName, owner: string, take: (piece: Buffer) => void) {
    this.#notation = NOTATIONS[notation];
    this.#slice = new TimeSlice(owner);
    this.#take = take;
    this.#text = this.#notation.start;
  }

  async members(members: Json): Promise<void> {
    for (const [name, value] of Object.entries(members)) await this.all(new Joined([new Member(name, value)]));
  }

  /** The members of one part, in one turn. */
  async all(part: Joined): Promise<void> {
    const text = innerText(this.#notation, part, this.#open.length - 1);
    if (text === '') return;
    this.#enter();
    this.#text += text;
    if (this.#text.length >= PIECE) this.#cut();
    if (this.#slice.isOver) await this.#slice.next();
  }

  open(name: string): void {
    this.#open.push({ name, hasMembers: false });
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed?.hasMembers === true) {
      this.#text += this.#notation.close;
      return;
    }
    const depth = this.#enter();
    this.#text += this.#notation.empty(closed?.name ?? '', depth);
  }

  end(): void {
    this.#text += this.#notation.end;
    this.#cut();
  }

  /** Opens what is not yet, down to where a member goes, and separates it from the one before; gives its depth. */
  #enter(): number {
    let isFirst = true;
    this.#open.forEach((object, depth) => {
      if (depth > 0 && !object.hasMembers)
        this.#text += (isFirst ? '' : this.#notation.separator) + this.#notation.open(object.name, depth - 1);
      isFirst = !object.hasMembers;
      object.hasMembers = true;
    });
    if (!isFirst) this.#text += this.#notation.separator;
    return this.#open.length - 1;
  }

  #cut(): void {
    this.#take(bytesOf(this.#text));
    this.#text = '';
  }
}
