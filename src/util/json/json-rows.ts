/**
 * Reads the rows of a POST body, an array of objects, one by one and with little garbage.
 * Must not know tables or columns.
 *
 *   const count = parseRows(body, { maxDepth: 64 }, (index, keys, row) => { … });
 *
 * `keys` is the same array for every row with the same keys in the same order (the last 64 shapes
 * are kept), so a caller plans once per array identity. `row` is one object that is reused for each
 * row: read it before returning. It holds the position of each value in the body.
 * `cell` decodes one value: null, a boolean, a string, a JsonNumber with its original digits or,
 * for a nested array or object, a RawJson with its checked text. Duplicate keys inside nested
 * values are kept for the database to judge.
 * Rows in front of a syntax error have already been delivered: write nothing until parseRows has
 * returned.
 */
import { BoundedMap } from '../bounded-map.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  JsonError,
  type JsonLimits,
  JsonScanner,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  WORDS,
} from './json-scan.ts';

/** A number as it was written. Nothing is rounded, not even `0.10` or `1e400`. */
export class JsonNumber {
  readonly text: string;
  /** `true` if the number has neither a fraction nor an exponent. */
  readonly integral: boolean;

  constructor(text: string, integral: boolean) {
    this.text = text;
    this.integral = integral;
  }
}

/** A nested array or object as its JSON text. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonCell = null | boolean | string | JsonNumber | RawJson;
export type OnJsonRow = (index: number, keys: readonly string[], row: JsonRow) => void;

/** How a value is spelled in the body. */
export const SPELLING = { word: 0, integer: 1, number: 2, plainText: 3, escapedText: 4, nested: 5 } as const;
export type Spelling = (typeof SPELLING)[keyof typeof SPELLING];

/** Positions of the values of one row in the body, between the quotes of a string. */
export class JsonRow {
  readonly #scanner: JsonScanner;
  readonly spelled: Spelling[] = [];
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly #decoded: string[] = [];

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  get bytes(): Buffer {
    return this.#scanner.bytes;
  }

  set(index: number, spelled: Spelling, from: number, to: number): void {
    this.spelled[index] = spelled;
    this.from[index] = from;
    this.to[index] = to;
  }

  setDecoded(index: number, value: string): void {
    this.spelled[index] = SPELLING.escapedText;
    this.#decoded[index] = value;
  }

  cell(index: number): JsonCell {
    const spelled = this.spelled[index];
    if (spelled === SPELLING.escapedText) return this.#decoded[index] ?? '';
    const text = this.#scanner.slice(this.from[index] ?? 0, this.to[index] ?? 0);
    if (spelled === SPELLING.plainText) return text;
    if (spelled === SPELLING.nested) return new RawJson(text);
    if (spelled === SPELLING.word) return text === 'null' ? null : text === 'true';
    return new JsonNumber(text, spelled === SPELLING.integer);
  }
}

/** Thrown when the body is valid JSON at most, but not an array of objects. */
export class NotRowsError extends JsonError {
  /** Index of the element that is not an object, or `undefined` if the body is not an array. */
  readonly row: number | undefined;

  constructor(reason: string, bytes: Buffer, at: number, row?: number) {
    super(reason, bytes, at);
    this.row = row;
  }
}

/** Returns the number of rows. Throws JsonError, JsonDepthError, and whatever `onRow` throws. */
export function parseRows(bytes: Buffer, limits: JsonLimits, onRow: OnJsonRow): number {
  const reader = new RowsReader(bytes, limits, onRow);
  reader.read(Number.POSITIVE_INFINITY);
  return reader.count;
}

