/**
 * Writes rows as one JSON document, which the server takes apart again with JSON_TABLE. Each value is a JSON string, and the server converts it
 * as it would convert a text parameter: it refuses the same values in the same words. Pure.
 */
import type { Column, Kind } from '../../../model/table.ts';
import type { RowValues } from '../../../sql/rows.ts';
import type { ParamValue } from '../../../sql/statement.ts';
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../../util/bytes/byte-writer.ts';
import { BIT, floatOf, YEAR, yearText } from '../types/casts.ts';
import { spaceForT, temporalText, withoutZone } from '../types/temporal.ts';

/** Longer texts are sent as LONGTEXT, which costs the server more. */
const VARCHAR_MOST = 1000;
/** What the servers allow a row to have outside of LONGTEXT, less some room, in characters of four bytes. */
const ROW_MOST = 15_000;

interface Carrier {
  /** The most characters that a value can have; MariaDB silently truncates longer ones. */
  size(column: Column): number;
  /** What the value travels as, where that is not the value itself. */
  readonly text?: ((value: string, column: Column) => string) | undefined;
  /** The same for the range of a body, where it need not become a string first. */
  readonly copy?: Copy | undefined;
}

type Copy = (out: ByteWriter, source: Buffer, from: number, to: number) => void;

const sized = (size: number, text?: Carrier['text'], copy?: Copy): Carrier => ({ size: () => size, text, copy });
const longest = (values: readonly string[] | undefined) => (values ?? []).reduce((most, value) => Math.max(most, value.length), 1);
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

/** `JSON_TABLE(?, …) AS given` for the columns, which are called `_0`, `_1` …; undefined when one of them cannot travel so. */
export function jsonSource(columns: readonly Column[]): string | undefined {
  if (columns.length === 0) return undefined;
  let room = ROW_MOST;
  const items: string[] = [];
  for (const [i, column] of columns.entries()) {
    const size = carrierOf(column)?.size(column);
    if (size === undefined) return undefined;
    const fits = size <= VARCHAR_MOST && size <= room;
    if (fits) room -= size;
    items.push(`_${i} ${itemType(column, fits ? size : undefined)} PATH '$[${i}]' ERROR ON ERROR`);
  }
  return `JSON_TABLE(?, '$[*]' COLUMNS (${items.join(', ')})) AS given`;
}

/** Texts name their character set: MariaDB would take the database's own, which may not hold every character. */
function itemType(column: Column, size: number | undefined): string {
  // A text given to a BIT column would be taken for the bits themselves.
  if (column.cast === BIT) return 'BIGINT UNSIGNED';
  return `${size === undefined ? 'LONGTEXT' : `VARCHAR(${size})`} CHARACTER SET utf8mb4`;
}

/**
 * The rows as JSON documents of at most about `most` bytes, with every value a JSON string; undefined when a value is longer than its column, which
 * VALUES reports better.
 */
export function jsonDocuments(columns: readonly Column[], rows: RowValues, most: number): readonly Lease[] | undefined {
  const carriers = columns.map(sizedFor);
  const { width, count } = rows;
  const documents: Lease[] = [];
  let out = document();
  for (let row = 0; row < count; row++) {
    if (out.length > most) {
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

/** A range of a JSON body is what stands between the quotes of a JSON string, or digits. */
function writeValue(out: ByteWriter, rows: RowValues, index: number, carrier: Sized): boolean {
  const from = rows.from[index] as number;
  const to = rows.to[index] as number;
  if (from < 0 || carrier.copy === undefined) return writeText(out, rows.value(index), carrier);
  if (to - from > carrier.most) return false;
  out.byte(QUOTE);
  carrier.copy(out, rows.source, from, to);
  out.byte(QUOTE);
  return true;
}

function writeText(out: ByteWriter, value: ParamValue, { column, most, text }: Sized): boolean {
  if (value === null) {
    out.text('null');
    return true;
  }
  if (typeof value !== 'string') return false;
  const carried = text?.(value, column) ?? value;
  if (carried.length > most) return false;
  out.text(JSON.stringify(carried));
  return true;
}

interface Sized {
  readonly column: Column;
  readonly most: number;
  readonly text: Carrier['text'];
  readonly copy: Copy | undefined;
}

function sizedFor(column: Column): Sized {
  const carrier = carrierOf(column);
  const text = carrier?.text;
  return { column, most: carrier?.size(column) ?? 0, text, copy: text === undefined ? copyAsItIs : carrier?.copy };
}
