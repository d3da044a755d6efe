/**
 * A connection: runs statements by the binary protocol, one at a time, with a deadline around each of them. Values travel beside the
 * text and never in it. Refuses to know plans, tables and who asks.
 */
import type { RowSink } from '../../model/cells.ts';
import type { Entry } from '../../model/entry.ts';
import type { ParamValue, Statement } from '../../sql/statement.ts';
import { type Connection, type ConnectOptions, DbFailure, type Outcome, type RunOptions } from '../engine.ts';
import { lostFailure, wasKilled } from './failures.ts';
import { login, type Session } from './login.ts';
import { ParameterWriter } from './parameters.ts';
import { DoneReply, PreparedReply, ResultReply } from './replies.ts';
import { BEGIN, COMMIT, limitFits, limitText, ROLLBACK, SETTINGS } from './session.ts';
import { type Prepared, PreparedStatements } from './statements.ts';
import { otherKeyFailure, upsertedRows } from './upsert.ts';
import { type StopKind, stopFailure, Watch } from './watch.ts';
import { Wire } from './wire.ts';

const COMMAND = { quit: 1, initDb: 2, query: 3, prepare: 22, execute: 23, close: 25, reset: 31 } as const;
const HEADER = 4;
const SCRATCH = 4096;
/** How long a stopped statement may take to end before the connection is given up. */
const STOP_MS = 1000;
const RESET_MS = 5000;

export class MysqlConnection implements Connection {
  readonly #wire: Wire;
  readonly #session: Session;
  readonly #entry: Entry;
  readonly #at: ConnectOptions;
  readonly #statements = new PreparedStatements();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH);
  #limitMs = Number.POSITIVE_INFINITY;
  #result: ResultReply | undefined;
  /** A KILL may still be under way to a statement that has ended: the next one must not get it. */
  #tainted = false;

  private constructor(session: Session, entry: Entry, at: ConnectOptions) {
    this.#session = session;
    this.#entry = entry;
    this.#at = at;
    this.#wire = new Wire(session.socket);
  }

  static async open(entry: Entry, at: ConnectOptions): Promise<MysqlConnection> {
    const began = performance.now();
    const session = await login(entry, at);
    const connection = new MysqlConnection(session, entry, at);
    const timeoutMs = Math.max(1, at.timeoutMs - (performance.now() - began));
    try {
      await connection.#watched({ timeoutMs, signal: at.signal }, () => connection.#simple(SETTINGS));
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
    return this.#wire.open && !this.#tainted;
  }

  onClosed(listener: () => void): void {
    this.#wire.onClosed(listener);
  }

  close(): void {
    this.#wire.tell(command(COMMAND.quit, ''));
    this.#wire.fail(lostFailure('The connection was closed'));
  }

  async run(statement: Statement, params: readonly ParamValue[], options: RunOptions, sink?: RowSink): Promise<Outcome> {
    const began = performance.now();
    return this.#watched(options, async (watch) => {
      await this.#limit(options.timeoutMs);
      watch.check();
      const key = this.#statements.key(statement);
      const kept = key === undefined ? undefined : this.#statements.find(key);
      const prepared = kept ?? (await this.#prepare(statement, key));
      try {
        watch.check();
        const outcome = await this.#execute(prepared, statement, params, sink);
        // A sleeping SELECT that MySQL's limit wakes up gives a row and no error.
        if (outcome.selected && performance.now() - began >= options.timeoutMs) throw stopFailure('timeout');
        return outcome;
      } catch (error) {
        if (key !== undefined && error instanceof DbFailure && error.kind === 'stale') this.#forget(key, prepared);
        throw error;
      } finally {
        if (key === undefined) this.#closeStatement(prepared);
      }
    });
  }

  async begin(options: RunOptions): Promise<void> {
    await this.#watched(options, () => this.#simple(BEGIN));
  }

  async commit(options: RunOptions): Promise<void> {
    await this.#watched(options, () => this.#simple(COMMIT));
  }

  async rollback(options: RunOptions): Promise<void> {
    await this.#watched(options, () => this.#simple(ROLLBACK));
  }

