/** Maps ClickHouse types to kinds and value limits. Pure. Must not know SQL or bytes. */
import type { Column, Kind } from '../../../model/table.ts';
import { type ChType, decimalShape, enumMembers, innerType, isNullable, literalNumber, parameterType, parseType } from './type-text.ts';

const KINDS: Readonly<Record<string, Kind>> = {
  Bool: 'bool',
  String: 'text',
  FixedString: 'text',
  Float32: 'float',
  Float64: 'float',
  BFloat16: 'float',
  Date: 'date',
  Date32: 'date',
  DateTime: 'timestamptz',
  DateTime32: 'timestamptz',
  DateTime64: 'timestamptz',
  UUID: 'uuid',
  Enum: 'enum',
  Enum8: 'enum',
  Enum16: 'enum',
  Array: 'json',
  Tuple: 'json',
  Map: 'json',
  Nested: 'json',
  JSON: 'json',
  Object: 'json',
  Variant: 'json',
  Dynamic: 'json',
  Point: 'json',
  Ring: 'json',
  LineString: 'json',
  MultiLineString: 'json',
  Polygon: 'json',
  MultiPolygon: 'json',
  Geometry: 'json',
  QBit: 'json',
  AggregateFunction: 'json',
};

const WHOLE_NUMBER = /^(U?)Int(8|16|32|64|128|256)$/;

export function kindOf(type: ChType): Kind {
  const { name } = innerType(type);
  if (WHOLE_NUMBER.test(name)) return 'int';
  if (name.startsWith('Decimal')) return 'decimal';
  // The server chooses the names, so inherited properties must not match.
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? 'other';
}

/** Returns the kind of a result column, from the type in the result's header. */
export function kindOfText(type: string): Kind {
  return kindOf(parseType(type));
}

export interface WholeRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly bytes: number;
}

/** `undefined` if the type is not an integer type. */
export function wholeRange(name: string): WholeRange | undefined {
  const match = WHOLE_NUMBER.exec(name);
  if (match === null) return undefined;
  const bits = BigInt(match[2] ?? '0');
  const bytes = Number(bits) / 8;
  return match[1] === 'U'
    ? { min: 0n, max: (1n << bits) - 1n, bytes }
    : { min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n, bytes };
}

const UNSORTABLE = new Set(['Map', 'JSON', 'Object', 'Variant', 'Dynamic', 'AggregateFunction', 'Geometry', 'QBit']);

/** A tuple or array is sortable if its elements are. */
export function isSortable(type: ChType): boolean {
  return !UNSORTABLE.has(type.name) && !type.name.startsWith('Interval') && type.of.every(isSortable);
}

export type ColumnFacts = Pick<
  Column,
  'type' | 'kind' | 'nullable' | 'sortable' | 'cast' | 'min' | 'max' | 'precision' | 'scale' | 'maxLength' | 'values' | 'fraction'
>;

/** Facts of a column that follow from its type. */
export function typeFacts(text: string): ColumnFacts {
  const type = parseType(text);
  return {
    type: text,
    kind: kindOf(type),
    nullable: isNullable(type),
    sortable: isSortable(type),
    cast: parameterType(type),
    ...limits(innerType(type)),
  };
}

function limits(type: ChType): Partial<ColumnFacts> {
  const range = wholeRange(type.name);
  if (range !== undefined) return { min: range.min, max: range.max };
  if (type.name.startsWith('Decimal')) {
    const { precision, scale } = decimalShape(type);
    return { precision, scale };
  }
  if (type.name.startsWith('Enum')) return { values: [...enumMembers(type).keys()] };
  if (type.name === 'FixedString') return { maxLength: literalNumber(type, 0) };
  if (type.name === 'DateTime' || type.name === 'DateTime32') return { fraction: 0 };
  if (type.name === 'DateTime64') return { fraction: type.literals.length === 0 ? 3 : literalNumber(type, 0) };
  return {};
}
