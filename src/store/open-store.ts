/**
 * Opens the configured store with its tables migrated and its keys checked. The only file that
 * chooses a driver.
 */
import { ChangeFeed, type Freshness } from './change-feed.ts';
import { migrate } from './migrations.ts';
import type { PostgresDriver } from './postgres/driver.ts';
import { checkKeys } from './rewrap.ts';
import { KeyRing } from './secrets.ts';
import type { Driver } from './sql-driver.ts';
import { SqlStore } from './sql-store.ts';
import { SqliteDriver, SqliteFreshness } from './sqlite/driver.ts';
import type { Store } from './store.ts';
import { makeCore } from './store-core.ts';

export interface StoreOptions {
  /** URL of PostgreSQL; `undefined` for the embedded store in `dataDir`. */
  readonly url?: string;
  readonly dataDir: string;
  /**
   * `true` if no other process serves from the embedded store. Writes of other processes (commands)
   * are then noticed with a short delay.
   */
  readonly alone?: boolean;
  /** Keys of 32 bytes. The first one encrypts, all of them decrypt. */
  readonly keys: readonly Uint8Array[];
  /** Time that cached tokens are trusted while PostgreSQL is unreachable. */
  readonly staleSecs?: number;
  /** Days for which audit records are kept; 0 writes none. */
  readonly auditDays?: number;
  /** Called for problems that no request waits for. */
  readonly onProblem?: (what: string, cause: unknown) => void;
}

const ALONE_LOOKS_EVERY_MS = 100;
const STALE_SECS = 15;
const AUDIT_DAYS = 90;

async function openFeed(driver: Driver, ring: KeyRing): Promise<ChangeFeed> {
  await migrate(driver);
  await checkKeys(driver, ring);
  const [row] = await driver.all<{ seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM changes');
  return new ChangeFeed(row?.seq ?? 0);
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, dataDir, keys, onProblem = () => undefined, auditDays = AUDIT_DAYS } = options;
  const ring = new KeyRing(keys);
  const driver = url === undefined ? await SqliteDriver.open(dataDir) : await openPostgres(url);
  try {
    const feed = await openFeed(driver, ring);
    if (driver instanceof SqliteDriver) driver.begin(onProblem);
    const freshness = await openFreshness(driver, feed, options, onProblem);
    return new SqlStore(makeCore({ driver, ring, feed, freshness, onProblem, auditDays }));
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** The client is loaded on demand: it takes 6 MB. */
async function openPostgres(url: string): Promise<PostgresDriver> {
  const { PostgresDriver: Opened } = await import('./postgres/driver.ts');
  return new Opened(url);
}

async function openFreshness(
  driver: SqliteDriver | PostgresDriver,
  feed: ChangeFeed,
  { url = '', alone = false, staleSecs = STALE_SECS }: StoreOptions,
  onProblem: (what: string, cause: unknown) => void,
): Promise<Freshness> {
  if (driver instanceof SqliteDriver) return new SqliteFreshness(driver, feed, alone ? ALONE_LOOKS_EVERY_MS : 0, onProblem);
  const { PostgresFreshness } = await import('./postgres/freshness.ts');
  const freshness = new PostgresFreshness(driver, feed, { url, staleMs: staleSecs * 1000, onProblem });
  freshness.start();
  return freshness;
}
