/**
 * Writes rows as one JSON document for JSON_TABLE. Each value is a JSON string, which the server
 * converts and rejects like a text parameter. Pure.
 */
import type { Column, Kind } from '../../../model/table.ts';
import type { RowValues } from '../../../sql/rows.ts';
import type { ParamValue } from '../../../sql/statement.ts';
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../../util/bytes/byte-writer.ts';
import { BIT, floatOf, YEAR, yearText } from '../types/casts.ts';
import { spaceForT, temporalText, withoutZone } from '../types/temporal.ts';

/** Longer values are declared as LONGTEXT, which costs the server more. */
const MAX_VARCHAR = 1000;
/** Row size limit of the servers without LONGTEXT, less a margin, in characters of four bytes. */
const MAX_ROW = 15_000;

interface Carrier {
  /** Maximum number of characters of a value. MariaDB silently truncates longer ones. */
  size(column: Column): number;
  /** Converts the value, if it travels in another form. */
  readonly text?: ((value: string, column: Column) => string) | undefined;
  /** The same for a range of a body, without making a string of it. */
  readonly copy?: Copy | undefined;
}

type Copy = (out: ByteWriter, source: Buffer, from: number, to: number) => void;

const sized = (size: number, text?: Carrier['text'], copy?: Copy): Carrier => ({ size: () => size, text, copy });
const longest = (values: readonly string[] | undefined) => (values ?? []).reduce((max, value) => Math.max(max, value.length), 1);
const temporal = sized(48, temporalText, copyMoment);

/** Kinds without an entry (bytes) travel as parameters. */
const CARRIERS: Partial<Readonly<Record<Kind, Carrier>>> = {
  int: sized(24),
  decimal: sized(160),
  float: sized(32, (value, column) => String(floatOf(value, column.cast))),
  text: { size: (column) => column.maxLength ?? Number.POSITIVE_INFINITY },
  enum: { size: (column) => longest(column.values) },
  set: { size: (column) => (column.values ?? []).join(',').length + 1 },
  uuid: sized(48),
  date: temporal,
  time: temporal,
  timestamp: temporal,
  timestamptz: temporal,
  json: sized(Number.POSITIVE_INFINITY),
};

const YEARS = sized(24, yearText);

const copyAsItIs: Copy = (out, source, from, to) => out.copy(source, from, to);

function copyMoment(out: ByteWriter, source: Buffer, from: number, to: number): void {
  const start = out.length;
  out.copy(source, from, withoutZone(source, to));
  spaceForT(out.bytes, start);
}

function carrierOf(column: Column): Carrier | undefined {
  return column.cast === YEAR ? YEARS : CARRIERS[column.kind];
}

/**
 * Returns `JSON_TABLE(?, …) AS given` with columns `_0`, `_1` …. `undefined` if a column cannot
 * travel as JSON.
 */
export function jsonSource(columns: readonly Column[]): string | undefined {
  if (columns.length === 0) return undefined;
  let room = MAX_ROW;
  const items: string[] = [];
  for (const [i, column] of columns.entries()) {
    const size = carrierOf(column)?.size(column);
    if (size === undefined) return undefined;
    const fits = size <= MAX_VARCHAR && size <= room;
    if (fits) room -= size;
    items.push(`_${i} ${itemType(column, fits ? size : undefined)} PATH '$[${i}]' ERROR ON ERROR`);
  }
  return `JSON_TABLE(?, '$[*]' COLUMNS (${items.join(', ')})) AS given`;
}

/** Names the character set, because MariaDB would use the database's, which may lack characters. */
function itemType(column: Column, size: number | undefined): string {
  // The server would take text for the bits of a BIT column.
  if (column.cast === BIT) return 'BIGINT UNSIGNED';
  return `${size === undefined ? 'LONGTEXT' : `VARCHAR(${size})`} CHARACTER SET utf8mb4`;
}

/**
 * Returns the rows as JSON documents of about `max` bytes, with every value a string. `undefined`
 * if a value is longer than its column, which VALUES reports better.
 */
export function jsonDocuments(columns: readonly Column[], rows: RowValues, max: number): readonly Lease[] | undefined {
  const carriers = columns.map(sizedFor);
  const { width, count } = rows;
  const documents: Lease[] = [];
  let out = document();
  for (let row = 0; row < count; row++) {
    if (out.length > max) {
      documents.push(ended(out));
      out = document();
    }
    if (out.length > 1) out.byte(COMMA);
    out.byte(OPEN);
    for (let i = 0; i < width; i++) {
      if (i > 0) out.byte(COMMA);
      if (writeValue(out, rows, row * width + i, carriers[i] as Sized)) continue;
      out.release();
      for (const written of documents) written.release();
      return undefined;
    }
    out.byte(CLOSE);
  }
  documents.push(ended(out));
  return documents;
}

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;

function document(): ByteWriter {
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => undefined);
  out.byte(OPEN);
  return out;
}

function ended(out: ByteWriter): Lease {
  out.byte(CLOSE);
  return out.take();
}

/** Ranges of a JSON body are the content of a JSON string, or digits. */
function writeValue(out: ByteWriter, rows: RowValues, index: number, carrier: Sized): boolean {
  const from = rows.from[index] as number;
  const to = rows.to[index] as number;
  if (from < 0 || carrier.copy === undefined) return writeText(out, rows.value(index), carrier);
  if (to - from > carrier.max) return false;
  out.byte(QUOTE);
  carrier.copy(out, rows.source, from, to);
  out.byte(QUOTE);
  return true;
}

function writeText(out: ByteWriter, value: ParamValue, { column, max, text }: Sized): boolean {
  if (value === null) {
    out.text('null');
    return true;
  }
  if (typeof value !== 'string') return false;
  const carried = text?.(value, column) ?? value;
  if (carried.length > max) return false;
  out.text(JSON.stringify(carried));
  return true;
}

interface Sized {
  readonly column: Column;
  readonly max: number;
  readonly text: Carrier['text'];
  readonly copy: Copy | undefined;
}

function sizedFor(column: Column): Sized {
  const carrier = carrierOf(column);
  const text = carrier?.text;
  return { column, max: carrier?.size(column) ?? 0, text, copy: text === undefined ? copyAsItIs : carrier?.copy };
}
