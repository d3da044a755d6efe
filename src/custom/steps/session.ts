/**
 * The connection of a call: acquired for the first sql step, with one transaction over all steps,
 * and released clean. Records which steps wrote, to report what remains after a failure.
 */

import {
  type Connection,
  DbFailure,
  type Engine,
  type FailureKind,
  MAX_UNSENT_RETRIES,
  type Outcome,
  type RunOptions,
  type StopSignal,
} from '../../engines/contract/engine.ts';
import type { Connections } from '../../engines/pool/connections.ts';
import { apiError } from '../../errors.ts';
import type { RowSink } from '../../model/cells.ts';
import type { Entry } from '../../model/entry.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { StatementFacts } from '../../sql/template/template.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { noteRows, type WorkMeter } from '../../util/concurrency/work-meter.ts';

export interface SessionOptions {
  readonly entry: () => Entry;
  readonly timeoutMs: number;
  readonly signal: StopSignal;
  /** `one`: a single statement is atomic without a transaction. */
  readonly transaction: 'one' | 'all' | 'none';
  readonly meter?: WorkMeter | undefined;
}

type Pool = ReturnType<Connections['pool']>;

/** The SQL of a step and the name of the step. */
export interface LabelledStatement {
  readonly label: string;
  readonly sql: StatementFacts;
  /** As `Step.relaxer`. */
  relaxer?(): () => boolean;
}

/** Failures that the types of parameters may cause. */
const OF_TYPES: ReadonlySet<FailureKind> = new Set<FailureKind>(['stale', 'invalid', 'syntax']);

/** Returns whether a rejected statement is worth another attempt with fewer declared types. */
export function isRelaxed({ ofStatement, kind }: DbFailure, relax: (() => boolean) | undefined): boolean {
  return ofStatement && OF_TYPES.has(kind) && relax?.() === true;
}

/** Writes that remain after a failed call, by step. */
export type SideEffects =
  | { readonly kind: 'none' }
  | { readonly kind: 'committed'; readonly steps: readonly string[] }
  | { readonly kind: 'uncertain'; readonly steps: readonly string[] };

/** Kinds of failure that occur before a statement starts, on any engine. */
const BEFORE: ReadonlySet<FailureKind> = new Set<FailureKind>(['syntax', 'denied', 'missing_table', 'missing_column', 'unsupported']);

const MAX_RESTARTS = 20;

/** Time limit for finding the side effects of a failed statement. */
const SIDE_EFFECTS_TIMEOUT_MS = 2000;

export class CallSession {
  readonly #connections: Connections;
  readonly #options: SessionOptions;
  readonly #run: RunOptions;
  #pool: Pool | undefined;
  #engine: Engine | undefined;
  #connection: Connection | undefined;
  #open = false;
  #dirty = false;
  /** Steps that have written, or may have, in the open transaction. */
  #pending: string[] = [];
  /** Steps whose writes are committed, and steps whose writes may be. */
  readonly #committed: string[] = [];
  readonly #uncertain: string[] = [];
  /** Something was sent that may write; something that certainly does. */
  #wrote = false;
  #changes = false;
  /**
   * A refused statement outside of a transaction: tables without transactions may contain a part of
   * it.
   */
  #refused: { readonly label: string; readonly text: string } | undefined;
  #cut = false;
  #again = false;
  #outdated = false;

  constructor(connections: Connections, options: SessionOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#run = { signal: options.signal, timeoutMs: options.timeoutMs };
  }

