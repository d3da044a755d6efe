/**
 * JSON: an array with one object per row, or a plain value as it is. Numbers are copied digit by digit.
 * A column name that appears twice in a result is written twice.
 */
import type { Cells, ResultColumn } from '../model/cells.ts';
import { NestedReader, type NestedRows } from '../model/nested.ts';
import type { Kind } from '../model/table.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { type ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
import { appendJson, writeJson } from '../util/json/json.ts';
import type { Format, RowWriter } from './format.ts';
import {
  type CellWriter,
  copyBase64,
  copyBeyondAscii,
  copyBool,
  copyEscaped,
  copyText,
  type Escape,
  isFiniteText,
  plainBytes,
} from './text.ts';

const QUOTE = 0x22;
const PLAIN = plainBytes({ except: '"\\' });
/** By byte, its escape inside a string. */
const ESCAPES: readonly EncodedText[] = Array.from(
  { length: 0x80 },
  (_, byte) => new EncodedText(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
);

const escapeByte: Escape = (source, at, to, out) => {
  const byte = source[at] as number;
  if (byte >= 0x80) return copyBeyondAscii(source, at, to, out);
  out.encoded(ESCAPES[byte] as EncodedText);
  return at + 1;
};

/** For values that never need escapes. */
const writeQuoted: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  out.copy(source, from, to);
  out.byte(QUOTE);
};

const writeNumber: CellWriter = (source, from, to, out) =>
  isFiniteText(source, from) ? out.copy(source, from, to) : writeQuoted(source, from, to, out);

const writeBytes: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  copyBase64(source, from, to, out);
  out.byte(QUOTE);
};

/**
 * How a value is written: copied as it is, in quotes, or in quotes with escapes; or by a writer of its own. The first three are calls that
 * the runtime knows beforehand, which shows in the cost of a page.
 */
type Way = 'bare' | 'quoted' | 'escaped' | CellWriter;

const WAYS: Readonly<Record<Kind, Way>> = {
  int: 'bare',
  decimal: writeNumber,
  float: writeNumber,
  bool: copyBool,
  text: 'escaped',
  enum: 'escaped',
  set: 'escaped',
  uuid: 'escaped',
  date: 'quoted',
  time: 'quoted',
  timestamp: 'quoted',
  timestamptz: 'quoted',
  bytes: writeBytes,
  json: copyText,
  other: 'escaped',
};

interface JsonColumn {
  readonly way: Way;
  /** `,"name":`, for the first column with the brace; and the quote of a value that has one. */
  readonly before: EncodedText;
  /** The same with NULL. */
  readonly whenNull: EncodedText;
}

/** What stands before each value, by columns: statements of one shape share it. */
const prepared = new WeakMap<readonly ResultColumn[], readonly JsonColumn[]>();

function prepare(columns: readonly ResultColumn[]): readonly JsonColumn[] {
  let known = prepared.get(columns);
  if (known === undefined) {
    known = columns.map((column, index) => {
      const mark = index === 0 ? '{' : ',';
      return column.nested === undefined ? plainColumn(column, mark) : columnAs(jsonOfRows(column.nested), column, mark);
    });
    prepared.set(columns, known);
  }
  return known;
}

/** Of tables that are alike, as those of many tenants are; so many characters of names. */
const plain = new BoundedMap<string, JsonColumn>(256 * 1024, { sizeOf: (_, key) => key.length });

function plainColumn(column: ResultColumn, mark: string): JsonColumn {
  const key = `${mark}${column.kind} ${column.name}`;
  let known = plain.get(key);
  if (known === undefined) {
    known = columnAs(WAYS[column.kind], column, mark);
    plain.set(key, known);
  }
  return known;
}

function columnAs(way: Way, { name }: ResultColumn, mark: string): JsonColumn {
  const before = `${mark}${writeJson(name)}:`;
  const quote = way === 'quoted' || way === 'escaped' ? '"' : '';
  return { way, before: new EncodedText(before + quote), whenNull: new EncodedText(`${before}null`) };
}

function writeRow(columns: readonly JsonColumn[], { bytes, from, to }: Cells, out: ByteWriter): void {
  if (columns.length === 0) out.byte(0x7b);
  for (let i = 0; i < columns.length; i++) {
    const { way, before, whenNull } = columns[i] as JsonColumn;
    const start = from[i] as number;
    const end = to[i] as number;
    if (start < 0) {
      out.encoded(whenNull);
    } else if (way === 'escaped') {
      copyEscaped(bytes, start, end, out, PLAIN, escapeByte, before, QUOTE);
    } else if (way === 'quoted') {
      out.copy(bytes, start, end, before, QUOTE);
    } else if (way === 'bare') {
      out.copy(bytes, start, end, before);
    } else {
      out.encoded(before);
      way(bytes, start, end, out);
    }
  }
  out.byte(0x7d);
}

/** Rows inside of a cell: an object, or an array of them. */
export function jsonOfRows({ kind, columns }: NestedRows): CellWriter {
  const inner = prepare(columns);
  const reader = new NestedReader(columns.length);
  return (source, from, _to, out) => {
    const rows = reader.open(source, from);
    if (kind === 'one') {
      writeRow(inner, reader.next(), out);
      return;
    }
    out.byte(0x5b);
    for (let row = 0; row < rows; row++) {
      if (row > 0) out.byte(0x2c);
      writeRow(inner, reader.next(), out);
    }
    out.byte(0x5d);
  };
}

class JsonRows implements RowWriter {
  readonly #out: ByteWriter;
  readonly #columns: readonly JsonColumn[];
  #first = true;

  constructor(columns: readonly ResultColumn[], out: ByteWriter, place: 'listed' | 'alone' = 'listed') {
    this.#out = out;
    this.#columns = prepare(columns);
    if (place === 'listed') out.byte(0x5b);
  }

  row(cells: Cells): void {
    const out = this.#out;
    if (this.#first) this.#first = false;
    else out.byte(0x2c);
    writeRow(this.#columns, cells, out);
  }

  end(): void {
    this.#out.byte(0x5d);
  }
}

/** The object without its array. */
class JsonRow implements RowWriter {
  readonly #rows: JsonRows;

  constructor(columns: readonly ResultColumn[], out: ByteWriter) {
    this.#rows = new JsonRows(columns, out, 'alone');
  }

  row(cells: Cells): void {
    this.#rows.row(cells);
  }

  end(): void {}
}

export const json: Format = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  rows: (columns, out) => new JsonRows(columns, out),
  onlyRow: (columns, out) => new JsonRow(columns, out),
  value: appendJson,
};
