/**
 * One session with a PostgreSQL server after login: statements out, rows in. Rows never become
 * objects: the sink receives the received bytes.
 */
import type { Socket } from 'node:net';
import type { RowSink } from '../../model/cells.ts';
import type { Statement, StatementParam } from '../../sql/statement.ts';
import { Lease } from '../../util/bytes/buffer-pool.ts';
import {
  allOver,
  type Connection,
  DbFailure,
  effectOfSocketError,
  type Outcome,
  type RunOptions,
  type StatementEffect,
  type StatementRun,
  type Undone,
} from '../contract/engine.ts';
import { LIMITS, malformed } from '../contract/limits.ts';
import { HeadOfLine } from '../driver-kit/head-of-line.ts';
import { unwatch, type Watched, watch } from '../driver-kit/watchdog.ts';
import { CANCEL_GRACE_MS, cancelQuery } from './cancel.ts';
import { failureFrom } from './dialect/failures.ts';
import { BEGIN, BEGIN_SNAPSHOT, MARK, RESET, TO_MARK } from './dialect/session.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { outOfOrder, type Prepared, QueryAnswer, type QuerySent, RejectedRow, type RowCells, SIMPLE, unparsed } from './protocol/answer.ts';
import { ACKNOWLEDGEMENTS, ASYNC_MESSAGES, errorFields, type Incoming, RECEIVED, rowDescription } from './protocol/incoming.ts';
import type { Session } from './protocol/login.ts';
import { Outgoing } from './protocol/outgoing.ts';
import { SessionState } from './session-state.ts';

/** The server's own limit is reached first; this one is for a server that does not respond. */
const DEADLINE_GRACE_MS = 300;

/** A session is idle if the server has sent nothing for longer. */
const IDLE_MS = 50;

/** How the answer to a COMMIT begins that has become a ROLLBACK. */
const ROLLED_BACK = 0x52;

export class PostgresConnection implements Connection, Watched {
  usable = true;
  deadline = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #out = new Outgoing();
  readonly #prepared = new PreparedStatements(this.#out);
  readonly #state: SessionState;
  readonly #abort = (): void => this.#giveUp(new DbFailure('cancelled', 'the caller went away'));
  readonly #closed: (() => void)[] = [];
  readonly #shown: RowCells = { cells: { bytes: Buffer.alloc(0), from: new Int32Array(0), to: new Int32Array(0) } };
  #running: QueryAnswer | undefined;
  /** Sent behind it, and not answered yet. */
  readonly #next: QueryAnswer[] = [];
  /** `true` while writes are held back until `uncork`. */
  #isCorked = false;
  readonly #head = new HeadOfLine();
  /** When the server sent something last. */
  #heardAt = performance.now();
  /** When the last statement was sent. */
  #sentAt = 0;
  isSilent = false;
  /** When the last of them has to be over. */
  #late = Number.POSITIVE_INFINITY;
  readonly #incoming: Incoming;
  /** Notices and the like since the last statement began. */
  #asides = 0;
  #errors = 0;
  /** Start of the last response that ended a statement. */
  #tag = 0;

