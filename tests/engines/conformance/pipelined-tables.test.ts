// Concurrent row reads of several tables share a connection. A locked table does not delay reads of
// other tables.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/util/text/query.ts';
import { connectTo } from '../../support/connection.ts';
import { Session } from './session.ts';

const ENGINES = ['postgres', 'mysql', 'mariadb'] as const;
const OPTIONS = { timeoutMs: 30_000 };
const TABLES = ['apples', 'pears', 'plums', 'nuts'];
/** Counts the statements that wait for a table lock. */
const OF_MYSQL =
  "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for table metadata lock%'";
const WAITING = {
  postgres: "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  mysql: OF_MYSQL,
  mariadb: OF_MYSQL,
};

describe.each(ENGINES)('on %s', (engine) => {
  let session: Session;
  beforeAll(async () => {
    session = await Session.open(engine);
    for (const table of TABLES) {
      await session.database.run(`CREATE TABLE ${table} (id int PRIMARY KEY, name varchar(50))`);
      await session.database.run(`INSERT INTO ${table} VALUES (1, '${table}')`);
    }
  });
  afterAll(() => session?.close());

  const row = async (table: string): Promise<unknown> => (await session.read(table, parseQuery('pg=0&ps=1&id=eq.1'))).rows[0]?.[1];
  const page = async (table: string): Promise<unknown> => (await session.read(table, parseQuery('pg=0&ps=5'))).rows[0]?.[1];
  const change = (table: string): Promise<unknown> => session.update(table, parseQuery(`id=eq.1&set=name.${table}`));

  /** The largest number of concurrent requests that shared a connection. */
  async function together(ask: (table: string) => Promise<unknown>, answers: readonly unknown[]): Promise<number> {
    // Individual requests show that the statements are fast, and leave a recently used connection.
    for (let i = 0; i < 10; i++) for (const table of TABLES) await ask(table);
    session.forgetUse();
    expect(await Promise.all(TABLES.map(ask))).toEqual(answers);
    return Math.max(...session.together);
  }

  it('rows, first pages and writes of several tables share a connection, each with their own class', async () => {
    await expect.poll(() => together(row, TABLES), { timeout: 10_000 }).toBe(4);
    await expect.poll(() => together(page, TABLES), { timeout: 10_000 }).toBe(4);
    const written = engine === 'postgres' ? 4 : 1;
    await expect.poll(() => together(change, [1, 1, 1, 1]), { timeout: 10_000 }).toBe(written);
  });

  it('a locked table does not delay reads of other tables, and is read when it is unlocked', async () => {
    const { connection: other } = await connectTo(session.database);
    let altering: Promise<unknown> | undefined;
    try {
      await expect.poll(() => together(row, TABLES), { timeout: 10_000 }).toBe(4);
      await other.begin(OPTIONS);
      await other.run({ text: 'SELECT id FROM apples', types: [] }, [], OPTIONS);
      altering = session.database.run("ALTER TABLE apples ALTER COLUMN name SET DEFAULT 'apple'");
      await expect.poll(async () => Number((await session.database.run(WAITING[engine]))[0]?.['n']), { timeout: 10_000 }).toBe(1);
      // Leaves a connection that has just been in use.
      await row('pears');
      session.forgetUse();
      const [locked, ...others] = TABLES.map(row);
      let isRead = false;
      locked?.then(() => (isRead = true)).catch(() => undefined);
      expect(await Promise.all(others)).toEqual(TABLES.slice(1));
      expect([isRead, new Set(session.used.slice(0, 4)).size]).toEqual([false, 1]);
      // The locked table now uses its own connection; the other tables share one.
      const next = row('apples');
      const shared = async (): Promise<number> => {
        await row('pears');
        session.forgetUse();
        expect(await Promise.all(TABLES.slice(1).map(row))).toEqual(TABLES.slice(1));
        return Math.max(...session.together);
      };
      await expect.poll(shared, { timeout: 10_000 }).toBe(3);
      await other.commit(OPTIONS);
      expect(await Promise.all([locked, next])).toEqual(['apples', 'apples']);
    } finally {
      other.close();
      await altering;
    }
  });
});
