/**
 * Encodes columns in ClickHouse's native format: NULL, nesting and dictionaries. Single values are
 * in `leaf-encoders.ts`. Encoders reject values that their type cannot hold.
 */
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { writeJson } from '../../../util/json/json.ts';
import type { PlainValue } from '../../../util/text/decimal.ts';
import { DbFailure } from '../../contract/engine.ts';
import { type ColumnEncoder, counts, growing, putCount } from './column-parts.ts';
import { invalid } from './invalid-value.ts';
import { type LeafWriter, leafWriter, putVarint, type RangeWriter, rangeWriter } from './leaf-encoders.ts';
import { entriesOf, listOf, parseNested, scalarText, tupleItems } from './nested.ts';
import { type ChType, enumMembers, innerType, parseType } from './type-text.ts';
import { VariantEncoder } from './variant-encoder.ts';

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
  Variant: (type) => new VariantEncoder(type, encoderOf),
};

export function encoderOf(type: ChType): ColumnEncoder {
  const composite = COMPOSITES[type.name];
  if (composite !== undefined) return composite(type, () => type.of.map(encoderOf));
  const geometry = GEOMETRY[type.name];
  if (geometry !== undefined) return encoderOf(parseType(geometry));
  const write = leafWriter(type);
  if (write === undefined) throw new DbFailure('unsupported', `values of the type ${type.name} cannot be written`);
  return new LeafEncoder(type, write, rangeWriter(type));
}

function first(members: readonly ColumnEncoder[]): ColumnEncoder {
  const [member] = members;
  if (member === undefined) throw invalid('the type has no member');
  return member;
}

/** Placeholders for NULL. They are never read, but must be valid. */
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
  readonly range: ColumnEncoder['range'];

  constructor(type: ChType, write: LeafWriter, writeRange: RangeWriter | undefined) {
    this.#type = type;
    this.#write = write;
    if (writeRange !== undefined) this.range = (source, from, to) => writeRange(this.#out, source, from, to);
    this.#blank = type.name.startsWith('Enum') ? firstMember(type) : (BLANKS.find(([pattern]) => pattern.test(type.name))?.[1] ?? '0');
  }

  json(value: PlainValue): void {
    if (value === null) throw invalid('NULL is not allowed');
    this.text(scalarText(this.#type, value));
  }

  text(value: string): void {
    this.#write(this.#out, value);
  }

  blank(): void {
    this.#write(this.#out, this.#blank);
  }

  prefix(): Lease[] {
    return [];
  }

  data(): Lease[] {
    return [this.#out.take()];
  }
}

function firstMember(type: ChType): string {
  const [name] = enumMembers(type).keys();
  return name ?? '';
}

class NullableEncoder implements ColumnEncoder {
  readonly #inner: ColumnEncoder;
  readonly #nulls = growing();
  readonly range: ColumnEncoder['range'];

  constructor(inner: ColumnEncoder) {
    this.#inner = inner;
    const { range } = inner;
    if (range === undefined) return;
    this.range = (source, from, to) => {
      this.#nulls.byte(0);
      range(source, from, to);
    };
  }

  json(value: PlainValue): void {
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

  prefix(): Lease[] {
    return this.#inner.prefix();
  }

  data(): Lease[] {
    return [this.#nulls.take(), ...this.#inner.data()];
  }
}

class ListEncoder implements ColumnEncoder {
  readonly #inner: ColumnEncoder;
  readonly #items: (value: PlainValue) => readonly PlainValue[];
  readonly #offsets = growing();
  #count = 0;

  constructor(inner: ColumnEncoder, items: (value: PlainValue) => readonly PlainValue[]) {
    this.#inner = inner;
    this.#items = items;
  }

  json(value: PlainValue): void {
    if (value === null) throw invalid('NULL is not allowed');
    const items = this.#items(value);
    for (const item of items) this.#inner.json(item);
    this.#count += items.length;
    this.blank();
  }

  text(value: string): void {
    this.json(parseNested(value));
  }

  blank(): void {
    putCount(this.#offsets, this.#count);
  }

  prefix(): Lease[] {
    return this.#inner.prefix();
  }

  data(): Lease[] {
    return [this.#offsets.take(), ...this.#inner.data()];
  }
}

class TupleEncoder implements ColumnEncoder {
  readonly #type: ChType;
  readonly #members: readonly ColumnEncoder[];

  constructor(type: ChType, members: readonly ColumnEncoder[]) {
    this.#type = type;
    this.#members = members;
  }

  json(value: PlainValue): void {
    if (value === null) throw invalid('NULL is not allowed');
    const items = tupleItems(this.#type, value);
    this.#members.forEach((member, index) => {
      member.json(items[index] ?? null);
    });
  }

  text(value: string): void {
    this.json(parseNested(value));
  }

  blank(): void {
    for (const member of this.#members) member.blank();
  }

  prefix(): Lease[] {
    return this.#members.flatMap((member) => member.prefix());
  }

  data(): Lease[] {
    return this.#members.flatMap((member) => member.data());
  }
}

const DICTIONARY_VERSION = 1;
const HAS_KEYS = 0x200;
const WIDE_INDEX = 2;

/**
 * Encoder of LowCardinality: every distinct value once, then a 32-bit index per row. In a nullable
 * column, slot 0 is NULL.
 */
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
    this.#keys = new LeafEncoder(this.#type, write, undefined);
    this.#nullable = type.of[0]?.name === 'Nullable';
    if (!this.#nullable) return;
    this.#keys.blank();
    this.#size = 1;
  }

  json(value: PlainValue): void {
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
    // Only nullable columns have blanks, and slot 0 of the dictionary is its NULL.
    this.#put(0);
  }

  #put(number: number): void {
    this.#rows.reserve(4);
    this.#rows.length = this.#rows.bytes.writeUInt32LE(number, this.#rows.length);
  }

  prefix(): Lease[] {
    return [counts(DICTIONARY_VERSION)];
  }

  data(): Lease[] {
    const rows = this.#rows.length / 4;
    if (rows === 0) return [];
    return [counts(HAS_KEYS | WIDE_INDEX, this.#size), ...this.#keys.data(), counts(rows), this.#rows.take()];
  }
}

const JSON_AS_TEXT = 1;

/** Encoder of the JSON type, which takes documents as text; the server parses them. */
class JsonEncoder implements ColumnEncoder {
  readonly #out = growing();

  json(value: PlainValue): void {
    if (!(value instanceof Map)) throw invalid('the JSON type holds objects only');
    this.#put(writeJson(value));
  }

  text(value: string): void {
    this.json(parseNested(value));
  }

  blank(): void {
    this.#put('{}');
  }

  #put(text: string): void {
    putVarint(this.#out, Buffer.byteLength(text));
    this.#out.text(text);
  }

  prefix(): Lease[] {
    return [counts(JSON_AS_TEXT)];
  }

  data(): Lease[] {
    return [this.#out.take()];
  }
}
