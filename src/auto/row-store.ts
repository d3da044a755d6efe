/**
 * Rows that are held in memory until what belongs to them has been read: their bytes one behind the other, and where each cell is. What it holds is
 * leased from the memory of requests.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../model/cells.ts';
import type { MemoryLease } from '../util/memory-lease.ts';
import { PacedFlow } from '../util/paced-flow.ts';

/** Memory is taken, and the event loop's time counted, whenever so much was stored. */
const STRETCH = 64 * 1024;
const FIRST_BYTES = 4096;
const FIRST_ROWS = 32;

export class RowStore implements RowSink {
  bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  columns: readonly ResultColumn[] = [];
  count = 0;
  readonly #width: number;
  readonly #lease: MemoryLease;
  #flow: PacedFlow | undefined;
  #from: Int32Array;
  #to: Int32Array;
  #length = 0;
  #unleased = 0;

  constructor(width: number, lease: MemoryLease) {
    this.#width = width;
    this.#lease = lease;
    this.#from = new Int32Array(width * FIRST_ROWS);
    this.#to = new Int32Array(width * FIRST_ROWS);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.columns = columns;
    this.#flow = new PacedFlow(flow, this.#lease.owner);
    // A statement that is run once more begins anew.
    this.count = 0;
    this.#length = 0;
  }

  /** Cells of a row lie close together: they are copied at once, with what is between them. */
  row({ bytes, from, to }: Cells): void {
    const width = this.#width;
    let start = Number.POSITIVE_INFINITY;
    let end = 0;
    for (let i = 0; i < width; i++) {
      if ((from[i] as number) < 0) continue;
      start = Math.min(start, from[i] as number);
      end = Math.max(end, to[i] as number);
    }
    const size = end > start ? end - start : 0;
    this.#reserve(size);
    if (size > 0) bytes.copy(this.bytes, this.#length, start, end);
    const shift = this.#length - (Number.isFinite(start) ? start : 0);
    let cell = this.count * width;
    for (let i = 0; i < width; i++, cell++) {
      const isNull = (from[i] as number) < 0;
      this.#from[cell] = isNull ? -1 : (from[i] as number) + shift;
      this.#to[cell] = isNull ? -1 : (to[i] as number) + shift;
    }
    this.#length += size;
    this.count++;
    this.#unleased += size + width * 8;
    if (this.#unleased < STRETCH) return;
    this.#lease.grow(this.#unleased);
    this.#flow?.spend(this.#unleased);
    this.#unleased = 0;
  }

  cells(row: number): Cells {
    const start = row * this.#width;
    const end = start + this.#width;
    return { bytes: this.bytes, from: this.#from.subarray(start, end), to: this.#to.subarray(start, end) };
  }

  /** Where a cell begins; negative for NULL. */
  from(row: number, column: number): number {
    return this.#from[row * this.#width + column] as number;
  }

  to(row: number, column: number): number {
    return this.#to[row * this.#width + column] as number;
  }

  #reserve(size: number): void {
    if (this.#length + size > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.#length + size));
      this.bytes.copy(larger, 0, 0, this.#length);
      this.bytes = larger;
    }
    if ((this.count + 1) * this.#width > this.#from.length) {
      this.#from = grown(this.#from);
      this.#to = grown(this.#to);
    }
  }
}

function grown(places: Int32Array): Int32Array {
  const larger = new Int32Array(places.length * 2);
  larger.set(places);
  return larger;
}
