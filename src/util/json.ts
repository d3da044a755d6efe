/**
 * Exact JSON for request bodies, in one place:
 *
 *   parseJson(bytes, { maxDepth: 64 })           any document as a plain value, no digit lost
 *   parseRows(bytes, { maxDepth: 64 }, onRow)    an array of objects, row by row (json-rows.ts says how)
 *   writeJson(value), appendJson(value, out)     plain values as JSON text
 *
 * parseJson: a whole number is a number within ±2^53 and a bigint beyond; one with a fraction or an exponent is a Decimal with its text
 * as sent (`0.10`, `1e400`), and so is `-0`, which no int can hold. Objects are Maps in the order of the text. A key given twice, half a
 * surrogate pair, bytes that are no UTF-8 and whole numbers of more than 4,300 digits are refused. A byte order mark is ignored.
 *
 * Knows nothing of HTTP: errors say what is wrong and where, the caller says with which status.
 */
import { Decimal, type PlainMap, type PlainValue } from './decimal.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  JsonDepthError,
  JsonError,
  type JsonLimits,
  JsonScanner,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  WORDS,
} from './json-scan.ts';

export { type JsonCell, JsonNumber, type JsonRow, parseRows, RawJson, SPELLING } from './json-rows.ts';
export { appendJson, NestingError, writeJson } from './json-write.ts';
export { JsonDepthError, JsonError, type JsonLimits };

export interface ParseOptions extends JsonLimits {
  /** A key given twice in an object: refused unless this says that the last one counts. */
  readonly repeatedKeys?: 'refuse' | 'last';
}

/** Turning digits into a bigint takes more than linear time: nobody's number is longer than this, an attacker's is. */
const MAX_INTEGER_DIGITS = 4300;

export function parseJson(bytes: Buffer, options: ParseOptions): PlainValue {
  const reader = new ValueReader(bytes, options);
  const value = reader.value(0);
  reader.end();
  return value;
}

class ValueReader extends JsonScanner {
  readonly #repeatedKeys: 'refuse' | 'last';
  /** By depth, the keys of the last object there: the next one mostly has the same. Undefined for a key with escapes. */
  readonly #keysAt: (string | undefined)[][] = [];

  constructor(bytes: Buffer, options: ParseOptions) {
    super(bytes, options);
    this.#repeatedKeys = options.repeatedKeys ?? 'refuse';
  }

  value(depth: number): PlainValue {
    const code = this.next();
    if (code === QUOTE) return this.string();
    if (code === OPEN_OBJECT) return this.#members(depth + 1);
    if (code === OPEN_LIST) return this.#items(depth + 1);
    const word = WORDS.get(code);
    if (word === undefined) return this.#numeric();
    this.word(word);
    return word === 'null' ? null : word === 'true';
  }

  #numeric(): PlainValue {
    const start = this.at;
    this.number();
    const text = this.slice(start, this.at);
    if (!this.integral || text === '-0') return new Decimal(text);
    const value = Number(text);
    if (Number.isSafeInteger(value)) return value;
    if (text.length > MAX_INTEGER_DIGITS) this.fail(`a whole number of more than ${MAX_INTEGER_DIGITS} digits`, start);
    return BigInt(text);
  }

  #items(depth: number): PlainValue[] {
    this.enter(depth);
    const items: PlainValue[] = [];
    if (this.next() === CLOSE_LIST) {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth));
      const code = this.next();
      if (code !== COMMA && code !== CLOSE_LIST) this.unexpected('a comma or ]');
      this.at++;
      if (code === CLOSE_LIST) return items;
    }
  }

  #members(depth: number): PlainMap {
    this.enter(depth);
    const members: PlainMap = new Map();
    if (this.next() === CLOSE_OBJECT) {
      this.at++;
      return members;
    }
    const keys = (this.#keysAt[depth] ??= []);
    for (let count = 0; ; count++) {
      if (this.next() !== QUOTE) this.unexpected('a key');
      const start = this.at;
      const key = this.#key(keys, count);
      this.colon();
      members.set(key, this.value(depth));
      if (members.size === count && this.#repeatedKeys === 'refuse') this.fail(`duplicate key ${JSON.stringify(key)}`, start);
      const code = this.next();
      if (code !== COMMA && code !== CLOSE_OBJECT) this.unexpected('a comma or }');
      this.at++;
      if (code === CLOSE_OBJECT) return members;
    }
  }

  /** The same string object for the same key in the same place: its hash is known already. */
  #key(keys: (string | undefined)[], index: number): string {
    const expected = keys[index];
    if (expected !== undefined && this.isKey(expected)) return expected;
    const key = this.string();
    keys[index] = this.escaped ? undefined : key;
    return key;
  }
}
