/**
 * JSON text → values that keep every digit: numbers stay the text they were. For what goes into nested columns.
 * Refuses what is no JSON; knows no types.
 */
import { invalid } from './failures.ts';

/** A number as it was written. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue = null | boolean | string | NumberText | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const SPACE = /[ \t\n\r]*/y;
const DEEPEST = 64;

const WORDS: readonly (readonly [string, JsonValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

export function parseJson(text: string): JsonValue {
  const parser = new JsonParser(text);
  return parser.whole();
}

class JsonParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonValue {
    const value = this.#value();
    this.#take(SPACE);
    if (this.#at !== this.#text.length) throw invalid('not valid JSON');
    return value;
  }

  #value(): JsonValue {
    this.#take(SPACE);
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    if (first === '[') return this.#nested(() => this.#list());
    if (first === '{') return this.#nested(() => this.#object());
    for (const [word, value] of WORDS) if (this.#word(word)) return value;
    const number = this.#take(NUMBER);
    if (number === '') throw invalid('not valid JSON');
    return new NumberText(number);
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw invalid('the JSON is nested too deeply');
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #list(): readonly JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#closes(']')) return items;
    do items.push(this.#value());
    while (this.#next(']'));
    return items;
  }

  #object(): ReadonlyMap<string, JsonValue> {
    const members = new Map<string, JsonValue>();
    if (this.#closes('}')) return members;
    do {
      this.#take(SPACE);
      const key = this.#string();
      this.#take(SPACE);
      if (!this.#word(':')) throw invalid('not valid JSON');
      members.set(key, this.#value());
    } while (this.#next('}'));
    return members;
  }

  /** True when a comma follows, false when the closing bracket does. */
  #next(close: string): boolean {
    this.#take(SPACE);
    if (this.#word(',')) return true;
    if (this.#word(close)) return false;
    throw invalid('not valid JSON');
  }

  #closes(close: string): boolean {
    this.#take(SPACE);
    return this.#word(close);
  }

  #string(): string {
    const literal = this.#take(STRING);
    if (literal === '') throw invalid('not valid JSON');
    try {
      return JSON.parse(literal) as string;
    } catch {
      throw invalid('not valid JSON');
    }
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

/** A value as JSON text again, digits unchanged. */
export function jsonText(value: JsonValue): string {
  if (value instanceof NumberText) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  const members = value as ReadonlyMap<string, JsonValue>;
  return `{${[...members].map(([key, item]) => `${JSON.stringify(key)}:${jsonText(item)}`).join(',')}}`;
}
