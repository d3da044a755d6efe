/**
 * The change log: each write appends what it changed, in the same transaction, under gapless numbers; each instance reads on from the
 * last number that it has seen and tells its listeners. Knows nothing of what the topics mean, nor how an instance learns that there is something to read.
 */
import type { Sql } from './sql-driver.ts';
import type { Change, ChangeTopic } from './store.ts';

/** An instance that fell behind by more than this drops everything instead of reading on. */
const KEPT_CHANGES = 10_000;

const TOPICS: readonly ChangeTopic[] = ['org', 'project', 'token', 'endpoint', 'modules', 'personas'];

/** What a write did to what others have in memory: changed it, or (also) took back something that grants access. */
export type Effect = 'changes' | 'revokes';

export interface ChangeRow {
  readonly seq: number;
  readonly topic: ChangeTopic;
  readonly key: string;
}

export const READ_CHANGES = 'SELECT seq, topic, key FROM changes WHERE seq > ? ORDER BY seq';

/** Appends within a write transaction, where nobody else appends; returns the last number given. */
export async function appendChanges(tx: Sql, changes: readonly Change[]): Promise<number> {
  const [row] = await tx.all<{ seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM changes');
  let seq = row?.seq ?? 0;
  for (const { topic, key } of changes) {
    seq += 1;
    await tx.all('INSERT INTO changes (seq, topic, key) VALUES (?, ?, ?)', [seq, topic, key]);
  }
  await tx.all('DELETE FROM changes WHERE seq <= ?', [seq - KEPT_CHANGES]);
  return seq;
}

export class ChangeFeed {
  /** The number up to which this instance has dropped what became old. */
  seen: number;
  readonly #listeners: ((change: Change) => void)[] = [];

  constructor(seen: number) {
    this.seen = seen;
  }

  listen(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Takes rows that were read on from `seen`; two readers may bring the same ones. A missing number means that the log was cut. */
  apply(rows: readonly ChangeRow[]): void {
    const fresh = rows.filter(({ seq }) => seq > this.seen);
    const first = fresh[0];
    const last = fresh.at(-1);
    if (first === undefined || last === undefined) return;
    const wasCut = first.seq > this.seen + 1;
    this.seen = last.seq;
    if (wasCut) for (const topic of TOPICS) this.#tell({ topic, key: '*' });
    else for (const { topic, key } of fresh) this.#tell({ topic, key });
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/**
 * How an instance knows that its memory is true. The embedded store and PostgreSQL answer differently; the promise is the same:
 * when `settle(n)` is fulfilled, every `refresh` that begins afterwards, at any instance that reaches the store, has applied change n when
 * it is done. An instance that does not reach the store may serve old pictures, but of grants only while `grantsHold`: when
 * `settle(n, 'revokes')` is fulfilled, they hold nowhere where n has not been applied.
 */
export interface Freshness {
  refresh(): void | Promise<void>;
  /** Asked right after `refresh`: may what grants something be taken from memory? */
  grantsHold(): boolean;
  settle(seq: number, effect: Effect): Promise<void>;
  close(): Promise<void>;
}
