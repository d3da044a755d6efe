/**
 * Runs UPDATE and DELETE: counts what they will hit, writes only when there is something to write, and withdraws a mutation that has failed, which would
 * else be tried again for ever and fail all behind it.
 */
import type { ResultColumn, RowSink } from '../../model/cells.ts';
import { DbFailure, type Left, type Outcome, type RunOptions } from '../engine.ts';
import { TextRows } from '../rows.ts';
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

  /** A mutation rewrites parts even when nothing matches: then there is none. */
  async run({ statement, bound, options }: Write): Promise<Outcome> {
    const { count = '', otherwise = [] } = statement.counted ?? {};
    const left = timeLeft(options);
    const [rows = 0] = await this.#count(count, 1, bound, options);
    if (rows === 0) return { rows, selected: false };
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

  async runAll(
    { counted }: ClickhouseStatement,
    bounds: readonly (readonly WireParam[])[],
    options: RunOptions,
  ): Promise<readonly number[]> {
    const change = counted?.change;
    if (change === undefined) throw notTogether();
    const left = timeLeft(options);
    const bound = bounds.flatMap((params, n) => params.map(({ text }, i) => ({ name: `p${nthNumber(i + 1, n, change.width)}`, text })));
    const counts = await this.#count(countEach(change, bounds.length), bounds.length, bound, options);
    const which = bounds.flatMap((_, n) => (counts[n] === 0 ? [] : [n]));
    if (which.length > 0) await this.#mutateAll(change, which, bound, left());
    return counts;
  }

  /** An UPDATE of a failed one that has reached some parts may be done again: it sets the same values. */
  async #mutateAll(change: Mutation, which: readonly number[], bound: readonly WireParam[], options: RunOptions): Promise<void> {
    try {
      await this.#mutate(changeEach(change, which), bound, options);
    } catch (error) {
      throw error instanceof MutationFailure && change.set !== undefined ? error.leaving('nothing') : error;
    }
  }

  async #mutate(text: string, bound: readonly WireParam[], options: RunOptions): Promise<void> {
    const tag = this.#exchange.tag();
    try {
      await this.#exchange.execute(text, [...bound, { name: TAG, text: tag }], options);
    } catch (error) {
      throw error instanceof MutationFailure ? error.leaving(await this.#withdraw(tag)) : error;
    }
  }

  /** Takes a mutation out of the server's list, and tells what it has left: nothing, when all parts of the table still wait for it. */
  async #withdraw(tag: string): Promise<Left> {
    const isIt = `position(command, ${literalText(tag)}) > 0`;
    const waiting = `SELECT max(parts_to_do) FROM system.mutations WHERE ${isIt}`;
    const tables = `SELECT database, table FROM system.mutations WHERE ${isIt}`;
    const all = `SELECT count() FROM system.parts WHERE active AND (database, table) IN (${tables})`;
    try {
      const [isUntouched] = await this.#count(`SELECT (${waiting}) > 0 AND (${waiting}) = (${all})`, 1, [], WITHDRAW);
      await this.#exchange.execute(`KILL MUTATION WHERE ${isIt}`, [], WITHDRAW);
      return isUntouched === 1 ? 'nothing' : 'unknown';
    } catch {
      return 'unknown';
    }
  }

  /** The numbers of the one row that a query yields. */
  async #count(text: string, width: number, bound: readonly WireParam[], options: RunOptions): Promise<readonly number[]> {
    const columns = Array.from({ length: width }, (_, i): ResultColumn => ({ name: `count ${i + 1}`, kind: 'int' }));
    const sink = new TextRows();
    await this.#exchange.execute(text, bound, options, columns, sink);
    return columns.map((_, i) => Number(sink.rows[0]?.[i] ?? '0'));
  }
}

/** The options of what comes later, which has to be over at the same time. */
function timeLeft(options: RunOptions): () => RunOptions {
  const ends = performance.now() + options.timeoutMs;
  return () => ({ ...options, timeoutMs: Math.max(1, Math.ceil(ends - performance.now())) });
}
