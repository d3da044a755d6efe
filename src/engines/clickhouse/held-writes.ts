/**
 * Writes of several callers that are sent as one. Of inserts the server makes one part, which costs it about as much as one row does; it takes all of
 * them or none, and when it takes none, each is told to come again by itself, so that nobody fails for somebody else's row. Changes of single rows
 * become one mutation; when that fails, they are done one after the other.
 */
import { DbFailure, type Outcome, type RunOptions } from '../contract/engine.ts';
import { cancelled } from './dialect/failures.ts';
import type { WireParam } from './protocol/wire.ts';
import type { ClickhouseStatement } from './statement.ts';
import { type Block, releaseBlock } from './types/block.ts';

export interface Write {
  readonly statement: ClickhouseStatement;
  readonly bound: readonly WireParam[];
  readonly options: RunOptions;
}

interface HeldWrite extends Write {
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** How writes are sent. */
export interface Writer {
  insert(text: string, blocks: readonly Block[], options: RunOptions): Promise<void>;
  readonly changes: MutationRunner;
}

export interface MutationRunner {
  run(write: Write): Promise<Outcome>;
  /** Changes of one text; returns how many rows each of them matches. Fails with `notTogether` when they are to be run one by one. */
  runAll(writes: readonly Write[], options: RunOptions): Promise<readonly number[]>;
}

/** Can it be sent with others? */
export function isMergeable({ block, isOneOfMany, counted }: ClickhouseStatement): boolean {
  return block === undefined ? counted?.change !== undefined : isOneOfMany === true;
}

export class HeldWrites {
  /** By text: the same table, and the same columns. */
  readonly #held = new Map<string, HeldWrite[]>();

  add(write: Write): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const held = { ...write, resolve, reject };
      const others = this.#held.get(write.statement.text);
      if (others === undefined) this.#held.set(write.statement.text, [held]);
      else others.push(held);
    });
  }

  /** Everybody is answered. */
  async send(writer: Writer): Promise<void> {
    for (const [text, writes] of this.#held) {
      const held = writes.filter(isWanted);
      if (held[0]?.statement.block === undefined) await changeAsOne(held, writer);
      else await insertAsOne(text, held, writer);
    }
  }
}

function isWanted({ statement: { block }, options, reject }: HeldWrite): boolean {
  if (options.signal?.aborted !== true) return true;
  if (block !== undefined) releaseBlock(block);
  reject(cancelled());
  return false;
}

/** Who shares it with others does not end it. */
function sharedOptions(held: readonly HeldWrite[]): RunOptions {
  const timeoutMs = held[0]?.options.timeoutMs ?? 0;
  return held.length === 1 ? { timeoutMs, signal: held[0]?.options.signal } : { timeoutMs };
}

async function insertAsOne(text: string, held: readonly HeldWrite[], writer: Writer): Promise<void> {
  const blocks = held.flatMap(({ statement: { block } }) => block ?? []);
  try {
    await writer.insert(text, blocks, sharedOptions(held));
    for (const { statement, resolve } of held) resolve({ rows: statement.block?.rows ?? 0, selected: false });
  } catch (error) {
    const failure = held.length > 1 && leavesNothing(error) ? notTogether(error) : error;
    for (const { reject } of held) reject(failure);
  }
}

async function changeAsOne(held: readonly HeldWrite[], { changes }: Writer): Promise<void> {
  if (held.length > 1) {
    try {
      const rows = await changes.runAll(held, sharedOptions(held));
      for (const [i, { resolve }] of held.entries()) resolve({ rows: rows[i] ?? 0, selected: false });
      return;
    } catch (error) {
      if (!(error instanceof DbFailure && error.kind === 'preempted')) {
        for (const { reject } of held) reject(error);
        return;
      }
    }
  }
  // Side by side, one that fails would fail the others.
  for (const write of held) await changes.run(write).then(write.resolve, write.reject);
}

function leavesNothing(error: unknown): error is DbFailure {
  return error instanceof DbFailure && error.effect === 'nothing';
}

/** A row is wrong, and it is not said whose. */
export function notTogether(cause?: DbFailure): DbFailure {
  return new DbFailure('preempted', 'the write is to be sent by itself', { effect: 'nothing', cause });
}
