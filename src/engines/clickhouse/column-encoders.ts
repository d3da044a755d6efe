/**
 * Rows of canonical values → one block of columns in ClickHouse's own format, so that a batch is one insert block by construction.
 * NULL, nesting and dictionaries are here; single values in `leaf-encoders.ts`. Names the row and column that do not fit.
 */

import type { InsertBlock, ParamValue } from '../../sql/statement.ts';
import { ByteWriter } from '../../util/byte-writer.ts';
import { DbFailure } from '../engine.ts';
import { invalid } from './failures.ts';
import { type JsonValue, jsonText, parseJson } from './json-text.ts';
import { type LeafWriter, leafWriter, putVarint } from './leaf-encoders.ts';
import { entriesOf, listOf, scalarText, tupleItems } from './params.ts';
import { type ChType, enumMembers, innerType, parseType } from './type-text.ts';
import type { Block, BlockColumn } from './wire.ts';

/** One column (or a part of one) that grows row by row. */
interface ColumnEncoder {
  /** A value inside a nested one. */
  json(value: JsonValue): void;
  /** A whole cell as canonical text. */
  text(value: string): void;
  /** The value that stands where NULL is. */
  blank(): void;
  /** What the format puts before the column's data, for the whole tree at once. */
  prefix(): Uint8Array[];
  data(): Uint8Array[];
}

export function encodeBlock(block: InsertBlock): Block {
  const columns = block.columns.map((column, index): BlockColumn => {
    const encoder = encoderOf(parseType(column.cast));
    block.rows.forEach((row, at) => {
      try {
        addCell(encoder, row[index] ?? null);
      } catch (error) {
        throw atCell(error, at, column.name);
      }
    });
    return { name: column.name, type: column.cast, data: [...encoder.prefix(), ...encoder.data()] };
  });
  return { rows: block.rows.length, columns };
}

function addCell(encoder: ColumnEncoder, value: ParamValue): void {
  if (value === null) encoder.json(null);
  else if (typeof value === 'string') encoder.text(value);
  else encoder.text(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'));
}

function atCell(error: unknown, row: number, column: string): unknown {
  if (!(error instanceof DbFailure)) return error;
  return new DbFailure(error.kind, `row ${row}, column ${column}: ${error.message}`, { code: error.code, column, cause: error });
}

const GEOMETRY: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
};

type Factory = (type: ChType, members: () => ColumnEncoder[]) => ColumnEncoder;

const COMPOSITES: Readonly<Record<string, Factory>> = {
  Nullable: (_, members) => new NullableEncoder(first(members())),
  LowCardinality: (type) => new DictionaryEncoder(type),
  SimpleAggregateFunction: (_, members) => first(members()),
  Array: (_, members) => new ListEncoder(first(members()), listOf),
  Map: (type) => new ListEncoder(new TupleEncoder(type, type.of.map(encoderOf)), (value) => entriesOf(value)),
  Nested: (type, members) => new ListEncoder(new TupleEncoder(type, members()), listOf),
  Tuple: (type, members) => new TupleEncoder(type, members()),
  JSON: () => new JsonEncoder(),
};

function encoderOf(type: ChType): ColumnEncoder {
  const composite = COMPOSITES[type.name];
  if (composite !== undefined) return composite(type, () => type.of.map(encoderOf));
  const geometry = GEOMETRY[type.name];
  if (geometry !== undefined) return encoderOf(parseType(geometry));
  const write = leafWriter(type);
  if (write === undefined) throw new DbFailure('unsupported', `values of the type ${type.name} cannot be written`);
  return new LeafEncoder(type, write);
}

function first(members: readonly ColumnEncoder[]): ColumnEncoder {
  const [member] = members;
  if (member === undefined) throw invalid('the type has no member');
  return member;
}

function growing(): ByteWriter {
  return new ByteWriter(Number.POSITIVE_INFINITY, () => undefined);
}

function pieceOf(out: ByteWriter): Uint8Array {
  return out.bytes.subarray(0, out.length);
}

/** What a type's empty slot holds: never read, but it must parse. */
const BLANKS: readonly (readonly [RegExp, string])[] = [
  [/^(String|FixedString)$/, ''],
  [/^(Date|Date32)$/, '1970-01-01'],
  [/^DateTime/, '1970-01-01T00:00:00Z'],
  [/^Time/, '00:00:00'],
  [/^UUID$/, '00000000-0000-0000-0000-000000000000'],
  [/^IPv4$/, '0.0.0.0'],
  [/^IPv6$/, '::'],
];

class LeafEncoder implements ColumnEncoder {
  readonly #type: ChType;
  readonly #write: LeafWriter;
  readonly #blank: string;
  readonly #out = growing();

  constructor(type: ChType, write: LeafWriter) {
    this.#type = type;
    this.#write = write;
    this.#blank = type.name.startsWith('Enum') ? firstMember(type) : (BLANKS.find(([pattern]) => pattern.test(type.name))?.[1] ?? '0');
  }

