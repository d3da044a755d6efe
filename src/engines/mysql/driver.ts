/**
 * A connection to MySQL or MariaDB: runs statements over the binary protocol, and frames
 * transactions.
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
  type Outcome,
  type RunOptions,
  type StatementRun,
  type Undone,
} from '../contract/engine.ts';
import { Calls, type MysqlCall } from './calls.ts';
import { isStale, leaves, lostFailure } from './dialect/failures.ts';
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
import { COMMAND, command } from './protocol/commands.ts';
import { login, type Session } from './protocol/login.ts';
import { DoneReply } from './protocol/replies.ts';
import type { Prepared } from './protocol/statements.ts';
import { Wire } from './protocol/wire.ts';
import type { MysqlStatement } from './statement.ts';
import { type MysqlRun, StatementRunner } from './statement-runner.ts';

const RESET_MS = 5000;

export class MysqlConnection implements Connection {
  readonly #wire: Wire;
  readonly #session: Session;
  readonly #entry: Entry;
  readonly #calls: Calls;
  readonly #runner: StatementRunner;
  /** The server's time limit for statements. */
  #limitMs = Number.POSITIVE_INFINITY;
  /** A savepoint is set that disappears with the transaction it belongs to. */
  #isMarked = false;
  /** The beginning of a snapshot is sent with the next statement. */
  #begins = false;

  private constructor(session: Session, entry: Entry, { signal: _, ...at }: ConnectOptions) {
    this.#session = session;
    this.#entry = entry;
    this.#wire = new Wire(session, at.maxRowBytes);
    this.#calls = new Calls(this.#wire, { entry, at, threadId: session.threadId });
    this.#runner = new StatementRunner(this.#wire, this.#calls);
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
    return this.#calls.usable;
  }

  get isSilent(): boolean {
    return this.#calls.isSilent;
  }

  onClosed(listener: () => void): void {
    this.#wire.onClosed(listener);
  }

  close(): void {
    this.#wire.tell(command(COMMAND.quit, ''));
    this.#wire.fail(lostFailure('The connection was closed'));
  }

  run(statement: MysqlStatement, params: readonly StatementParam[], options: RunOptions, sink?: RowSink): Promise<Outcome> {
    return this.#calls.run(options, (call) => this.#run({ statement, params, sink }, options, call));
  }

  cork(): void {
    this.#wire.hold();
  }

  uncork(): void {
    this.#wire.release();
  }

  ping(timeoutMs: number): Promise<boolean> {
    return this.#allDone(timeoutMs, [command(COMMAND.ping, '')]);
  }

  runTogether(runs: readonly StatementRun[], options: RunOptions, ends: boolean): Promise<void> {
    return this.#together(runs, options, (execute) => {
      const begun = this.#sendBeginning();
      const sent: Promise<unknown>[] = runs.map((_, i) => execute(i));
      if (ends) sent.push(this.#runner.simple(ROLLBACK));
      return allOver(begun === undefined ? sent : [begun, ...sent]);
    });
  }

  writeAndRead({ statement, params }: BoundStatement, read: StatementRun, options: RunOptions): Promise<Outcome> {
    this.#isMarked = false;
    return this.#together([{ statement, params, sink: undefined }, read], options, async (execute) => {
      const begun = this.#runner.simple(BEGIN);
      const written = execute(0);
      const returned = execute(1);
      const ended = this.#runner.simple(COMMIT);
      await Promise.allSettled([begun, written, returned, ended]);
      const outcome = await written;
      // Without a beginning, the write has been committed on its own.
      await ended.catch(leaves('unknown'));
      await returned.catch((error) => isStale(error) || leaves('unknown')(error));
      return outcome;
    });
  }

  /** Checks a text without running it. */
  prepare(text: string, options: RunOptions): Promise<void> {
    return this.#calls.run(options, () => this.#runner.check(text));
  }

  async begin(options: RunOptions): Promise<void> {
    this.#isMarked = false;
    await this.#command(BEGIN, options);
  }

  /**
   * Sent with the first statement, which only reads: if it fails, nothing was written outside of
   * the transaction.
   */
  async beginSnapshot(): Promise<void> {
    this.#isMarked = false;
    this.#begins = true;
  }

  async commit(options: RunOptions): Promise<void> {
    await this.#command(COMMIT, options);
  }

  /** Returns `some` after a missing savepoint, or a warning about tables without transactions. */
  async rollback({ timeoutMs }: RunOptions): Promise<Undone> {
    // Runs even if the caller has left: an open transaction would be committed by the next BEGIN.
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
    // A later savepoint is gone with it.
    this.#isMarked = false;
  }

  /** Selects the database again: a statement may have moved to another one. */
  async reset(): Promise<boolean> {
    if (!this.usable) return false;
    this.#runner.clear();
    this.#begins = false;
    this.#limitMs = Number.POSITIVE_INFINITY;
    const commands = [command(COMMAND.reset, ''), command(COMMAND.query, settingsText(this.#entry, this.#session))];
    if (this.#entry.database !== '') commands.push(command(COMMAND.initDb, this.#entry.database));
    return this.#allDone(RESET_MS, commands);
  }

  /**
   * Sends commands and returns whether all succeeded. The connection ends if they are not answered
   * in time.
   */
  async #allDone(timeoutMs: number, commands: readonly Buffer[]): Promise<boolean> {
    const timer = setTimeout(() => this.#wire.fail(lostFailure('The database did not answer in time')), timeoutMs);
    const replies = commands.map(() => new DoneReply());
    try {
      await Promise.all(commands.map((bytes, i) => this.#wire.send(bytes, replies[i] as DoneReply)));
      return replies.every(({ failure }) => failure === undefined);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #run(run: MysqlRun, options: RunOptions, call: MysqlCall): Promise<Outcome> {
    if (!limitFits(this.#limitMs, options)) await this.#limit(options.timeoutMs);
    if (options.transaction === 'may_end' && !this.#isMarked) await this.#mark();
    const prepared = this.#runner.find(run.statement) ?? (await this.#runner.prepare(run.statement));
    this.#calls.check(call);
    const begins = this.#begins;
    if (begins) this.#wire.hold();
    const begun = this.#sendBeginning();
    const running = this.#runner.execute(prepared, run, call);
    if (begins) this.#wire.release();
    const outcome = await running;
    if (begun !== undefined) await begun;
    return outcome;
  }

  /** Prepares all statements first, so that responses arrive in the order of the statements. */
  #together<T>(
    runs: readonly MysqlRun[],
    options: RunOptions,
    send: (execute: (index: number) => Promise<Outcome>) => Promise<T>,
  ): Promise<T> {
    return this.#calls.run(options, async (call) => {
      if (!limitFits(this.#limitMs, options)) await this.#limit(options.timeoutMs);
      const prepared: Prepared[] = [];
      for (const { statement } of runs) prepared.push(this.#runner.find(statement) ?? (await this.#runner.prepare(statement)));
      this.#calls.check(call);
      this.#wire.hold();
      const sent = send((i) => this.#runner.execute(prepared[i] as Prepared, runs[i] as MysqlRun, call));
      this.#wire.release();
      return await sent;
    });
  }

  async #mark(): Promise<void> {
    await this.#runner.simple(MARK);
    this.#isMarked = true;
    this.#calls.check();
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

  /** Returns the number of warnings. */
  #command(text: string, options: RunOptions): Promise<number> {
    return this.#calls.run(options, () => this.#runner.simple(text));
  }

  /** The isolation level holds for the next transaction only. */
  #sendBeginning(): Promise<unknown> | undefined {
    if (!this.#begins) return undefined;
    this.#begins = false;
    const begun = allOver([this.#runner.simple(REPEATABLE), this.#runner.simple(BEGIN_SNAPSHOT)]);
    // Its failure is reported after the statement.
    begun.catch(() => undefined);
    return begun;
  }

  async #limit(timeoutMs: number): Promise<void> {
    await this.#runner.simple(limitText(this.#session, timeoutMs));
    this.#limitMs = timeoutMs;
    this.#calls.check();
  }
}
