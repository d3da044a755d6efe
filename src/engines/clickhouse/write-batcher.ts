/**
 * Group commit of inserts: the server writes each insert as a part, which costs about as much for
 * one row as for many. While two inserts of a table are in progress, others wait and leave as one
 * block. Each caller receives its own result.
 */
import type { Entry } from '../../model/entry.ts';
import { memo } from '../../util/memo.ts';
import { DbFailure, type RunOptions } from '../contract/engine.ts';
import { cancelled } from './dialect/failures.ts';
import { type Block, releaseBlock } from './types/block.ts';

const MAX_IN_FLIGHT = 2;
/** An insert that has waited this long is sent whatever is under way. */
const MAX_DELAY_MS = 100;
const MAX_BATCH = 32;
/**
 * How long inserts of a table are sent individually after a batch has failed with an unknown
 * effect.
 */
const COOL_DOWN_MS = 30_000;

export interface PendingInsert {
  /** The same for inserts into the same columns of the same table. */
  readonly text: string;
  readonly block: Block;
  readonly options: RunOptions;
  /** Inserts blocks on the connection of this caller. */
  readonly insert: (blocks: readonly Block[], options: RunOptions) => Promise<void>;
}

interface Waiting extends PendingInsert {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Inserts with the same text. */
interface Line {
  readonly waiting: Waiting[];
  inFlight: number;
  timer: NodeJS.Timeout | undefined;
}

export class WriteBatcher {
  readonly #lines = new Map<string, Line>();
  readonly #individualUntil = new Map<string, number>();

  /**
   * Takes over the block. Fails as `unsent` if the connection was given up with a batch that was
   * refused.
   */
  insert(pending: PendingInsert): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#lineOf(pending.text);
      line.waiting.push({ ...pending, resolve, reject });
      if (line.inFlight < MAX_IN_FLIGHT || this.#isIndividual(pending.text)) this.#flush(pending.text, line);
      else line.timer ??= setTimeout(() => this.#flush(pending.text, line), MAX_DELAY_MS);
    });
  }

  #lineOf(text: string): Line {
    const line = this.#lines.get(text) ?? { waiting: [], inFlight: 0, timer: undefined };
    this.#lines.set(text, line);
    return line;
  }

  /** Sends what waits: as one batch, or individually during a cool-down. */
  #flush(text: string, line: Line): void {
    clearTimeout(line.timer);
    line.timer = undefined;
    const isIndividual = this.#isIndividual(text);
    do {
      line.inFlight++;
      const batch = line.waiting.splice(0, isIndividual ? 1 : MAX_BATCH).filter(isWanted);
      void this.#send(text, batch).finally(() => {
        line.inFlight--;
        if (line.waiting.length > 0) this.#flush(text, line);
        else if (line.inFlight === 0) this.#lines.delete(text);
      });
    } while (line.waiting.length > 0 && (isIndividual || line.inFlight < MAX_IN_FLIGHT));
  }

  async #send(text: string, batch: readonly Waiting[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    if (batch.length === 1) return sendAlone(first);
    try {
      // A caller that leaves does not end the inserts of the others.
      const blocks = batch.map(({ block }) => block);
      await first.insert(blocks, { timeoutMs: first.options.timeoutMs });
    } catch (error) {
      if (error instanceof DbFailure && error.effect === 'nothing') {
        // A row was refused, and the server does not report which one.
        await Promise.all(batch.map(sendAlone));
        return;
      }
      this.#individualUntil.set(text, performance.now() + COOL_DOWN_MS);
      // The memory of the blocks is not reused: the socket may still refer to it.
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { block, resolve } of batch) {
      releaseBlock(block);
      resolve();
    }
  }

  #isIndividual(text: string): boolean {
    const until = this.#individualUntil.get(text);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#individualUntil.delete(text);
    return false;
  }
}

/** One batcher per pool: its connections belong to the same entry object. */
export const batcherOf: (entry: Entry) => WriteBatcher = memo(() => new WriteBatcher());

async function sendAlone({ block, options, insert, resolve, reject }: Waiting): Promise<void> {
  try {
    await insert([block], options);
    releaseBlock(block);
    resolve();
  } catch (error) {
    reject(error);
  }
}

function isWanted({ block, options, reject }: Waiting): boolean {
  if (options.signal?.aborted !== true) return true;
  releaseBlock(block);
  reject(cancelled());
  return false;
}
