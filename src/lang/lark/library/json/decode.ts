/** `json.decode`: a strict parser that reports the offset of an error. */
import { MAX_DATA_DEPTH, tooDeepData } from '../../values/depth.ts';
import { fail } from '../../values/failure.ts';
import { ENTRY_BYTES } from '../../values/indexing.ts';
import { chargeDigits, normalInt } from '../../values/int.ts';
import { SLOT_BYTES } from '../../values/iterate.ts';
import { LarkDict } from '../../values/table.ts';
import { quote } from '../../values/text/quote.ts';
import { CHAR_BYTES } from '../../values/text/text.ts';
import { readable, toBytes } from '../../values/text/utf8.ts';
import type { Thread } from '../../values/thread.ts';
import { LarkFloat, LarkList, type LarkValue } from '../../values/value.ts';

const VALUE_STEPS = 4;
const SPACE = /[ \t\n\r]*/y;
const NUMBER_CHARS = /[-+.eE0-9]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const WORDS: ReadonlyMap<string, LarkValue> = new Map<string, LarkValue>([
  ['null', null],
  ['true', true],
  ['false', false],
]);

export class LarkJsonReader {
  readonly #thread: Thread;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(thread: Thread, text: string) {
    this.#thread = thread;
    this.#text = text;
    thread.spend(text.length >> 4);
  }

  read(): LarkValue {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) this.#fail(`unexpected character ${this.#character()} after value`);
    return value;
  }

  #fail(message: string): never {
    return fail(`at offset ${toBytes(this.#text.slice(0, this.#at)).length}, ${message}`);
  }

  /** The next byte, shown as a character. */
  #character(): string {
    const byte = toBytes(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)).charAt(0);
    return byte === '"' ? `'"'` : byte === "'" ? `'\\''` : `'${quote(this.#thread, byte).slice(1, -1)}'`;
  }

  #skip(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #next(): string {
    this.#skip();
    if (this.#at >= this.#text.length) this.#fail('unexpected end of file');
    return this.#text.charAt(this.#at);
  }

  #value(): LarkValue {
    this.#thread.spend(VALUE_STEPS);
    const c = this.#next();
    if (c === '"') return this.#string();
    if (c === '[' || c === '{') {
      if (++this.#depth > MAX_DATA_DEPTH) tooDeepData();
      const value = c === '[' ? this.#array() : this.#object();
      this.#depth--;
      return value;
    }
    if (c === '-' || (c >= '0' && c <= '9')) return this.#number();
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#fail(`unexpected character ${this.#character()}`);
  }

  #string(): string {
    STRING.lastIndex = this.#at;
    const literal = STRING.exec(this.#text)?.[0];
    if (literal === undefined) return this.#fail('unclosed string literal');
    this.#thread.charge(literal.length * CHAR_BYTES);
    this.#thread.spend(literal.length >> 4);
    let text: string;
    try {
      text = JSON.parse(literal);
    } catch {
      return this.#fail(literal.includes('\\') ? 'invalid escape sequence in string' : 'invalid character in string literal');
    }
    this.#at += literal.length;
    return readable(text);
  }

  #number(): LarkValue {
    NUMBER_CHARS.lastIndex = this.#at;
    const literal = NUMBER_CHARS.exec(this.#text)?.[0] ?? '';
    const match = NUMBER.exec(literal);
    if (match === null) return this.#fail(`invalid number: ${literal}`);
    this.#at += literal.length;
    chargeDigits(this.#thread, literal.length);
    if (match[1] === undefined && match[2] === undefined) {
      if (literal.length > 20_000) return this.#fail('number too long');
      return literal.length < 16 ? Number(literal) + 0 : normalInt(BigInt(literal));
    }
    const value = Number(literal);
    return Number.isFinite(value) ? new LarkFloat(value) : this.#fail(`floating-point number too large: ${literal}`);
  }

  #array(): LarkValue {
    const items: LarkValue[] = [];
    this.#at++;
    if (this.#next() === ']') {
      this.#at++;
      return new LarkList(items);
    }
    for (;;) {
      this.#thread.charge(SLOT_BYTES * 2);
      items.push(this.#value());
      const c = this.#next();
      if (c !== ',' && c !== ']') this.#fail(`in array, got ${this.#character()}, want ',' or ']'`);
      this.#at++;
      if (c === ']') return new LarkList(items);
    }
  }

  #object(): LarkValue {
    const dict = new LarkDict();
    this.#at++;
    if (this.#next() === '}') {
      this.#at++;
      return dict;
    }
    for (;;) {
      if (this.#next() !== '"') this.#fail(`unexpected character ${this.#character()}`);
      const key = this.#string();
      if (this.#next() !== ':') this.#fail(`after object key, got ${this.#character()}, want ':'`);
      this.#at++;
      this.#thread.charge(ENTRY_BYTES);
      dict.set(this.#thread, key, this.#value());
      const c = this.#next();
      if (c !== ',' && c !== '}') this.#fail(`in object, got ${this.#character()}, want ',' or '}'`);
      this.#at++;
      if (c === '}') return dict;
    }
  }
}
