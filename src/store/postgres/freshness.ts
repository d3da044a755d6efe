/**
 * Keeps the caches of all instances of one PostgreSQL store up to date without a query per request.
 *
 * Each instance holds a LEASE: a row in `instances` with the time until which it serves from memory
 * and the last change it has applied. A WRITER commits, notifies all instances, and responds once
 * each instance with a running lease has acknowledged the change. An instance trusts its caches
 * while its own clock says that the lease runs (measured from before the renewal, minus a margin);
 * otherwise it reads the change log on each request. Notifications only make this fast; the lease
 * makes it correct. A dead instance delays writers by at most one lease.
 *
 * When the store does not respond, requests are served from memory: at once if the connection
 * fails, after a short wait if it is silent. RIGHTS (tokens, personas) are served that way for a
 * bounded time only. The row also holds the end of that time, and a writer that revokes a right
 * waits until every instance has acknowledged it or has run out of that time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newUlid } from '../../model/ulid.ts';
import { type ChangeFeed, type ChangeRow, type Effect, type Freshness, READ_CHANGES } from '../change-feed.ts';
import { type Sql, unavailable } from '../sql-driver.ts';
import { CHANNEL, connectionOptions, sqlOn } from './driver.ts';

/** A lease is never longer than the time for which rights are trusted. */
const LONGEST_LEASE_MS = 3_000;
/** Time that a request waits for a silent store before it is served from memory. */
const CHECK_MS = 300;
/** Age at which rows of dead instances are deleted. */
const FORGOTTEN_MS = 60_000;

/** All instances use the store's clock. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const RENEW = `INSERT INTO instances (id, lease_until, stale_until, seen_seq) VALUES (?, ${NOW} + ?, ${NOW} + ?, ?)
  ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, stale_until = excluded.stale_until, seen_seq = excluded.seen_seq`;
const ACKNOWLEDGE = 'UPDATE instances SET seen_seq = ? WHERE id = ?';

/** Instances that a writer waits for: they may still serve the old state. */
const BEHIND: Readonly<Record<Effect, string>> = {
  changes: `SELECT count(*) AS behind FROM instances WHERE id <> ? AND seen_seq < ? AND lease_until > ${NOW}`,
  revokes: `SELECT count(*) AS behind FROM instances WHERE id <> ? AND seen_seq < ? AND greatest(lease_until, stale_until) > ${NOW}`,
};

export interface FreshnessOptions {
  readonly url: string;
  /** Time that cached rights are trusted without contact to the store. */
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
  /** Margin by which the instance ends its lease before the store does. */
  readonly #marginMs: number;
  readonly #closing = new AbortController();
  #trustedUntil = 0;
  /**
   * End of the time in which cached rights are trusted. Never later than the store's own record of
   * it.
   */
  #grantsUntil = 0;
  /** Result of the latest read of the log, for the requests that waited for it. */
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

  /**
   * `true` while the lease runs, after a successful read, and for a while after the last renewal.
   */
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

  /**
   * A writer that waits three times longer than necessary waits for an instance that renews its
   * lease but acknowledges nothing.
   */
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
   * Reads the log for the requests that wait. A read that began before a request may miss what the
   * request must see, so the request joins the next read, which starts when the current one ends.
   * While a read is overdue, no other one starts.
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

  /**
   * Never rejects. While a read is overdue, requests do not wait; they check again once it has
   * ended.
   */
  async #boundedCheck(): Promise<void> {
    const timer = new AbortController();
    const read = this.#catchUp(this.#store)
      .then(
        () => true,
        () => false,
      )
      .then((succeeded) => {
        // A late result does not apply to the requests that did not wait for it.
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

  /**
   * Keeps a connection as long as the instance lives. The first attempt after a break is immediate.
   */
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

  /** Renews the lease until the instance closes. Throws when the connection fails. */
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
      // Read the log only after the lease is stored: later writers see the lease, earlier ones are
      // in the log.
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
