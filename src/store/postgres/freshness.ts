/**
 * Keeps the memories of instances on one PostgreSQL up to date without asking the store on every request. Knows nothing of what changes.
 *
 * Each instance holds a LEASE: a row in `instances` that says "until then I serve from memory", and the last change it has applied.
 * A WRITER commits, which notifies everybody, and answers only when each instance whose lease still runs has acknowledged the change.
 * So an instance may trust its memory while its own clock says that its lease runs (it counts from before it asked, and a little less);
 * otherwise it reads the change log at each request, until its lease runs again. Nothing rests on notifications arriving:
 * they make it fast, the lease makes it right. An instance that died holds writers up for one lease at most.
 *
 * When the store does not answer, memory serves: at once when the connection fails, after a short wait when it is silent. What GRANTS
 * something (a token) is served so for a bounded time only: the row also says until when, counted from the last renewal, and whoever takes
 * a grant back waits until every instance has acknowledged that or has run out of that time. An instance that is cut off refuses by then.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newUlid } from '../../model/ulid.ts';
import { type ChangeFeed, type ChangeRow, type Effect, type Freshness, READ_CHANGES } from '../change-feed.ts';
import { type Sql, unavailable } from '../sql-driver.ts';
import { CHANNEL, connectionOptions, sqlOn } from './driver.ts';

/** A lease is never longer than the time for which grants are trusted. */
const LONGEST_LEASE_MS = 3_000;
/** How long a request waits for a silent store before memory serves. */
const CHECK_MS = 300;
/** Rows of instances that ended without saying so. */
const FORGOTTEN_MS = 60_000;

/** All instances go by the store's clock. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const RENEW = `INSERT INTO instances (id, lease_until, stale_until, seen_seq) VALUES (?, ${NOW} + ?, ${NOW} + ?, ?)
  ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, stale_until = excluded.stale_until, seen_seq = excluded.seen_seq`;
const ACKNOWLEDGE = 'UPDATE instances SET seen_seq = ? WHERE id = ?';

/** Whom a writer waits for, by what it did: those that may still serve the old picture of it. */
const BEHIND: Readonly<Record<Effect, string>> = {
  changes: `SELECT count(*) AS behind FROM instances WHERE id <> ? AND seen_seq < ? AND lease_until > ${NOW}`,
  revokes: `SELECT count(*) AS behind FROM instances WHERE id <> ? AND seen_seq < ? AND greatest(lease_until, stale_until) > ${NOW}`,
};

export interface FreshnessOptions {
  readonly url: string;
  /** For how long grants in memory are trusted without the store's confirmation. */
  readonly staleMs: number;
  readonly onProblem: (what: string, cause: unknown) => void;
}

export class PostgresFreshness implements Freshness {
  readonly #id = newUlid();
  readonly #url: string;
  readonly #store: Sql;
  readonly #feed: ChangeFeed;
  readonly #onProblem: (what: string, cause: unknown) => void;
  readonly #staleMs: number;
  readonly #leaseMs: number;
  readonly #renewMs: number;
  /** By how much the instance ends its lease before the store does. */
  readonly #marginMs: number;
  readonly #closing = new AbortController();
  #trustedUntil = 0;
  /** Until when grants are served without the store's word; never later than the store has it of this instance. */
  #grantsUntil = 0;
  /** What the latest read of the log said to the requests that waited for it. */
  #lastCheckSucceeded = false;
  #refusesGrants = false;
  #acknowledged = 0;
  #lastCheck: Promise<unknown> = Promise.resolve();
  #queuedCheck: Promise<void> | undefined;
  #storeIsSilent = false;
  #keeping: Promise<void> = Promise.resolve();

  constructor(store: Sql, feed: ChangeFeed, { url, staleMs, onProblem }: FreshnessOptions) {
    this.#url = url;
    this.#store = store;
    this.#feed = feed;
    this.#onProblem = onProblem;
    this.#staleMs = staleMs;
    this.#leaseMs = Math.min(LONGEST_LEASE_MS, staleMs);
    this.#renewMs = this.#leaseMs / 3;
    this.#marginMs = this.#leaseMs / 6;
  }

  start(): void {
    this.#keeping = this.#keepLease();
  }

  refresh(): void | Promise<void> {
    if (performance.now() < this.#trustedUntil || this.#storeIsSilent) return;
    return this.#check();
  }

  /** True while the lease runs, when the read that this request waited for succeeded, and for a while after the last renewal. */
  grantsHold(): boolean {
    const now = performance.now();
    const hold = now < this.#trustedUntil || now < this.#grantsUntil || this.#lastCheckSucceeded;
    if (hold === this.#refusesGrants) {
      this.#refusesGrants = !hold;
      if (!hold)
        this.#onProblem(
          'the store has confirmed nothing for too long; until it does, tokens are refused, and requests in spaces with personas',
          undefined,
        );
    }
    return hold;
  }

