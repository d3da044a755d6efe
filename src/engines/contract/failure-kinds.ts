/**
 * The kinds of failures that every engine's errors are mapped to, in one table: what each is about, and what may be made of it. Knows no engine.
 */

interface Kind {
  /**
   * What it is about.
   *   server      it could not be asked, or did not answer: another statement would not have fared better
   *   names       the statement names what is not there (or is not any more)
   *   data        what was sent, or what is stored
   *   statement   how it is written, or what it wants
   *   rights      what the database user may do
   */
  readonly of: 'server' | 'names' | 'data' | 'statement' | 'rights' | 'other';
  /** Engines quote values when they refuse data or a statement. These words have none, and are fit for the log. */
  readonly words?: 'without values';
  /** `open`: nobody said how the statement ended. `stopped`: nobody did, unless the server gave a code. */
  readonly end?: 'open' | 'stopped';
}

const KINDS = {
  /** Refused, no route. */
  unreachable: { of: 'server', words: 'without values' },
  login: { of: 'server', words: 'without values' },
  /** Went away in mid-query. */
  lost: { of: 'server', words: 'without values', end: 'open' },
  /** The server broke its protocol or sent more than it may; the connection is gone. */
  malformed: { of: 'server', words: 'without values', end: 'open' },
  /** The server takes no more connections. */
  full: { of: 'server', words: 'without values' },
  /** Too much is asked of the server, or of our connections to it. */
  busy: { of: 'server', words: 'without values' },
  /** The statement ran past its time. */
  timeout: { of: 'server', end: 'stopped' },
  /** We asked it to stop. */
  cancelled: { of: 'server', words: 'without values', end: 'stopped' },
  /** It was stopped because others waited behind it, and is to be run again by itself. */
  preempted: { of: 'server', words: 'without values', end: 'stopped' },
  /** Lack of privileges. */
  denied: { of: 'rights', words: 'without values' },
  /** Replica or read-only transaction or view. */
  read_only: { of: 'rights', words: 'without values' },
  missing_table: { of: 'names' },
  missing_column: { of: 'names' },
  /** The statement was made for an older table. */
  stale: { of: 'statement' },
  /** Unique or primary key. */
  duplicate: { of: 'data' },
  /** NOT NULL, foreign key, check, exclusion. */
  constraint: { of: 'data' },
  /** Wrong type, out of range, too long, not convertible. */
  invalid: { of: 'data' },
  /** Code in the database refused it in its own words (a trigger's RAISE or SIGNAL). */
  raised: { of: 'data' },
  /** This table engine or view cannot do it. */
  unsupported: { of: 'statement' },
  /** The statement is wrong (Custom sql). */
  syntax: { of: 'statement' },
  /** Deadlock, serialization: the caller may try again. */
  conflict: { of: 'other' },
  other: { of: 'other' },
} as const satisfies Record<string, Kind>;

export type FailureKind = keyof typeof KINDS;

export function kindTraits(kind: FailureKind): Kind {
  return KINDS[kind];
}
