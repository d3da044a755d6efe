/**
 * Comparisons that hold whatever a column has become since the catalogue was read. MySQL and MariaDB compare a number with a text as numbers:
 * `'abc'` is 0 to them, and MariaDB deletes by that even in its strict mode. So every comparison of a write goes with a guard, which fails when
 * the column is not of the kind that the value was checked for. See docs/decisions/0033-changing-tables.md.
 */
import type { Kind } from '../../../model/table.ts';

/**
 * What COERCIBILITY says of numbers, moments and the like; of texts it says less. It looks at types alone, so it costs a row nothing, and
 * nothing at all on MariaDB, where it is a constant of the statement. With IFNULL the type is that of both arguments: a number only for
 * two numbers, a moment only for two moments.
 */
const TYPED = 5;

/** True by its value, which leaves no room for one more: then the statement fails as out of range (1690). */
const unless = (wrong: string): string => `~0 + (${wrong})`;

const isNumber = (name: string): string => unless(`COERCIBILITY(IFNULL(${name}, 0)) <> ${TYPED}`);
/** BIT is called a text until it meets a number. */
const isText = (name: string): string => unless(`${TYPED} IN (COERCIBILITY(${name}), COERCIBILITY(IFNULL(${name}, 0)))`);
const isMoment = (name: string): string => unless(`COERCIBILITY(IFNULL(${name}, CAST(NULL AS DATETIME))) <> ${TYPED}`);
/** UUIDs and addresses are types of MariaDB's own, to which a text gives way. */
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
  date: isMoment,
  time: isMoment,
  timestamp: isMoment,
  timestamptz: isMoment,
};

/** The guards cannot tell a time from a date, so values of these say themselves which of them they are. */
const MOMENTS: Readonly<Partial<Record<Kind, string>>> = {
  date: 'DATE',
  time: 'TIME(6)',
  timestamp: 'DATETIME(6)',
  timestamptz: 'DATETIME(6)',
};

/** The guard comes first: a comparison of what cannot be compared may fail in words of its own. */
export function guarded(comparison: string, name: string, kind: Kind): string {
  return `(${GUARDS[kind](name)} AND ${comparison})`;
}

/** The type of a moment of this kind; undefined for what is none. */
export function momentType(kind: Kind): string | undefined {
  return MOMENTS[kind];
}

/** A value that has its kind's type. The servers would take a bare parameter's type from what it is cast to. */
export function typed(placeholder: string, kind: Kind): string {
  const type = MOMENTS[kind];
  return type === undefined ? placeholder : `CAST(CONCAT(${placeholder}) AS ${type})`;
}

/** The server's words when a guard has failed. */
export const GUARD_FAILED = /coercibility\(/i;
