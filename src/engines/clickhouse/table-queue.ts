/**
 * Runs the mutations of a table one after the other: a failed one would fail all that run beside
 * it.
 */
import type { Entry } from '../../model/entry.ts';
import { memo } from '../../util/memo.ts';
import { timedOut } from './dialect/failures.ts';

export class TableQueue {
  /** Settles when the last mutation of a table is over. */
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(table: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(table);
    let end = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    const all = before === undefined ? mine : before.then(() => mine);
    this.#last.set(table, all);
    try {
      if (before !== undefined) await within(before, timeoutMs);
      return await work();
    } finally {
      end();
      if (this.#last.get(table) === all) this.#last.delete(table);
    }
  }
}

/** One queue per pool: its connections belong to the same entry object. */
export const tableQueueOf: (entry: Entry) => TableQueue = memo(() => new TableQueue());

async function within(turn: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(timeoutMs).withEffect('nothing')), timeoutMs);
  });
  try {
    await Promise.race([turn, late]);
  } finally {
    clearTimeout(timer);
  }
}
