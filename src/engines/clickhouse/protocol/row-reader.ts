/**
 * Reads rows in JSONCompactEachRow (`[1, "a", null]`) into cells that point into the same bytes.
 * Skips quotes, unescapes in place, and keeps nested values as JSON. Must not know sockets or SQL.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../../model/cells.ts';
import type { Kind } from '../../../model/table.ts';
import type { Statement } from '../../../sql/statement.ts';
import { checkColumns, malformed } from '../../contract/limits.ts';
import { columnsOf, otherColumns } from '../../driver-kit/check-result-columns.ts';
import { kindOfText } from '../types/kinds.ts';
import { innerType, parseType } from '../types/type-text.ts';
import { INFINITY, MINUS_INFINITY, NAN, type Span } from './spool.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const LETTER_U = 0x75;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
const LOWER = 0x20;

/** Treatments of a value after its quotes were found. */
const PLAIN = 0;
const FLOAT = 1;
const JSON_TEXT = 2;
const PADDED = 3;
const DECIMAL = 4;
const INT = 5;
const BOOL = 6;
const TEXT = 7;
const MOMENT = 8;

const TREATMENT: Partial<Readonly<Record<Kind, number>>> = {
  float: FLOAT,
  json: JSON_TEXT,
  int: INT,
  decimal: DECIMAL,
  bool: BOOL,
  text: TEXT,
  enum: TEXT,
  uuid: TEXT,
  date: MOMENT,
  timestamptz: MOMENT,
};

/** Bytes of the escapes, except `\u`. */
const UNESCAPED = new Uint8Array(128);
for (const [letter, byte] of Object.entries({ '"': 0x22, '\\': 0x5c, '/': 0x2f, b: 8, f: 12, n: 10, r: 13, t: 9 })) {
  UNESCAPED[letter.charCodeAt(0)] = byte;
}

export class RowReader {
  /** Rows passed to the sink. */
  rows = 0;
  readonly #sink: RowSink | undefined;
  readonly #flow: Backpressure;
  #cells: Cells = { bytes: Buffer.alloc(0), from: new Int32Array(0), to: new Int32Array(0) };
  #treatments: Uint8Array = new Uint8Array(0);
  /** End of the last value, and of the row: a malformed row must not be read past its end. */
  #at = 0;
  #end = 0;

  constructor(sink: RowSink | undefined, flow: Backpressure) {
    this.#sink = sink;
    this.#flow = flow;
  }

  start(columns: readonly ResultColumn[]): void {
    this.#cells = { bytes: this.#cells.bytes, from: new Int32Array(columns.length), to: new Int32Array(columns.length) };
    this.#treatments = Uint8Array.from(columns, (column) => TREATMENT[column.kind] ?? PLAIN);
    this.#sink?.start(columns, this.#flow);
  }

  /** Starts with the columns of the result's header, which must match the plan. */
  startWith(names: readonly string[], types: readonly string[], planned?: Statement): void {
    checkColumns(names.length);
    if (names.length !== types.length) throw malformed('names and types of different columns');
    const described = names.map((name, index): ResultColumn => {
      // The server's text is valid JSON, even for types that the catalog does not know, such as
      // aggregate states.
      return { name, kind: planned?.columns?.[index]?.kind === 'json' ? 'json' : kindOfText(types[index] ?? 'String') };
    });
    const columns = planned === undefined ? described : columnsOf(planned, described);
    if (columns === undefined) throw otherColumns();
    this.start(columns);
    types.forEach((type, index) => {
      if (innerType(parseType(type)).name === 'FixedString') this.#treatments[index] = PADDED;
    });
  }

