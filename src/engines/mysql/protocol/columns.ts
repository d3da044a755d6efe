/**
 * Column definitions of a result: the encoding of each value, and its kind if it was not planned.
 * Knows the type numbers of the protocol, but no SQL.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import type { Kind } from '../../../model/table.ts';
import { malformed } from '../../contract/limits.ts';
import { hasSameEncoding } from '../../driver-kit/check-result-columns.ts';
import { Cursor } from './bytes.ts';

/**
 * Encodings of the binary protocol. Numbers, because the row reader switches on them for every
 * value.
 */
export const SHAPE = {
  bytes: 0,
  int8: 1,
  uint8: 2,
  int16: 3,
  uint16: 4,
  int32: 5,
  uint32: 6,
  int64: 7,
  uint64: 8,
  float: 9,
  double: 10,
  date: 11,
  datetime: 12,
  timestamp: 13,
  time: 14,
  bit: 15,
  nothing: 16,
  decimal: 17,
} as const;

export type Shape = (typeof SHAPE)[keyof typeof SHAPE];

export interface WireColumn {
  readonly shape: Shape;
  /** Fractional digits of a second; 31 if the server leaves it open. */
  readonly digits: number;
}

/** Size of a definition after the names. Fields are read from its end. */
const TAIL = 13;
/** First byte of the tail: the length of what follows. */
const TAIL_MARK = 12;
/** Catalog, schema, table, original table, name, original name: at least one length byte each. */
const NAMES = 6;
const UNSIGNED = 32;
const ENUM = 256;
const SET = 2048;
const BINARY_CHARSET = 63;

interface Facts {
  readonly type: number;
  readonly flags: number;
  readonly charset: number;
  /** MariaDB's extended type names (`uuid`, `inet6`) and formats (`json`). */
  readonly extended: readonly string[];
}

type Read = readonly [signed: Shape, unsigned: Shape, kind: Kind];

const alike = (shape: Shape, kind: Kind): Read => [shape, shape, kind];

/** Encodings by the protocol's type number. All others are bytes: text, blobs, JSON, geometry. */
const TYPES: ReadonlyMap<number, Read> = new Map<number, Read>([
  [0, alike(SHAPE.decimal, 'decimal')],
  [1, [SHAPE.int8, SHAPE.uint8, 'int']],
  [2, [SHAPE.int16, SHAPE.uint16, 'int']],
  [3, [SHAPE.int32, SHAPE.uint32, 'int']],
  [4, alike(SHAPE.float, 'float')],
  [5, alike(SHAPE.double, 'float')],
  [6, alike(SHAPE.nothing, 'text')],
  [7, alike(SHAPE.timestamp, 'timestamptz')],
  [8, [SHAPE.int64, SHAPE.uint64, 'int']],
  [9, [SHAPE.int32, SHAPE.uint32, 'int']],
  [10, alike(SHAPE.date, 'date')],
  [11, alike(SHAPE.time, 'time')],
  [12, alike(SHAPE.datetime, 'timestamp')],
  [13, alike(SHAPE.uint16, 'int')],
  [14, alike(SHAPE.date, 'date')],
  [16, alike(SHAPE.bit, 'int')],
  [245, alike(SHAPE.bytes, 'json')],
  [246, alike(SHAPE.decimal, 'decimal')],
]);

const EXTENDED: ReadonlyMap<string, Kind> = new Map([
  ['json', 'json'],
  ['uuid', 'uuid'],
  ['inet4', 'other'],
  ['inet6', 'other'],
]);

/** Rejects a packet that cannot be the definition of a column or parameter. */
export function checkDefinition(bytes: Buffer, from: number, to: number): void {
  if (to - from < NAMES + TAIL || bytes[to - TAIL] !== TAIL_MARK) throw malformed('something other than a column definition');
}

/** Reads only the encoding of the values, from a definition that was checked. */
export function readShape(bytes: Buffer, from: number, to: number): WireColumn {
  checkDefinition(bytes, from, to);
  const read = TYPES.get(bytes[to - 6] ?? 0);
  const unsigned = ((bytes[to - 5] ?? 0) & UNSIGNED) !== 0;
  return { shape: read === undefined ? SHAPE.bytes : read[unsigned ? 1 : 0], digits: bytes[to - 3] ?? 0 };
}

const NULL_TYPE = 6;

/** MariaDB columns that a result has marked as JSON. */
const seenAsJson = new WeakSet<ResultColumn>();

/**
 * Returns the planned column if the result has the same kind. MariaDB's JSON is text with a check,
 * which not every result marks: a column that was marked before must be marked again, others are
 * `unproven`.
 */
export function readPlanned(bytes: Buffer, from: number, to: number, planned: ResultColumn): ResultColumn | 'unproven' {
  const type = bytes[to - 6] ?? 0;
  // A column of this type contains NULL only.
  if (type === NULL_TYPE) return planned;
  const kind = kindOf({ type, flags: bytes.readUInt16LE(to - 5), charset: bytes.readUInt16LE(to - 12), extended: [] });
  if (hasSameEncoding(kind, planned.kind)) return planned;
  if (planned.kind !== 'json' || kind !== 'text') return { name: planned.name, kind };
  if (readColumn(bytes, from, to).kind === 'json') {
    seenAsJson.add(planned);
    return planned;
  }
  return seenAsJson.has(planned) ? { name: planned.name, kind } : 'unproven';
}

export function readColumn(bytes: Buffer, from: number, to: number): ResultColumn {
  const cursor = new Cursor(bytes, from, to - TAIL);
  for (let i = 0; i < 4; i++) cursor.skip();
  const name = cursor.text();
  cursor.skip();
  const extended = readExtended(cursor);
  const charset = bytes.readUInt16LE(to - 12);
  return { name, kind: kindOf({ type: bytes[to - 6] ?? 0, flags: bytes.readUInt16LE(to - 5), charset, extended }) };
}

/**
 * Reads MariaDB's optional block between the names and the tail, whose fixed size shows whether it
 * exists.
 */
function readExtended(cursor: Cursor): readonly string[] {
  const found: string[] = [];
  if (cursor.at >= cursor.end) return found;
  cursor.number();
  while (cursor.at < cursor.end) {
    cursor.u8();
    found.push(cursor.text());
  }
  return found;
}

function kindOf(facts: Facts): Kind {
  const special = facts.extended.map((name) => EXTENDED.get(name)).find((kind) => kind !== undefined);
  if (special !== undefined) return special;
  const read = TYPES.get(facts.type);
  if (read !== undefined) return read[2];
  if ((facts.flags & ENUM) !== 0) return 'enum';
  if ((facts.flags & SET) !== 0) return 'set';
  return facts.charset === BINARY_CHARSET ? 'bytes' : 'text';
}