  constructor(session: Session) {
    this.#session = session;
    this.#state = new SessionState(session.readOnly);
    this.#socket = session.socket;
    this.#incoming = session.incoming;
    this.#incoming.onRow = (bytes, from, to) => {
      if (this.#running === undefined) throw outOfOrder(RECEIVED.dataRow);
      this.#running.row(bytes, from, to);
    };
    this.#incoming.onMessage = (type, bytes, from, to) => this.#message(type, bytes, from, to);
    session.reader.read(this.#socket, (bytes, length) => this.#data(bytes, length));
    this.#socket.on('error', (error) => this.#lost(effectOfSocketError(error)));
    this.#socket.on('end', () => this.#lost('unknown'));
    this.#socket.on('close', () => this.#lost('unknown'));
    watch(this);
    // A message after the server's greeting may have ended the session already.
    if (this.#socket.destroyed) this.#lost('unsent');
  }

  run(statement: Statement, params: readonly StatementParam[], options: RunOptions, sink?: RowSink): Promise<Outcome> {
    if (!this.usable) return Promise.reject(gone());
    if (options.signal?.aborted) return Promise.reject(new DbFailure('cancelled', 'the caller went away'));
    const isProbed = this.#probe();
    this.#limit(options);
    const { ready, begins } = this.#state.write(this.#out);
    const known = this.#prepared.find(statement.text);
    const prepared = known ?? this.#prepared.prepare(statement.text);
    this.#run(prepared, statement, params);
    return this.#send(
      {
        statement,
        params,
        prepared,
        reused: known !== undefined,
        begins,
        runs: true,
        isProbed,
        sink,
        signal: options.signal,
        isPipelined: options.pipelined === true,
      },
      ready + 1,
    );
  }

  /** Would the server take it? Nothing is run; it is kept under that name. */
  async prepare(name: string, text: string, options: RunOptions): Promise<void> {
    if (!this.usable) throw gone();
    this.#limit(options);
    const ready = this.#state.writeSettings(this.#out) + 1;
    this.#out.parse(name, text);
    this.#out.sync();
    const prepared = unparsed(name);
    await this.#send({ ...SIMPLE, prepared, runs: false, signal: options.signal }, ready);
  }

  async begin(): Promise<void> {
    this.#state.begin(BEGIN);
  }

  async beginSnapshot(): Promise<void> {
    this.#state.begin(BEGIN_SNAPSHOT);
  }

  cork(): void {
    this.#isCorked = true;
  }

  uncork(): void {
    this.#isCorked = false;
    if (this.usable && this.#running !== undefined) this.#out.send(this.#socket);
  }

  async ping(timeoutMs: number): Promise<boolean> {
    const timer = setTimeout(() => this.#fail(gone()), timeoutMs);
    try {
      await this.#simple('', { timeoutMs });
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async runTogether(runs: readonly StatementRun[], options: RunOptions, ends: boolean): Promise<void> {
    this.#isCorked = true;
    const sent: Promise<unknown>[] = runs.map(({ statement, params, sink }) => this.run(statement, params, options, sink));
    if (ends) sent.push(this.#finish('ROLLBACK', options));
    this.#isCorked = false;
    if (this.usable) this.#out.send(this.#socket);
    await allOver(sent);
  }

  async commit(options: RunOptions): Promise<void> {
    await this.#finish('COMMIT', options);
  }

  async rollback(options: RunOptions): Promise<Undone> {
    const { hasEndedEarly } = this.#state;
    await this.#finish('ROLLBACK', options);
    return hasEndedEarly ? 'some' : 'all';
  }

  async mark(options: RunOptions): Promise<void> {
    // Separately: settings that were sent with the BEGIN would be rolled back with it.
    for (const text of [...this.#state.take(), MARK]) await this.#simple(text, options);
  }

  async returnToMark(options: RunOptions): Promise<void> {
    await this.#simple(TO_MARK, options);
  }

  async checkConstraints(options: RunOptions): Promise<void> {
    await this.#simple('SET CONSTRAINTS ALL IMMEDIATE', options);
  }

  async reset(): Promise<boolean> {
    if (!this.usable) return false;
    this.#state.reset();
    try {
      await this.#simple(RESET + this.#state.settings, { timeoutMs: 5000 });
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
    this.#lost('unknown');
  }

  /** Abandoned reads are dropped at once; the result of a write is worth waiting for. */
  expire(): void {
    const running = this.#running;
    if (running !== undefined && performance.now() < this.#late) {
      this.deadline = this.#nextCheck;
      const isBlocking = running.asked.isPipelined && this.#next.length > 0 && !running.hasRows;
      if (isBlocking && this.#head.isStuck(running)) this.#preempt(running);
      return;
    }
    const failure = new DbFailure('timeout', 'the statement ran past its time');
    this.isSilent = this.#heardAt < this.#sentAt;
    if (running === undefined || running.asked.sink !== undefined) {
      this.#stop(failure);
      return;
    }
    this.usable = false;
    this.deadline = Number.POSITIVE_INFINITY;
    running.stopped = failure;
    this.#cancel();
  }

  get #nextCheck(): number {
    return this.#running?.asked.isPipelined === true ? Math.min(this.#late, this.#head.nextCheck) : this.#late;
  }

  /**
   * Cancels the statement at the head of the pipeline. If it finishes before the cancel arrives,
   * the next statement is cancelled instead and retried the same way.
   */
  #preempt(running: QueryAnswer): void {
    this.usable = false;
    for (const answer of [running, ...this.#next]) answer.stopped = PREEMPTED;
    cancelQuery(this.#socket, this.#session);
  }

  /** Whatever is sent now has to be over by then. */
  #expect(timeoutMs: number): void {
    this.#sentAt = performance.now();
    this.#late = this.#sentAt + timeoutMs + DEADLINE_GRACE_MS;
    this.deadline = this.#nextCheck;
  }

  /**
   * A session may have been ended while it was idle, and the report may be on its way. Requests an
   * acknowledgement, to tell whether the server has read the statement. A busy session needs none.
   */
  #probe(): boolean {
    const isIdle = this.#running === undefined && performance.now() - this.#heardAt > IDLE_MS;
    if (!isIdle || (this.#state.inTransaction && !this.#state.isPending)) return false;
    this.#out.probe();
    return true;
  }

  #limit(options: RunOptions): void {
    this.#expect(options.timeoutMs);
    this.#state.limit(options);
  }

  #run(prepared: Prepared, { types }: Statement, params: readonly StatementParam[]): void {
    this.#out.bind(prepared.name, types, params);
    this.#out.execute();
  }

  /** Sends what was written, and waits for as many Ready messages as there are pieces in it. */
  #send(asked: QuerySent, ready: number): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const answer = this.#answer(asked, ready, resolve, reject);
      if (this.#running === undefined) this.#await(answer);
      else this.#next.push(answer);
      if (!this.#isCorked) this.#out.send(this.#socket);
    });
  }

  #answer(asked: QuerySent, ready: number, resolve: QueryAnswer['resolve'], reject: QueryAnswer['reject']): QueryAnswer {
    const write = this.#out.progress.last + 1;
    return new QueryAnswer(asked, { ready, shown: this.#shown, source: this.#socket, write }, resolve, reject);
  }

  #await(answer: QueryAnswer | undefined): void {
    this.#running = answer;
    if (answer === undefined) return;
    this.#asides = 0;
    this.#errors = 0;
    const { signal } = answer.asked;
    if (signal?.aborted === true && answer.asked.isPipelined) this.#giveUp(new DbFailure('cancelled', 'the caller went away'));
    else signal?.addEventListener('abort', this.#abort);
  }

  async #finish(word: 'COMMIT' | 'ROLLBACK', options: RunOptions): Promise<void> {
    if (!this.#state.end()) return;
    await this.#simple(word, options).catch((error: DbFailure) => {
      // A session may end between its commit and the report.
      throw word === 'COMMIT' && error.kind === 'lost' && error.effect === 'nothing' ? error.withEffect('unknown') : error;
    });
    if (word === 'COMMIT' && this.#tag === ROLLED_BACK)
      throw new DbFailure('other', 'the transaction had failed before it was committed', { code: '25P02' });
  }

  #simple(text: string, options: RunOptions): Promise<Outcome> {
    if (!this.usable) return Promise.reject(gone());
    this.#expect(options.timeoutMs);
    this.#out.query(text);
    return this.#send(SIMPLE, 1);
  }

  #data(bytes: Buffer, length: number): void {
    this.#heardAt = performance.now();
    try {
      this.#incoming.receive(bytes, length);
    } catch (error) {
      if (error instanceof RejectedRow) this.#stop(error);
      else this.#fail(error instanceof DbFailure ? error : malformed('what cannot be read', error));
    }
  }

  #message(type: number, bytes: Buffer, from: number, to: number): void {
    const running = this.#running;
    if (running === undefined) {
      this.#unasked(type);
      return;
    }
    if (type !== RECEIVED.error) running.reached = true;
    if (running.begun(type)) return;
    switch (type) {
      case RECEIVED.ready:
        if (to - from !== 1) throw malformed('no word on the transaction');
        this.#state.status = bytes[from] as number;
        if (running.isOver()) this.#settle(running);
        return;
      case RECEIVED.error:
        if (++this.#errors > MAX_ERRORS) throw malformed('errors without an end');
        this.#error(running, failureFrom(errorFields(bytes, from, to)));
        return;
      case RECEIVED.commandComplete:
      case RECEIVED.emptyQuery:
        this.#tag = to > from ? (bytes[from] as number) : 0;
        running.completed(bytes, from, to);
        return;
      case RECEIVED.rowDescription:
        running.described(rowDescription(bytes, from, to));
        return;
      case RECEIVED.noData:
        running.described(undefined);
        return;
      case RECEIVED.parseComplete:
        running.parsed();
        return;
      case RECEIVED.bindComplete:
        running.bound = true;
        return;
      case RECEIVED.copyIn:
        running.refuseCopy();
        this.#out.copyFail('COPY FROM STDIN is not supported');
        this.#out.sync();
        this.#out.send(this.#socket);
        return;
      default:
        if (!ACKNOWLEDGEMENTS.has(type)) this.#aside(type);
    }
  }

  /**
   * Messages between statements: a changed parameter, or the end of the session (57P01 and
   * similar).
   */
  #unasked(type: number): void {
    if (type === RECEIVED.error) this.#fail(new DbFailure('lost', 'the database ended the session'));
    else this.#aside(type);
  }

  /** Messages that need no response. Their number is limited. */
  #aside(type: number): void {
    if (!ASYNC_MESSAGES.has(type)) throw outOfOrder(type);
    if (++this.#asides > LIMITS.asides) throw malformed(`more than ${LIMITS.asides} messages that nobody asked for`);
  }

  #error(running: QueryAnswer, failure: DbFailure): void {
    running.failed(failure);
    if (failure.kind === 'lost') this.usable = false;
    this.#prepared.failed(running, failure);
  }

  /**
   * Prepares a statement again whose plan is older than its table, and sends it once more: the
   * server rejected it at bind, so nothing ran. Within a transaction only as its first statement,
   * since the rejection aborts it, and not if other statements follow on the connection, whose
   * responses would be first.
   */
  #anew({ asked, bound, failure, stopped, resolve, reject }: QueryAnswer): QueryAnswer | undefined {
    const { statement, params, reused, begins } = asked;
    if (statement === undefined || !reused || bound || stopped !== undefined || !this.usable) return undefined;
    if (failure === undefined || !REFUSED.test(failure.code) || (this.#next.length > 0 && !asked.isPipelined)) return undefined;
    // Leases were released when they were written.
    if ((this.#state.inTransaction && !begins) || params.some((value) => value instanceof Lease)) return undefined;
    if (begins) this.#out.query('ROLLBACK');
    if (begins) this.#out.begin(this.#state.beginning);
    const known = this.#prepared.find(statement.text);
    const prepared = known ?? this.#prepared.prepare(statement.text);
    this.#run(prepared, statement, params);
    this.#out.send(this.#socket);
    return this.#answer({ ...asked, prepared, reused: false, isProbed: false }, begins ? 3 : 1, resolve, reject);
  }

  #settle(running: QueryAnswer): void {
    // Stopped by its own time, and not for others.
    if (running.stopped === PREEMPTED && performance.now() >= this.#late - DEADLINE_GRACE_MS) running.stopped = undefined;
    const again = running.failure === undefined ? undefined : this.#anew(running);
    if (again !== undefined) this.#next.push(again);
    running.asked.signal?.removeEventListener('abort', this.#abort);
    this.#await(this.#next.shift());
    if (this.#running === undefined) this.deadline = Number.POSITIVE_INFINITY;
    if (again === undefined) running.settle();
  }

  /** The server cannot be believed, or is gone: the connection ends here and now. */
  #fail(failure: DbFailure): void {
    if (this.#running !== undefined) this.#running.failure = failure;
    this.#socket.destroy();
    this.#lost('unknown');
  }

  /**
   * The rest of the response is dropped if others wait behind it; otherwise the server is
   * cancelled.
   */
  #giveUp(failure: DbFailure): void {
    if (this.#running?.asked.isPipelined === true && this.#next.length > 0) this.#running.giveUp(failure);
    else this.#stop(failure);
  }

  /** Cancels on a separate socket. This connection is not used again, and its input is not read. */
  #stop(failure: DbFailure): void {
    const running = this.#running;
    this.usable = false;
    this.deadline = Number.POSITIVE_INFINITY;
    this.#incoming.close();
    if (running === undefined) {
      this.#socket.destroy();
      return;
    }
    this.#running = undefined;
    running.letGo();
    running.asked.signal?.removeEventListener('abort', this.#abort);
    this.#cancel();
    running.reject(failure);
    for (const { reject } of this.#next.splice(0)) reject(failure);
  }

  #cancel(): void {
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), CANCEL_GRACE_MS).unref();
    cancelQuery(this.#socket, this.#session);
  }

  /** `effect`: of statements that the system had not taken completely. */
  #lost(effect: StatementEffect): void {
    unwatch(this);
    this.usable = false;
    this.#incoming.close();
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      running.letGo();
      running.asked.signal?.removeEventListener('abort', this.#abort);
      running.lost(this.#out.progress.effectOf(running.write, effect));
    }
    for (const answer of this.#next.splice(0)) answer.lost(this.#out.progress.effectOf(answer.write, effect));
    for (const listener of this.#closed.splice(0)) listener();
  }
}

const PREEMPTED = new DbFailure('preempted', 'others waited behind the statement');

/** One for each piece that was sent, and what a server that is about to end may add. */
const MAX_ERRORS = 10;

/** Codes with which a server rejects a bind: an outdated plan, type, name or value. */
const REFUSED = /^(?:0A|22|26|42)/;

function gone(): DbFailure {
  return new DbFailure('lost', 'the connection is gone', { effect: 'unsent' });
}
