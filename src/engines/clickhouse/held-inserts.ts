/**
 * Inserts of several callers that are sent as one: the server makes one part of their rows, which costs it about as much as one row does. It takes all
 * of them or none. When it takes none, each is told to come again by itself, so that nobody fails for somebody else's row.
 */
import { DbFailure, type Outcome, type RunOptions } from '../engine.ts';
import { cancelled } from './dialect/failures.ts';
import { type Block, releaseBlock } from './types/block.ts';

interface HeldInsert {
  readonly block: Block;
  readonly options: RunOptions;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

type Insert = (text: string, blocks: readonly Block[], options: RunOptions) => Promise<void>;

export class HeldInserts {
  /** By text: the same table, and the same columns. */
  readonly #held = new Map<string, HeldInsert[]>();

  add(text: string, block: Block, options: RunOptions): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const insert = { block, options, resolve, reject };
      const others = this.#held.get(text);
      if (others === undefined) this.#held.set(text, [insert]);
      else others.push(insert);
    });
  }

  /** Everybody is answered. */
  async send(insert: Insert): Promise<void> {
    for (const [text, held] of this.#held) await sendAsOne(text, held.filter(isWanted), insert);
  }
}

function isWanted({ block, options, reject }: HeldInsert): boolean {
  if (options.signal?.aborted !== true) return true;
  releaseBlock(block);
  reject(cancelled());
  return false;
}

async function sendAsOne(text: string, held: readonly HeldInsert[], insert: Insert): Promise<void> {
  const [first] = held;
  if (first === undefined) return;
  const blocks = held.map(({ block }) => block);
  const { timeoutMs, signal } = first.options;
  try {
    // Who shares it with others does not end it.
    await insert(text, blocks, held.length === 1 ? { timeoutMs, signal } : { timeoutMs });
    for (const { block, resolve } of held) resolve({ rows: block.rows, selected: false });
  } catch (error) {
    const failure = held.length > 1 && error instanceof DbFailure && error.left === 'nothing' ? notTogether(error) : error;
    for (const { reject } of held) reject(failure);
  }
}

/** A row is wrong, and it is not said whose. */
export function notTogether(cause?: DbFailure): DbFailure {
  return new DbFailure('held_up', 'the insert is to be sent by itself', { left: 'nothing', cause });
}
