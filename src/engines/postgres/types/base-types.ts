/**
 * Maps PostgreSQL's types to kinds: by object id for results, where the description is all we have, and by category for the catalogue. Also the
 * small repairs that make a cell's text canonical where the server's own text is not.
 */
import type { Kind } from '../../../model/table.ts';

interface BaseType {
  readonly kind: Kind;
  readonly min?: bigint;
  readonly max?: bigint;
}

const int = (bits: bigint): BaseType => ({ kind: 'int', min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n });
const plain = (kind: Kind): BaseType => ({ kind });

/** Base types that have an object id which never changes. */
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

/** What a base type is; a type that we do not know is shown in the server's own notation. */
export function baseType(oid: number): BaseType {
  return BASE_TYPES.get(oid) ?? { kind: 'other' };
}

/** Changes a cell in place (the received bytes are ours) and returns its new end. */
export type Repair = (bytes: Buffer, from: number, to: number) => number;

const SPACE = 0x20;
const PLUS = 0x2b;
const ZERO = 0x30;

/** `2024-01-01 10:00:00` becomes `2024-01-01T10:00:00`; `infinity` and years before Christ stay as they are. */
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

/** `\x6162` becomes the two bytes that it stands for. */
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

/** One repair per column, undefined where the server's text is canonical already; undefined as a whole when no column needs one. */
export function repairsFor(columns: readonly { readonly kind: Kind }[]): readonly (Repair | undefined)[] | undefined {
  const repairs = columns.map((column) => REPAIRS[column.kind]);
  return repairs.some((repair) => repair !== undefined) ? repairs : undefined;
}
