// A link that stops responding: the first command of a connection and the end of a transaction fail
// at their own deadlines.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import { connectTo } from '../../support/connection.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../../support/engines.ts';
import { FaultProxy } from '../../support/proxy.ts';

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb'];
const SHORT = { timeoutMs: 300 };
const LONG = { timeoutMs: 60_000 };

describe.each(ENGINES)('on a silent link to %s', (name) => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let connection: Connection;

  beforeAll(async () => {
    database = await createDatabase(name);
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    proxy = await FaultProxy.start(database.address);
    const address = { ...database.address, host: proxy.host, port: proxy.port };
    ({ connection } = await connectTo({ ...database, address }));
  });
  afterEach(async () => {
    connection.close();
    await proxy.stop();
  });

  async function expectSoon(work: Promise<unknown>): Promise<void> {
    const began = performance.now();
    await expect(work).rejects.toMatchObject({ kind: expect.stringMatching(/^(?:timeout|lost)$/), effect: 'unknown' });
    expect(performance.now() - began).toBeLessThan(10_000);
  }

  it('the first command fails at its deadline', async () => {
    await connection.begin(SHORT);
    await proxy.set({ kind: 'blackhole' });
    await expectSoon(connection.mark?.(SHORT) ?? Promise.resolve());
  });

  it('the end of a transaction fails at its own deadline, whatever the timeout of its statements', async () => {
    await connection.begin(LONG);
    await connection.run({ text: 'SELECT 1', types: [] }, [], LONG);
    await proxy.set({ kind: 'blackhole' });
    await expectSoon(connection.commit(SHORT));
  });
});
