/**
 * Reads any JSON document into a plain value, without recursion, so that it can pause after any
 * value. Counts the memory of the values: a few bytes of text can expand to a hundred bytes of
 * objects.
 */
import { Decimal, type PlainMap, type PlainValue } from '../text/decimal.ts';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, type JsonLimits, JsonScanner, OPEN_LIST, OPEN_OBJECT, QUOTE, WORDS } from './json-scan.ts';

export interface ParseOptions extends JsonLimits {
  /** `last` keeps the last value of a duplicate key; duplicates are rejected otherwise. */
  readonly repeatedKeys?: 'refuse' | 'last';
  /** JsonMemoryError is thrown for a document whose values need more memory. */
  readonly maxMemory?: number;
}

/** Thrown for a valid document whose values need more memory than allowed. */
export class JsonMemoryError extends Error {
  readonly max: number;

  constructor(max: number) {
    super(`the values need more than ${max} bytes of memory`);
    this.max = max;
  }
}

/** Converting digits to a bigint takes more than linear time. */
const MAX_INTEGER_DIGITS = 4300;

/** Measured heap bytes of values and of the growth of their containers. */
const LIST = 56;
/** The second item reserves room for seventeen. */
const SECOND_ITEM = 136;
const ITEM = 12;
const MAP = 200;
const MEMBER = 56;
/** Heap bytes of a short string, or of a slice of the body's text. */
const TEXT = 40;
const NUMBER = 16;
const DECIMAL = 96;

/** Difference between the bytes that open and close a container. */
const CLOSE = CLOSE_LIST - OPEN_LIST;

/** Placeholder for an empty list: a list created with its first item has no spare room. */
const NO_ITEMS: PlainValue[] = [];

export class JsonReader extends JsonScanner {
  memory: number;
  readonly #max: number;
  readonly #repeatedKeys: 'refuse' | 'last';
  /**
   * Keys of the last object by depth, since the next object usually repeats them. `undefined` for a
   * key with escapes.
   */
  readonly #keysAt: (string | undefined)[][] = [];
  /**
   * The container being filled, the containers around it, and the key under which each receives the
   * inner one.
   */
  #inside: PlainValue[] | PlainMap | undefined;
  #key = '';
  readonly #around: (PlainValue[] | PlainMap | undefined)[] = [];
  readonly #aroundKeys: string[] = [];
  #value: PlainValue = null;

  constructor(bytes: Buffer, options: ParseOptions) {
    super(bytes, options);
    this.#repeatedKeys = options.repeatedKeys ?? 'refuse';
    this.#max = options.maxMemory ?? Number.POSITIVE_INFINITY;
    this.memory = bytes.length;
  }

  /** The document, once `read` has returned `true`. */
  get value(): PlainValue {
    return this.#value;
  }

  /**
   * Reads to the end, or to the first value after `until`. Returns `true` when the document is
   * complete.
   */
  read(until: number): boolean {
    let inside = this.#inside;
    while (this.at < until) {
      if (this.memory > this.#max) throw new JsonMemoryError(this.#max);
      const code = this.isInText ? QUOTE : this.next();
      let value: PlainValue;
      if (code === QUOTE) {
        const text = until === Number.POSITIVE_INFINITY ? this.string() : this.textUntil(until);
        if (text === undefined) break;
        value = text;
        this.memory += this.escaped || !this.isAscii ? TEXT + 2 * text.length : TEXT;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        const opened = this.#open(code);
        if (opened === undefined) {
          this.#around.push(inside);
          if (inside instanceof Map) this.#aroundKeys.push(this.#key);
          inside = code === OPEN_LIST ? NO_ITEMS : new Map();
          if (inside instanceof Map) this.#readKey(inside);
          continue;
        }
        value = opened;
      } else value = this.#simple(code);
      // Add the value to its container, and close every container that ends here.
      for (;;) {
        if (inside === undefined) {
          this.#value = value;
          this.end();
          return true;
        }
        if (inside instanceof Map) {
          inside.set(this.#key, value);
          if (!this.#ends(CLOSE_OBJECT, 'a comma or }')) {
            this.memory += MEMBER;
            this.#readKey(inside);
            break;
          }
        } else {
          if (inside === NO_ITEMS) inside = [value];
          else this.memory += inside.push(value) === 2 ? SECOND_ITEM : ITEM;
          if (!this.#ends(CLOSE_LIST, 'a comma or ]')) break;
        }
        value = inside;
        inside = this.#around.pop();
        if (inside instanceof Map) this.#key = this.#aroundKeys.pop() ?? '';
      }
    }
    this.#inside = inside;
    return false;
  }

  /** Opens a container. Returns it if it is empty, `undefined` otherwise. */
  #open(code: number): PlainValue | undefined {
    this.enter(this.#around.length + 1);
    this.memory += code === OPEN_LIST ? LIST : MAP;
    if (this.next() !== code + CLOSE) return undefined;
    this.at++;
    return code === OPEN_LIST ? [] : new Map();
  }

  #ends(close: number, wanted: string): boolean {
    const code = this.next();
    if (code !== COMMA && code !== close) this.unexpected(wanted);
    this.at++;
    return code === close;
  }

  #readKey(map: PlainMap): void {
    if (this.next() !== QUOTE) this.unexpected('a key');
    const start = this.at;
    const key = this.#sameKey((this.#keysAt[this.#around.length] ??= []), map.size);
    if (this.#repeatedKeys === 'refuse' && map.has(key)) this.fail(`duplicate key ${JSON.stringify(key)}`, start);
    this.colon();
    this.#key = key;
  }

  /**
   * Returns the same string object for the same key in the same place, whose hash is already
   * computed.
   */
  #sameKey(keys: (string | undefined)[], index: number): string {
    const expected = keys[index];
    if (expected !== undefined && this.isKey(expected)) return expected;
    const key = this.key();
    this.memory += TEXT;
    keys[index] = this.escaped ? undefined : key;
    return key;
  }

  #simple(code: number): PlainValue {
    const word = WORDS.get(code);
    if (word === undefined) return this.#numeric();
    this.word(word);
    return word === 'null' ? null : word === 'true';
  }

  #numeric(): PlainValue {
    const start = this.at;
    this.number();
    const text = this.slice(start, this.at);
    if (!this.integral || text === '-0') {
      this.memory += DECIMAL;
      return new Decimal(text);
    }
    const value = Number(text);
    if (Number.isSafeInteger(value)) {
      if (value > 0x7fff_ffff || value < -0x8000_0000) this.memory += NUMBER;
      return value;
    }
    if (text.length > MAX_INTEGER_DIGITS) this.fail(`a whole number of more than ${MAX_INTEGER_DIGITS} digits`, start);
    this.memory += NUMBER + text.length;
    return BigInt(text);
  }
}
