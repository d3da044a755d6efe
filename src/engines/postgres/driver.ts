/**
 * One session with a PostgreSQL server after login: statements out, rows in. Rows are never objects: each value's bytes are handed to
 * the sink where they arrived. Statements are prepared once per connection and text, at most a hundred of them.
 */
import { connect as dial, type Socket } from 'node:net';
import type { Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { ParamValue, Statement } from '../../sql/statement.ts';
import { type Connection, DbFailure, type Outcome, type RunOptions } from '../engine.ts';
import { StatementFlow } from '../flow.ts';
import { unwatch, type Watched, watch } from '../watchdog.ts';
import { failureFrom } from './failures.ts';
import type { Session } from './login.ts';
import { baseType, type Repair, repairsFor } from './types.ts';
import { cancelRequest, errorFields, HEADER, Outgoing, RECEIVED, rowDescription, SplitMessage } from './wire.ts';

const MAX_PREPARED = 100;
/** How long the server may take to confirm that it has stopped before the socket is given up. */
const CANCEL_GRACE_MS = 1000;
/** The server's own limit comes first; ours is for a server that does not answer at all. */
const DEADLINE_GRACE_MS = 1000;

const SESSION =
  "SET TimeZone='UTC'; SET DateStyle='ISO, YMD'; SET IntervalStyle='iso_8601'; SET extra_float_digits=1; SET bytea_output='hex'; " +
  "SET standard_conforming_strings=on; SET client_encoding='UTF8'; SET client_min_messages=error; SET idle_in_transaction_session_timeout='60s'";

const RESET =
  'ROLLBACK; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); ' +
  `DISCARD TEMP; DISCARD SEQUENCES; ${SESSION}`;

interface Prepared {
  readonly name: string;
  /** From the server's description; undefined for a statement that returns no rows. */
  columns: readonly ResultColumn[] | undefined;
  repairs: readonly (Repair | undefined)[] | undefined;
  /** Has the server accepted it? */
  parsed: boolean;
  used: number;
}

/** A statement as it was asked for; a simple one is nothing but its text, which is on its way. */
interface Asked {
  readonly text: string | undefined;
  readonly prepared: Prepared | undefined;
  readonly columns: readonly ResultColumn[] | undefined;
  readonly sink: RowSink | undefined;
  readonly signal: RunOptions['signal'];
}

const SIMPLE: Asked = { text: undefined, prepared: undefined, columns: undefined, sink: undefined, signal: undefined };

interface Running extends Asked {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (failure: DbFailure) => void;
  repairs: readonly (Repair | undefined)[] | undefined;
  flow: StatementFlow | undefined;
  /** Ready messages still to come: one for each piece that was sent. */
  ready: number;
  started: boolean;
  selected: boolean;
  rows: number;
  failure: DbFailure | undefined;
}

export class PostgresConnection implements Connection, Watched {
  usable = true;
  deadline = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #out = new Outgoing();
  readonly #prepared = new Map<string, Prepared>();
  readonly #abort = (): void => this.#stop(new DbFailure('cancelled', 'the caller went away'));
  readonly #closed: (() => void)[] = [];
  #cells: Cells = { bytes: Buffer.alloc(0), from: new Int32Array(0), to: new Int32Array(0) };
  #running: Running | undefined;
  readonly #split = new SplitMessage();
  #counter = 0;
  #named = true;
  #inTransaction = false;
  #timeoutMs = 0;
  /** Simple statements that travel with the next one: settings, BEGIN. */
  #lead = '';

  constructor(session: Session) {
    this.#session = session;
    this.#socket = session.socket;
    session.inlet.read(this.#socket, (bytes, length) => this.#data(bytes, length));
    this.#socket.on('error', () => this.#lost());
    this.#socket.on('close', () => this.#lost());
    this.#lead = SESSION;
    watch(this);
  }

  run(statement: Statement, params: readonly ParamValue[], options: RunOptions, sink?: RowSink): Promise<Outcome> {
    if (!this.usable) return Promise.reject(new DbFailure('lost', 'the connection is gone'));
    if (options.signal?.aborted) return Promise.reject(new DbFailure('cancelled', 'the caller went away'));
    this.#limit(options.timeoutMs);
    let ready = 1;
    if (this.#lead !== '') {
      this.#out.query(this.#lead);
      this.#lead = '';
      ready = 2;
    }
    const known = this.#named ? this.#prepared.get(statement.text) : undefined;
    const prepared = known ?? this.#prepare(statement.text);
    prepared.used = ++this.#counter;
    this.#out.bind(prepared.name, statement.types, params);
    this.#out.execute();
    return this.#send({ text: statement.text, prepared, columns: statement.columns, sink, signal: options.signal }, ready);
  }

  async begin(): Promise<void> {
    this.#lead = this.#lead === '' ? 'BEGIN' : `${this.#lead}; BEGIN`;
    this.#inTransaction = true;
  }

  async commit(options: RunOptions): Promise<void> {
    await this.#finish('COMMIT', options);
  }

  async rollback(options: RunOptions): Promise<void> {
    await this.#finish('ROLLBACK', options);
  }

  async reset(): Promise<boolean> {
    if (!this.usable) return false;
    this.#lead = '';
    this.#timeoutMs = 0;
    try {
      await this.#simple(RESET, { timeoutMs: 5000 });
      return true;
    } catch {
      return false;
    }
  }

  onClosed(listener: () => void): void {
    this.#closed.push(listener);
  }

  close(): void {
    if (!this.#socket.destroyed) {
      this.#out.terminate();
      this.#out.send(this.#socket);
      this.#socket.end();
      this.#socket.resume();
      setTimeout(() => this.#socket.destroy(), CANCEL_GRACE_MS).unref();
    }
    this.#lost();
  }

  expire(): void {
    this.#stop(new DbFailure('timeout', 'the statement ran past its time'));
  }

  #limit(timeoutMs: number): void {
    this.deadline = performance.now() + timeoutMs + DEADLINE_GRACE_MS;
    if (timeoutMs === this.#timeoutMs) return;
    this.#timeoutMs = timeoutMs;
    const setting = `SET statement_timeout=${Math.max(1, Math.ceil(timeoutMs))}`;
    this.#lead = this.#lead === '' ? setting : `${setting}; ${this.#lead}`;
  }

  #prepare(text: string): Prepared {
    if (!this.#named) {
      this.#out.parse('', text);
      return { name: '', columns: undefined, repairs: undefined, parsed: false, used: 0 };
    }
    if (this.#prepared.size >= MAX_PREPARED) this.#forgetOldest();
    const prepared: Prepared = { name: `m${++this.#counter}`, columns: undefined, repairs: undefined, parsed: false, used: 0 };
    this.#prepared.set(text, prepared);
    this.#out.parse(prepared.name, text);
    return prepared;
  }

  #forgetOldest(): void {
    let oldest: [string, Prepared] | undefined;
    for (const item of this.#prepared) if (oldest === undefined || item[1].used < oldest[1].used) oldest = item;
    if (oldest === undefined) return;
    this.#prepared.delete(oldest[0]);
    this.#out.closeStatement(oldest[1].name);
  }

  /** Sends what was written, and waits for as many Ready messages as there are pieces in it. */
  #send(asked: Asked, ready: number): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#running = {
        text: asked.text,
        prepared: asked.prepared,
        columns: asked.columns,
        sink: asked.sink,
        signal: asked.signal,
        resolve,
        reject,
        repairs: undefined,
        flow: undefined,
        ready,
        started: false,
        selected: false,
        rows: 0,
        failure: undefined,
      };
      asked.signal?.addEventListener('abort', this.#abort);
      this.#out.send(this.#socket);
    });
  }

  async #finish(word: 'COMMIT' | 'ROLLBACK', options: RunOptions): Promise<void> {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    if (this.#lead.endsWith('BEGIN')) {
      // Nothing was run since begin(): there is nothing to end either.
      this.#lead = this.#lead.replace(/(; )?BEGIN$/, '');
      return;
    }
    this.deadline = performance.now() + options.timeoutMs + DEADLINE_GRACE_MS;
    await this.#simple(word, options);
  }

  #simple(text: string, options: RunOptions): Promise<Outcome> {
    if (!this.usable) return Promise.reject(new DbFailure('lost', 'the connection is gone'));
    this.deadline = performance.now() + options.timeoutMs + DEADLINE_GRACE_MS;
    this.#out.query(text);
    return this.#send(SIMPLE, 1);
  }

  #data(bytes: Buffer, length: number): void {
    let at = 0;
    while (this.#split.length > 0) {
      at = this.#split.add(bytes, at, length);
      if (!this.#split.whole) return;
      this.#dispatch(this.#split.bytes, 0, this.#split.length);
      this.#split.clear();
    }
    while (length - at >= HEADER) {
      const next = at + 1 + bytes.readInt32BE(at + 1);
      if (next > length) break;
      this.#dispatch(bytes, at, next);
      at = next;
    }
    if (at < length) this.#split.add(bytes, at, length);
  }

  #dispatch(bytes: Buffer, at: number, next: number): void {
    if (bytes[at] === RECEIVED.dataRow) this.#row(bytes, at + HEADER);
    else this.#message(bytes[at] as number, bytes, at + HEADER, next);
  }

  #row(bytes: Buffer, start: number): void {
    const running = this.#running;
    if (running === undefined || running.failure !== undefined) return;
    running.rows++;
    const { sink } = running;
    if (sink === undefined) return;
    if (!running.started) this.#startRows(running);
    const cells = this.#cells;
    const { from, to } = cells;
    const count = (((bytes[start] as number) << 8) | (bytes[start + 1] as number)) >>> 0;
    let at = start + 2;
    for (let i = 0; i < count; i++) {
      const size =
        ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
      at += 4;
      if (size < 0) {
        from[i] = -1;
        continue;
      }
      from[i] = at;
      at += size;
      to[i] = at;
    }
    const { repairs } = running;
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
      this.#stop(new DbFailure('cancelled', 'the rows could not be taken', { cause: error }));
    }
  }

  #startRows(running: Running): void {
    running.started = true;
    const columns = running.columns ?? running.prepared?.columns ?? [];
    if (running.prepared !== undefined && running.prepared.repairs === undefined)
      running.prepared.repairs = repairsFor(columns) ?? NO_REPAIRS;
    const repairs = running.prepared?.repairs;
    running.repairs = repairs === NO_REPAIRS ? undefined : repairs;
    const width = Math.max(columns.length, running.prepared?.columns?.length ?? 0);
    if (this.#cells.from.length < width) {
      this.#cells = { bytes: this.#cells.bytes, from: new Int32Array(width), to: new Int32Array(width) };
    }
    running.flow = new StatementFlow(this.#socket);
    running.sink?.start(columns, running.flow);
  }

  #message(type: number, bytes: Buffer, from: number, to: number): void {
    const running = this.#running;
    switch (type) {
      case RECEIVED.ready:
        this.#ready();
        return;
      case RECEIVED.error:
        this.#error(failureFrom(errorFields(bytes, from, to)));
        return;
      case RECEIVED.commandComplete:
        if (running !== undefined && running.ready === 1) this.#complete(running, bytes, to);
        return;
      case RECEIVED.rowDescription:
        if (running?.prepared !== undefined) {
          running.prepared.columns = rowDescription(bytes, from).map((field) => ({ name: field.name, kind: baseType(field.type).kind }));
        }
        return;
      case RECEIVED.parseComplete:
        if (running?.prepared !== undefined) running.prepared.parsed = true;
        return;
      case RECEIVED.copyIn:
        this.#out.copyFail('COPY FROM STDIN is not supported');
        this.#out.sync();
        this.#out.send(this.#socket);
        return;
      default:
        // Notices, parameter changes and acknowledgements need no answer.
        return;
    }
  }

  /** `SELECT 20`, `INSERT 0 3`, `UPDATE 7`: the last word counts the rows. */
  #complete(running: Running, bytes: Buffer, to: number): void {
    running.selected = running.prepared?.columns !== undefined || running.columns !== undefined;
    if (running.selected) {
      if (running.sink !== undefined && !running.started) this.#startRows(running);
      return;
    }
    let rows = 0;
    let scale = 1;
    for (let at = to - 2; at >= 0; at--) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      rows += digit * scale;
      scale *= 10;
    }
    running.rows = rows;
  }

  #error(failure: DbFailure): void {
    const running = this.#running;
    if (running === undefined) {
      // The server ends an idle session (57P01 and the like); the socket will close.
      this.usable = false;
      return;
    }
    running.failure ??= failure;
    if (running.text !== undefined && running.prepared !== undefined) this.#forgetFailed(running.text, running.prepared, failure);
    // A pooler between us and the server that does not keep prepared statements apart.
    if (failure.code === '42P05' || failure.code === '26000') this.#named = false;
  }

  /** A statement that was never accepted, or whose plan is older than its table, must be prepared anew. */
  #forgetFailed(text: string, prepared: Prepared, failure: DbFailure): void {
    if (prepared.parsed && failure.kind !== 'stale') return;
    this.#prepared.delete(text);
    if (prepared.parsed) this.#out.closeStatement(prepared.name);
  }

  #ready(): void {
    const running = this.#running;
    if (running === undefined || --running.ready > 0) return;
    this.#running = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    running.signal?.removeEventListener('abort', this.#abort);
    running.flow?.end();
    if (running.failure === undefined) running.resolve({ rows: running.rows, selected: running.selected });
    else running.reject(running.failure);
  }

  /** The server is asked, on a socket of its own, to stop; this connection is not used again. */
  #stop(failure: DbFailure): void {
    const running = this.#running;
    this.usable = false;
    this.deadline = Number.POSITIVE_INFINITY;
    if (running === undefined) {
      this.#socket.destroy();
      return;
    }
    running.flow?.end();
    this.#running = { ...running, sink: undefined, resolve: ignore, reject: ignore, failure, ready: 1 };
    running.signal?.removeEventListener('abort', this.#abort);
    this.#cancel();
    running.reject(failure);
  }

  #cancel(): void {
    const { remoteAddress, remotePort } = this.#socket;
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), CANCEL_GRACE_MS).unref();
    if (remoteAddress === undefined || remotePort === undefined) return;
    const canceller = dial({ host: remoteAddress, port: remotePort, timeout: CANCEL_GRACE_MS });
    canceller.on('error', ignore);
    canceller.on('timeout', () => canceller.destroy());
    canceller.on('connect', () => canceller.end(cancelRequest(this.#session.processId, this.#session.secret)));
  }

  #lost(): void {
    unwatch(this);
    this.usable = false;
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      running.signal?.removeEventListener('abort', this.#abort);
      running.reject(running.failure ?? new DbFailure('lost', 'the connection to the database was lost'));
    }
    for (const listener of this.#closed.splice(0)) listener();
  }
}

const NO_REPAIRS: readonly (Repair | undefined)[] = [];

function ignore(): void {}
