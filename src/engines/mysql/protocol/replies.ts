/**
 * Responses of the server to our commands: done, prepared, rows. Each handles its packets one by
 * one and keeps the result. No I/O.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../../model/cells.ts';
import type { Statement } from '../../../sql/statement.ts';
import { StatementBackpressure } from '../../contract/backpressure.ts';
import { DbFailure } from '../../contract/engine.ts';
import { checkColumns, checkRowCount, LIMITS, malformed } from '../../contract/limits.ts';
import { columnsOf, otherColumns } from '../../driver-kit/check-result-columns.ts';
import { lostFailure, serverFailure } from '../dialect/failures.ts';
import { Cursor } from './bytes.ts';
import { checkDefinition, readColumn, readPlanned, readShape, type WireColumn } from './columns.ts';
import { RowReader, SPARE_PER_COLUMN } from './rows.ts';
import type { Prepared } from './statements.ts';
import type { Reply } from './wire.ts';

const OK = 0x00;
const LOCAL_INFILE = 0xfb;
const EOF = 0xfe;
const ERROR = 0xff;
const EOF_SIZE = 5;
const STATE_MARK = 0x23;
const STATE_SIZE = 5;
const MORE_RESULTS = 0x0008;
/**
 * MySQL responds with a plain OK, which is shorter, if it ignores an error while preparing (SET
 * GLOBAL without the privilege).
 */
const MIN_PREPARED_SIZE = 12;

function readError(bytes: Buffer, from: number, to: number): DbFailure {
  const cursor = new Cursor(bytes, from + 1, to);
  const code = cursor.u16();
  const hasState = to - cursor.at > STATE_SIZE && bytes[cursor.at] === STATE_MARK;
  const state = hasState ? bytes.toString('latin1', cursor.at + 1, cursor.at + 1 + STATE_SIZE) : '';
  if (hasState) cursor.at += 1 + STATE_SIZE;
  return serverFailure(code, state, cursor.rest(LIMITS.errorText));
}

/** Reads the end of a list (mark, warnings, session state) and returns the session state. */
function readEnd(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== EOF || to - from !== EOF_SIZE) throw malformed('something other than the end of a list');
  return bytes.readUInt16LE(from + 3);
}

/** Returns the number of warnings in an OK packet. */
function readWarnings(bytes: Buffer, from: number, to: number): number {
  const cursor = new Cursor(bytes, from + 1, to);
  cursor.number();
  cursor.number();
  cursor.u16();
  return cursor.u16();
}

/** Response that only reports success or failure. */
export class DoneReply implements Reply {
  failure: DbFailure | undefined;
  warnings = 0;

  packet(bytes: Buffer, from: number, to: number): boolean {
    const marker = bytes[from];
    if (marker === ERROR) this.failure = readError(bytes, from, to);
    else if (marker !== OK) throw malformed('rows that were not requested');
    else this.warnings = readWarnings(bytes, from, to);
    return true;
  }
}

/** Response to a prepare command: an id, then definitions that are skipped. */
export class PreparedReply implements Reply {
  failure: DbFailure | undefined;
  id = 0;
  parameters = 0;
  #begun = false;
  /** Definitions still to come, each list with its end: of the parameters, then of the columns. */
  #lists: number[] = [];

  packet(bytes: Buffer, from: number, to: number): boolean {
    if (this.#begun) return this.#description(bytes, from, to);
    this.#begun = true;
    if (bytes[from] === ERROR) {
      this.failure = readError(bytes, from, to);
      return true;
    }
    if (bytes[from] !== OK) throw malformed('something other than a prepared statement');
    if (to - from < MIN_PREPARED_SIZE) {
      this.failure = new DbFailure('denied', 'The database did not prepare the statement; most likely the privilege for it is missing');
      return true;
    }
    const cursor = new Cursor(bytes, from + 1, to);
    this.id = cursor.u32();
    const columns = cursor.u16();
    this.parameters = cursor.u16();
    checkColumns(columns);
    this.#lists = [this.parameters, columns].filter((count) => count > 0);
    return this.#lists.length === 0;
  }

  /** Each list of definitions ends with an EOF packet; an empty list has none. */
  #description(bytes: Buffer, from: number, to: number): boolean {
    const left = this.#lists[0] ?? 0;
    if (left > 0) {
      checkDefinition(bytes, from, to);
      this.#lists[0] = left - 1;
      return false;
    }
    readEnd(bytes, from, to);
    this.#lists.shift();
    return this.#lists.length === 0;
  }
}

type Stage = 'head' | 'columns' | 'rows';

/** Connection of a result. */
interface Source extends Backpressure {
  reserve(spare: number): void;
}

/**
 * Response to an execute command: a count, or rows. Of several results (procedures), the first one
 * with rows is used.
 */
export class ResultReply implements Reply {
  failure: DbFailure | undefined;
  /**
   * The exception of the sink. It ends the connection, unless responses to other callers follow.
   */
  sinkError: unknown;
  affected = 0;
  generated: number | undefined;
  info = '';
  rows = 0;
  selected = false;
  /** `true` if rows were discarded. */
  dropped = false;
  readonly isPipelined: boolean;
  readonly #statement: Statement;
  readonly #prepared: Pick<Prepared, 'columns'>;
  readonly #source: Source;
  readonly #flow: StatementBackpressure;
  #sink: RowSink | undefined;
  #stage: Stage = 'head';
  #awaited = 0;
  #first = true;
  #definitionBytes = 0;
  #shapes: WireColumn[] = [];
  #described: ResultColumn[] = [];
  /** Columns that must be JSON, but that the result does not mark as JSON. */
  #unproven: number[] = [];
  #reader: RowReader | undefined;

