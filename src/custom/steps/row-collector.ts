/**
 * Collects rows that a later step reads, as plain values: ints exact at any size, decimals as digits, JSON parsed, bytes in base64, times as text.
 * Bounded: a result larger than the definition allows is refused before it fills the memory.
 */
import { BudgetError } from '../../lang/budget.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Kind } from '../../model/table.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import { PacedFlow } from '../../util/concurrency/paced-flow.ts';
import { parseJson } from '../../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';

type ReadCell = (bytes: Buffer, from: number, to: number) => PlainValue;

const text: ReadCell = (bytes, from, to) => bytes.toString('utf8', from, to);
const SMALL = 15;

function integer(digits: string): PlainValue {
  if (digits.length <= SMALL) return Number(digits);
  const big = BigInt(digits);
  const small = Number(big);
  return Number.isSafeInteger(small) ? small : big;
}

const INTEGRAL = /^-?\d+$/;

/** A decimal without a fraction is a whole number, with all its digits. */
const decimal: ReadCell = (bytes, from, to) => {
  const digits = bytes.toString('latin1', from, to);
  return INTEGRAL.test(digits) ? integer(digits) : new Decimal(digits);
};

/** A float keeps its text where a number would be written otherwise, and where it would be taken for an int. */
const float: ReadCell = (bytes, from, to) => {
  const digits = bytes.toString('latin1', from, to);
  const value = Number(digits);
  if (!Number.isFinite(value)) return value;
  return String(value) === digits && !Number.isInteger(value) ? value : new Decimal(digits);
};

const MOST_DEPTH = 512;

const READERS: Readonly<Record<Kind, ReadCell>> = {
  int: (bytes, from, to) => integer(bytes.toString('latin1', from, to)),
  decimal,
  float,
  bool: (bytes, from) => bytes[from] === 0x74,
  text,
  enum: text,
  set: text,
  uuid: text,
  date: text,
  time: text,
  timestamp: text,
  timestamptz: text,
  bytes: (bytes, from, to) => bytes.toString('base64', from, to),
  json: (bytes, from, to) => parseJson(bytes.subarray(from, to), { maxDepth: MOST_DEPTH, repeatedKeys: 'last' }),
  other: text,
};

/** What a row and a cell take beside their bytes. */
const ROW_BYTES = 120;
const CELL_BYTES = 40;

/** Memory is taken, and the event loop's time counted, whenever so much was collected. */
const STRETCH = 64 * 1024;

export class RowCollector implements RowSink {
  readonly rows: PlainMap[] = [];
  readonly #memoryMb: number;
  readonly #lease: MemoryLease;
  #flow: PacedFlow | undefined;
  /** What was collected since the lease grew. */
  #unleased = 0;
  #left: number;
  #columns: readonly { readonly name: string; readonly read: ReadCell }[] = [];

  constructor(memoryMb: number, lease: MemoryLease) {
    this.#lease = lease;
    this.#memoryMb = memoryMb;
    this.#left = memoryMb * 1024 * 1024;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#flow = new PacedFlow(flow, this.#lease.owner);
    this.#columns = columns.map(({ name, kind }) => ({ name, read: READERS[kind] }));
  }

  row({ bytes, from, to }: Cells): void {
    const row: PlainMap = new Map();
    let size = ROW_BYTES;
    for (let i = 0; i < this.#columns.length; i++) {
      const { name, read } = this.#columns[i] as { name: string; read: ReadCell };
      const start = from[i] as number;
      const end = to[i] as number;
      size += CELL_BYTES + (start < 0 ? 0 : end - start);
      row.set(name, start < 0 ? null : read(bytes, start, end));
    }
    this.#left -= size;
    if (this.#left < 0)
      throw new BudgetError('memory', `its rows need more than ${this.#memoryMb} MiB; select fewer, or raise config.limits.memory_mb`);
    this.rows.push(row);
    this.#unleased += size;
    if (this.#unleased >= STRETCH) this.#settle();
  }

  /** Results of less than a stretch, which are nearly all, count nothing. */
  #settle(): void {
    this.#lease.grow(this.#unleased);
    this.#flow?.spend(this.#unleased);
    this.#unleased = 0;
  }
}
