// A thousand databases are a thousand connections: one at rest must cost little memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/engines/engine.ts';
import { connectTo } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../../support/engines.ts';

const COUNT = 40;
const MOST_BYTES = 100 * 1024;
const STATEMENT = { text: 'SELECT 1 AS one', types: [] };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function bytesInUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe.each(ENGINE_NAMES)('a connection to %s', (name) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(name);
  });
  afterAll(() => database?.drop());

  /** Opened, and used once. */
  async function open(): Promise<Connection> {
    const { connection } = await connectTo(database);
    await connection.run(STATEMENT, [], { timeoutMs: 10_000 });
    return connection;
  }

  test('at rest costs little memory', async () => {
    const first = await open();
    const before = bytesInUse();
    const connections: Connection[] = [];
    for (let i = 0; i < COUNT; i++) connections.push(await open());
    const each = (bytesInUse() - before) / COUNT;
    for (const connection of [first, ...connections]) connection.close();
    expect(each).toBeLessThan(MOST_BYTES);
  });
});