  /** Reads the row between `from` and `to`. Its bytes may be rewritten. */
  row(bytes: Buffer, from: number, to: number): void {
    this.rows += 1;
    if (this.#sink === undefined) return;
    const cells = this.#cells;
    cells.bytes = bytes;
    this.#at = from + 1;
    this.#end = to;
    const count = this.#treatments.length;
    for (let index = 0; index < count; index++) {
      while (bytes[this.#at] === SPACE || bytes[this.#at] === COMMA) this.#at++;
      this.#cell(cells, index);
    }
    if (bytes[from] !== OPEN_LIST || this.#at !== to - 1 || bytes[this.#at] !== CLOSE_LIST) {
      throw otherColumns();
    }
    this.#sink.row(cells);
  }

  #cell(cells: Cells, index: number): void {
    const bytes = cells.bytes;
    const start = this.#at;
    const first = bytes[start];
    const treatment = this.#treatments[index];
    if (first === QUOTE) {
      if (treatment === JSON_TEXT) this.#skipText(bytes);
      else {
        this.#text(cells, index, treatment);
        return;
      }
    } else if (first === OPEN_LIST || first === OPEN_OBJECT) {
      if (treatment !== JSON_TEXT && treatment !== PLAIN) throw otherColumns();
      this.#skipNested(bytes);
    } else if (first === LETTER_N) {
      this.#word(bytes, NULL);
      cells.from[index] = -1;
      cells.to[index] = -1;
      return;
    } else if (first === LETTER_T || first === LETTER_F) {
      if (treatment !== BOOL && treatment !== JSON_TEXT && treatment !== PLAIN) throw otherColumns();
      this.#word(bytes, first === LETTER_T ? TRUE : FALSE);
    } else {
      if (first === CLOSE_LIST || start >= this.#end) throw otherColumns();
      this.#at = numberEnd(bytes, start);
      if (!isNumberOf(bytes, start, this.#at, treatment)) throw otherColumns();
    }
    cells.from[index] = start;
    cells.to[index] = this.#at;
  }

  #word(bytes: Buffer, word: Buffer): void {
    for (let i = 1; i < word.length; i++) if (bytes[this.#at + i] !== word[i]) throw malformed('an invalid value');
    this.#at += word.length;
  }

  /** Reads a quoted value. */
  #text(cells: Cells, index: number, treatment: number | undefined): void {
    const bytes = cells.bytes;
    // A string instead of a number would not be valid JSON: the column has changed.
    if (treatment === INT || treatment === DECIMAL || treatment === BOOL) throw otherColumns();
    const start = this.#at + 1;
    if (treatment === MOMENT && bytes[start + 4] !== MINUS) throw otherColumns();
    const end = this.#end;
    let at = start;
    while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++;
    cells.from[index] = start;
    if (bytes[at] === BACKSLASH) {
      cells.to[index] = this.#unescape(bytes, at);
    } else {
      cells.to[index] = at;
      this.#at = at + 1;
    }
    if (treatment === PADDED) cells.to[index] = withoutPadding(bytes, start, cells.to[index] as number);
    if (treatment !== FLOAT) return;
    const spelling = spellingOf(bytes, start, cells.to[index] as number);
    cells.from[index] = spelling.from;
    cells.to[index] = spelling.to;
  }

  /**
   * Unescapes in place from the first backslash on, since the text can only get shorter. Returns
   * its end.
   */
  #unescape(bytes: Buffer, first: number): number {
    let read = first;
    let write = first;
    const end = this.#end;
    while (read < end) {
      const byte = bytes[read] as number;
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) {
        bytes[write++] = byte;
        read++;
        continue;
      }
      const letter = bytes[read + 1] as number;
      if (letter === LETTER_U) {
        write = writeCodeUnit(bytes, write, hexDigits(bytes, read + 2));
        read += 6;
      } else {
        bytes[write++] = UNESCAPED[letter & 127] as number;
        read += 2;
      }
    }
    this.#at = read + 1;
    return write;
  }

  #skipText(bytes: Buffer): void {
    const end = this.#end;
    let at = this.#at + 1;
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.#at = at + 1;
  }

  #skipNested(bytes: Buffer): void {
    let depth = 0;
    do {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        this.#skipText(bytes);
        continue;
      }
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
      if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
      this.#at++;
    } while (depth > 0 && this.#at < this.#end);
  }
}

const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

/** Returns the end of a number, which is validated because it is copied into responses. */
function numberEnd(bytes: Buffer, start: number): number {
  let at = digitsEnd(bytes, bytes[start] === MINUS ? start + 1 : start);
  if (bytes[at] === DOT) at = digitsEnd(bytes, at + 1);
  if (((bytes[at] as number) | LOWER) !== LETTER_E) return at;
  const sign = bytes[at + 1];
  return digitsEnd(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] as number)) at++;
  if (at === start) throw malformed('an invalid value');
  return at;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

/**
 * Validates a number by its kind, since the native protocol does not report the types of formatted
 * rows.
 */
function isNumberOf(bytes: Buffer, from: number, to: number, treatment: number | undefined): boolean {
  switch (treatment) {
    case INT:
      for (let at = from + 1; at < to; at++) if (!isDigit(bytes[at] as number)) return false;
      return true;
    case BOOL:
    case TEXT:
    case MOMENT:
      return false;
    default:
      return true;
  }
}

/** Removes the zero padding of a FixedString. */
function withoutPadding(bytes: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && bytes[end - 1] === 0) end--;
  return end;
}

/** Returns `nan`, `inf` or `-inf`, which the server quotes. Anything else is not a float. */
function spellingOf(bytes: Buffer, from: number, to: number): Span {
  const spelling = to - from > LONGEST_SPELLING ? undefined : SPELLINGS[bytes.toString('latin1', from, to)];
  if (spelling === undefined) throw otherColumns();
  return spelling;
}

const LONGEST_SPELLING = 4;
const SPELLINGS: Readonly<Record<string, Span>> = { nan: NAN, '-nan': NAN, inf: INFINITY, '-inf': MINUS_INFINITY };

function hexDigits(bytes: Buffer, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i] as number;
    value = value * 16 + (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);
  }
  return value;
}

/**
 * Encodes a code unit. The server escapes control characters and line separators only, never
 * surrogates.
 */
function writeCodeUnit(bytes: Buffer, at: number, unit: number): number {
  if (unit < 0x80) {
    bytes[at] = unit;
    return at + 1;
  }
  return at + bytes.write(String.fromCharCode(unit), at, 'utf8');
}
