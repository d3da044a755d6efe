/**
 * JSON: an array with an object per row, or a plain value. Numbers are copied digit by digit.
 * A column name that occurs twice in a result is written twice.
 */
import type { Cells, NestedRows, ResultColumn } from '../model/cells.ts';
import { NestedReader } from '../model/nested.ts';
import type { Kind } from '../model/table.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { type ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
import { appendJson, writeJson } from '../util/json/json.ts';
import { isJson } from '../util/json/json-check.ts';
import { memo } from '../util/memo.ts';
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
/** Escapes inside a string, by byte. */
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

const OPENING_QUOTE = new EncodedText('"');

/** For values that never need escapes. */
const writeQuoted: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  out.copy(source, from, to);
  out.byte(QUOTE);
};

const writeNumber: CellWriter = (source, from, to, out) =>
  isFiniteText(source, from) ? out.copy(source, from, to) : writeQuoted(source, from, to, out);

/** Text that is not JSON, which a database may have in such a column, becomes a string. */
const writeDocument: CellWriter = (source, from, to, out) => {
  if (isJson(source, from, to)) copyText(source, from, to, out);
  else copyEscaped(source, from, to, out, PLAIN, escapeByte, OPENING_QUOTE, QUOTE);
};

const writeBytes: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  copyBase64(source, from, to, out);
  out.byte(QUOTE);
};

/**
 * Encoding of a value: copied, quoted, quoted with escapes, or by a writer of its own. The first
 * three are direct calls, which makes pages cheaper than calling a writer.
 */
type Encoding = 'bare' | 'quoted' | 'escaped' | CellWriter;

const ENCODINGS: Readonly<Record<Kind, Encoding>> = {
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
  json: writeDocument,
  other: 'escaped',
};

interface JsonColumn {
  readonly encoding: Encoding;
  /** `,"name":` (`{` in the first column), with the opening quote if the value has one. */
  readonly before: EncodedText;
  /** `,"name":null` */
  readonly whenNull: EncodedText;
}

/** Results of the same prepared statement share their columns. */
const prepare = memo((columns: readonly ResultColumn[]): readonly JsonColumn[] =>
  columns.map((column, index) => {
    const mark = index === 0 ? '{' : ',';
    return column.nested === undefined ? plainColumn(column, mark) : columnAs(jsonOfRows(column.nested), column, mark);
  }),
);

/** Tables of different tenants are often alike. The limit is in characters of names. */
const plainColumns = new BoundedMap<string, JsonColumn>(256 * 1024, { sizeOf: (_, key) => key.length });

function plainColumn(column: ResultColumn, mark: string): JsonColumn {
  const key = `${mark}${column.kind} ${column.name}`;
  let known = plainColumns.get(key);
  if (known === undefined) {
    known = columnAs(ENCODINGS[column.kind], column, mark);
    plainColumns.set(key, known);
  }
  return known;
}

function columnAs(encoding: Encoding, { name }: ResultColumn, mark: string): JsonColumn {
  const before = `${mark}${writeJson(name)}:`;
  const quote = encoding === 'quoted' || encoding === 'escaped' ? '"' : '';
  return { encoding, before: new EncodedText(before + quote), whenNull: new EncodedText(`${before}null`) };
}

function writeRow(columns: readonly JsonColumn[], { bytes, from, to }: Cells, out: ByteWriter): void {
  if (columns.length === 0) out.byte(0x7b);
  for (let i = 0; i < columns.length; i++) {
    const { encoding, before, whenNull } = columns[i] as JsonColumn;
    const start = from[i] as number;
    const end = to[i] as number;
    if (start < 0) {
      out.encoded(whenNull);
    } else if (encoding === 'escaped') {
      copyEscaped(bytes, start, end, out, PLAIN, escapeByte, before, QUOTE);
    } else if (encoding === 'quoted') {
      out.copy(bytes, start, end, before, QUOTE);
    } else if (encoding === 'bare') {
      out.copy(bytes, start, end, before);
    } else {
      out.encoded(before);
      encoding(bytes, start, end, out);
    }
  }
  out.byte(0x7d);
}

/** Writes related rows inside a cell as an object or an array of objects. */
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

/** Writes a single row without an array. */
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
