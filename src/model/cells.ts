/**
 * A row in memory: no objects, only where each value's bytes begin and end. Engines write it, formats read it.
 *
 * Canonical bytes of a cell, by kind:
 *   int, decimal, float   JSON number text; `NaN`, `Infinity`, `-Infinity` possible for float and decimal
 *   bool                  first byte `t` is true, anything else false
 *   text, enum, set, uuid, other   UTF-8
 *   date, time, timestamp, timestamptz   ISO 8601 / RFC 3339, with `T`, and `Z` or ±hh:mm where there is a zone
 *   json                  JSON text (UTF-8)
 *   bytes                 the raw bytes
 */
import type { NestedRows } from './nested.ts';
import type { Kind } from './table.ts';

export interface ResultColumn {
  readonly name: string;
  readonly kind: Kind;
  /** The cell holds rows, whatever its kind (see `nested.ts`). */
  readonly nested?: NestedRows;
}

/** One instance is reused for every row of a result: read it before `row` returns, and keep nothing of it. */
export interface Cells {
  bytes: Buffer;
  /** Start of cell i; negative for NULL. */
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Lets a slow reader pause a query. Rows that were received already may still arrive after `pause`. */
export interface Backpressure {
  /** Others wait behind these rows for theirs: a reader that is slow is not waited for, and pauses only to say so. */
  readonly isPipelined?: boolean;
  pause(): void;
  resume(): void;
}

export interface RowSink {
  /** Called once, before the first row, even when there are no rows. */
  start(columns: readonly ResultColumn[], flow: Backpressure): void;
  row(cells: Cells): void;
}

/** A row that outlives the buffer that it came in: only what is between its first cell and its last is copied. */
export function copyRow({ bytes, from, to }: Cells): Cells {
  const starts = from.reduce((least, start) => (start < 0 ? least : Math.min(least, start)), bytes.length);
  const ends = to.reduce((most, end) => Math.max(most, end), starts);
  return {
    bytes: Buffer.from(bytes.subarray(starts, ends)),
    from: from.map((start) => (start < 0 ? start : start - starts)),
    to: to.map((end) => end - starts),
  };
}
