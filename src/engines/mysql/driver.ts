/**
 * A connection: runs statements over the binary protocol, each with a deadline; one at a time, or brief reads of several callers one behind the other.
 * Values travel apart from the text. Knows neither plans nor tables nor who asks.
 */
import type { RowSink } from '../../model/cells.ts';
import type { Entry } from '../../model/entry.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { StatementParam } from '../../sql/statement.ts';
import {
  allOver,
  type Connection,
  type ConnectOptions,
  DbFailure,
  type Destination,
  type Outcome,
  type RunOptions,
  type StatementRun,
  type Undone,
} from '../contract/engine.ts';
import { HeadOfLine } from '../driver-kit/head-of-line.ts';
import { unwatch, type Watched, watch } from '../driver-kit/watchdog.ts';
import type { MysqlCall, MysqlRun } from './call.ts';
import { isStale, leaves, lostFailure, type StopKind, stopFailure, wasKilled, withoutEffect } from './dialect/failures.ts';
import {
  BEGIN,
  BEGIN_SNAPSHOT,
  COMMIT,
  limitFits,
  limitText,
  MARK,
  NO_SUCH_MARK,
  POINT,
  REPEATABLE,
  ROLLBACK,
  settingsText,
  TO_MARK,
  TO_POINT,
} from './dialect/session.ts';
import { killQuery, stopRunning } from './kill.ts';
import { outcomeOf, wasCutShort } from './outcome.ts';
import { COMMAND, closeCommand, command, HEADER } from './protocol/commands.ts';
import { login, type Session } from './protocol/login.ts';
import { ParameterWriter } from './protocol/parameters.ts';
import { DoneReply, PreparedReply, ResultReply } from './protocol/replies.ts';
import { makePrepared, type Prepared, PreparedStatements } from './protocol/statements.ts';
import { Wire } from './protocol/wire.ts';
import type { MysqlStatement } from './statement.ts';

const SCRATCH = 4096;
const RESET_MS = 5000;
/** The server's own limit gets this much time to end a statement first. */
const GRACE_MS = 50;

export class MysqlConnection implements Connection, Watched {
  /** For whatever is under way. */
  deadline = Number.POSITIVE_INFINITY;
  readonly #wire: Wire;
  readonly #session: Session;
  readonly #entry: Entry;
  readonly #at: Destination;
  readonly #statements = new PreparedStatements();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH);
  #limitMs = Number.POSITIVE_INFINITY;
  /** A savepoint that disappears with the transaction it belongs to. */
  #isMarked = false;
  /** Under way. */
  readonly #results: ResultReply[] = [];
  /** The beginning of a snapshot travels with the next statement. */
  #begins = false;
  /** A KILL may still be on its way to a statement that has ended. The next one must not receive it. */
  #tainted = false;
  #stopped: StopKind | undefined;
  #killed: Promise<boolean> | undefined;
  /** Under way: more than one only while the connection is shared. */
  readonly #calls: MysqlCall[] = [];
  readonly #head = new HeadOfLine();
  /** Blocked the statements behind it, so that the connection was given up. */
  #preempted: MysqlCall | undefined;
  isSilent = false;

  private constructor(session: Session, entry: Entry, { signal: _, ...at }: ConnectOptions) {
    this.#session = session;
    this.#entry = entry;
    this.#at = at;
    this.#wire = new Wire(session, at.maxRowBytes);
    watch(this);
    this.#wire.onClosed(() => unwatch(this));
  }

  static async open(entry: Entry, at: ConnectOptions): Promise<MysqlConnection> {
    const began = performance.now();
    const session = await login(entry, at);
    const connection = new MysqlConnection(session, entry, at);
    const timeoutMs = Math.max(1, at.timeoutMs - (performance.now() - began));
    try {
      await connection.#command(settingsText(entry, session), { timeoutMs, signal: at.signal });
    } catch (error) {
      connection.close();
      if (error instanceof DbFailure && error.kind === 'timeout') {
        throw new DbFailure('unreachable', 'The database did not answer in time', { code: 'ETIMEDOUT' });
      }
      throw error;
    }
    return connection;
  }

  get usable(): boolean {
    return this.#wire.open && !this.#tainted && !this.#isStopping;
  }

