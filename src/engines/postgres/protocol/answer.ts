/**
 * The server's answer to one statement: checks which message may follow which, and passes rows on as cells, in place. A violation is thrown as a
 * failure of kind `malformed`. Knows no sockets, no deadlines, and nothing of what is sent.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../../model/cells.ts';
import type { Statement, StatementParam } from '../../../sql/statement.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import { viewOf } from '../../../util/bytes/byte-writer.ts';
import { StatementBackpressure } from '../../contract/backpressure.ts';
import { DbFailure, type Outcome, type RunOptions, type StatementEffect } from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';
import { columnsOf, otherColumns } from '../../driver-kit/check-result-columns.ts';
import { baseType, type Repair, repairsFor } from '../types/base-types.ts';
import { type Field, RECEIVED } from './incoming.ts';

/** A statement that the server keeps under a name. */
export interface Prepared {
  readonly name: string;
  /** From the server's description; undefined for a statement that returns no rows. */
  columns: readonly ResultColumn[] | undefined;
  repairs: readonly (Repair | undefined)[] | undefined;
  /** The columns of the last plan that agreed with the description. */
  confirmed: readonly ResultColumn[] | undefined;
  /** Has the server accepted it? */
  parsed: boolean;
  /** Has it said what it returns? */
  described: boolean;
}

/** A statement of which the server has said nothing. */
export function asYetUnknown(name: string): Prepared {
  return { name, columns: undefined, repairs: undefined, confirmed: undefined, parsed: false, described: false };
}

/** A statement as it was asked for; a simple one is nothing but its text, which is on its way. */
export interface QuerySent {
  readonly statement: Statement | undefined;
  readonly params: readonly StatementParam[];
  readonly prepared: Prepared | undefined;
  /** Was it prepared for an earlier run, when its tables may have been others? */
  readonly reused: boolean;
  /** Did a BEGIN travel with it, in the same piece? */
  readonly begins: boolean;
  /** Or is it only to be looked at? */
  readonly runs: boolean;
  readonly sink: RowSink | undefined;
  readonly signal: RunOptions['signal'];
}

export const SIMPLE: QuerySent = {
  statement: undefined,
  params: [],
  prepared: undefined,
  reused: false,
  begins: false,
  runs: true,
  sink: undefined,
  signal: undefined,
};

/** About so many bytes: the names twice, and what a column takes besides. */
const MOST_DESCRIBED = 1024 * 1024;
const BYTES_A_COLUMN = 100;
/** By types and names: connections of a thousand databases describe the same. */
const describedLately = new BoundedMap<string, readonly ResultColumn[]>(MOST_DESCRIBED, {
  sizeOf: ({ length }, key) => 2 * key.length + BYTES_A_COLUMN * (1 + length),
});

function resultColumns(fields: readonly Field[]): readonly ResultColumn[] {
  let key = '';
  for (const { name, type } of fields) key += `${type} ${name}\0`;
  const known = describedLately.get(key);
  if (known !== undefined) return known;
  const columns = fields.map(({ name, type }) => ({ name, kind: baseType(type).kind }));
  describedLately.set(key, columns);
  return columns;
}

/** The cells that all rows of a connection are shown in, one after the other. */
export interface Shown {
  cells: Cells;
}

/** Where on its connection an answer comes. */
interface Place {
  /** Pieces that are answered: the statement, its BEGIN, and what was sent before them. */
  readonly ready: number;
  readonly shown: Shown;
  readonly source: Backpressure;
  /** Do answers of other callers come behind it? Then a sink that takes no rows ends only its own. */
  readonly isPipelined: boolean;
}

/** How a BEGIN is answered. */
const BEGUN: readonly number[] = [RECEIVED.parseComplete, RECEIVED.bindComplete, RECEIVED.commandComplete];

const NO_REPAIRS: readonly (Repair | undefined)[] = [];

export class QueryAnswer {
  readonly asked: QuerySent;
  readonly isPipelined: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (failure: DbFailure) => void;
  /** Ready messages still to come: one for each piece that was sent, and the end of its BEGIN. */
  ready: number;
  failure: DbFailure | undefined = undefined;
  /** Why it was told to stop; the server's word on how it ended is awaited. */
  stopped: DbFailure | undefined = undefined;
  /** Values and tables fit the statement; before that nothing of it has run. */
  bound = false;
  readonly #shown: Shown;
  readonly #source: Backpressure;
  #flow: StatementBackpressure | undefined = undefined;
  #repairs: readonly (Repair | undefined)[] | undefined = undefined;
  /** Columns of each row once the sink has heard of them; -1 while no row may come: before that, and after the last one. */
  #width = -1;
  #started = false;
  /** The server has said how the statement ended, and has yet to say that it is ready. */
  #completed = false;
  #selected = false;
  #copyRefused = false;
  #begun = 0;
  /** What failed was sent before the statement (settings), which has run all the same. */
  #failedEarly = false;
  #rows = 0;

  constructor(
    asked: QuerySent,
    { ready, shown, source, isPipelined }: Place,
    resolve: (outcome: Outcome) => void,
    reject: (failure: DbFailure) => void,
  ) {
    this.asked = asked;
    this.ready = ready;
    this.isPipelined = isPipelined;
    this.#shown = shown;
    this.#source = source;
    this.resolve = resolve;
    this.reject = reject;
  }

