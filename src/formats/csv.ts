/**
 * CSV (RFC 4180): CRLF, quotes where needed, always a header. NULL is an empty field, `""` an empty
 * string. Cells are data: formulas are not escaped for spreadsheets.
 */
import type { Cells, NestedRows, ResultColumn } from '../model/cells.ts';
import type { Kind } from '../model/table.ts';
import { ByteWriter } from '../util/bytes/byte-writer.ts';
import type { Format, RowWriter } from './format.ts';
import { jsonOfRows } from './json.ts';
import { writeTabular } from './tabular.ts';
import { ABANDON, type CellWriter, copyBase64, copyBeyondAscii, copyBool, copyCell, copyEscaped, type Escape, plainBytes } from './text.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');
const BARE = plainBytes({ also: CONTROLS, except: '",\r\n' });
const QUOTED = plainBytes({ also: CONTROLS, except: '"' });

const quoteInstead: Escape = (source, at, to, out) => ((source[at] as number) >= 0x80 ? copyBeyondAscii(source, at, to, out) : ABANDON);

const doubleQuote: Escape = (source, at, to, out) => {
  if ((source[at] as number) >= 0x80) return copyBeyondAscii(source, at, to, out);
  out.byte(QUOTE);
  out.byte(QUOTE);
  return at + 1;
};

const writeQuoted: CellWriter = (source, from, to, out) => {
  out.byte(QUOTE);
  copyEscaped(source, from, to, out, QUOTED, doubleQuote);
  out.byte(QUOTE);
};

/** Writes without quotes until a byte requires them. Most cells need none. */
const writeText: CellWriter = (source, from, to, out) => {
  if (from === to || !copyEscaped(source, from, to, out, BARE, quoteInstead)) writeQuoted(source, from, to, out);
};

const writeBytes: CellWriter = (source, from, to, out) => (from === to ? writeQuoted : copyBase64)(source, from, to, out);

const WRITERS: Readonly<Record<Kind, CellWriter>> = {
  int: copyCell,
  decimal: copyCell,
  float: copyCell,
  bool: copyBool,
  text: writeText,
  enum: writeText,
  set: writeText,
  uuid: writeText,
  date: copyCell,
  time: copyCell,
  timestamp: copyCell,
  timestamptz: copyCell,
  bytes: writeBytes,
  json: writeText,
  other: writeText,
};

/** Related rows inside a cell are JSON text. */
function jsonText(nested: NestedRows): CellWriter {
  const write = jsonOfRows(nested);
  const scratch = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  return (source, from, to, out) => {
    scratch.length = 0;
    write(source, from, to, scratch);
    writeText(scratch.bytes, 0, scratch.length, out);
  };
}

class CsvRows implements RowWriter {
  readonly writers: CellWriter[];
  readonly #out: ByteWriter;

  constructor(columns: readonly ResultColumn[], out: ByteWriter) {
    this.#out = out;
    this.writers = columns.map(({ kind, nested }) => (nested === undefined ? WRITERS[kind] : jsonText(nested)));
    columns.forEach(({ name }, index) => {
      if (index > 0) out.byte(COMMA);
      const bytes = Buffer.from(name);
      writeText(bytes, 0, bytes.length, out);
    });
    if (columns.length > 0) this.#lineEnd();
  }

  row(cells: Cells): void {
    const out = this.#out;
    const { writers } = this;
    const { bytes, from, to } = cells;
    const count = writers.length;
    if (count === 0) return;
    for (let i = 0; i < count; i++) {
      if (i > 0) out.byte(COMMA);
      const start = from[i] as number;
      if (start >= 0) (writers[i] as CellWriter)(bytes, start, to[i] as number, out);
    }
    this.#lineEnd();
  }

  end(): void {}

  #lineEnd(): void {
    this.#out.byte(0x0d);
    this.#out.byte(0x0a);
  }
}

export const csv: Format = {
  name: 'csv',
  contentType: 'text/csv; charset=utf-8',
  rows: (columns, out) => new CsvRows(columns, out),
  value: (value, out) => writeTabular(value, out, WRITERS, (columns) => new CsvRows(columns, out)),
};
