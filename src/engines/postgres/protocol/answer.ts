/**
 * The response to one statement: checks the order of its messages and passes rows on as cells,
 * without copying. Violations are thrown as `malformed`. Must not use sockets or deadlines.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../../model/cells.ts';
import type { Statement, StatementParam } from '../../../sql/statement.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import { viewOf } from '../../../util/bytes/byte-writer.ts';
import { StatementBackpressure } from '../../contract/backpressure.ts';
import { DbFailure, type Outcome, type RunOptions, type StatementEffect } from '../../contract/engine.ts';
import { checkRowCount, malformed } from '../../contract/limits.ts';
import { columnsOf, otherColumns } from '../../driver-kit/check-result-columns.ts';
import { baseType, type Repair, repairsFor } from '../types/base-types.ts';
import { type Field, RECEIVED } from './incoming.ts';

/** A statement that is prepared on the server. */
export interface Prepared {
  readonly name: string;
  /** From the server's description. `undefined` for a statement that returns no rows. */
  columns: readonly ResultColumn[] | undefined;
  repairs: readonly (Repair | undefined)[] | undefined;
  /** The columns of the last plan that matched the description. */
  confirmed: readonly ResultColumn[] | undefined;
  /** `true` once the server has accepted it. */
  parsed: boolean;
  /** `true` once the server has described its result. */
  described: boolean;
}

/** Makes a statement that the server has not parsed yet. */
export function unparsed(name: string): Prepared {
  return { name, columns: undefined, repairs: undefined, confirmed: undefined, parsed: false, described: false };
}

/** A statement that was sent. A simple query is text only and cannot be prepared. */
export interface QuerySent {
  readonly statement: Statement | undefined;
  readonly params: readonly StatementParam[];
  readonly prepared: Prepared | undefined;
  /** `true` if it was prepared for an earlier run, since when its tables may have changed. */
  readonly reused: boolean;
  /** `true` if a BEGIN was sent with it, before the same Sync. */
  readonly begins: boolean;
  /** `false` if it is only described. */
  readonly runs: boolean;
  /** `true` if the server acknowledges that it has begun to read what was sent. */
  readonly isProbed: boolean;
  readonly sink: RowSink | undefined;
  readonly signal: RunOptions['signal'];
  /** Statements of other callers follow: a sink that rejects its rows ends this one only. */
  readonly isPipelined: boolean;
}

export const SIMPLE: QuerySent = {
  statement: undefined,
  params: [],
  prepared: undefined,
  reused: false,
  begins: false,
  runs: true,
  isProbed: false,
  sink: undefined,
  signal: undefined,
  isPipelined: false,
};

/** Approximate size: the names twice, and the overhead of a column. */
const MAX_DESCRIBED_BYTES = 1024 * 1024;
const BYTES_PER_COLUMN = 100;
/**
 * Keyed by types and names, because connections to a thousand databases may describe the same
 * columns.
 */
const describedColumns = new BoundedMap<string, readonly ResultColumn[]>(MAX_DESCRIBED_BYTES, {
  sizeOf: ({ length }, key) => 2 * key.length + BYTES_PER_COLUMN * (1 + length),
});

function resultColumns(fields: readonly Field[]): readonly ResultColumn[] {
  let key = '';
  for (const { name, type } of fields) key += `${type} ${name}\0`;
  const known = describedColumns.get(key);
  if (known !== undefined) return known;
  const columns = fields.map(({ name, type }) => ({ name, kind: baseType(type).kind }));
  describedColumns.set(key, columns);
  return columns;
}

/** The cells that all rows of a connection reuse, one row after the other. */
export interface RowCells {
  cells: Cells;
}

/** The place of a response on its connection. */
interface Place {
  /**
   * ReadyForQuery messages to expect: for the statement, its BEGIN, and what was sent before them.
   */
  readonly ready: number;
  readonly shown: RowCells;
  readonly source: Backpressure;
  /** Number of the write that contains its last byte. */
  readonly write: number;
}

/** The messages that answer a BEGIN. */
const BEGIN_RESPONSES: readonly number[] = [RECEIVED.parseComplete, RECEIVED.bindComplete, RECEIVED.commandComplete];

const NO_REPAIRS: readonly (Repair | undefined)[] = [];