const KEPT_SHAPES = 64;
/** Bytes by which a value may extend past the end of a slice. */
const SLICE_OVERRUN = 64 * 1024;
/** Up to this many keys, scanning an array is faster than a set. */
const FEW_KEYS = 16;
/** Text that JSON writes without escapes, one byte per character. */
const PLAIN = /^[\x20!#-[\]-~]*$/;
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;

/** Progress of a row that ends in the middle of a value too long for one slice. */
interface Paused {
  readonly found: string[] | undefined;
  readonly cell: number;
  readonly start: number;
}

interface Shape {
  readonly keys: readonly string[];
  /**
   * Keys as the next row spells them, one character per byte, or `undefined` if one needs escapes.
   */
  readonly spelled: readonly string[] | undefined;
}

const NO_SHAPE: Shape = { keys: [], spelled: [] };

function toShape(keys: readonly string[]): Shape {
  if (keys.every((key) => PLAIN.test(key))) return { keys, spelled: keys };
  if (keys.some((key) => NEEDS_ESCAPE.test(key))) return { keys, spelled: undefined };
  return { keys, spelled: keys.map((key) => Buffer.from(key).toString('latin1')) };
}

/** Reads the rows of a large body in slices. */
export class RowsReader extends JsonScanner {
  count = 0;
  readonly #onRow: OnJsonRow;
  #begun = false;
  #shape: Shape = NO_SHAPE;
  /** Shapes by their keys, or `undefined` until a second shape occurs. */
  #shapes: BoundedMap<string, Shape> | undefined;
  readonly #row = new JsonRow(this);
  /** Offset before which a value must end to be read in this slice. */
  #until = Number.POSITIVE_INFINITY;
  #paused: Paused | undefined;

  constructor(bytes: Buffer, limits: JsonLimits, onRow: OnJsonRow) {
    super(bytes, limits);
    this.#onRow = onRow;
  }

  /** Reads to the end or to the first row that begins after `until`. Returns `true` at the end. */
  read(until: number): boolean {
    if (!this.#begun && !this.#begin()) return true;
    this.#until = until + SLICE_OVERRUN;
    while (this.at < until) {
      const index = this.count;
      if (this.#paused === undefined && this.next() !== OPEN_OBJECT)
        throw new NotRowsError(`row ${index} is not an object`, this.bytes, this.at, index);
      if (!this.#read(index)) return false;
      this.#onRow(index, this.#shape.keys, this.#row);
      this.count = index + 1;
      const code = this.next();
      if (code !== COMMA && code !== CLOSE_LIST) this.unexpected('a comma or ]');
      this.at++;
      if (code === COMMA) continue;
      this.end();
      return true;
    }
    return false;
  }

  /** Returns `false` for an empty array. */
  #begin(): boolean {
    if (this.next() !== OPEN_LIST) throw new NotRowsError('the body must be an array of objects', this.bytes, this.at);
    this.enter(1);
    this.#begun = true;
    if (this.next() !== CLOSE_LIST) return true;
    this.at++;
    this.end();
    return false;
  }

  /**
   * Fills the row and sets its shape. Returns `false` when a value is too long for this slice;
   * calling again continues.
   */
  #read(index: number): boolean {
    const { keys, spelled } = this.#shape;
    const paused = this.#paused;
    let found: string[] | undefined;
    let count = 0;
    let code: number;
    if (paused === undefined) {
      this.#seen = undefined;
      this.enter(2);
      code = this.next();
    } else {
      if (!this.#long(paused.cell, paused.start)) return false;
      this.#paused = undefined;
      ({ found } = paused);
      count = paused.cell + 1;
      code = this.#afterCell();
    }
    while (code !== CLOSE_OBJECT) {
      if (code !== QUOTE) this.unexpected('a key');
      const expected = spelled?.[count];
      if (found !== undefined || expected === undefined || !this.isKey(expected)) {
        found ??= keys.slice(0, count);
        const start = this.at;
        found.push(this.key());
        this.#refuseRepeated(found, index, start);
      }
      this.colon();
      const first = this.next();
      const start = this.at;
      if (!this.#cell(count, first, start)) {
        this.#paused = { found, cell: count, start };
        return false;
      }
      count++;
      code = this.#afterCell();
    }
    this.at++;
    if (found !== undefined) this.#shape = this.#known(found);
    else if (count < keys.length) this.#shape = this.#known(keys.slice(0, count));
    return true;
  }

  /** Moves past a comma. Returns the first byte of the next key, or of the end of the row. */
  #afterCell(): number {
    const code = this.next();
    if (code === CLOSE_OBJECT) return code;
    if (code !== COMMA) this.unexpected('a comma or }');
    this.at++;
    if (this.next() !== QUOTE) this.unexpected('a key');
    return QUOTE;
  }

  #seen: Set<string> | undefined;

  #refuseRepeated(found: readonly string[], index: number, position: number): void {
    const key = found[found.length - 1] ?? '';
    if (found.length <= FEW_KEYS) {
      if (found.indexOf(key) === found.length - 1) return;
    } else {
      this.#seen ??= new Set(found.slice(0, -1));
      if (!this.#seen.has(key)) {
        this.#seen.add(key);
        return;
      }
    }
    this.fail(`duplicate key ${JSON.stringify(key)} in row ${index}`, position);
  }

  /**
   * Returns the array that earlier rows with these keys received, so that the caller finds its
   * plan.
   */
  #known(keys: readonly string[]): Shape {
    if (this.#shape === NO_SHAPE) return toShape(keys);
    if (this.#shapes === undefined) {
      this.#shapes = new BoundedMap(KEPT_SHAPES);
      this.#shapes.set(JSON.stringify(this.#shape.keys), this.#shape);
    }
    const name = JSON.stringify(keys);
    const known = this.#shapes.get(name);
    if (known !== undefined) return known;
    const shape = toShape(keys);
    this.#shapes.set(name, shape);
    return shape;
  }

  /** Reads the value at `start`. Returns `false` when it is too long for this slice. */
  #cell(index: number, code: number, start: number): boolean {
    if (code === QUOTE) {
      const end = this.plainEnd(start + 1, this.bytes.length + 1);
      if (end < 0) return this.#long(index, start);
      this.#row.set(index, SPELLING.plainText, start + 1, end);
      this.at = end + 1;
      return true;
    }
    if (code === OPEN_OBJECT || code === OPEN_LIST) return this.#long(index, start);
    const word = WORDS.get(code);
    let spelled: Spelling = SPELLING.word;
    if (word === undefined) {
      this.number();
      spelled = this.integral ? SPELLING.integer : SPELLING.number;
    } else this.word(word);
    this.#row.set(index, spelled, start, this.at);
    return true;
  }

  /** Reads an escaped string or a nested value, in several slices if necessary. */
  #long(index: number, start: number): boolean {
    if (this.bytes[start] === QUOTE) {
      const text = this.textUntil(this.#until);
      if (text === undefined) return false;
      this.#row.setDecoded(index, text);
      return true;
    }
    if (!this.skip(2, this.#until)) return false;
    this.#row.set(index, SPELLING.nested, start, this.at);
    return true;
  }
}
