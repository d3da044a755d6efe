/**
 * A reader for the plain part of YAML in which large documents are written: blocks of keys and lists, flow lists and maps on one line, words, and
 * quoted texts without escapes. Many times quicker than the library; gives up on everything else, which the library then reads or refuses. What
 * it takes means the same there (a test compares them). Knows nothing of personas.
 */
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';

/** Given up: the library's affair. */
class Unusual extends Error {}

interface Line {
  readonly indent: number;
  readonly text: string;
}

const PRINTABLE = /^[\x20-\x7e\n]*$/;
const MAX_DEPTH = 12;
const KEY = /^([A-Za-z_][\w./*-]*):(?: +|$)/;
const QUOTED = /^(?:'([^']*)'|"([^"\\]*)")/;
/** Words that cannot be mistaken for anything else, in blocks and between the commas of a flow. */
const BLOCK_WORD = /^(?:[\w./~$]|\?(?=:\w))(?:[\w./~$=()*,+-]| (?=[\w./~$=()*+-])|[?:](?=[\w:]))*$/;
const FLOW_WORD = /^(?:[\w./~$]|\?(?=:\w))(?:[\w./~$=()*+-]|[?:](?=[\w:]))*/;

/** Undefined when there is something in it that only the library knows. `scalar`: what a word without quotes means. */
export function readQuickYaml(text: string, scalar: (word: string) => PlainValue): PlainValue | undefined {
  if (!PRINTABLE.test(text)) return undefined;
  try {
    const reader = new QuickReader(linesOf(text), scalar);
    const value = reader.map(0, 1);
    return reader.isDone ? value : undefined;
  } catch (error) {
    if (error instanceof Unusual) return undefined;
    throw error;
  }
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    const content = line.trimEnd();
    const own = content.trimStart();
    if (own !== '' && !own.startsWith('#')) lines.push({ indent: content.length - own.length, text: own });
  }
  return lines;
}

class QuickReader {
  readonly #lines: readonly Line[];
  readonly #scalar: (word: string) => PlainValue;
  #at = 0;

  constructor(lines: readonly Line[], scalar: (word: string) => PlainValue) {
    this.#lines = lines;
    this.#scalar = scalar;
  }

  get isDone(): boolean {
    return this.#at === this.#lines.length && this.#at > 0;
  }

  /** The keys that stand at one indent. */
  map(indent: number, depth: number): PlainMap {
    if (depth > MAX_DEPTH) throw new Unusual();
    const fields: PlainMap = new Map();
    for (let line = this.#lines[this.#at]; line !== undefined && line.indent >= indent; line = this.#lines[this.#at]) {
      const [whole, key] = KEY.exec(line.text) ?? [];
      if (line.indent > indent || whole === undefined || key === undefined || fields.has(key)) throw new Unusual();
      this.#at++;
      const rest = line.text.slice(whole.length);
      fields.set(key, rest === '' ? this.#below(indent, depth) : this.#inline(rest, depth));
    }
    return fields;
  }

  /** What stands under a key: a list, more keys, or nothing. */
  #below(indent: number, depth: number): PlainValue {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent) return null;
    if (next.text.startsWith('- ')) return this.#list(next.indent, depth + 1);
    return next.indent === indent ? null : this.map(next.indent, depth + 1);
  }

  #list(indent: number, depth: number): readonly PlainValue[] {
    const items: PlainValue[] = [];
    for (let line = this.#lines[this.#at]; line?.indent === indent && line.text.startsWith('- '); line = this.#lines[this.#at]) {
      this.#at++;
      items.push(this.#inline(line.text.slice(2).trimStart(), depth));
    }
    return items;
  }

  /** A value that ends with its line. A deeper line behind it would go on with it. */
  #inline(text: string, depth: number): PlainValue {
    const quoted = QUOTED.exec(text);
    if (quoted !== null) {
      if (quoted[0].length !== text.length) throw new Unusual();
      return quoted[1] ?? quoted[2] ?? '';
    }
    if (text.startsWith('[') || text.startsWith('{')) {
      const flow = new FlowReader(text, this.#scalar);
      const value = flow.value(depth + 1);
      if (!flow.isDone) throw new Unusual();
      return value;
    }
    if (!BLOCK_WORD.test(text)) throw new Unusual();
    return this.#scalar(text);
  }
}

/** Lists and maps on one line. */
class FlowReader {
  readonly #text: string;
  readonly #scalar: (word: string) => PlainValue;
  #at = 0;

  constructor(text: string, scalar: (word: string) => PlainValue) {
    this.#text = text;
    this.#scalar = scalar;
  }

  get isDone(): boolean {
    return this.#at === this.#text.length;
  }

  value(depth: number): PlainValue {
    if (depth > MAX_DEPTH) throw new Unusual();
    const first = this.#text[this.#at];
    if (first === '[') return this.#items(']', [] as PlainValue[], (items) => void items.push(this.value(depth + 1)));
    if (first === '{') return this.#items('}', new Map() as PlainMap, (fields) => this.#field(fields, depth));
    const rest = this.#text.slice(this.#at);
    const quoted = QUOTED.exec(rest);
    if (quoted !== null) {
      this.#at += quoted[0].length;
      return quoted[1] ?? quoted[2] ?? '';
    }
    const [word] = FLOW_WORD.exec(rest) ?? [];
    if (word === undefined) throw new Unusual();
    this.#at += word.length;
    return this.#scalar(word);
  }

  #items<T>(end: string, into: T, next: (into: T) => void): T {
    this.#at++;
    this.#blanks();
    while (this.#text[this.#at] !== end) {
      next(into);
      this.#blanks();
      if (this.#text[this.#at] === ',') this.#at++;
      else if (this.#text[this.#at] !== end) throw new Unusual();
      this.#blanks();
    }
    this.#at++;
    return into;
  }

  #field(fields: PlainMap, depth: number): void {
    const [whole, key] = KEY.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined || key === undefined || fields.has(key) || this.#at + whole.length === this.#text.length) throw new Unusual();
    this.#at += whole.length;
    fields.set(key, this.value(depth + 1));
  }

  #blanks(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
  }
}