  /** Call this after a failure and `rollback`; undefined when nothing was to be written. */
  get sideEffects(): SideEffects | undefined {
    if (this.#uncertain.length > 0) return { kind: 'uncertain', steps: [...this.#committed, ...this.#uncertain] };
    if (this.#committed.length > 0) return { kind: 'committed', steps: this.#committed };
    return this.#changes ? { kind: 'none' } : undefined;
  }

  /**
   * `true` if no other version may run: writes remain, or the connection was lost after a statement
   * was sent.
   */
  get isFinal(): boolean {
    return this.#cut || this.#committed.length > 0 || this.#uncertain.length > 0;
  }

  /**
   * Number of times that the call may restart: when it failed before anything started, or because a
   * prepared plan was outdated, and no write remains. Every connection has its own plans, so the
   * latter may occur repeatedly.
   */
  get maxRestarts(): number {
    if (this.#again) return MAX_UNSENT_RETRIES;
    return this.#outdated && !this.isFinal ? MAX_RESTARTS : 0;
  }

  async run(bound: BoundStatement, statement: LabelledStatement, sink?: RowSink): Promise<Outcome> {
    const relax = statement.relaxer?.();
    if (!statement.sql.reads) this.#checkWritable();
    const taken = this.#connection ?? this.#take();
    const connection = taken instanceof Promise ? await taken : taken;
    const { label, sql } = statement;
    const writes = this.#mayWrite(sql);
    if (!sql.harmless) this.#dirty = true;
    const isFirst = !this.#wrote;
    if (writes) this.#wrote = true;
    if (!sql.reads) this.#changes = true;
    const options: RunOptions = sql.plain || !this.#open ? this.#run : { ...this.#run, transaction: 'may_end' };
    const { meter } = this.#options;
    const began = performance.now();
    try {
      const outcome = await connection.run(bound.statement, bound.params, options, sink);
      if (meter !== undefined) noteRows(meter, outcome.rows);
      if (writes) (this.#open ? this.#pending : sql.reads ? this.#uncertain : this.#committed).push(label);
      return outcome;
    } catch (error) {
      if (error instanceof DbFailure) this.#judge(error, statement, bound, { isFirst, isRelaxed: isRelaxed(error, relax) });
      else if (writes) (this.#open ? this.#pending : this.#uncertain).push(label);
      throw error;
    } finally {
      if (meter !== undefined) meter.databaseMs += performance.now() - began;
      // No other statement of the call follows.
      if (this.#options.transaction === 'one' && sql.reads && sql.harmless) this.release();
    }
  }

  /** Sets a savepoint for `returnToMark`. Returns `false` without transactions. */
  async mark(): Promise<boolean> {
    const connection = this.#connection ?? (await this.#take());
    if (!this.#open || connection.mark === undefined) return false;
    await connection.mark(this.#run);
    return true;
  }

  async returnToMark(): Promise<void> {
    await this.#connection?.returnToMark?.({ timeoutMs: this.#options.timeoutMs });
  }

  #checkWritable(): void {
    const { readOnly, type, database } = this.#options.entry();
    if (readOnly === true) throw apiError('database_read_only', type, database);
  }

  /** Functions that are not known may write, except where functions cannot. */
  #mayWrite({ reads, harmless }: StatementFacts): boolean {
    return !reads || (!harmless && this.#engine?.capabilities.transactions !== false);
  }

  #judge(
    failure: DbFailure,
    { label, sql }: LabelledStatement,
    bound: BoundStatement,
    { isFirst, isRelaxed: isRetried }: { readonly isFirst: boolean; readonly isRelaxed: boolean },
  ): void {
    const { kind, effect } = failure.at(this.#options.entry());
    const writes = this.#mayWrite(sql);
    this.#again = isFirst && kind === 'lost' && effect === 'unsent';
    this.#outdated = (kind === 'stale' || isRetried) && (this.#open || (isFirst && (!writes || isRetried)));
    if (effect === 'unsent') return;
    if (effect === 'unknown' || kind === 'lost') this.#cut = true;
    if (!writes) return;
    const isAtomic = this.#engine?.capabilities.transactions !== false;
    // Without transactions, a statement that did not compile has not started.
    if (!isAtomic && effect === 'nothing' && BEFORE.has(kind)) return;
    if (this.#open) this.#pending.push(label);
    else if (effect === 'unknown' || !sql.plain || !isAtomic) this.#uncertain.push(label);
    else this.#refused = { label, text: bound.statement.text };
  }

  /** Commits everything. Undefined when there is nothing to wait for. */
  commit(): Promise<void> | undefined {
    if (!this.#open) return undefined;
    this.#open = false;
    return this.#connection?.commit(this.#run).then(
      () => void this.#committed.push(...this.#pending.splice(0)),
      (error: unknown) => {
        const isNone = error instanceof DbFailure && (error.effect === 'unsent' || (error.effect === 'nothing' && !this.#hasLastingTables));
        this.#cut ||= error instanceof DbFailure && error.kind === 'lost';
        if (!isNone) this.#uncertain.push(...this.#pending);
        throw error;
      },
    );
  }

  /** Rolls everything back as far as the engine can, and notes what cannot be. */
  async rollback(): Promise<void> {
    if (this.#refused !== undefined) await this.#lookForTraces(this.#refused);
    if (!this.#open) return;
    this.#open = false;
    const connection = this.#connection;
    const pending = this.#pending.splice(0);
    try {
      const undone = await connection?.rollback({ timeoutMs: this.#options.timeoutMs });
      if (undone === 'some') this.#uncertain.push(...pending);
    } catch {
      // A connection that cannot roll back is closed, and the server rolls back. Tables without
      // transactions keep their rows, and they cannot be determined any more.
      connection?.close();
      if (this.#hasLastingTables) this.#uncertain.push(...pending);
    }
  }

  get #hasLastingTables(): boolean {
    return this.#engine?.mayHaveSideEffects !== undefined;
  }

  async #lookForTraces({ label, text }: { readonly label: string; readonly text: string }): Promise<void> {
    const connection = this.#connection;
    if (!this.#hasLastingTables || connection === undefined) return;
    const leaves = connection.usable
      ? await this.#engine
          ?.mayHaveSideEffects?.(connection, text, { timeoutMs: Math.min(this.#options.timeoutMs, SIDE_EFFECTS_TIMEOUT_MS) })
          .catch(() => true)
      : true;
    if (leaves === true) this.#uncertain.push(label);
  }

  /** Releases the connection, without waiting for its session to be reset. */
  release(): void {
    const connection = this.#connection;
    const pool = this.#pool;
    this.#connection = undefined;
    if (connection === undefined || pool === undefined) return;
    if (!this.#dirty || !connection.usable) {
      pool.release(connection);
      return;
    }
    connection
      .reset()
      .catch(() => false)
      .then((clean) => {
        if (!clean) connection.close();
        pool.release(connection);
      });
  }

  /** At once if one is idle and no transaction begins. */
  #take(): MaybePromise<Connection> {
    const { signal, transaction } = this.#options;
    const entry = this.#options.entry();
    this.#engine = this.#connections.engine(entry.type);
    const pool = this.#connections.pool(entry, 'custom');
    this.#pool = pool;
    return after(pool.acquire({ signal }), (connection): MaybePromise<Connection> => {
      this.#connection = connection;
      return transaction === 'all' && this.#engine?.capabilities.transactions === true ? this.#begin(connection) : connection;
    });
  }

  async #begin(connection: Connection): Promise<Connection> {
    try {
      await connection.begin(this.#run);
    } catch (error) {
      // Nothing of the call was sent yet.
      this.#again = error instanceof DbFailure && error.kind === 'lost' && error.effect !== 'nothing';
      throw error;
    }
    this.#open = true;
    return connection;
  }
}
