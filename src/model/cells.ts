/**
 * A row in memory as a buffer and the offsets of its cells. Engines write rows, formats read them.
 *
 * Canonical bytes of a cell, by kind:
 *   int, decimal, float   JSON number text; float and decimal may be `NaN`, `Infinity`, `-Infinity`
 *   bool                  first byte `t` is true, anything else false
 *   text, enum, set, uuid, other   UTF-8
 *   date, time, timestamp, timestamptz   RFC 3339, with `T`, and `Z` or ±hh:mm if it has a zone
 *   json                  JSON text (UTF-8)
 *   bytes                 the raw bytes
 */
import type { Kind } from './table.ts';

export interface ResultColumn {
  readonly name: string;
  readonly kind: Kind;
  /** Present if the cell contains rows (see `nested.ts`); its kind is then irrelevant. */
  readonly nested?: NestedRows;
}

/** Rows inside a cell: a single row, or a list. Encoded by `nested.ts`. */
export interface NestedRows {
  readonly kind: 'one' | 'many';
  readonly columns: readonly ResultColumn[];
}

/**
 * One instance is reused for all rows of a result: read it before `row` returns, and keep no
 * reference to it.
 */
export interface Cells {
  bytes: Buffer;
  /** Start of cell i, or a negative number for NULL. */
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Lets a slow reader pause a query. Rows already received may still arrive after `pause`. */
export interface Backpressure {
  /**
   * `true` if other statements wait behind these rows. The connection does not wait for a slow
   * reader then; `pause` only reports one.
   */
  readonly isPipelined?: boolean;
  pause(): void;
  resume(): void;
}

export interface RowSink {
  /** Called once before the first row, also for an empty result. */
  start(columns: readonly ResultColumn[], flow: Backpressure): void;
  row(cells: Cells): void;
}

/** Copies a row out of its buffer. Copies only the bytes from its first cell to its last. */
export function copyRow({ bytes, from, to }: Cells): Cells {
  const starts = from.reduce((min, start) => (start < 0 ? min : Math.min(min, start)), bytes.length);
  const ends = to.reduce((max, end) => Math.max(max, end), starts);
  return {
    bytes: Buffer.from(bytes.subarray(starts, ends)),
    from: from.map((start) => (start < 0 ? start : start - starts)),
    to: to.map((end) => end - starts),
  };
}
