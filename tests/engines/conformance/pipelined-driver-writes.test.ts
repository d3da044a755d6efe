// Pipelined writes of several callers on one connection: each is a transaction of its own, and a
// write that waits for a lock does not block the others.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection, Outcome } from '../../../src/engines/contract/engine.ts';
import type { ParamType, Statement } from '../../../src/sql/statement.ts';
import { connectTo } from '../../support/connection.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../../support/engines.ts';

const ENGINES: readonly EngineName[] = ['postgres'];
const OPTIONS = { timeoutMs: 30_000 };
const PIPELINED = { ...OPTIONS, pipelined: true };
const INT: ParamType = { kind: 'int', cast: 'int' };
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8];

describe.each(ENGINES)('writes on a shared connection of %s', (name) => {
  const mark = name === 'postgres' ? '$1' : '?';
  const change: Statement = { text: `UPDATE things SET count = count + 1 WHERE id = ${mark}`, types: [INT] };
  const insert: Statement = { text: `INSERT INTO things (id, count) VALUES (${mark}, 1)`, types: [INT] };
  let database: TestDatabase;
  let connection: Connection;
  let other: Connection;

  beforeAll(async () => {
    database = await createDatabase(name);
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    await database.run('CREATE TABLE things (id int PRIMARY KEY, count int)');
    await database.run(`INSERT INTO things VALUES ${NUMBERS.map((n) => `(${n}, 0)`)}`);
    ({ connection } = await connectTo(database));
    ({ connection: other } = await connectTo(database));
  });
  afterEach(async () => {
    connection.close();
    other.close();
    await database.run('DROP TABLE things');
  });

  function write(n: number, statement = change): Promise<Outcome> {
    const done = connection.run(statement, [String(n)], PIPELINED);
    done.catch(() => undefined);
    return done;
  }

  async function counts(): Promise<readonly unknown[]> {
    return (await database.run('SELECT count FROM things ORDER BY id')).map((row) => row['count']);
  }

  /** Locks the first row until the returned function is called. */
  async function lockFirst(): Promise<() => Promise<void>> {
    await other.begin(OPTIONS);
    await other.run({ text: 'SELECT id FROM things WHERE id = 1 FOR UPDATE', types: [] }, [], OPTIONS);
    return () => other.commit(OPTIONS);
  }

  it('are executed once each, also when the statement is already prepared', async () => {
    for (let round = 1; round <= 3; round++) {
      connection.cork?.();
      const writes = NUMBERS.map((n) => write(n));
      connection.uncork?.();
      for (const done of writes) expect(await done).toMatchObject({ rows: 1 });
      expect(await counts()).toEqual(NUMBERS.map(() => round));
    }
    expect(connection.usable).toBe(true);
  });

  it('fail individually', async () => {
    connection.cork?.();
    const writes = [write(20, insert), write(1, insert), write(21, insert), write(2)] as const;
    connection.uncork?.();
    await expect(writes[1]).rejects.toMatchObject({ kind: 'duplicate', effect: 'nothing' });
    for (const i of [0, 2, 3] as const) expect(await writes[i]).toMatchObject({ rows: 1 });
    expect(await counts()).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 1, 1]);
    expect(connection.usable).toBe(true);
  });

  it('are preempted without effect when they wait for a lock and others wait behind them', async () => {
    await write(2);
    const release = await lockFirst();
    connection.cork?.();
    const writes = [write(2), write(1), write(3), write(1), write(4)] as const;
    connection.uncork?.();
    for (const i of [1, 3] as const) await expect(writes[i]).rejects.toMatchObject({ kind: 'preempted', effect: 'nothing' });
    const ends = await Promise.allSettled([writes[0], writes[2], writes[4]]);
    // If the first write ends before the cancellation arrives, the next one may be cancelled
    // instead.
    const isDone = ends.map((end) => {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'preempted', effect: 'nothing' });
      return end.status === 'fulfilled';
    });
    await release();
    expect(await counts()).toEqual([0, 1 + Number(isDone[0]), Number(isDone[1]), Number(isDone[2]), 0, 0, 0, 0]);
    // A request to stop may still be on its way.
    expect(connection.usable).toBe(false);
  });

  it('wait for a lock when no other write waits behind them', async () => {
    await write(2);
    const release = await lockFirst();
    connection.cork?.();
    const writes = [write(2), write(1)] as const;
    connection.uncork?.();
    await writes[0];
    const isEarly = await Promise.race([writes[1].then(() => true), new Promise((resolve) => setTimeout(resolve, 1000, false))]);
    expect(isEarly).toBe(false);
    await release();
    expect(await writes[1]).toMatchObject({ rows: 1 });
    expect(connection.usable).toBe(true);
    expect((await counts()).slice(0, 2)).toEqual([1, 2]);
  });

  it('fail at their own timeout when the others have ended', async () => {
    await write(2);
    const release = await lockFirst();
    connection.cork?.();
    const brief = { timeoutMs: 1500, pipelined: true };
    const writes = [1, 3, 1].map((n) => connection.run(change, [String(n)], brief));
    connection.uncork?.();
    const [first, , last] = await Promise.allSettled(writes);
    expect(first).toMatchObject({ status: 'rejected', reason: { kind: 'preempted' } });
    expect(last).toMatchObject({ status: 'rejected', reason: { kind: 'timeout' } });
    await release();
    expect((await counts())[0]).toBe(0);
  });

  it('have an unknown outcome when the connection is lost', async () => {
    await write(2);
    const release = await lockFirst();
    connection.cork?.();
    const writes = [write(1), write(3), write(4)];
    connection.uncork?.();
    connection.close();
    for (const done of writes) await expect(done).rejects.toMatchObject({ kind: 'lost', effect: 'unknown' });
    await release();
  });
});