  /** A writer that waits three times longer than it must is waiting for an instance that renews its lease but acknowledges nothing. */
  async settle(seq: number, effect: Effect): Promise<void> {
    await this.#catchUp(this.#store);
    const deadline = performance.now() + 3 * (effect === 'revokes' ? this.#staleMs : this.#leaseMs);
    const longest = effect === 'revokes' ? 100 : 20;
    for (let pause = 1; performance.now() < deadline; pause = Math.min(pause * 2, longest)) {
      const [row] = await this.#store.all<{ behind: number }>(BEHIND[effect], [this.#id, seq]);
      if (row?.behind === 0) return;
      await delay(pause);
    }
    throw unavailable(new Error('another instance does not acknowledge changes'));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#keeping;
    await this.#store.all('DELETE FROM instances WHERE id = ?', [this.#id]).catch(() => undefined);
  }

  async #catchUp(sql: Sql): Promise<void> {
    this.#feed.apply(await sql.all<ChangeRow>(READ_CHANGES, [this.#feed.seen]));
  }

  /**
   * Reads the log for the requests that wait. A read that began before a request may have missed what that request must see, so the request joins
   * the next read, which starts when the current one is done. When that is overdue, no other is: it would be as silent.
   */
  #check(): Promise<void> {
    if (this.#queuedCheck === undefined) {
      const check = this.#lastCheck.then(() => {
        this.#queuedCheck = undefined;
        return this.#storeIsSilent ? undefined : this.#boundedCheck();
      });
      this.#queuedCheck = check;
      this.#lastCheck = check;
    }
    return this.#queuedCheck;
  }

  /** Never rejects. While a read is overdue, no request waits; when it has come back or failed, requests check again. */
  async #boundedCheck(): Promise<void> {
    const timer = new AbortController();
    const read = this.#catchUp(this.#store)
      .then(
        () => true,
        () => false,
      )
      .then((succeeded) => {
        // What comes back too late says nothing about the requests that did not wait for it.
        this.#lastCheckSucceeded = succeeded && !this.#storeIsSilent;
        this.#storeIsSilent = false;
        timer.abort();
      });
    const overdue = delay(CHECK_MS, undefined, { signal: timer.signal }).then(
      () => {
        this.#storeIsSilent = true;
        this.#lastCheckSucceeded = false;
      },
      () => undefined,
    );
    await Promise.race([read, overdue]);
  }

  /** One connection after the other, for as long as the instance lives; the first attempt after a break is immediate. */
  async #keepLease(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const client = new pg.Client({ ...connectionOptions(this.#url), query_timeout: this.#leaseMs });
      try {
        const lost = new Promise<never>((_, reject) => {
          client.once('error', reject);
          client.once('end', () => reject(new Error('the connection ended')));
        });
        lost.catch(() => undefined);
        await client.connect();
        await Promise.race([lost, this.#listen(client, () => (failures = 0))]);
      } catch (cause) {
        this.#trustedUntil = 0;
        if (failures === 1) this.#onProblem('the store cannot be reached; what is in memory is still served', cause);
        failures += 1;
      }
      client.removeAllListeners('notification');
      client.on('error', () => undefined);
      client.end().catch(() => undefined);
      if (failures > 1) await this.#pause(Math.min(50 * 2 ** failures, this.#renewMs));
    }
  }

  /** Renews the lease until the instance closes; throws when the connection does not do what it should. */
  async #listen(client: pg.Client, onRenewed: () => void): Promise<void> {
    const sql = sqlOn(client);
    let behind: Promise<unknown> = Promise.resolve();
    client.on('notification', () => {
      behind = behind.then(() => this.#acknowledge(sql)).catch(() => undefined);
    });
    await sql.all(`LISTEN ${CHANNEL}`);
    await sql.all(`DELETE FROM instances WHERE greatest(lease_until, stale_until) < ${NOW} - ${FORGOTTEN_MS}`);
    while (!this.#closing.signal.aborted) {
      const askedAt = performance.now();
      this.#acknowledged = this.#feed.seen;
      await sql.all(RENEW, [this.#id, this.#leaseMs, this.#staleMs, this.#acknowledged]);
      // Only after the lease stands may the log be read: a writer that commits later sees the lease, one that committed before is seen.
      await this.#acknowledge(sql);
      this.#trustedUntil = askedAt + this.#leaseMs - this.#marginMs;
      this.#grantsUntil = askedAt + this.#staleMs - this.#marginMs;
      onRenewed();
      await this.#pause(this.#renewMs);
    }
  }

  async #acknowledge(sql: Sql): Promise<void> {
    await this.#catchUp(sql);
    if (this.#feed.seen === this.#acknowledged) return;
    this.#acknowledged = this.#feed.seen;
    await sql.all(ACKNOWLEDGE, [this.#acknowledged, this.#id]);
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }
}
