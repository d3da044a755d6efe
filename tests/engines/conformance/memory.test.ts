// A thousand databases are a thousand connections: one at rest must cost little memory.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { RowSink } from '../../../src/model/cells.ts';
import { dropFreeBuffers } from '../../../src/util/bytes/buffer-pool.ts';
import { connectTo } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../../support/engines.ts';

const COUNT = 40;
const MOST_BYTES = 100 * 1024;
const SMALL = { text: 'SELECT 1 AS one', types: [] };
const LARGE = { text: `SELECT repeat('x', 400000) AS large`, types: [] };
const NOBODY: RowSink = { start: () => undefined, row: () => undefined };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The runtime frees some of what it has collected a little later, and counts it until then. */
async function bytesInUse(): Promise<number> {
  dropFreeBuffers();
  for (let again = 0; again < 3; again++) {
    collect();
    await turn();
  }
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
  async function open(statement: typeof SMALL): Promise<Connection> {
    const { connection } = await connectTo(database);
    await connection.run(statement, [], { timeoutMs: 10_000 }, NOBODY);
    return connection;
  }

  test.each([
    ['at rest', SMALL],
    ['at rest after a large row', LARGE],
  ])('%s costs little memory', async (_, statement) => {
    const first = await open(statement);
    const before = await bytesInUse();
    const connections: Connection[] = [];
    for (let i = 0; i < COUNT; i++) connections.push(await open(statement));
    const each = ((await bytesInUse()) - before) / COUNT;
    for (const connection of [first, ...connections]) connection.close();
    expect(each).toBeLessThan(MOST_BYTES);
  });
});