  /**
   * The sizes of the cells are taken as they stand, and compared with the message once: none is negative, so when they end where the message
   * ends, all of them lie inside. Throws `untaken` when the sink does not want the row.
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
      this.#untaken(error);
    }
  }

  /** Then it could not be run again as if nothing had happened. */
  get hasRows(): boolean {
    return this.#rows > 0;
  }

  /** Takes what answers the BEGIN, step by step. When that fails, the server has passed over the statement. */
  begun(type: number): boolean {
    if (!this.asked.begins || this.ready !== 2) return false;
    if (type === RECEIVED.error) this.ready = 1;
    if (type !== BEGUN[this.#begun]) {
      if (type === RECEIVED.ready || BEGUN.includes(type)) throw outOfOrder(type);
      return false;
    }
    if (++this.#begun === BEGUN.length) this.ready = 1;
    return true;
  }

  parsed(): void {
    const { prepared } = this.asked;
    if (prepared === undefined || prepared.parsed || this.ready !== 1) throw outOfOrder(RECEIVED.parseComplete);
    prepared.parsed = true;
  }

  /** Without fields: the statement returns no rows. */
  described(fields: readonly Field[] | undefined): void {
    const { prepared } = this.asked;
    // A simple statement (RESET and the like) has rows that nobody wants.
    if (prepared === undefined) return;
    if (prepared.described || this.ready !== 1) throw outOfOrder(RECEIVED.rowDescription);
    prepared.described = true;
    prepared.columns = fields && resultColumns(fields);
  }

  /** `SELECT 20`, `INSERT 0 3`, `UPDATE 7`: the last word counts the rows. */
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

  /** Each request for data is answered, so there is one: else a server that does not read would fill our memory with answers. */
  refuseCopy(): void {
    if (this.#copyRefused || this.#completed || this.ready !== 1) throw outOfOrder(RECEIVED.copyIn);
    this.#copyRefused = true;
  }

  failed(failure: DbFailure): void {
    this.#failedEarly ||= this.failure === undefined && this.ready > 1;
    this.failure ??= failure;
    this.#width = -1;
  }

  /** Nobody wants the rest of it. */
  giveUp(failure: DbFailure): void {
    this.failed(failure);
    this.letGo();
  }

  #untaken(cause: unknown): void {
    const failure = new Untaken(cause);
    if (!this.isPipelined) throw failure;
    this.giveUp(failure);
  }

  /** The server is ready. False when there are answers to other pieces to come. */
  isOver(): boolean {
    if (this.ready > 1) {
      this.ready--;
      return false;
    }
    // Rows without an end would look like all of them.
    if (!this.#completed && this.failure === undefined && this.asked.runs) throw malformed('no end of the statement');
    return true;
  }

  /** Whoever took the rows has no say in the connection's flow any more. */
  letGo(): void {
    this.#flow?.end();
  }

  settle(): void {
    this.letGo();
    const { stopped } = this;
    const failure = this.#failedEarly && this.#completed ? this.failure?.withEffect('unknown') : this.failure;
    if (failure === undefined) this.resolve({ rows: this.#rows, selected: this.#selected });
    else if (stopped === undefined) this.reject(failure);
    // It was told to stop, and the server confirms that it ended without effect.
    else this.reject(new DbFailure(stopped.kind, stopped.message, { code: failure.code, cause: failure, effect: failure.effect }));
  }

  /** The connection went away, perhaps after the server has said why. */
  lost(effect: StatementEffect): void {
    const { failure } = this;
    const stopped = this.stopped?.kind === 'preempted' ? undefined : this.stopped;
    if (failure === undefined) this.reject(stopped ?? new DbFailure('lost', 'the connection to the database was lost', { effect }));
    else this.reject(failure.kind === 'lost' ? this.#ended(failure) : failure);
  }

  /**
   * A server that says why it ends a session has ended the statement with it, though perhaps not its commit. A session that ended before the
   * statement was bound has never looked at it: the two crossed on the way.
   */
  #ended(failure: DbFailure): DbFailure {
    if (this.#completed) return failure.withEffect('unknown');
    return this.bound || this.asked.prepared === undefined ? failure : failure.withEffect('unsent');
  }

  /** Rows are about to come, or it is known that there are none. False when they are not what was planned for, and nobody shall see them. */
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
      this.#untaken(error);
      return false;
    }
    return true;
  }
}

/** Not the server's fault: whoever asked for the rows cannot take them. */
export class Untaken extends DbFailure {
  constructor(cause: unknown) {
    super('cancelled', 'the rows could not be taken', { cause });
  }
}

export function outOfOrder(type: number): DbFailure {
  return malformed(`a message of type 0x${type.toString(16)} out of order`);
}

/** Numbers of rows have at most so many digits. */
const MOST_DIGITS = 15;

function countIn(bytes: Buffer, from: number, to: number): number {
  let rows = 0;
  let scale = 1;
  for (let at = to - 2; at >= from && at > to - 2 - MOST_DIGITS; at--) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) break;
    rows += digit * scale;
    scale *= 10;
  }
  return rows;
}
