// The server's own time limit for statements. A shorter timeout lowers it, unless the statement
// leaves the timeout to the service, which then cancels the statement itself.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DbFailure } from '../../../src/engines/contract/engine.ts';
import { TextRows } from '../../../src/engines/contract/rows.ts';
import { connectTo, type Direct } from '../../support/connection.ts';
import { createDatabase, type TestDatabase } from '../../support/engines.ts';

/** For each engine: the query that reads its limit, and a statement that sleeps for 30 s. */
const ENGINES = {
  postgres: { limit: 'SHOW statement_timeout', of: { long: '30s', short: '10s' }, sleep: 'SELECT pg_sleep(30)' },
  mysql: { limit: 'SELECT @@max_execution_time', of: { long: '30000', short: '10000' }, sleep: 'SELECT SLEEP(30)' },
  mariadb: { limit: 'SELECT @@max_statement_time', of: { long: '30', short: '10' }, sleep: 'SELECT SLEEP(30)' },
} as const;

const LONG = { timeoutMs: 30_000 };
const SHORT = { timeoutMs: 10_000 };

describe.each(['postgres', 'mysql', 'mariadb'] as const)('%s', (name) => {
  const { limit, of, sleep } = ENGINES[name];
  let database: TestDatabase;
  let direct: Direct;

  beforeAll(async () => {
    database = await createDatabase(name);
    direct = await connectTo(database);
  });
  afterAll(async () => {
    direct?.connection.close();
    await database?.drop();
  });

  async function limitWith(options: typeof LONG & { readonly serverLimit?: 'any' }): Promise<string | null | undefined> {
    const found = new TextRows();
    await direct.connection.run({ text: limit, types: [] }, [], options, found);
    return found.rows[0]?.[0];
  }

  test('limits statements to their timeout', async () => {
    expect([await limitWith(LONG), await limitWith(SHORT), await limitWith(LONG)]).toEqual([of.long, of.short, of.long]);
  });

  test('keeps a longer limit when the service enforces the timeout, but never a shorter one', async () => {
    await limitWith(LONG);
    expect(await limitWith({ ...SHORT, serverLimit: 'any' })).toBe(of.long);
    await limitWith(SHORT);
    expect(await limitWith({ ...LONG, serverLimit: 'any' })).toBe(of.long);
  });

  test('cancels a statement at its timeout without the limit of the server', async () => {
    await limitWith(LONG);
    const started = performance.now();
    const ended = await direct.connection
      .run({ text: sleep, types: [] }, [], { timeoutMs: 300, serverLimit: 'any' })
      .catch((error) => error);
    expect(ended).toBeInstanceOf(DbFailure);
    expect([ended.kind, performance.now() - started < 10_000]).toEqual(['timeout', true]);
  });
});
