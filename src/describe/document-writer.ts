/**
 * Writes a large document member by member into pieces of bytes, in JSON or YAML, with turns for others in between. No more than a piece of it is ever a
 * string. Knows nothing of what is written.
 */
import { formatByName } from '../formats/index.ts';
import { ByteWriter } from '../util/byte-writer.ts';
import { parseJson } from '../util/json.ts';
import { Turns } from '../util/slices.ts';
import type { Json } from './openapi-parts.ts';

const PIECE = 64 * 1024;
const DEEPEST = 64;

/** How a member, and an object around members, are written. */
interface Notation {
  readonly start: string;
  readonly end: string;
  member(name: string, value: unknown, depth: number, isFirst: boolean): string;
  open(name: string, depth: number, isFirst: boolean): string;
  close(): string;
  empty(name: string, depth: number, isFirst: boolean): string;
}

const comma = (isFirst: boolean): string => (isFirst ? '' : ',');

const JSON_NOTATION: Notation = {
  start: '{',
  end: '}\n',
  member: (name, value, _, isFirst) => `${comma(isFirst)}${JSON.stringify(name)}:${JSON.stringify(value)}`,
  open: (name, _, isFirst) => `${comma(isFirst)}${JSON.stringify(name)}:{`,
  close: () => '}',
  empty: (name, _, isFirst) => `${comma(isFirst)}${JSON.stringify(name)}:{}`,
};

const indented = (text: string, depth: number): string => (depth === 0 ? text : text.replace(/^(?=.)/gm, '  '.repeat(depth)));

function yamlText(value: unknown): string {
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => undefined);
  formatByName('yaml')?.value(parseJson(Buffer.from(JSON.stringify(value)), { maxDepth: DEEPEST }), out);
  return out.takeText();
}

const YAML_NOTATION: Notation = {
  start: '',
  end: '',
  member: (name, value, depth) => indented(yamlText({ [name]: value }), depth),
  open: (name, depth) => indented(`${name}:\n`, depth),
  close: () => '',
  empty: (name, depth) => indented(`${name}: {}\n`, depth),
};

const NOTATIONS = { json: JSON_NOTATION, yaml: YAML_NOTATION } as const;

interface OpenObject {
  readonly name: string;
  hasMembers: boolean;
}

export class DocumentWriter {
  readonly #notation: Notation;
  readonly #turns: Turns;
  readonly #pieces: Buffer[] = [];
  /** Objects that stand open; what is written first in one opens it. */
  readonly #open: OpenObject[] = [{ name: '', hasMembers: false }];
  #text: string;

  /** `owner`: whose turns of the event loop are taken. */
  constructor(notation: keyof typeof NOTATIONS, owner: string) {
    this.#notation = NOTATIONS[notation];
    this.#turns = new Turns(owner);
    this.#text = this.#notation.start;
  }

  async members(members: Json): Promise<void> {
    for (const [name, value] of Object.entries(members)) {
      const [depth, isFirst] = this.#enter();
      this.#text += this.#notation.member(name, value, depth, isFirst);
      if (this.#text.length >= PIECE) this.#cut();
      if (this.#turns.isOver) await this.#turns.next();
    }
  }

  open(name: string): void {
    this.#open.push({ name, hasMembers: false });
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed?.hasMembers === true) {
      this.#text += this.#notation.close();
      return;
    }
    const [depth, isFirst] = this.#enter();
    this.#text += this.#notation.empty(closed?.name ?? '', depth, isFirst);
  }

  take(): readonly Buffer[] {
    this.#text += this.#notation.end;
    this.#cut();
    return this.#pieces;
  }

  /** Opens what is not yet, down to where a member goes; gives its depth, and whether it is the first there. */
  #enter(): readonly [depth: number, isFirst: boolean] {
    let isFirst = true;
    this.#open.forEach((object, depth) => {
      if (depth > 0 && !object.hasMembers) this.#text += this.#notation.open(object.name, depth - 1, isFirst);
      isFirst = !object.hasMembers;
      object.hasMembers = true;
    });
    return [this.#open.length - 1, isFirst];
  }

  #cut(): void {
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
