/**
 * Passes rows on in the order of a key that may repeat, each as soon as the next row proves its key
 * unique. If two neighbors share a key, the rows of a second statement in full order continue after
 * those already passed on.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../../model/cells.ts';

/** Forwards backpressure to the statement that currently produces rows. */
class Relay implements Backpressure {
  current: Backpressure | undefined;

  pause(): void {
    this.current?.pause();
  }

  resume(): void {
    this.current?.resume();
  }
}

export class KeyOrderSink implements RowSink {
  readonly #inner: RowSink;
  readonly #key: readonly number[];
  readonly #before: number;
  readonly #size: number;
  readonly #flow = new Relay();
  readonly #held = new HeldRow();
  /** Rows whose key is proven unique. */
  #settled = 0;
  /** Rows that were passed on. */
  passed = 0;
  #inOrder = true;
  /**
   * Rows of the second statement that were passed on already. `undefined` before it has started.
   */
  #toSkip: number | undefined;

  /** `key`: indexes of the key columns. `before`: number of rows before the page. */
  constructor(inner: RowSink, key: readonly number[], before: number, size: number) {
    this.#inner = inner;
    this.#key = key;
    this.#before = before;
    this.#size = size;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    const isFirst = this.#flow.current === undefined;
    this.#flow.current = flow;
    if (isFirst) this.#inner.start(columns, this.#flow);
  }

  row(cells: Cells): void {
    if (this.#toSkip === undefined) this.#check(cells);
    else if (this.#toSkip > 0) this.#toSkip--;
    else this.#inner.row(cells);
  }

  /**
   * Ends the statement in key order. Returns `true` if the page is complete, `false` if the second
   * statement is needed.
   */
  end(): boolean {
    if (this.#inOrder) this.#settle();
    else this.#toSkip = this.passed;
    return this.#inOrder;
  }

  #check(cells: Cells): void {
    if (!this.#inOrder) return;
    this.#inOrder = !this.#held.hasSame(this.#key, cells);
    if (!this.#inOrder) return;
    this.#settle();
    this.#held.hold(cells);
  }

  /** Passes on the held row, which is in its place. */
  #settle(): void {
    const { row } = this.#held;
    if (row === undefined) return;
    this.#held.row = undefined;
    if (++this.#settled > this.#before && this.passed < this.#size) {
      this.passed++;
      this.#inner.row(row);
    }
  }
}

/** Copy of one row, in memory that the next one reuses. */
class HeldRow {
  row: Cells | undefined;
  #space: Cells = { bytes: Buffer.allocUnsafe(256), from: new Int32Array(0), to: new Int32Array(0) };

  hold({ bytes, from, to }: Cells): void {
    const count = from.length;
    if (this.#space.from.length !== count) {
      this.#space = { bytes: this.#space.bytes, from: new Int32Array(count), to: new Int32Array(count) };
    }
    const space = this.#space;
    let start = Number.POSITIVE_INFINITY;
    let end = 0;
    for (let i = 0; i < count; i++) {
      if ((from[i] as number) < 0) continue;
      start = Math.min(start, from[i] as number);
      end = Math.max(end, to[i] as number);
    }
    if (space.bytes.length < end - start) space.bytes = Buffer.allocUnsafe((end - start) * 2);
    if (end > 0) bytes.copy(space.bytes, 0, start, end);
    for (let i = 0; i < count; i++) {
      const isNull = (from[i] as number) < 0;
      space.from[i] = isNull ? -1 : (from[i] as number) - start;
      space.to[i] = isNull ? -1 : (to[i] as number) - start;
    }
    this.row = space;
  }

  hasSame(places: readonly number[], other: Cells): boolean {
    const { row } = this;
    if (row === undefined) return false;
    for (const i of places) if (!isSameCell(row, other, i)) return false;
    return true;
  }
}

function isSameCell(a: Cells, b: Cells, i: number): boolean {
  const start = a.from[i] as number;
  const size = (a.to[i] as number) - start;
  const other = b.from[i] as number;
  if (start < 0 || other < 0) return start < 0 && other < 0;
  if ((b.to[i] as number) - other !== size) return false;
  for (let at = 0; at < size; at++) if (a.bytes[start + at] !== b.bytes[other + at]) return false;
  return true;
}
