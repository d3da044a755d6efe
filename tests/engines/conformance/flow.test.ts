// A row sink may pause its statement. Once the statement has ended, the sink no longer has any
// effect; otherwise the next statement would hang.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backpressure, RowSink } from '../../../src/model/cells.ts';
import { connectTo, type Direct } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../../support/engines.ts';

const OPTIONS = { timeoutMs: 5000 };
const STATEMENT = { text: 'SELECT 1 AS one', types: [] };

/** Pauses with each row. */
class Pausing implements RowSink {
  rows = 0;
  flow: Backpressure | undefined;

  start(_: unknown, flow: Backpressure): void {
    this.flow = flow;
  }

  row(): void {
    this.rows++;
    this.flow?.pause();
  }
}

describe.each(ENGINE_NAMES)('the flow of %s', (name) => {
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

  /**
   * Resumes only while the statement runs. If its end arrives together with the row, it stays
   * paused.
   */
  async function run(sink: Pausing): Promise<number> {
    let over = false;
    const outcome = direct.connection.run(STATEMENT, [], OPTIONS, sink).finally(() => {
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

  it('has no effect on the next statement when its own has ended', async () => {
    for (let i = 0; i < 3; i++) {
      const sink = new Pausing();
      expect([await run(sink), sink.rows]).toEqual([1, 1]);
      sink.flow?.pause();
    }
  });
});