  /** The database is chosen again too: a reset session stays in the one that a statement has moved to. */
  async reset(): Promise<boolean> {
    if (!this.usable) return false;
    const timer = setTimeout(() => this.#wire.fail(lostFailure('The database did not answer to a reset')), RESET_MS);
    this.#statements.clear();
    this.#limitMs = Number.POSITIVE_INFINITY;
    const replies = [new DoneReply(), new DoneReply(), new DoneReply()] as const;
    try {
      await Promise.all([
        this.#wire.send(command(COMMAND.reset, ''), replies[0]),
        this.#wire.send(command(COMMAND.query, SETTINGS), replies[1]),
        this.#entry.database === '' ? undefined : this.#wire.send(command(COMMAND.initDb, this.#entry.database), replies[2]),
      ]);
      return replies.every((reply) => reply.failure === undefined);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a step under a deadline; when it is over, the server is told, and the connection is kept only if the server confirms. */
  async #watched<T>(options: RunOptions, step: (watch: Watch) => Promise<T>): Promise<T> {
    let killed: Promise<boolean> | undefined;
    const watch = new Watch(options, (kind) => {
      killed = this.#stop(kind);
    });
    try {
      watch.check();
      const result = await step(watch);
      this.#tainted ||= killed !== undefined;
      return result;
    } catch (error) {
      if (watch.stopped === undefined) throw error;
      if (killed !== undefined) this.#tainted = !((await killed) && wasKilled(error));
      throw stopFailure(watch.stopped, error);
    } finally {
      watch.release();
    }
  }

  /** Ends what is running; true when the server has taken the order. Whatever happens, nobody waits longer than STOP_MS. */
  async #stop(kind: StopKind): Promise<boolean> {
    this.#result?.abandon();
    this.#wire.resume();
    const timer = setTimeout(() => this.#wire.fail(stopFailure(kind)), STOP_MS);
    const pending = this.#wire.settled();
    try {
      await killQuery(this.#entry, this.#at, this.#session.threadId);
      await pending;
      return true;
    } catch {
      this.#wire.fail(stopFailure(kind));
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #simple(text: string): Promise<void> {
    const reply = new DoneReply();
    await this.#wire.send(command(COMMAND.query, text), reply);
    if (reply.failure !== undefined) throw reply.failure;
  }

  async #limit(timeoutMs: number): Promise<void> {
    if (limitFits(this.#limitMs, timeoutMs)) return;
    await this.#simple(limitText(this.#session, timeoutMs));
    this.#limitMs = timeoutMs;
  }

  async #prepare(statement: Statement, key: string | undefined): Promise<Prepared> {
    const reply = new PreparedReply();
    await this.#wire.send(command(COMMAND.prepare, statement.text), reply);
    if (reply.failure !== undefined) throw reply.failure;
    const prepared = { id: reply.id, text: statement.text };
    if (reply.parameters !== statement.types.length) {
      this.#closeStatement(prepared);
      throw new DbFailure('syntax', `The statement has ${reply.parameters} placeholders for ${statement.types.length} values`, {
        code: 'PARAMETERS',
      });
    }
    const evicted = key === undefined ? undefined : this.#statements.keep(key, prepared);
    if (evicted !== undefined) this.#closeStatement(evicted);
    return prepared;
  }

  async #execute(prepared: Prepared, statement: Statement, params: readonly ParamValue[], sink: RowSink | undefined): Promise<Outcome> {
    const writer = new ParameterWriter(this.#scratch, HEADER);
    writer.execute(COMMAND.execute, prepared.id);
    if (statement.types.length > 0) writer.parameters(statement.types, params);
    const result = new ResultReply(statement.columns, this.#wire, sink);
    this.#result = result;
    try {
      await this.#wire.send(writer.take(), result);
    } catch (error) {
      throw result.sinkError ?? error;
    } finally {
      this.#result = undefined;
      result.finish();
    }
    if (result.failure !== undefined) throw otherKeyFailure(statement.text, result.failure);
    if (result.dropped) throw lostFailure('The rows were no longer wanted');
    if (result.selected) return { rows: result.rows, selected: true };
    return { rows: upsertedRows(statement.text, result.info) ?? result.affected, selected: false };
  }

  #forget(key: string, prepared: Prepared): void {
    this.#statements.forget(key);
    this.#closeStatement(prepared);
  }

  #closeStatement(prepared: Prepared): void {
    const bytes = Buffer.alloc(HEADER + 5);
    bytes[HEADER] = COMMAND.close;
    bytes.writeUInt32LE(prepared.id, HEADER + 1);
    this.#wire.tell(bytes);
  }
}

function command(code: number, text: string): Buffer {
  const size = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(HEADER + 1 + size);
  bytes[HEADER] = code;
  bytes.write(text, HEADER + 1, 'utf8');
  return bytes;
}

/** Tells the server over a second connection to end what a session is doing. */
async function killQuery(entry: Entry, at: ConnectOptions, threadId: number): Promise<void> {
  const { socket } = await login(entry, { host: at.host, address: at.address, timeoutMs: STOP_MS });
  const wire = new Wire(socket);
  const timer = setTimeout(() => wire.fail(lostFailure('The database did not answer to a KILL')), STOP_MS);
  try {
    await wire.send(command(COMMAND.query, `KILL QUERY ${threadId}`), new DoneReply());
  } finally {
    clearTimeout(timer);
    wire.tell(command(COMMAND.quit, ''));
    wire.fail(lostFailure('The connection was closed'));
  }
}
