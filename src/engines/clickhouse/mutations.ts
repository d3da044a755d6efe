/**
 * Runs UPDATE and DELETE: counts what they will hit, writes only when there is something to write, and withdraws a mutation that has failed, which would
 * else be tried again for ever and fail all behind it.
 */
import type { ResultColumn, RowSink } from '../../model/cells.ts';
import { DbFailure, type Outcome, type RunOptions, type StatementEffect } from '../contract/engine.ts';
import { TextRows } from '../contract/rows.ts';
import { changeEach, countEach, nthNumber, TAG } from './dialect/changes.ts';
import { MutationFailure } from './dialect/failures.ts';
import { type MutationRunner, notTogether, type Write } from './held-writes.ts';
import type { WireParam } from './protocol/wire.ts';
import type { ClickhouseStatement, Mutation } from './statement.ts';
import { literalText } from './types/params.ts';

/** Failures of a kind of DELETE that a table engine does not take, after which the next kind is tried. */
const TRY_NEXT: ReadonlySet<string> = new Set(['36', '48', '344', '1']);
const WITHDRAW: RunOptions = { timeoutMs: 5_000 };

interface Exchange {
  /** A text that no other has had. */
  tag(): string;
  execute(
    text: string,
    bound: readonly WireParam[],
    options: RunOptions,
    columns?: readonly ResultColumn[],
    sink?: RowSink,
  ): Promise<unknown>;
}

export class Mutations implements MutationRunner {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  async run({ statement, bound, options }: Write): Promise<Outcome> {
    const { count = '', otherwise = [] } = statement.counted ?? {};
    const left = timeLeft(options);
    const [rows = 0] = await this.#countFirst(count, 1, bound, options);
    if (!isToDo(statement, rows)) return { rows, selected: false };
    let refusal: unknown;
    for (const text of [statement.text, ...otherwise]) {
      try {
        await this.#mutate(text, bound, left());
        return { rows, selected: false };
      } catch (error) {
        if (!(error instanceof DbFailure) || error instanceof MutationFailure || !TRY_NEXT.has(error.code)) throw error;
        refusal = new DbFailure('unsupported', `the table cannot be changed in this way: ${error.message}`, {
          code: error.code,
          cause: error,
        });
      }
    }
    throw refusal;
  }

  async runAll(writes: readonly Write[], options: RunOptions): Promise<readonly number[]> {
    const change = writes[0]?.statement.counted?.change;
    if (change === undefined) throw notTogether();
    const left = timeLeft(options);
    const named = (text: string, i: number, n: number): WireParam => ({ name: `p${nthNumber(i + 1, n, change.width)}`, text });
    const bound = writes.flatMap((write, n) => write.bound.map(({ text }, i) => named(text, i, n)));
    try {
      const counts = await this.#countFirst(countEach(change, writes.length), writes.length, bound, options);
      const which = writes.flatMap(({ statement }, n) => (isToDo(statement, counts[n] ?? 0) ? [n] : []));
      if (which.length > 0) await this.#mutate(changeEach(change, which), bound, left());
      return counts;
    } catch (error) {
      throw error instanceof DbFailure && mayBeForOne(error, change) ? notTogether(error) : error;
    }
  }

  /** However it ends, nothing has been written yet. */
  async #countFirst(text: string, width: number, bound: readonly WireParam[], options: RunOptions): Promise<readonly number[]> {
    try {
      return await this.#count(text, width, bound, options);
    } catch (error) {
      throw error instanceof DbFailure && error.effect === 'unknown' ? error.withEffect('nothing') : error;
    }
  }

  async #mutate(text: string, bound: readonly WireParam[], options: RunOptions): Promise<void> {
    const tag = this.#exchange.tag();
    try {
      await this.#exchange.execute(text, [...bound, { name: TAG, text: tag }], options);
    } catch (error) {
      throw error instanceof MutationFailure ? error.withEffect(await this.#withdraw(tag)) : error;
    }
  }

  /** Takes a mutation out of the server's list, and tells what it has left: nothing, when no part of the table is as new as it. */
  async #withdraw(tag: string): Promise<StatementEffect> {
    const isIt = `position(command, ${literalText(tag)}) > 0`;
    try {
      const named = `SELECT mutation_id, database, table FROM system.mutations WHERE ${isIt}`;
      const [found] = await this.#read(named, columnsOf(3, 'text'), [], WITHDRAW);
      await this.#exchange.execute(`KILL MUTATION WHERE ${isIt}`, [], WITHDRAW);
      const [id, database, table] = found ?? [];
      // Replicated tables number their mutations in another way.
      const version = /^mutation_(\d+)\.txt$/.exec(id ?? '')?.[1];
      if (version === undefined) return 'unknown';
      const isNew = `active AND database = ${literalText(database ?? '')} AND table = ${literalText(table ?? '')} AND data_version >= ${version}`;
      const [changed] = await this.#count(`SELECT count() FROM system.parts WHERE ${isNew}`, 1, [], WITHDRAW);
      return changed === 0 ? 'nothing' : 'unknown';
    } catch {
      return 'unknown';
    }
  }

  /** The numbers of the one row that a query yields. */
  async #count(text: string, width: number, bound: readonly WireParam[], options: RunOptions): Promise<readonly number[]> {
    const [row = []] = await this.#read(text, columnsOf(width, 'int'), bound, options);
    return Array.from({ length: width }, (_, i) => Number(row[i] ?? '0'));
  }

  async #read(
    text: string,
    columns: readonly ResultColumn[],
    bound: readonly WireParam[],
    options: RunOptions,
  ): Promise<readonly TextRow[]> {
    const sink = new TextRows();
    await this.#exchange.execute(text, bound, options, columns, sink);
    return sink.rows;
  }
}

type TextRow = readonly (string | null)[];

function columnsOf(width: number, kind: 'int' | 'text'): readonly ResultColumn[] {
  return Array.from({ length: width }, (_, i) => ({ name: `column ${i + 1}`, kind }));
}

/** A mutation rewrites parts even when nothing matches: then there is none. */
function isToDo({ counted }: ClickhouseStatement, rows: number): boolean {
  return rows > 0 && rows <= (counted?.maxRows ?? Number.POSITIVE_INFINITY);
}

/** Can what failed for all be done for those who are not the reason? An UPDATE that has reached some parts can: it sets the same values again. */
function mayBeForOne(failure: DbFailure, change: Mutation): boolean {
  if (failure instanceof MutationFailure) return failure.effect === 'nothing' || change.set !== undefined;
  return failure.effect === 'nothing' && failure.about !== 'server';
}

/** The options of what comes later, which has to be over at the same time. */
function timeLeft(options: RunOptions): () => RunOptions {
  const ends = performance.now() + options.timeoutMs;
  return () => ({ ...options, timeoutMs: Math.max(1, Math.ceil(ends - performance.now())) });
}
