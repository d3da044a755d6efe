/**
 * The change log. Each write appends its changes in the same transaction under gapless numbers;
 * each instance reads on from the last number that it applied and notifies its listeners.
 */
import type { Sql } from './sql-driver.ts';
import type { Change, ChangeTopic } from './store.ts';

/** An instance further behind than this drops its caches instead of reading on. */
const KEPT_CHANGES = 10_000;

const TOPICS: readonly ChangeTopic[] = ['org', 'project', 'token', 'endpoint', 'modules', 'personas', 'app'];

/** Kind of a write: `revokes` if it takes back a right, such as a token or a persona. */
export type Effect = 'changes' | 'revokes';

export interface ChangeRow {
  readonly seq: number;
  readonly topic: ChangeTopic;
  readonly key: string;
}

export const READ_CHANGES = 'SELECT seq, topic, key FROM changes WHERE seq > ? ORDER BY seq';

/** Appends within a write transaction, which excludes other writers. Returns the last number. */
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
  /** The last change that this instance has applied. */
  seen: number;
  readonly #listeners: ((change: Change) => void)[] = [];

  constructor(seen: number) {
    this.seen = seen;
  }

  listen(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Applies rows read from `seen` on. Two readers may pass the same rows. A missing number means
   * that the log was truncated.
   */
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
 * How an instance keeps its caches up to date; the two stores implement it differently. Once
 * `settle(n)` resolves, every later `refresh` at any instance that reaches the store applies change
 * n. An instance that does not reach the store may serve old records, but rights only while
 * `grantsHold`: once `settle(n, 'revokes')` resolves, no instance that has not applied n trusts its
 * cached rights.
 */
export interface Freshness {
  refresh(): void | Promise<void>;
  /** `true` if rights may be read from memory. Call it right after `refresh`. */
  grantsHold(): boolean;
  settle(seq: number, effect: Effect): Promise<void>;
  close(): Promise<void>;
}