  json(value: JsonValue): void {
    if (value === null) throw invalid('NULL is not allowed');
    this.text(scalarText(this.#type, value));
  }

  text(value: string): void {
    this.#write(this.#out, value);
  }

  blank(): void {
    this.#write(this.#out, this.#blank);
  }

  prefix(): Uint8Array[] {
    return [];
  }

  data(): Uint8Array[] {
    return [pieceOf(this.#out)];
  }
}

function firstMember(type: ChType): string {
  const [name] = enumMembers(type).keys();
  return name ?? '';
}

class NullableEncoder implements ColumnEncoder {
  readonly #inner: ColumnEncoder;
  readonly #nulls = growing();

  constructor(inner: ColumnEncoder) {
    this.#inner = inner;
  }

  json(value: JsonValue): void {
    if (value === null) {
      this.blank();
      return;
    }
    this.#nulls.byte(0);
    this.#inner.json(value);
  }

  text(value: string): void {
    this.#nulls.byte(0);
    this.#inner.text(value);
  }

  blank(): void {
    this.#nulls.byte(1);
    this.#inner.blank();
  }

  prefix(): Uint8Array[] {
    return this.#inner.prefix();
  }

  data(): Uint8Array[] {
    return [pieceOf(this.#nulls), ...this.#inner.data()];
  }
}

class ListEncoder implements ColumnEncoder {
  readonly #inner: ColumnEncoder;
  readonly #items: (value: JsonValue) => readonly JsonValue[];
  readonly #offsets = growing();
  #count = 0;

  constructor(inner: ColumnEncoder, items: (value: JsonValue) => readonly JsonValue[]) {
    this.#inner = inner;
    this.#items = items;
  }

  json(value: JsonValue): void {
    if (value === null) throw invalid('NULL is not allowed');
    const items = this.#items(value);
    for (const item of items) this.#inner.json(item);
    this.#count += items.length;
    this.blank();
  }

  text(value: string): void {
    this.json(parseJson(value));
  }

  blank(): void {
    putCount(this.#offsets, this.#count);
  }

  prefix(): Uint8Array[] {
    return this.#inner.prefix();
  }

  data(): Uint8Array[] {
    return [pieceOf(this.#offsets), ...this.#inner.data()];
  }
}

class TupleEncoder implements ColumnEncoder {
  readonly #type: ChType;
  readonly #members: readonly ColumnEncoder[];

  constructor(type: ChType, members: readonly ColumnEncoder[]) {
    this.#type = type;
    this.#members = members;
  }

  json(value: JsonValue): void {
    if (value === null) throw invalid('NULL is not allowed');
    const items = tupleItems(this.#type, value);
    this.#members.forEach((member, index) => {
      member.json(items[index] ?? null);
    });
  }

  text(value: string): void {
    this.json(parseJson(value));
  }

  blank(): void {
    for (const member of this.#members) member.blank();
  }

  prefix(): Uint8Array[] {
    return this.#members.flatMap((member) => member.prefix());
  }

  data(): Uint8Array[] {
    return this.#members.flatMap((member) => member.data());
  }
}

/** One 64-bit little-endian count. */
function putCount(out: ByteWriter, value: number): void {
  out.reserve(8);
  out.length = out.bytes.writeUInt32LE(value >>> 0, out.length);
  out.length = out.bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), out.length);
}

function counts(...values: readonly number[]): Uint8Array {
  const out = growing();
  for (const value of values) putCount(out, value);
  return pieceOf(out);
}

const DICTIONARY_VERSION = 1;
const HAS_KEYS = 0x200;
const WIDE_INDEX = 2;

/** LowCardinality: every distinct value once, then a 32-bit number for each row. A nullable one keeps its first slot for NULL. */
class DictionaryEncoder implements ColumnEncoder {
  readonly #keys: LeafEncoder;
  readonly #type: ChType;
  readonly #numbers = new Map<string, number>();
  readonly #rows = growing();
  readonly #nullable: boolean;
  #size = 0;

  constructor(type: ChType) {
    this.#type = innerType(type);
    const write = leafWriter(this.#type);
    if (write === undefined) throw new DbFailure('unsupported', `values of the type ${this.#type.name} cannot be written`);
    this.#keys = new LeafEncoder(this.#type, write);
    this.#nullable = type.of[0]?.name === 'Nullable';
    if (!this.#nullable) return;
    this.#keys.blank();
    this.#size = 1;
  }

  json(value: JsonValue): void {
    if (value !== null) {
      this.text(scalarText(this.#type, value));
      return;
    }
    if (!this.#nullable) throw invalid('NULL is not allowed');
    this.#put(0);
  }

  text(value: string): void {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      this.#keys.text(value);
      number = this.#size++;
      this.#numbers.set(value, number);
    }
    this.#put(number);
  }

  blank(): void {
    // Only a nullable part is ever blank, and a dictionary stands under none: its own NULL is slot 0.
    this.#put(0);
  }

  #put(number: number): void {
    this.#rows.reserve(4);
    this.#rows.length = this.#rows.bytes.writeUInt32LE(number, this.#rows.length);
  }

  prefix(): Uint8Array[] {
    return [counts(DICTIONARY_VERSION)];
  }

  data(): Uint8Array[] {
    const rows = this.#rows.length / 4;
    if (rows === 0) return [];
    return [counts(HAS_KEYS | WIDE_INDEX, this.#size), ...this.#keys.data(), counts(rows), pieceOf(this.#rows)];
  }
}

const JSON_AS_TEXT = 1;

/** The JSON type takes its documents as text; the server takes them apart. */
class JsonEncoder implements ColumnEncoder {
  readonly #out = growing();

  json(value: JsonValue): void {
    if (!(value instanceof Map)) throw invalid('the JSON type holds objects only');
    this.#put(jsonText(value));
  }

  text(value: string): void {
    this.json(parseJson(value));
  }

  blank(): void {
    this.#put('{}');
  }

  #put(text: string): void {
    putVarint(this.#out, Buffer.byteLength(text));
    this.#out.text(text);
  }

  prefix(): Uint8Array[] {
    return [counts(JSON_AS_TEXT)];
  }

  data(): Uint8Array[] {
    return [pieceOf(this.#out)];
  }
}
