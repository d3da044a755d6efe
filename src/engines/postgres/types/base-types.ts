/**
 * Maps PostgreSQL types to kinds: by object id for results, by category for the catalog. Also
 * normalizes cells whose text is not canonical.
 */
import type { Kind } from '../../../model/table.ts';

interface BaseType {
  readonly kind: Kind;
  readonly min?: bigint;
  readonly max?: bigint;
}

const int = (bits: bigint): BaseType => ({ kind: 'int', min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n });
const plain = (kind: Kind): BaseType => ({ kind });

/** Base types whose object id never changes. */
const BASE_TYPES: ReadonlyMap<number, BaseType> = new Map<number, BaseType>([
  [16, plain('bool')],
  [17, plain('bytes')],
  [18, plain('text')], // "char"
  [19, plain('text')], // name
  [20, int(64n)],
  [21, int(16n)],
  [23, int(32n)],
  [25, plain('text')],
  [26, { kind: 'int', min: 0n, max: 2n ** 32n - 1n }], // oid
  [114, plain('json')],
  [700, plain('float')],
  [701, plain('float')],
  [1042, plain('text')], // bpchar
  [1043, plain('text')], // varchar
  [1082, plain('date')],
  [1083, plain('time')],
  [1114, plain('timestamp')],
  [1184, plain('timestamptz')],
  [1266, plain('time')], // timetz
  [1700, plain('decimal')],
  [2950, plain('uuid')],
  [3802, plain('json')], // jsonb
]);

/** Returns the base type. Unknown types are shown in the server's notation. */
export function baseType(oid: number): BaseType {
  return BASE_TYPES.get(oid) ?? { kind: 'other' };
}

/** Changes a cell in place and returns its new end. */
export type Repair = (bytes: Buffer, from: number, to: number) => number;

const SPACE = 0x20;
const PLUS = 0x2b;
const ZERO = 0x30;

/**
 * `2024-01-01 10:00:00` becomes `2024-01-01T10:00:00`. `infinity` and years before Christ are
 * unchanged.
 */
const repairTimestamp: Repair = (bytes, from, to) => {
  if (to - from > 10 && bytes[from + 10] === SPACE) {
    bytes[from + 10] = 0x54;
    return to;
  }
  for (let at = from; at < to; at++) {
    if (bytes[at] !== SPACE) continue;
    bytes[at] = 0x54;
    return to;
  }
  return to;
};

/** The session's zone is UTC, so the offset is always `+00`. */
const repairTimestamptz: Repair = (bytes, from, to) => {
  const end = repairTimestamp(bytes, from, to);
  if (end - from < 3 || bytes[end - 3] !== PLUS || bytes[end - 2] !== ZERO || bytes[end - 1] !== ZERO) return end;
  bytes[end - 3] = 0x5a;
  return end - 2;
};

const hexDigit = (byte: number): number => (byte <= 0x39 ? byte - 0x30 : byte - 0x57);

/** `\x6162` becomes the two bytes that it encodes. */
const repairBytes: Repair = (bytes, from, to) => {
  let at = from;
  for (let i = from + 2; i < to; i += 2) bytes[at++] = (hexDigit(bytes[i] ?? 0) << 4) | hexDigit(bytes[i + 1] ?? 0);
  return at;
};

const REPAIRS: Readonly<Partial<Record<Kind, Repair>>> = {
  timestamp: repairTimestamp,
  timestamptz: repairTimestamptz,
  bytes: repairBytes,
};

/**
 * Returns one repair per column, `undefined` for columns that need none. `undefined` if no column
 * needs one.
 */
export function repairsFor(columns: readonly { readonly kind: Kind }[]): readonly (Repair | undefined)[] | undefined {
  const repairs = columns.map((column) => REPAIRS[column.kind]);
  return repairs.some((repair) => repair !== undefined) ? repairs : undefined;
}