export class QueryAnswer {
  readonly asked: QuerySent;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (failure: DbFailure) => void;
  /**
   * ReadyForQuery messages still to come: one for each Sync that was sent, and one for the end of
   * its BEGIN.
   */
  ready: number;
  failure: DbFailure | undefined = undefined;
  /** Why the statement was cancelled. The server has yet to report how it ended. */
  stopped: DbFailure | undefined = undefined;
  /** `true` once values and tables fit the statement. Before that none of it has run. */
  bound = false;
  /** `true` once the server has responded to any of it. */
  reached = false;
  readonly write: number;
  readonly #shown: RowCells;
  readonly #source: Backpressure;
  #flow: StatementBackpressure | undefined = undefined;
  #repairs: readonly (Repair | undefined)[] | undefined = undefined;
  /**
   * Columns of each row once the sink has started. -1 while a row is not allowed: before the start,
   * and after the last row.
   */
  #width = -1;
  #started = false;
  /** `true` once the server has reported the outcome, before ReadyForQuery. */
  #completed = false;
  #selected = false;
  #copyRefused = false;
  #begun = 0;
  /**
   * `true` if something sent before the statement (settings) failed, and the statement ran
   * nevertheless.
   */
  #failedEarly = false;
  #rows = 0;

  constructor(
    asked: QuerySent,
    { ready, shown, source, write }: Place,
    resolve: (outcome: Outcome) => void,
    reject: (failure: DbFailure) => void,
  ) {
    this.asked = asked;
    this.ready = ready;
    this.write = write;
    this.#shown = shown;
    this.#source = source;
    this.resolve = resolve;
    this.reject = reject;
  }

