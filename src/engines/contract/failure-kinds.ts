/** The kinds of failure to which engines map their error codes. Must not import engines. */

interface Kind {
  /**
   * Subject of the failure:
   *   server      unreachable or failing: another statement would fail as well
   *   names       the statement names an object that does not exist
   *   data        values that were sent or are stored
   *   statement   its text, or an operation that is not supported
   *   rights      privileges of the database user
   */
  readonly of: 'server' | 'names' | 'data' | 'statement' | 'rights' | 'other';
  /** The message contains no values, so it may be logged. */
  readonly words?: 'without values';
  /**
   * `open`: the end of the statement is unknown. `stopped`: it is unknown unless the server sent a
   * code.
   */
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
  /** Cancelled because it blocked others on its connection. It runs again on its own connection. */
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
  /** The result of an aggregate does not fit any type. */
  overflow: { of: 'data' },
  /** Code in the database raised it with its own message (a trigger's RAISE or SIGNAL). */
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
