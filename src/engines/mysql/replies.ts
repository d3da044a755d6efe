/**
 * The answers of the server to our commands: done, prepared, rows. Each takes its packets one by one and keeps what came of them.
 * Knows the protocol; refuses to know sockets and time.
 */
import type { Flow, ResultColumn, RowSink } from '../../model/cells.ts';
import { DbFailure } from '../engine.ts';
import { StatementFlow } from '../flow.ts';
import { Cursor } from './bytes.ts';
import { readColumn, readShape, type WireColumn } from './columns.ts';
import { lostFailure, serverFailure } from './failures.ts';
import { RowReader, SPARE_PER_COLUMN } from './rows.ts';
import type { Reply } from './wire.ts';

const OK = 0x00;
const LOCAL_INFILE = 0xfb;
const EOF = 0xfe;
const ERROR = 0xff;
const EOF_MOST = 9;
const MORE_RESULTS = 0x0008;
/** MySQL answers with a plain OK, which is shorter, when it swallows an error while preparing (SET GLOBAL without the privilege). */
const PREPARED_LEAST = 12;
/** MySQL's own limit of columns in a result. */
const COLUMNS_MOST = 4096;

function readError(bytes: Buffer, from: number, to: number): DbFailure {
  const cursor = new Cursor(bytes, from + 1, to);
  const code = cursor.u16();
  const hasState = bytes[cursor.at] === 0x23;
  const state = hasState ? bytes.toString('latin1', cursor.at + 1, cursor.at + 6) : '';
  if (hasState) cursor.at += 6;
  return serverFailure(code, state, cursor.rest());
}

/** An answer that says only whether it worked. */
export class DoneReply implements Reply {
  failure: DbFailure | undefined;

  packet(bytes: Buffer, from: number, to: number): boolean {
    const marker = bytes[from];
    if (marker === ERROR) this.failure = readError(bytes, from, to);
    else if (marker !== OK) throw lostFailure('The database answered with rows where none were asked for');
    return true;
  }
}

/** The answer to a prepare command: an id, then descriptions that nobody needs yet. */
export class PreparedReply implements Reply {
  failure: DbFailure | undefined;
  id = 0;
  parameters = 0;
  #skip = -1;

  packet(bytes: Buffer, from: number, to: number): boolean {
    if (this.#skip >= 0) return --this.#skip === 0;
    if (bytes[from] === ERROR) {
      this.failure = readError(bytes, from, to);
      return true;
    }
    if (to - from < PREPARED_LEAST) {
      this.failure = new DbFailure('denied', 'The database did not prepare the statement; most likely the privilege for it is missing');
      return true;
    }
    const cursor = new Cursor(bytes, from + 1, to);
    this.id = cursor.u32();
    const columns = cursor.u16();
    this.parameters = cursor.u16();
    // Each list of descriptions ends with an EOF packet; an empty list has none.
    this.#skip = (columns > 0 ? columns + 1 : 0) + (this.parameters > 0 ? this.parameters + 1 : 0);
    return this.#skip === 0;
  }
}

type Stage = 'head' | 'columns' | 'rows';

/** What a result needs of the connection that it comes over. */
interface Source extends Flow {
  reserve(spare: number): void;
}

/** The answer to an execute command: a count, or rows; of several results (procedures) the first one with rows counts. */
export class ResultReply implements Reply {
  failure: DbFailure | undefined;
  /** What the sink threw; the connection is of no use then. */
  sinkError: unknown;
  affected = 0;
  info = '';
  rows = 0;
  selected = false;
  /** Rows that went nowhere because nobody wanted them any more. */
  dropped = false;
  readonly #columns: readonly ResultColumn[] | undefined;
  readonly #source: Source;
  readonly #flow: StatementFlow;
  #sink: RowSink | undefined;
  #stage: Stage = 'head';
  #awaited = 0;
  #first = true;
  #shapes: WireColumn[] = [];
  #described: ResultColumn[] = [];
  #reader: RowReader | undefined;

  constructor(columns: readonly ResultColumn[] | undefined, source: Source, sink: RowSink | undefined) {
    this.#columns = columns;
    this.#source = source;
    this.#flow = new StatementFlow(source);
    this.#sink = sink;
  }

  /** From now on rows are read and dropped. */
  abandon(): void {
    if (this.#sink !== undefined) this.dropped = true;
    this.#sink = undefined;
    this.finish();
  }

  /** From now on whoever took the rows has no say in the connection's flow. */
  finish(): void {
    this.#flow.end();
  }

  packet(bytes: Buffer, from: number, to: number, spare: number): boolean {
    if (this.#stage === 'rows' && bytes[from] === OK) {
      this.#row(bytes, from, to, spare);
      return false;
    }
    if (bytes[from] === ERROR) {
      this.failure = readError(bytes, from, to);
      return true;
    }
    switch (this.#stage) {
      case 'head':
        return this.#head(bytes, from, to);
      case 'columns':
        return this.#column(bytes, from, to);
      case 'rows':
        return this.#end(bytes, from, to);
    }
  }

  #row(bytes: Buffer, from: number, to: number, spare: number): void {
    if (!this.#first) return;
    this.rows++;
    if (this.#sink === undefined || this.#reader === undefined) return;
    this.#reader.read(bytes, from, to, spare);
    try {
      this.#sink.row(this.#reader.cells);
    } catch (error) {
      this.#sinkFailed(error);
    }
  }

  #sinkFailed(error: unknown): never {
    this.sinkError = error;
    throw lostFailure('Whoever was given the rows could not take them', error);
  }

  #head(bytes: Buffer, from: number, to: number): boolean {
    const marker = bytes[from];
    const cursor = new Cursor(bytes, from, to);
    if (marker === LOCAL_INFILE)
      throw new DbFailure('other', 'The database asked for a file of this machine; it was refused', { code: 'LOCAL_INFILE' });
    if (marker === OK) {
      cursor.u8();
      const affected = cursor.length();
      cursor.length();
      const status = cursor.u16();
      cursor.u16();
      if (this.#first) this.affected = affected;
      if (this.#first && cursor.at < cursor.end) this.info = cursor.text();
      return (status & MORE_RESULTS) === 0;
    }
    this.#awaited = cursor.length();
    if (this.#awaited > COLUMNS_MOST) throw lostFailure('The database announced more columns than there can be');
    this.selected = true;
    this.#stage = 'columns';
    return false;
  }

  #column(bytes: Buffer, from: number, to: number): boolean {
    if (this.#awaited > 0) {
      this.#awaited--;
      if (!this.#first) return false;
      this.#shapes.push(readShape(bytes, to));
      if (this.#columns === undefined) this.#described.push(readColumn(bytes, from, to));
      return false;
    }
    this.#stage = 'rows';
    if (this.#first) this.#start();
    return false;
  }

  #start(): void {
    const columns = this.#columns ?? this.#described;
    if (columns.length !== this.#shapes.length) throw lostFailure('The result has another number of columns than its statement');
    this.#reader = new RowReader(this.#shapes);
    this.#source.reserve(SPARE_PER_COLUMN * columns.length);
    try {
      this.#sink?.start(columns, this.#flow);
    } catch (error) {
      this.#sinkFailed(error);
    }
  }

  #end(bytes: Buffer, from: number, to: number): boolean {
    if (bytes[from] !== EOF || to - from >= EOF_MOST) throw lostFailure('The database sent something that is no row');
    this.#stage = 'head';
    this.#first = false;
    return (bytes.readUInt16LE(from + 3) & MORE_RESULTS) === 0;
  }
}