  /**
   * Checks only the end of the row: the sizes of its cells are not negative, so if they add up to
   * the message, each cell lies inside it. Throws `RejectedRow` if the sink rejects the row.
   */
  row(bytes: Buffer, start: number, end: number): void {
    if (this.failure !== undefined) return;
    this.#rows++;
    const { sink } = this.asked;
    if (sink === undefined) return;
    if (this.#width < 0 && !this.#start()) return;
    const { cells } = this.#shown;
    const { from, to } = cells;
    const view = viewOf(bytes);
    const count = end - start < 2 ? -1 : view.getUint16(start);
    if (count !== this.#width) throw malformed(`a row of ${count} columns where ${this.#width} were described`);
    let at = start + 2;
    for (let i = 0; i < count; i++) {
      const size = view.getInt32(at);
      at += 4;
      if (size < 0) {
        if (size !== -1) throw malformed(`a cell of ${size} bytes`);
        from[i] = -1;
        continue;
      }
      from[i] = at;
      at += size;
      to[i] = at;
    }
    if (at !== end) throw malformed(`cells of ${at - start} bytes in a row of ${end - start}`);
    const repairs = this.#repairs;
    if (repairs !== undefined) {
      for (let i = 0; i < count; i++) {
        const repair = repairs[i];
        if (repair !== undefined && (from[i] as number) >= 0) to[i] = repair(bytes, from[i] as number, to[i] as number);
      }
    }
    cells.bytes = bytes;
    try {
      sink.row(cells);
    } catch (error) {
      this.#rejected(error);
    }
  }

  /** A statement that returned rows cannot be retried unnoticed. */
  get hasRows(): boolean {
    return this.#rows > 0;
  }

  /**
   * Handles the responses to the BEGIN in their order. If it fails, the server skips the statement.
   */
  begun(type: number): boolean {
    if (!this.asked.begins || this.ready !== 2) return false;
    if (type === RECEIVED.error) this.ready = 1;
    if (type !== BEGIN_RESPONSES[this.#begun]) {
      if (type === RECEIVED.ready || BEGIN_RESPONSES.includes(type)) throw outOfOrder(type);
      return false;
    }
    if (++this.#begun === BEGIN_RESPONSES.length) this.ready = 1;
    return true;
  }

  parsed(): void {
    const { prepared } = this.asked;
    if (prepared === undefined || prepared.parsed || this.ready !== 1) throw outOfOrder(RECEIVED.parseComplete);
    prepared.parsed = true;
  }

  /** Handles a description. Without fields: the statement returns no rows. */
  described(fields: readonly Field[] | undefined): void {
    const { prepared } = this.asked;
    // The rows of a simple query (RESET and the like) are ignored.
    if (prepared === undefined) return;
    if (prepared.described || this.ready !== 1) throw outOfOrder(RECEIVED.rowDescription);
    prepared.described = true;
    prepared.columns = fields && resultColumns(fields);
  }

  /** `SELECT 20`, `INSERT 0 3`, `UPDATE 7`: the last word is the number of rows. */
  completed(bytes: Buffer, from: number, to: number): void {
    if (this.ready !== 1) return;
    const { prepared, statement, sink } = this.asked;
    if (this.#completed && prepared !== undefined) throw outOfOrder(RECEIVED.commandComplete);
    this.#selected = prepared?.columns !== undefined || statement?.columns !== undefined;
    if (this.#selected && sink !== undefined && !this.#started && this.failure === undefined) this.#start();
    this.#completed = true;
    this.#width = -1;
    if (!this.#selected) this.#rows = countIn(bytes, from, to);
  }

  /**
   * Allows one request for data: each is answered, so a server that does not read could fill our
   * memory with answers.
   */
  refuseCopy(): void {
    if (this.#copyRefused || this.#completed || this.ready !== 1) throw outOfOrder(RECEIVED.copyIn);
    this.#copyRefused = true;
  }

  failed(failure: DbFailure): void {
    this.#failedEarly ||= this.failure === undefined && this.ready > 1;
    this.failure ??= failure;
    this.#width = -1;
  }

  /** Fails the statement and ignores the rest of its rows. */
  giveUp(failure: DbFailure): void {
    this.failed(failure);
    this.letGo();
  }

  #rejected(cause: unknown): void {
    const failure = new RejectedRow(cause);
    if (!this.asked.isPipelined) throw failure;
    this.giveUp(failure);
  }

  /** Handles ReadyForQuery. Returns `false` if responses to other messages are still to come. */
  isOver(): boolean {
    if (this.ready > 1) {
      this.ready--;
      return false;
    }
    // An incomplete result must not look like a complete one.
    if (!this.#completed && this.failure === undefined && this.asked.runs) throw malformed('a result without its end');
    return true;
  }

  /** Ends the sink's control over the flow of the connection. */
  letGo(): void {
    this.#flow?.end();
  }

  settle(): void {
    this.letGo();
    const { stopped } = this;
    const failure = this.#failedEarly && this.#completed ? this.failure?.withEffect('unknown') : this.failure;
    if (failure === undefined) this.resolve({ rows: this.#rows, selected: this.#selected });
    else if (stopped === undefined || failure.kind === 'cancelled') this.reject(failure);
    // The statement was cancelled, and the server confirms that it ended without effect.
    else this.reject(new DbFailure(stopped.kind, stopped.message, { code: failure.code, cause: failure, effect: failure.effect }));
  }

  /** Handles the loss of the connection, which may follow the server's reason for it. */
  lost(effect: StatementEffect): void {
    const { failure } = this;
    const stopped = this.stopped?.kind === 'preempted' ? undefined : this.stopped;
    if (failure === undefined) this.reject(stopped ?? new DbFailure('lost', 'the connection to the database was lost', { effect }));
    else this.reject(failure.kind === 'lost' ? this.#ended(failure) : failure);
  }

  /**
   * Adds the effect of a session end to a failure. A server that reports why it ends a session has
   * ended the statement with it, though perhaps not its commit. It may have waited for a lock
   * before the first response, so only a missing acknowledgement proves that it read nothing.
   */
  #ended(failure: DbFailure): DbFailure {
    if (this.#completed) return failure.withEffect('unknown');
    return this.asked.isProbed && !this.reached ? failure.withEffect('unsent') : failure;
  }

  /**
   * Starts the sink. Returns `false` if the columns differ from the plan and must not be sent on.
   */
  #start(): boolean {
    const { prepared, statement, sink } = this.asked;
    const described = prepared?.columns;
    if (this.#started || this.#completed || this.ready !== 1) throw outOfOrder(RECEIVED.dataRow);
    if (prepared === undefined || statement === undefined || described === undefined) throw malformed('rows that it has not described');
    const isKnown = statement.columns !== undefined && statement.columns === prepared.confirmed;
    const columns = isKnown ? statement.columns : columnsOf(statement, described);
    this.#started = true;
    if (columns === undefined) {
      this.failed(otherColumns());
      return false;
    }
    if (columns === statement.columns) prepared.confirmed = columns;
    prepared.repairs ??= repairsFor(described) ?? NO_REPAIRS;
    this.#repairs = prepared.repairs === NO_REPAIRS ? undefined : prepared.repairs;
    const width = described.length;
    this.#width = width;
    const { cells } = this.#shown;
    if (cells.from.length < width) this.#shown.cells = { bytes: cells.bytes, from: new Int32Array(width), to: new Int32Array(width) };
    this.#flow = new StatementBackpressure(this.#source);
    try {
      sink?.start(columns, this.#flow);
    } catch (error) {
      this.#rejected(error);
      return false;
    }
    return true;
  }
}

/** Failure of a row sink, for which the server is not to blame. */
export class RejectedRow extends DbFailure {
  constructor(cause: unknown) {
    super('cancelled', 'the rows could not be taken', { cause });
  }
}

export function outOfOrder(type: number): DbFailure {
  return malformed(`a message of type 0x${type.toString(16)} out of order`);
}

/** More digits than any count has. */
const MAX_DIGITS = 25;

function countIn(bytes: Buffer, from: number, to: number): number {
  let rows = 0;
  let scale = 1;
  for (let at = to - 2; at >= from && at > to - 2 - MAX_DIGITS; at--) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) break;
    rows += digit * scale;
    scale *= 10;
  }
  return checkRowCount(rows);
}
