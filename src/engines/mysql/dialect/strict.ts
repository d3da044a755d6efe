/**
 * Comparisons that stay correct if a column has changed its type. The servers compare a number with
 * text as numbers: `'abc'` is 0, and MariaDB deletes by that even in strict mode. So every
 * comparison of a write has a guard that fails if the kind differs.
 * See docs/decisions/0033-changing-tables.md.
 */
import type { Kind } from '../../../model/table.ts';

/**
 * COERCIBILITY of numbers and temporal values; that of text is lower. It depends on types only, so
 * it costs nothing per row. The type of IFNULL is that of both arguments: numeric only for two
 * numbers, temporal only for two temporal values.
 */
const TYPED = 5;

/**
 * True, but the sum overflows if `wrong` is true: then the statement fails as out of range (1690).
 */
const unless = (wrong: string): string => `~0 + (${wrong})`;

const isNumber = (name: string): string => unless(`COERCIBILITY(IFNULL(${name}, 0)) <> ${TYPED}`);
/** BIT counts as text until it is combined with a number. */
const isText = (name: string): string => unless(`${TYPED} IN (COERCIBILITY(${name}), COERCIBILITY(IFNULL(${name}, 0)))`);
const isTemporal = (name: string): string => unless(`COERCIBILITY(IFNULL(${name}, CAST(NULL AS DATETIME))) <> ${TYPED}`);
/** UUIDs and addresses are types of MariaDB, to which text is converted. */
const isOther = (name: string): string => unless(`COERCIBILITY(IFNULL(${name}, '')) <> ${TYPED}`);

const GUARDS: Readonly<Record<Kind, (name: string) => string>> = {
  int: isNumber,
  decimal: isNumber,
  float: isNumber,
  bool: isNumber,
  text: isText,
  enum: isText,
  set: isText,
  bytes: isText,
  json: isText,
  uuid: isOther,
  other: isOther,
  date: isTemporal,
  time: isTemporal,
  timestamp: isTemporal,
  timestamptz: isTemporal,
};

/** Guards cannot distinguish a time from a date, so these values are cast. */
const TEMPORAL_CASTS: Readonly<Partial<Record<Kind, string>>> = {
  date: 'DATE',
  time: 'TIME(6)',
  timestamp: 'DATETIME(6)',
  timestamptz: 'DATETIME(6)',
};

/**
 * The guard comes first, because a comparison of incompatible values may fail with its own message.
 */
export function guarded(comparison: string, name: string, kind: Kind): string {
  return `(${GUARDS[kind](name)} AND ${comparison})`;
}

/** Returns the cast of a temporal kind. `undefined` for other kinds. */
export function temporalType(kind: Kind): string | undefined {
  return TEMPORAL_CASTS[kind];
}

/**
 * Casts a value to the type of its kind. The servers infer the type of a bare parameter from its
 * context.
 */
export function typed(placeholder: string, kind: Kind): string {
  const type = TEMPORAL_CASTS[kind];
  return type === undefined ? placeholder : `CAST(CONCAT(${placeholder}) AS ${type})`;
}

/** Matches the message of a failed guard. */
export const GUARD_FAILED = /coercibility\(/i;
