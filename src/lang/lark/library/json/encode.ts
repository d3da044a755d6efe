/**
 * `json.encode`, `json.encode_indent` and `json.indent`. Keys are sorted; decimals keep their
 * digits.
 */
import { MAX_DATA_DEPTH, tooDeepData } from '../../values/depth.ts';
import { Extension } from '../../values/extension.ts';
import { fail } from '../../values/failure.ts';
import { intText } from '../../values/int.ts';
import { chargeSort, elementsOf } from '../../values/iterate.ts';
import { hasEngineOrder } from '../../values/sort.ts';
import { LarkStruct } from '../../values/struct.ts';
import { LarkDict } from '../../values/table.ts';
import { floatText } from '../../values/text/float-text.ts';
import { CHAR_BYTES, WRITE_STEPS } from '../../values/text/text.ts';
import { compareText, readable } from '../../values/text/utf8.ts';
import type { Thread } from '../../values/thread.ts';
import { ExactFloat, LarkFloat, type LarkValue, typeOf } from '../../values/value.ts';

/** Steps charged per pair of a dict, per comparison of two keys, and per token of a text. */
const PAIR_STEPS = 4;
const SORT_STEPS = 4;
const TOKEN_STEPS = 16;

export class JsonWriter {
  readonly #thread: Thread;
  readonly #open: LarkValue[] = [];
  readonly #path: string[] = [];

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  write(value: LarkValue): string {
    this.#thread.spend(WRITE_STEPS);
    const text = this.#text(value);
    this.#thread.charge(text.length * CHAR_BYTES);
    return text;
  }

  #fail(message: string): never {
    return fail([...this.#path, message].join(': '));
  }

  #text(value: LarkValue): string {
    if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
    if (typeof value === 'bigint') return intText(this.#thread, value);
    if (typeof value === 'string') return jsonText(this.#thread, value);
    if (value instanceof ExactFloat) return value.decimal.text;
    if (value instanceof LarkFloat) {
      return Number.isFinite(value.value) ? floatText(value.value) : this.#fail(`cannot encode non-finite float ${floatText(value.value)}`);
    }
    if (this.#open.includes(value)) this.#fail('cycle in JSON structure');
    if (this.#open.length >= MAX_DATA_DEPTH) tooDeepData();
    this.#open.push(value);
    const text = this.#compound(value);
    this.#open.pop();
    return text;
  }

  #compound(value: Exclude<LarkValue, null | boolean | number | bigint | string>): string {
    if (value instanceof LarkDict) return this.#object(pairsOf(this.#thread, value), (key) => `in dict key ${JSON.stringify(key)}`);
    if (value instanceof LarkStruct) return this.#object([...value.fields], (key) => `in field .${key}`);
    const items = elementsOf(this.#thread, value);
    if (items !== undefined) {
      const elements = items.map((item, i) => this.#at(`at ${value.type} index ${i}`, item));
      return `[${elements.join(',')}]`;
    }
    if (value instanceof Extension && value.attributeNames().length > 0) {
      const fields = value.attributeNames().map((name): [LarkValue, LarkValue] => [name, value.attribute(name, this.#thread) ?? null]);
      return this.#object(fields, (key) => `in field .${key}`);
    }
    return this.#fail(`cannot encode ${typeOf(value)} as JSON`);
  }

  #object(pairs: readonly (readonly [LarkValue, LarkValue])[], place: (key: string) => string): string {
    const named = pairs.map(([key, value]) => {
      if (typeof key !== 'string') return this.#fail(`dict has ${typeOf(key)} key, want string`);
      return [key, value] as const;
    });
    chargeSort(this.#thread, named.length * SORT_STEPS);
    hasEngineOrder(
      this.#thread,
      named.map(([key]) => key),
    );
    named.sort(([a], [b]) => compareText(a, b));
    return `{${named.map(([key, value]) => `${jsonText(this.#thread, key)}:${this.#at(place(key), value)}`).join(',')}}`;
  }

  #at(place: string, value: LarkValue): string {
    this.#path.push(place);
    const text = this.write(value);
    this.#path.pop();
    return text;
  }
}

function pairsOf(thread: Thread, dict: LarkDict): [LarkValue, LarkValue][] {
  thread.spend(dict.size * PAIR_STEPS);
  return [...dict.pairs(thread)];
}

function jsonText(thread: Thread, text: string): string {
  thread.spend(text.length >> 4);
  thread.weigh(text.length >> 1);
  return JSON.stringify(readable(text));
}

/** Indents JSON text. Outside of strings, every character is structure. */
export function indentJson(thread: Thread, text: string, prefix: string, indent: string): string {
  let out = '';
  let depth = 0;
  const line = (): string => {
    const start = `\n${prefix}${indent.repeat(depth)}`;
    thread.charge(start.length * CHAR_BYTES);
    return start;
  };
  const token = /\s+|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;
  thread.charge(text.length * CHAR_BYTES);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    thread.spend(TOKEN_STEPS + (match[0].length >> 5));
    const [part] = match;
    if (part.trim() === '') continue;
    if (part === '{' || part === '[') {
      const close = /\s*[}\]]/y;
      close.lastIndex = token.lastIndex;
      const empty = close.exec(text);
      if (empty !== null) {
        out += part + empty[0].trim();
        token.lastIndex = close.lastIndex;
        continue;
      }
      depth++;
      if (depth > MAX_DATA_DEPTH) tooDeepData();
      out += part + line();
    } else if (part === '}' || part === ']') {
      depth = Math.max(0, depth - 1);
      out += line() + part;
    } else if (part === ',') {
      out += part + line();
    } else {
      out += part === ':' ? ': ' : part;
    }
  }
  return thread.strings.joined(out);
}
