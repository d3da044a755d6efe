/**
 * Prepares statements, once for each text, and executes them. Independent of transactions and
 * deadlines.
 */
import type { RowSink } from '../../model/cells.ts';
import { DbFailure, type Outcome, type StatementRun } from '../contract/engine.ts';
import type { Calls, MysqlCall } from './calls.ts';
import { isStale, stopFailure, withoutEffect } from './dialect/failures.ts';
import { outcomeOf, wasCutShort } from './outcome.ts';
import { COMMAND, closeCommand, command, HEADER } from './protocol/commands.ts';
import { ParameterWriter } from './protocol/parameters.ts';
import { DoneReply, PreparedReply, ResultReply } from './protocol/replies.ts';
import { makePrepared, type Prepared, PreparedStatements } from './protocol/statements.ts';
import type { Wire } from './protocol/wire.ts';
import type { MysqlStatement } from './statement.ts';

const SCRATCH_BYTES = 4096;

export interface MysqlRun extends Omit<StatementRun, 'sink'> {
  readonly statement: MysqlStatement;
  readonly sink: RowSink | undefined;
}

export class StatementRunner {
  readonly #wire: Wire;
  readonly #calls: Calls;
  readonly #statements = new PreparedStatements();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  constructor(wire: Wire, calls: Calls) {
    this.#wire = wire;
    this.#calls = calls;
  }

  /** The server has forgotten all prepared statements. */
  clear(): void {
    this.#statements.clear();
  }

  /** Runs a text that is not prepared, and returns the number of warnings. */
  async simple(text: string): Promise<number> {
    const reply = new DoneReply();
    await this.#wire.send(command(COMMAND.query, text), reply);
    if (reply.failure !== undefined) throw reply.failure;
    return reply.warnings;
  }

  /** Checks a text without running it. */
  async check(text: string): Promise<void> {
    this.#close((await this.#sendPrepare(text)).id);
  }

  find(statement: MysqlStatement): Prepared | undefined {
    return this.#statements.find(statement);
  }

  async prepare(statement: MysqlStatement): Promise<Prepared> {
    const { id, parameters } = await this.#sendPrepare(statement.text);
    if (parameters !== statement.types.length) {
      this.#close(id);
      throw new DbFailure('syntax', `The statement has ${parameters} placeholders for ${statement.types.length} values`, {
        code: 'PARAMETERS',
      });
    }
    const known = this.#statements.find(statement);
    if (known !== undefined) {
      // Another caller has prepared it concurrently.
      this.#close(id);
      return known;
    }
    const prepared = makePrepared(statement, id);
    if (this.#statements.keeps(statement)) for (const evicted of this.#statements.keep(prepared)) this.#close(evicted.id);
    return prepared;
  }

  /** Executes a prepared statement. One that is not kept is closed afterwards. */
  async execute(prepared: Prepared, run: MysqlRun, call: MysqlCall): Promise<Outcome> {
    const { statement } = run;
    const isKept = this.#statements.keeps(statement);
    try {
      const outcome = await this.#execute(prepared, run, call);
      if (outcome.selected && performance.now() >= call.late && wasCutShort(statement)) throw stopFailure('timeout');
      return outcome;
    } catch (error) {
      if (isKept && isStale(error)) {
        this.#statements.forget(prepared);
        this.#close(prepared.id);
      }
      throw error;
    } finally {
      if (!isKept) this.#close(prepared.id);
    }
  }

  async #sendPrepare(text: string): Promise<PreparedReply> {
    const reply = new PreparedReply();
    await this.#wire.send(command(COMMAND.prepare, text), reply).catch(withoutEffect);
    if (reply.failure !== undefined) throw reply.failure;
    return reply;
  }

  async #execute(prepared: Prepared, { statement, params, sink }: MysqlRun, call: MysqlCall): Promise<Outcome> {
    // The socket may refer to the scratch buffer until an uncorked command is answered.
    const isFree = this.#calls.isSingle || this.#wire.isHeld;
    const writer = new ParameterWriter(isFree ? this.#scratch : Buffer.allocUnsafe(SCRATCH_BYTES), HEADER);
    writer.execute(COMMAND.execute, prepared.id);
    if (statement.rows !== undefined) writer.rows(statement.types, statement.rows);
    else if (statement.types.length > 0) writer.parameters(statement.types, params);
    const result = new ResultReply(statement, prepared, this.#wire, sink, call.isPipelined);
    this.#calls.addResult(result, call);
    try {
      await this.#wire.send(writer.take(), result);
      writer.release();
      if (result.sinkError !== undefined) throw result.sinkError;
    } catch (error) {
      throw result.sinkError ?? error;
    } finally {
      this.#calls.removeResult(result);
      result.finish();
    }
    return outcomeOf(statement, result);
  }

  #close(id: number): void {
    this.#wire.tell(closeCommand(id));
  }
}
