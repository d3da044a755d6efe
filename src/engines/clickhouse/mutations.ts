/**
 * Runs UPDATE and DELETE: counts the rows first, writes only if there are any, and withdraws a
 * mutation that has failed, since the server would try it again for ever and fail all mutations
 * after it.
 */
import type { ResultColumn, RowSink } from '../../model/cells.ts';
import { DbFailure, type Outcome, type RunOptions, type StatementEffect } from '../contract/engine.ts';
import { TextRows } from '../contract/rows.ts';
import { TAG } from './dialect/changes.ts';
import { MutationFailure } from './dialect/failures.ts';
import type { WireParam } from './protocol/wire.ts';
import type { ClickhouseStatement } from './statement.ts';
import type { TableQueue } from './table-queue.ts';
import { literalText } from './types/params.ts';

/** Codes of a table engine that does not support a form of DELETE: the next form is tried. */
const TRY_NEXT: ReadonlySet<string> = new Set(['36', '48', '344', '1']);
const WITHDRAW: RunOptions = { timeoutMs: 5_000 };

interface Exchange {
  readonly queue: TableQueue;
  /** A unique string. */
  tag(): string;
  execute(
    text: string,
    bound: readonly WireParam[],
    options: RunOptions,
    columns?: readonly ResultColumn[],
    sink?: RowSink,
  ): Promise<unknown>;
}

interface Write {
  readonly statement: ClickhouseStatement;
  readonly bound: readonly WireParam[];
  readonly options: RunOptions;
}

export class Mutations {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  run(write: Write): Promise<Outcome> {
    const left = timeLeft(write.options);
    const { table = '' } = write.statement.counted ?? {};
    return this.#exchange.queue.run(table, write.options.timeoutMs, () => this.#countAndMutate(write, left));
  }

  async #countAndMutate({ statement, bound }: Write, left: () => RunOptions): Promise<Outcome> {
    const { count = '', otherwise = [] } = statement.counted ?? {};
    const rows = await this.#countFirst(count, bound, left());
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

  /** Nothing has been written yet, however it ends. */
  async #countFirst(text: string, bound: readonly WireParam[], options: RunOptions): Promise<number> {
    try {
      return await this.#count(text, bound, options);
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

  /**
   * Removes a mutation from the server's list. It had no effect if no part of the table is as new
   * as the mutation.
   */
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
      const changed = await this.#count(`SELECT count() FROM system.parts WHERE ${isNew}`, [], WITHDRAW);
      return changed === 0 ? 'nothing' : 'unknown';
    } catch {
      return 'unknown';
    }
  }

  async #count(text: string, bound: readonly WireParam[], options: RunOptions): Promise<number> {
    const [row] = await this.#read(text, columnsOf(1, 'int'), bound, options);
    return Number(row?.[0] ?? '0');
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

/** A mutation rewrites parts even if no row matches. */
function isToDo({ counted }: ClickhouseStatement, rows: number): boolean {
  return rows > 0 && rows <= (counted?.maxRows ?? Number.POSITIVE_INFINITY);
}

/** The options of later statements, with the time that is left. */
function timeLeft(options: RunOptions): () => RunOptions {
  const ends = performance.now() + options.timeoutMs;
  return () => ({ ...options, timeoutMs: Math.max(1, Math.ceil(ends - performance.now())) });
}
