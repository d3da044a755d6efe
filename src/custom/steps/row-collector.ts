/**
 * Collects rows as plain values: exact integers, decimals as digits, parsed JSON, bytes in base64,
 * times as strings. Fails as soon as the rows exceed the memory limit of the definition.
 */
import { BudgetError } from '../../lang/budget.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Kind } from '../../model/table.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import { PacedFlow } from '../../util/concurrency/paced-flow.ts';
import { JsonError, parseJson } from '../../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';

type ReadCell = (bytes: Buffer, from: number, to: number) => PlainValue;

const string: ReadCell = (bytes, from, to) => bytes.toString('utf8', from, to);
/** Numbers with up to 15 digits are safe integers. */
const MAX_SAFE_DIGITS = 15;

function integer(digits: string): PlainValue {
  if (digits.length <= MAX_SAFE_DIGITS) return Number(digits);
  const big = BigInt(digits);
  const small = Number(big);
  return Number.isSafeInteger(small) ? small : big;
}

const INTEGRAL = /^-?\d+$/;

/** A decimal without a fraction becomes an exact integer. */
const decimal: ReadCell = (bytes, from, to) => {
  const digits = bytes.toString('latin1', from, to);
  return INTEGRAL.test(digits) ? integer(digits) : new Decimal(digits);
};

/**
 * A float keeps its digits if a number would print differently, or would be taken for an integer.
 */
const float: ReadCell = (bytes, from, to) => {
  const digits = bytes.toString('latin1', from, to);
  const value = Number(digits);
  if (!Number.isFinite(value)) return value;
  return String(value) === digits && !Number.isInteger(value) ? value : new Decimal(digits);
};

const MAX_DEPTH = 512;

/** Text that is not JSON remains text, as in the formats. */
function document(bytes: Buffer, from: number, to: number): PlainValue {
  try {
    return parseJson(bytes.subarray(from, to), { maxDepth: MAX_DEPTH, repeatedKeys: 'last' });
  } catch (error) {
    if (error instanceof JsonError) return string(bytes, from, to);
    throw error;
  }
}

const READERS: Readonly<Record<Kind, ReadCell>> = {
  int: (bytes, from, to) => integer(bytes.toString('latin1', from, to)),
  decimal,
  float,
  bool: (bytes, from) => bytes[from] === 0x74,
  text: string,
  enum: string,
  set: string,
  uuid: string,
  date: string,
  time: string,
  timestamp: string,
  timestamptz: string,
  bytes: (bytes, from, to) => bytes.toString('base64', from, to),
  json: document,
  other: string,
};

/** Estimated overhead of a row and of a cell. */
const ROW_BYTES = 120;
const CELL_BYTES = 40;

/** Memory and event-loop time are accounted for each time this many bytes were collected. */
const ACCOUNTING_BYTES = 64 * 1024;

export class RowCollector implements RowSink {
  readonly rows: PlainMap[] = [];
  readonly #memoryMb: number;
  readonly #lease: MemoryLease;
  #flow: PacedFlow | undefined;
  /** Bytes collected since the lease last grew. */
  #unleased = 0;
  #remaining: number;
  #columns: readonly { readonly name: string; readonly read: ReadCell }[] = [];

  constructor(memoryMb: number, lease: MemoryLease) {
    this.#lease = lease;
    this.#memoryMb = memoryMb;
    this.#remaining = memoryMb * 1024 * 1024;
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
    this.#remaining -= size;
    if (this.#remaining < 0)
      throw new BudgetError('memory', `its rows need more than ${this.#memoryMb} MiB; select fewer, or raise config.limits.memory_mb`);
    this.rows.push(row);
    this.#unleased += size;
    if (this.#unleased >= ACCOUNTING_BYTES) this.#account();
  }

  /** Small results, which are the rule, are never accounted for. */
  #account(): void {
    this.#lease.grow(this.#unleased);
    this.#flow?.spend(this.#unleased);
    this.#unleased = 0;
  }
}
