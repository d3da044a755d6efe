/**
 * The change log. Each write appends its changes in the same transaction, under gapless numbers. Each instance reads on from the last number it
 * has seen and tells its listeners. Knows nothing of the topics, nor how an instance learns that there is something to read.
 */
import type { Sql } from './sql-driver.ts';
import type { Change, ChangeTopic } from './store.ts';

/** An instance that is further behind drops everything instead of reading on. */
const KEPT_CHANGES = 10_000;

const TOPICS: readonly ChangeTopic[] = ['org', 'project', 'token', 'endpoint', 'modules', 'personas'];

/** What a write did to the memory of others: changed something, or (also) revoked something that grants access. */
export type Effect = 'changes' | 'revokes';

export interface ChangeRow {
  readonly seq: number;
  readonly topic: ChangeTopic;
  readonly key: string;
}

export const READ_CHANGES = 'SELECT seq, topic, key FROM changes WHERE seq > ? ORDER BY seq';

/** Appends within a write transaction, where nobody else appends. Returns the last number. */
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

  /** Takes rows read from `seen` on; two readers may bring the same rows. A missing number means that the log was truncated. */
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
 * How an instance knows that its memory is up to date. The embedded store and PostgreSQL differ in how; the promise is the same: once
 * `settle(n)` is fulfilled, every later `refresh`, at any instance that reaches the store, has applied change n when it is done. An instance
 * that does not reach the store may serve old pictures, but grants only while `grantsHold`: once `settle(n, 'revokes')` is fulfilled, no
 * instance that has not applied n trusts its grants.
 */
export interface Freshness {
  refresh(): void | Promise<void>;
  /** Asked right after `refresh`: may grants be taken from memory? */
  grantsHold(): boolean;
  settle(seq: number, effect: Effect): Promise<void>;
  close(): Promise<void>;
}
