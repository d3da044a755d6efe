/**
 * Buffers rows until their related rows have been read: their bytes in one buffer, and the range of
 * each cell. Memory is leased from the budget of requests.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import { acquireBuffer, type PooledBuffer, SMALL_BUFFER } from '../../util/bytes/buffer-pool.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import { PacedFlow } from '../../util/concurrency/paced-flow.ts';

/** Bytes between two updates of the memory lease and the time slice. */
const LEASE_STEP = 64 * 1024;
/** Bytes up to which a loop is faster than Buffer.copy. */
const SHORT_COPY = 128;
/** Gap between two cells that is copied rather than skipped. */
const GAP = 16;
const FIRST_ROWS = 32;

const NO_BYTES = Buffer.alloc(0);

export class RowStore implements RowSink {
  bytes: Buffer;
  columns: readonly ResultColumn[] = [];
  count = 0;
  readonly #width: number;
  readonly #lease: MemoryLease;
  #buffer: PooledBuffer = acquireBuffer(SMALL_BUFFER);
  #flow: PacedFlow | undefined;
  #from: Int32Array;
  #to: Int32Array;
  #length = 0;
  #unleased = 0;

  constructor(width: number, lease: MemoryLease) {
    this.bytes = this.#buffer.bytes;
    this.#width = width;
    this.#lease = lease;
    this.#from = new Int32Array(width * FIRST_ROWS);
    this.#to = new Int32Array(width * FIRST_ROWS);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.columns = columns;
    this.#flow = new PacedFlow(flow, this.#lease.owner);
    // A repeated statement replaces the rows.
    this.count = 0;
    this.#length = 0;
  }

  /** Copies the cells of a row together if they are close to each other. */
  row(cells: Cells): void {
    const { from, to } = cells;
    const width = this.#width;
    let start = Number.POSITIVE_INFINITY;
    let end = 0;
    let sum = 0;
    for (let i = 0; i < width; i++) {
      const cell = from[i] as number;
      if (cell < 0) continue;
      start = Math.min(start, cell);
      end = Math.max(end, to[i] as number);
      sum += (to[i] as number) - cell;
    }
    const isDense = end - start <= sum + width * GAP;
    const size = sum === 0 ? 0 : isDense ? end - start : sum;
    this.#reserve(size);
    if (isDense) this.#copyAll(cells, Number.isFinite(start) ? start : 0, end);
    else this.#copyEach(cells);
    this.count++;
    this.#unleased += size + width * 8;
    if (this.#unleased < LEASE_STEP) return;
    this.#lease.grow(this.#unleased);
    this.#flow?.spend(this.#unleased);
    this.#unleased = 0;
  }

  #copyAll({ bytes, from, to }: Cells, start: number, end: number): void {
    const width = this.#width;
    const shift = this.#length - start;
    let place = this.count * width;
    for (let i = 0; i < width; i++, place++) {
      const isNull = (from[i] as number) < 0;
      this.#from[place] = isNull ? -1 : (from[i] as number) + shift;
      this.#to[place] = isNull ? -1 : (to[i] as number) + shift;
    }
    this.#copy(bytes, start, end);
  }

  /** Numbers decoded from binary are stored far away from the text cells of their row. */
  #copyEach({ bytes, from, to }: Cells): void {
    const width = this.#width;
    let place = this.count * width;
    for (let i = 0; i < width; i++, place++) {
      const start = from[i] as number;
      this.#from[place] = start < 0 ? -1 : this.#length;
      if (start >= 0) this.#copy(bytes, start, to[i] as number);
      this.#to[place] = start < 0 ? -1 : this.#length;
    }
  }

  #copy(source: Buffer, start: number, end: number): void {
    const { bytes } = this;
    let at = this.#length;
    if (end - start > SHORT_COPY) source.copy(bytes, at, start, end);
    else for (let i = start; i < end; i++) bytes[at++] = source[i] as number;
    this.#length += Math.max(end - start, 0);
  }

  /** Total size of all rows in bytes. */
  get length(): number {
    return this.#length;
  }

  cells(row: number): Cells {
    const start = row * this.#width;
    const end = start + this.#width;
    return { bytes: this.bytes, from: this.#from.subarray(start, end), to: this.#to.subarray(start, end) };
  }

  /** Offset of a cell; negative for NULL. */
  from(row: number, column: number): number {
    return this.#from[row * this.#width + column] as number;
  }

  to(row: number, column: number): number {
    return this.#to[row * this.#width + column] as number;
  }

  /** Returns the buffer to its pool. */
  release(): void {
    this.#buffer.release();
    this.bytes = NO_BYTES;
  }

  #reserve(size: number): void {
    if (this.#length + size > this.bytes.length) {
      const larger = acquireBuffer(Math.max(this.bytes.length * 2, this.#length + size));
      this.bytes.copy(larger.bytes, 0, 0, this.#length);
      this.#buffer.release();
      this.#buffer = larger;
      this.bytes = larger.bytes;
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