  /** Until that is over, a statement behind it would be stopped with it. */
  get #isStopping(): boolean {
    return this.#stopped !== undefined && this.#calls.length > 0;
  }

  onClosed(listener: () => void): void {
    this.#wire.onClosed(listener);
  }

  close(): void {
    this.#wire.tell(command(COMMAND.quit, ''));
    this.#wire.fail(lostFailure('The connection was closed'));
  }

  async run(statement: MysqlStatement, params: readonly StatementParam[], options: RunOptions, sink?: RowSink): Promise<Outcome> {
    const call = this.#enter(options);
    try {
      if (!limitFits(this.#limitMs, options)) await this.#limit(options.timeoutMs);
      if (options.transaction === 'may_end' && !this.#isMarked) await this.#mark();
      const prepared = this.#statements.find(statement) ?? (await this.#prepare(statement));
      this.#check(call);
      const begins = this.#begins;
      if (begins) this.#wire.hold();
      const begun = this.#sendBeginning();
      const running = this.#executeOnce(prepared, { statement, params, sink }, call);
      if (begins) this.#wire.release();
      const outcome = await running;
      if (begun !== undefined) await begun;
      this.#tainted ||= this.#killed !== undefined;
      return outcome;
    } catch (error) {
      throw await this.#explained(error, call);
    } finally {
      this.#leave(call);
    }
  }

  cork(): void {
    this.#wire.hold();
  }

  uncork(): void {
    this.#wire.release();
  }

  async ping(timeoutMs: number): Promise<boolean> {
    const timer = setTimeout(() => this.#wire.fail(lostFailure('The database did not answer to a ping')), timeoutMs);
    try {
      await this.#wire.send(command(COMMAND.ping, ''), new DoneReply());
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  runTogether(runs: readonly StatementRun[], options: RunOptions, ends: boolean): Promise<void> {
    return this.#together(runs, options, (execute) => {
      const begun = this.#sendBeginning();
      const sent: Promise<unknown>[] = runs.map((_, i) => execute(i));
      if (ends) sent.push(this.#simple(ROLLBACK));
      return allOver(begun === undefined ? sent : [begun, ...sent]);
    });
  }

  writeAndRead({ statement, params }: BoundStatement, read: StatementRun, options: RunOptions): Promise<Outcome> {
    this.#isMarked = false;
    return this.#together([{ statement, params, sink: undefined }, read], options, async (execute) => {
      const begun = this.#simple(BEGIN);
      const written = execute(0);
      const given = execute(1);
      const ended = this.#simple(COMMIT);
      await Promise.allSettled([begun, written, given, ended]);
      const outcome = await written;
      // Without a beginning the write has been committed by itself.
      await ended.catch(leaves('unknown'));
      await given.catch((error) => isStale(error) || leaves('unknown')(error));
      return outcome;
    });
  }

  /** Everything is prepared first: the answers to what is sent then come in its order, and nothing overtakes the end of the transaction. */
  async #together<T>(
    runs: readonly MysqlRun[],
    options: RunOptions,
    send: (execute: (index: number) => Promise<Outcome>) => Promise<T>,
  ): Promise<T> {
    const call = this.#enter(options);
    try {
      if (!limitFits(this.#limitMs, options)) await this.#limit(options.timeoutMs);
      const prepared: Prepared[] = [];
      for (const { statement } of runs) prepared.push(this.#statements.find(statement) ?? (await this.#prepare(statement)));
      this.#check(call);
      this.#wire.hold();
      const sent = send((i) => this.#executeOnce(prepared[i] as Prepared, runs[i] as MysqlRun, call));
      this.#wire.release();
      const result = await sent;
      this.#tainted ||= this.#killed !== undefined;
      return result;
    } catch (error) {
      throw await this.#explained(error, call);
    } finally {
      this.#leave(call);
    }
  }

  /** Would the server take it? Nothing is run. */
  async prepare(text: string, options: RunOptions): Promise<void> {
    const call = this.#enter(options);
    try {
      const reply = new PreparedReply();
      await this.#wire.send(command(COMMAND.prepare, text), reply).catch(withoutEffect);
      if (reply.failure !== undefined) throw reply.failure;
      this.#closeStatement(reply.id);
    } catch (error) {
      throw await this.#explained(error, call);
    } finally {
      this.#leave(call);
    }
  }

  async begin(options: RunOptions): Promise<void> {
    this.#isMarked = false;
    await this.#command(BEGIN, options);
  }

  /** It travels with the first statement, which only reads: should it fail, nothing was written outside of it. */
  async beginSnapshot(): Promise<void> {
    this.#isMarked = false;
    this.#begins = true;
  }

  async commit(options: RunOptions): Promise<void> {
    await this.#command(COMMIT, options);
  }

  /** A missing savepoint, or a warning about tables without transactions: not everything was rolled back. */
  async rollback({ timeoutMs }: RunOptions): Promise<Undone> {
    // Also for a caller who has left: what stays open would be committed by the next transaction's beginning.
    const options = { timeoutMs };
    if (this.#begins) {
      this.#begins = false;
      return 'all';
    }
    const isWhole = !this.#isMarked || (await this.#returnsToMark(options));
    const warnings = await this.#command(ROLLBACK, options);
    return isWhole && warnings === 0 ? 'all' : 'some';
  }

  async mark(options: RunOptions): Promise<void> {
    await this.#command(POINT, options);
  }

  async returnToMark(options: RunOptions): Promise<void> {
    await this.#command(TO_POINT, options);
    // Whatever was marked after it is gone with it.
    this.#isMarked = false;
  }

  async #mark(): Promise<void> {
    await this.#simple(MARK);
    this.#isMarked = true;
    this.#check();
  }

  async #returnsToMark(options: RunOptions): Promise<boolean> {
    this.#isMarked = false;
    try {
      await this.#command(TO_MARK, options);
      return true;
    } catch (error) {
      if (error instanceof DbFailure && error.code === NO_SUCH_MARK) return false;
      throw error;
    }
  }

  expire(): void {
    const [call] = this.#calls;
    const [first] = this.#results;
    if (call === undefined || performance.now() >= call.late) {
      this.isSilent = call !== undefined && this.#wire.heardAt < call.since;
      this.#end('timeout');
      return;
    }
    this.deadline = this.#nextCheck(call);
    // A statement whose rows are on their way could not be run again.
    if (first?.isPipelined !== true || first.rows > 0 || this.#calls.length === 1) return;
    if (this.#head.isStuck(first)) this.#preempt(this.#calls.find(({ result }) => result === first));
  }

  #nextCheck({ isPipelined, late }: MysqlCall): number {
    return isPipelined ? Math.min(late + GRACE_MS, this.#head.nextCheck) : late + GRACE_MS;
  }

  /** Gives up the connection because of the statement at its head. Only reads are pipelined here: they are run again elsewhere. */
  #preempt(head: MysqlCall | undefined): void {
    this.#preempted = head;
    killQuery(this.#entry, this.#at, this.#session.threadId).catch(() => undefined);
    this.#wire.fail(lostFailure('A statement blocked the others on its connection', undefined, 'unsent'));
  }

  /** Selects the database again: a reset session stays in the one that a statement has moved to. */
  async reset(): Promise<boolean> {
    if (!this.usable) return false;
    const timer = setTimeout(() => this.#wire.fail(lostFailure('The database did not answer to a reset')), RESET_MS);
    this.#statements.clear();
    this.#begins = false;
    this.#limitMs = Number.POSITIVE_INFINITY;
    const replies = [new DoneReply(), new DoneReply(), new DoneReply()] as const;
    try {
      await Promise.all([
        this.#wire.send(command(COMMAND.reset, ''), replies[0]),
        this.#wire.send(command(COMMAND.query, settingsText(this.#entry, this.#session)), replies[1]),
        this.#entry.database === '' ? undefined : this.#wire.send(command(COMMAND.initDb, this.#entry.database), replies[2]),
      ]);
      return replies.every((reply) => reply.failure === undefined);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts something with a deadline and an abort signal. */
  #enter({ signal, timeoutMs, pipelined }: RunOptions): MysqlCall {
    if (signal?.aborted === true) throw stopFailure('cancelled');
    if (this.#isStopping) throw lostFailure('What runs on the connection is being stopped', undefined, 'unsent');
    const since = performance.now();
    const isPipelined = pipelined === true;
    const call: MysqlCall = {
      since,
      late: since + timeoutMs,
      signal,
      isPipelined,
      abort: () => this.#giveUp(call),
      result: undefined,
      isGivenUp: false,
    };
    if (this.#calls.length === 0) {
      this.#stopped = undefined;
      this.#killed = undefined;
    }
    this.#calls.push(call);
    this.deadline = this.#nextCheck(call);
    signal?.addEventListener('abort', call.abort);
    return call;
  }

  #leave(call: MysqlCall): void {
    remove(this.#calls, call);
    if (this.#calls.length === 0) {
      this.deadline = Number.POSITIVE_INFINITY;
    }
    call.signal?.removeEventListener('abort', call.abort);
  }

  /** Throws when it is over; before each further step. */
  #check(call?: MysqlCall): void {
    if (this.#stopped !== undefined) throw stopFailure(this.#stopped);
    if (call?.isGivenUp === true) throw stopFailure('cancelled');
  }

  /** Its caller has left. Where others have not, its rows are read and dropped. */
  #giveUp(call: MysqlCall): void {
    if (this.#calls.length === 1) {
      this.#end('cancelled');
      return;
    }
    call.isGivenUp = true;
    call.result?.abandon();
  }

  /** When the time is over, the server is told, and the connection is kept only if the server confirms. */
  #end(kind: StopKind): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = kind;
    this.#killed = this.#stop(kind);
  }

  async #explained(error: unknown, call: MysqlCall): Promise<unknown> {
    if (call.isGivenUp) return stopFailure('cancelled', error);
    if (this.#preempted === call) return stopFailure('preempted', error).withEffect('nothing');
    if (this.#stopped === undefined) {
      // Killed by someone else: if it was the session, it will be gone in a moment.
      if (error instanceof DbFailure && error.kind === 'lost') this.#tainted = true;
      return error;
    }
    if (this.#killed !== undefined) this.#tainted = !((await this.#killed) && wasKilled(error));
    return stopFailure(this.#stopped, error);
  }

  /** Returns the number of warnings. */
  async #command(text: string, options: RunOptions): Promise<number> {
    const call = this.#enter(options);
    try {
      const warnings = await this.#simple(text);
      this.#tainted ||= this.#killed !== undefined;
      return warnings;
    } catch (error) {
      throw await this.#explained(error, call);
    } finally {
      this.#leave(call);
    }
  }

  #stop(kind: StopKind): Promise<boolean> {
    for (const result of this.#results) result.abandon();
    return stopRunning(this.#wire, stopFailure(kind), killQuery(this.#entry, this.#at, this.#session.threadId));
  }

  /** The level holds for the next transaction alone. */
  #sendBeginning(): Promise<unknown> | undefined {
    if (!this.#begins) return undefined;
    this.#begins = false;
    const begun = allOver([this.#simple(REPEATABLE), this.#simple(BEGIN_SNAPSHOT)]);
    // Whoever waits hears of it after the statement.
    begun.catch(() => undefined);
    return begun;
  }

  async #simple(text: string): Promise<number> {
    const reply = new DoneReply();
    await this.#wire.send(command(COMMAND.query, text), reply);
    if (reply.failure !== undefined) throw reply.failure;
    return reply.warnings;
  }

  async #limit(timeoutMs: number): Promise<void> {
    await this.#simple(limitText(this.#session, timeoutMs));
    this.#limitMs = timeoutMs;
    this.#check();
  }

  async #prepare(statement: MysqlStatement): Promise<Prepared> {
    const reply = new PreparedReply();
    await this.#wire.send(command(COMMAND.prepare, statement.text), reply).catch(withoutEffect);
    if (reply.failure !== undefined) throw reply.failure;
    if (reply.parameters !== statement.types.length) {
      this.#closeStatement(reply.id);
      throw new DbFailure('syntax', `The statement has ${reply.parameters} placeholders for ${statement.types.length} values`, {
        code: 'PARAMETERS',
      });
    }
    const known = this.#statements.find(statement);
    if (known !== undefined) {
      // By another caller meanwhile.
      this.#closeStatement(reply.id);
      return known;
    }
    const prepared = makePrepared(statement, reply.id);
    if (this.#statements.keeps(statement)) for (const evicted of this.#statements.keep(prepared)) this.#closeStatement(evicted.id);
    return prepared;
  }

  /** A statement that is not kept is closed behind its answer. */
  async #executeOnce(prepared: Prepared, run: MysqlRun, call: MysqlCall): Promise<Outcome> {
    const { statement } = run;
    const kept = this.#statements.keeps(statement);
    try {
      const outcome = await this.#execute(prepared, run, call);
      if (outcome.selected && performance.now() >= call.late && wasCutShort(statement)) throw stopFailure('timeout');
      return outcome;
    } catch (error) {
      if (kept && isStale(error)) this.#forget(prepared);
      throw error;
    } finally {
      if (!kept) this.#closeStatement(prepared.id);
    }
  }

  async #execute(prepared: Prepared, { statement, params, sink }: MysqlRun, call: MysqlCall): Promise<Outcome> {
    // What is not held is written from where it stands.
    const isAlone = this.#calls.length === 1 || this.#wire.isHeld;
    const writer = new ParameterWriter(isAlone ? this.#scratch : Buffer.allocUnsafe(SCRATCH), HEADER);
    writer.execute(COMMAND.execute, prepared.id);
    if (statement.rows !== undefined) writer.rows(statement.types, statement.rows);
    else if (statement.types.length > 0) writer.parameters(statement.types, params);
    const result = new ResultReply(statement, prepared, this.#wire, sink, call.isPipelined);
    call.result = result;
    this.#results.push(result);
    try {
      await this.#wire.send(writer.take(), result);
      writer.release();
      if (result.sinkError !== undefined) throw result.sinkError;
    } catch (error) {
      throw result.sinkError ?? error;
    } finally {
      remove(this.#results, result);
      result.finish();
    }
    return outcomeOf(statement, result);
  }

  #forget(prepared: Prepared): void {
    this.#statements.forget(prepared);
    this.#closeStatement(prepared.id);
  }

  #closeStatement(id: number): void {
    this.#wire.tell(closeCommand(id));
  }
}

/** Without the array that splice would allocate. */
function remove<T>(items: T[], item: T): void {
  const index = items.indexOf(item);
  if (index < 0) return;
  items.copyWithin(index, index + 1);
  items.pop();
}
