/**
 * BSON: one document `{"rows": [ … ]}`. Values that a BSON type cannot hold exactly are strings.
 * The document begins with its length, so head() is made last, for the 14 bytes before the body.
 */
import type { Cells, NestedRows, ResultColumn } from '../model/cells.ts';
import { NestedReader } from '../model/nested.ts';
import type { Kind } from '../model/table.ts';
import { ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { appendDecimal128, appendDouble, appendInstant, appendInt32, appendIntegerText } from './bson-number.ts';
import { ARRAY, appendCell, appendCString, appendPlain, BINARY, BOOLEAN, DOCUMENT, NULL, patchInt32, STRING } from './bson-value.ts';
import type { Format, RowWriter } from './format.ts';
import { tabulate } from './tabular.ts';
import { copyText } from './text.ts';

/** Appends a value's bytes and returns its BSON type. */
type BsonWriter = (source: Buffer, from: number, to: number, out: ByteWriter) => number;

const writeText: BsonWriter = (source, from, to, out) => {
  const start = out.length;
  out.reserve(to - from + 5);
  out.length = start + 4;
  copyText(source, from, to, out);
  out.byte(0);
  patchInt32(start, out.length - start - 4, out);
  return STRING;
};

const writeInt: BsonWriter = (source, from, to, out) => appendIntegerText(source, from, to, out) ?? writeText(source, from, to, out);
const writeDecimal: BsonWriter = (source, from, to, out) => appendDecimal128(source, from, to, out) ?? writeText(source, from, to, out);
const writeInstant: BsonWriter = (source, from, to, out) => appendInstant(source, from, to, out) ?? writeText(source, from, to, out);
const writeFloat: BsonWriter = (source, from, to, out) => appendDouble(Number(source.toString('latin1', from, to)), out);

const writeBool: BsonWriter = (source, from, _to, out) => {
  out.byte(source[from] === 0x74 ? 1 : 0);
  return BOOLEAN;
};

const writeBytes: BsonWriter = (source, from, to, out) => {
  appendInt32(to - from, out);
  out.byte(0);
  out.copy(source, from, to);
  return BINARY;
};

const writeJson: BsonWriter = (source, from, to, out) => appendCell(source.subarray(from, to), out) ?? writeText(source, from, to, out);

const WRITERS: Readonly<Record<Kind, BsonWriter>> = {
  int: writeInt,
  decimal: writeDecimal,
  float: writeFloat,
  bool: writeBool,
  text: writeText,
  enum: writeText,
  set: writeText,
  uuid: writeText,
  date: writeText,
  time: writeText,
  timestamp: writeInstant,
  timestamptz: writeInstant,
  bytes: writeBytes,
  json: writeJson,
  other: writeText,
};

interface BsonColumn {
  /** Name with its terminating zero byte. */
  readonly name: EncodedText;
  readonly write: BsonWriter;
}

const columnOf = ({ name, kind, nested }: ResultColumn): BsonColumn => ({
  name: cString(name),
  write: nested === undefined ? WRITERS[kind] : documentsOf(nested),
});

function writeFields(columns: readonly BsonColumn[], { bytes, from, to }: Cells, out: ByteWriter): void {
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as BsonColumn;
    const typeAt = out.length;
    out.byte(NULL);
    out.encoded(column.name);
    const cell = from[i] as number;
    if (cell >= 0) {
      const type = column.write(bytes, cell, to[i] as number, out);
      out.bytes[typeAt] = type;
    }
  }
}

/** Writes related rows inside a cell as a document or an array of documents. */
function documentsOf({ kind, columns }: NestedRows): BsonWriter {
  const inner = columns.map(columnOf);
  const reader = new NestedReader(columns.length);
  const document = (out: ByteWriter): void => {
    const start = out.length;
    appendInt32(0, out);
    writeFields(inner, reader.next(), out);
    out.byte(0);
    patchInt32(start, out.length - start, out);
  };
  return (source, from, _to, out) => {
    const rows = reader.open(source, from);
    if (kind === 'one') {
      document(out);
      return DOCUMENT;
    }
    const start = out.length;
    appendInt32(0, out);
    for (let row = 0; row < rows; row++) {
      out.byte(DOCUMENT);
      appendCString(String(row), out);
      document(out);
    }
    out.byte(0);
    patchInt32(start, out.length - start, out);
    return ARRAY;
  };
}

class BsonRows implements RowWriter {
  readonly #out: ByteWriter;
  readonly #columns: readonly BsonColumn[];
  readonly #index = new Index();

  constructor(columns: readonly ResultColumn[], out: ByteWriter) {
    this.#out = out;
    this.#columns = columns.map(columnOf);
  }

  row(cells: Cells): void {
    const start = this.open();
    writeFields(this.#columns, cells, this.#out);
    this.close(start);
  }

  /** Begins a row. Returns the position of its length. */
  open(): number {
    const out = this.#out;
    out.byte(DOCUMENT);
    this.#index.append(out);
    const start = out.length;
    appendInt32(0, out);
    return start;
  }

  close(start: number): void {
    this.#out.byte(0);
    patchInt32(start, this.#out.length - start, this.#out);
  }

  end(): void {
    this.#out.byte(0);
    this.#out.byte(0);
  }
}

function cString(name: string): EncodedText {
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  appendCString(name, out);
  return new EncodedText(out.take().bytes);
}

const ZERO = 0x30;
const NINE = 0x39;
/** Enough for every row that fits into a document. */
const INDEX_DIGITS = 10;

/**
 * Keys of an array: the index in decimal digits, incremented digit by digit because divisions are
 * slow.
 */
class Index {
  readonly #digits = new Uint8Array(INDEX_DIGITS).fill(ZERO);
  #first = INDEX_DIGITS - 1;

  append(out: ByteWriter): void {
    const digits = this.#digits;
    out.reserve(INDEX_DIGITS + 1);
    for (let at = this.#first; at < INDEX_DIGITS; at++) out.bytes[out.length++] = digits[at] as number;
    out.bytes[out.length++] = 0;
    let at = INDEX_DIGITS - 1;
    for (; digits[at] === NINE; at--) digits[at] = ZERO;
    digits[at] = (digits[at] as number) + 1;
    if (at < this.#first) this.#first = at;
  }
}

const LARGEST = 2 ** 31 - 1;
const HEAD_BYTES = 14;

function head(bodyBytes: number): Buffer | undefined {
  const total = HEAD_BYTES + bodyBytes;
  if (total > LARGEST) return undefined;
  const bytes = Buffer.from('\0\0\0\0\x04rows\0\0\0\0\0', 'latin1');
  bytes.writeInt32LE(total, 0);
  bytes.writeInt32LE(bodyBytes + 3, 10);
  return bytes;
}

function writeValue(value: PlainValue, out: ByteWriter): void {
  const { names, rows } = tabulate(value);
  const writer = new BsonRows([], out);
  for (const row of rows) {
    const start = writer.open();
    for (const name of names) appendPlain(name, row.get(name) ?? null, out);
    writer.close(start);
    out.flushIfFull();
  }
  writer.end();
}

export const bson: Format = {
  name: 'bson',
  contentType: 'application/bson',
  rows: (columns, out) => new BsonRows(columns, out),
  value: writeValue,
  head,
};