  constructor(statement: Statement, prepared: Pick<Prepared, 'columns'>, source: Source, sink: RowSink | undefined, isPipelined: boolean) {
    this.#prepared = prepared;
    this.isPipelined = isPipelined;
    this.#statement = statement;
    this.#source = source;
    this.#flow = new StatementBackpressure(source);
    this.#sink = sink;
  }

  /** Reads and discards the rows from now on. */
  abandon(): void {
    if (this.#sink !== undefined) this.dropped = true;
    this.#sink = undefined;
    this.finish();
  }

  /** Ends the sink's control over the flow of the connection. */
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
    if (this.#unproven.length > 0 && !this.#unproven.every((i) => isJson(this.#reader?.cells, i))) {
      this.#refuse();
      return;
    }
    try {
      this.#sink.row(this.#reader.cells);
    } catch (error) {
      this.#sinkFailed(error);
    }
  }

  /** Discards the rows, which do not match the plan. */
  #refuse(): void {
    this.failure = otherColumns();
    this.#sink = undefined;
    this.finish();
  }

  #sinkFailed(error: unknown): void {
    this.sinkError = error;
    this.abandon();
    if (!this.isPipelined) throw lostFailure('The consumer of the rows failed', error);
  }

  #head(bytes: Buffer, from: number, to: number): boolean {
    const marker = bytes[from];
    const cursor = new Cursor(bytes, from, to);
    if (marker === LOCAL_INFILE) throw malformed('a request for a file of this machine (LOCAL INFILE), which was refused');
    if (marker === OK) {
      cursor.u8();
      const affected = checkRowCount(cursor.number());
      const generated = cursor.number();
      const status = cursor.u16();
      cursor.u16();
      if (this.#first) this.affected = affected;
      if (this.#first && Number.isSafeInteger(generated) && generated > 0) this.generated = generated;
      if (this.#first && cursor.at < cursor.end) this.info = cursor.text();
      if ((status & MORE_RESULTS) !== 0) return false;
      if (this.#first) this.#startEmpty();
      return true;
    }
    this.#awaited = cursor.number();
    checkColumns(this.#awaited);
    this.selected = true;
    this.#stage = 'columns';
    return false;
  }

  #column(bytes: Buffer, from: number, to: number): boolean {
    if (this.#awaited > 0) {
      this.#awaited--;
      if (!this.#first) return false;
      this.#definitionBytes += to - from;
      if (this.#definitionBytes > LIMITS.messageBytes) throw malformed('too many column descriptions');
      this.#describe(bytes, from, to);
      return false;
    }
    readEnd(bytes, from, to);
    this.#stage = 'rows';
    if (this.#first) this.#start();
    return false;
  }

  #describe(bytes: Buffer, from: number, to: number): void {
    const index = this.#shapes.length;
    this.#shapes.push(readShape(bytes, from, to));
    const planned = this.#statement.columns?.[index];
    const found = planned === undefined ? readColumn(bytes, from, to) : readPlanned(bytes, from, to, planned);
    if (found === 'unproven') this.#unproven.push(index);
    this.#described.push(found === 'unproven' ? (planned as ResultColumn) : found);
  }

  #start(): void {
    const found = columnsOf(this.#statement, this.#described);
    if (found === undefined) {
      this.#refuse();
      return;
    }
    const columns = found === this.#described ? this.#asBefore(found) : found;
    this.#reader = new RowReader(this.#shapes);
    this.#source.reserve(SPARE_PER_COLUMN * columns.length);
    try {
      this.#sink?.start(columns, this.#flow);
    } catch (error) {
      this.#sinkFailed(error);
    }
  }

  #asBefore(found: readonly ResultColumn[]): readonly ResultColumn[] {
    const { columns } = this.#prepared;
    if (columns !== undefined && areAlike(columns, found)) return columns;
    this.#prepared.columns = found;
    return found;
  }

  /**
   * Treats a count as an empty result: MariaDB responds so to a DELETE … RETURNING whose condition
   * is always false.
   */
  #startEmpty(): void {
    const { columns } = this.#statement;
    if (columns === undefined || this.affected > 0) return;
    this.selected = true;
    try {
      this.#sink?.start(columns, this.#flow);
    } catch (error) {
      this.#sinkFailed(error);
    }
  }

  #end(bytes: Buffer, from: number, to: number): boolean {
    const status = readEnd(bytes, from, to);
    this.#stage = 'head';
    this.#first = false;
    return (status & MORE_RESULTS) === 0;
  }
}

function areAlike(columns: readonly ResultColumn[], others: readonly ResultColumn[]): boolean {
  return columns.length === others.length && columns.every(({ name, kind }, i) => name === others[i]?.name && kind === others[i]?.kind);
}

function isJson(cells: Cells | undefined, i: number): boolean {
  const from = cells?.from[i] ?? -1;
  if (cells === undefined || from < 0) return true;
  try {
    JSON.parse(cells.bytes.toString('utf8', from, cells.to[i]));
    return true;
  } catch {
    return false;
  }
}
