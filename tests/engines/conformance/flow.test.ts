// Whoever takes the rows of a statement may pause them; when the statement is over it has no say any more, or the next one would hang.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/engines/engine.ts';
import { ENGINES } from '../../../src/engines/index.ts';
import type { Flow, RowSink } from '../../../src/model/cells.ts';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../../support/engines.ts';

const OPTIONS = { timeoutMs: 5000 };
const STATEMENT = { text: 'SELECT 1 AS one', types: [] };

/** Pauses with each row. */
class Pausing implements RowSink {
  rows = 0;
  flow: Flow | undefined;

  start(_: unknown, flow: Flow): void {
    this.flow = flow;
  }

  row(): void {
    this.rows++;
    this.flow?.pause();
  }
}

describe.each(ENGINE_NAMES)('the flow of %s', (name) => {
  let database: TestDatabase;
  let connection: Connection;

  beforeAll(async () => {
    database = await createDatabase(name);
    const { host, port, user, password } = database.address;
    const engine = ENGINES.get(database.dbType);
    if (engine === undefined) throw new Error(`no engine ${name}`);
    const entry = {
      id: 'x',
      type: database.dbType,
      database: database.name,
      hosts: [{ host, port }],
      username: user,
      password,
      tls: 'disable',
      connectTimeoutSecs: 10,
      idleTimeoutSecs: 10,
      maxOpenConnections: 1,
      maxIdleConnections: 1,
      queryTimeoutSecs: 10,
    } as const;
    connection = await engine.connect(entry, { host: { host, port }, address: host, timeoutMs: 10_000 });
  });

  afterAll(async () => {
    connection?.close();
    await database?.drop();
  });

  /** Resumes only while the statement is not over: where its end came together with the row, it stays paused. */
  async function run(sink: Pausing): Promise<number> {
    let over = false;
    const outcome = connection.run(STATEMENT, [], OPTIONS, sink).finally(() => {
      over = true;
    });
    const goOn = setInterval(() => {
      if (!over) sink.flow?.resume();
    }, 20);
    try {
      return (await outcome).rows;
    } finally {
      clearInterval(goOn);
    }
  }

  it('is nobody else’s when a statement has ended', async () => {
    for (let i = 0; i < 3; i++) {
      const sink = new Pausing();
      expect([await run(sink), sink.rows]).toEqual([1, 1]);
      sink.flow?.pause();
    }
  });
});
