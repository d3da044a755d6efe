// Pipelined reads of several callers on one connection: each gets its own rows, and the failure of
// one read does not affect the others.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection, Outcome } from '../../../src/engines/contract/engine.ts';
import type { Backpressure, Cells, RowSink } from '../../../src/model/cells.ts';
import type { ParamType, Statement } from '../../../src/sql/statement.ts';
import { connectTo } from '../../support/connection.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../../support/engines.ts';
import { FaultProxy } from '../../support/proxy.ts';

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb'];
const TIMEOUT = { timeoutMs: 5000 };
const PIPELINED = { ...TIMEOUT, pipelined: true };
const INT: ParamType = { kind: 'int', cast: 'int' };
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8];

class Texts implements RowSink {
  readonly texts: string[] = [];
  flow: Backpressure | undefined;

  start(_: unknown, flow: Backpressure): void {
    this.flow = flow;
  }

  row({ bytes, from, to }: Cells): void {
    this.texts.push(bytes.toString('utf8', from[0], to[0]));
  }
}

class Refusing extends Texts {
  override row(): void {
    throw new Error('no, thank you');
  }
}

describe.each(ENGINES)('a connection of %s that is shared', (name) => {
  const mark = name === 'postgres' ? '$1' : '?';
  const sleep: Statement = { text: name === 'postgres' ? 'SELECT pg_sleep($1::int)::text' : 'SELECT SLEEP(?)', types: [INT] };
  const one: Statement = { text: `SELECT name FROM things WHERE id = ${mark}`, types: [INT] };
  let database: TestDatabase;
  let connection: Connection;

  beforeAll(async () => {
    database = await createDatabase(name);
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    await database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(100))');
    await database.run(`INSERT INTO things VALUES ${NUMBERS.map((n) => `(${n}, 'thing ${n}')`)}`);
    ({ connection } = await connectTo(database));
  });
  afterEach(async () => {
    connection.close();
    await database.run('DROP TABLE things');
  });

  interface Asked {
    readonly statement?: Statement;
    readonly sink?: Texts;
    readonly signal?: AbortSignal;
  }

  function read(n: number, { statement = one, sink = new Texts(), signal }: Asked = {}): { sink: Texts; done: Promise<Outcome> } {
    const done = connection.run(statement, statement.types.length === 0 ? [] : [String(n)], { ...PIPELINED, signal }, sink);
    done.catch(() => undefined);
    return { sink, done };
  }

  async function expectRow({ sink, done }: { sink: Texts; done: Promise<Outcome> }, n: number): Promise<void> {
    expect(await done).toMatchObject({ rows: 1 });
    expect(sink.texts).toEqual([`thing ${n}`]);
  }

  it('gives each caller its own row, also when the statement is already prepared', async () => {
    for (let round = 0; round < 3; round++) {
      connection.cork?.();
      const reads = NUMBERS.map((n) => ({ n, read: read(n) }));
      connection.uncork?.();
      for (const { n, read } of reads) await expectRow(read, n);
    }
    expect(connection.usable).toBe(true);
  });

  it('sends nothing while it is corked, and each statement at once after that', async () => {
    await expectRow(read(1), 1);
    connection.cork?.();
    const held = read(2);
    let isOver = false;
    void held.done.then(() => {
      isOver = true;
    });
    const other = (await connectTo(database)).connection;
    await other.run(one, ['1'], TIMEOUT);
    other.close();
    expect(isOver).toBe(false);
    connection.uncork?.();
    const late = read(3);
    await expectRow(held, 2);
    await expectRow(late, 3);
    connection.uncork?.();
    await expectRow(read(4), 4);
  });

  it('fails only the read that the server rejects', async () => {
    const wrong: Statement = { text: `SELECT name FROM nothing_like_this WHERE id = ${mark}`, types: [INT] };
    connection.cork?.();
    const reads = [read(1), read(2, { statement: wrong }), read(2, { statement: wrong }), read(3)] as const;
    connection.uncork?.();
    await expect(reads[1].done).rejects.toMatchObject({ kind: 'missing_table' });
    await expect(reads[2].done).rejects.toMatchObject({ name: 'Error' });
    await expectRow(reads[0], 1);
    await expectRow(reads[3], 3);
    expect(connection.usable).toBe(true);
    await expectRow(read(5), 5);
  });

  it('continues when a caller disconnects before, during or after its statement', async () => {
    await expectRow(read(1), 1);
    connection.cork?.();
    const leaving = [new AbortController(), new AbortController(), new AbortController()] as const;
    const reads = [
      read(1, { signal: leaving[0].signal }),
      read(2),
      read(3, { signal: leaving[1].signal }),
      read(4),
      read(5, { signal: leaving[2].signal }),
      read(6),
    ] as const;
    leaving[0].abort();
    connection.uncork?.();
    leaving[1].abort();
    await expect(reads[0].done).rejects.toMatchObject({ kind: 'cancelled' });
    await expectRow(reads[1], 2);
    await expect(reads[2].done).rejects.toMatchObject({ kind: 'cancelled' });
    expect(reads[0].sink.texts).toEqual([]);
    expect(reads[2].sink.texts).toEqual([]);
    await expectRow(reads[3], 4);
    await expectRow(reads[4], 5);
    leaving[2].abort();
    await expectRow(reads[5], 6);
    expect(connection.usable).toBe(true);
    await expectRow(read(7), 7);
  });

  it('continues when a sink throws', async () => {
    connection.cork?.();
    const reads = [read(1, { sink: new Refusing() }), read(2), read(3)] as const;
    connection.uncork?.();
    await expect(reads[0].done).rejects.toThrow();
    await expectRow(reads[1], 2);
    await expectRow(reads[2], 3);
    expect(connection.usable).toBe(true);
    await expectRow(read(4), 4);
  });

  it('runs all reads again when the table has changed since the statement was prepared', async () => {
    await expectRow(read(1), 1);
    await database.run('ALTER TABLE things ADD COLUMN extra int');
    await database.run(`ALTER TABLE things ${name === 'postgres' ? 'ALTER COLUMN name TYPE text' : 'MODIFY COLUMN name text'}`);
    connection.cork?.();
    const reads = NUMBERS.map((n) => ({ n, read: read(n) }));
    connection.uncork?.();
    for (const { n, read } of reads) await expectRow(read, n);
    expect(connection.usable).toBe(true);
  });

  it('fails all reads when the connection is lost', async () => {
    await expectRow(read(1), 1);
    await read(0, { statement: sleep }).done;
    connection.cork?.();
    const reads = [read(30, { statement: sleep }), read(1), read(2)] as const;
    connection.uncork?.();
    const sleeping =
      name === 'postgres'
        ? `SELECT pid AS id FROM pg_stat_activity WHERE datname = '${database.name}' AND query LIKE 'SELECT pg_sleep($1%' AND state = 'active'`
        : `SELECT id FROM information_schema.processlist WHERE db = '${database.name}' AND info LIKE 'SELECT SLEEP(%'`;
    let session: unknown;
    await expect
      .poll(async () => {
        session = Object.values((await database.run(sleeping))[0] ?? {})[0];
        return session;
      })
      .toBeDefined();
    await database.run(name === 'postgres' ? `SELECT pg_terminate_backend(${session})` : `KILL ${session}`);
    for (const { done } of reads) await expect(done).rejects.toMatchObject({ kind: 'lost' });
    expect(connection.usable).toBe(false);
  });

  it('reports only reads of the failed write as unsent when the link breaks', async () => {
    const proxy = await FaultProxy.start(database.address);
    const { connection: linked } = await connectTo({
      ...database,
      address: { ...database.address, host: proxy.host, port: proxy.port },
    });
    await linked.run(one, ['1'], PIPELINED);
    await linked.run(sleep, ['0'], PIPELINED);
    const first = linked.run(sleep, ['30'], PIPELINED);
    await new Promise((resolve) => setImmediate(resolve));
    proxy.resetAll();
    const second = linked.run(one, ['1'], PIPELINED);
    const ends = await Promise.allSettled([first, second]);
    expect(ends).toMatchObject([{ reason: { kind: 'lost', effect: 'unknown' } }, { reason: { kind: 'lost', effect: 'unsent' } }]);
    await proxy.stop();
  });

  it('cancels a statement that blocks the others, which can be retried', async () => {
    await expectRow(read(1), 1);
    await read(0, { statement: sleep }).done;
    connection.cork?.();
    const began = performance.now();
    const reads = [read(30, { statement: sleep }), read(2), read(3)] as const;
    connection.uncork?.();
    await expect(reads[0].done).rejects.toMatchObject({ kind: 'preempted', effect: 'nothing' });
    for (const { done, sink } of reads.slice(1)) {
      const [end] = await Promise.allSettled([done]);
      if (end.status === 'fulfilled') continue;
      expect(end.reason).toMatchObject({
        kind: expect.stringMatching(/^(?:preempted|lost)$/),
        effect: expect.not.stringMatching('unknown'),
      });
      expect(sink.texts).toEqual([]);
    }
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(connection.usable).toBe(false);
  });

  it('delays reads behind a paused reader until it resumes or disconnects', async () => {
    const wide: Statement = {
      text: `SELECT ${name === 'postgres' ? "repeat('x', 4000000)" : "REPEAT('x', 4000000)"} FROM things WHERE id = ${mark}`,
      types: [INT],
    };
    class Pausing extends Texts {
      override row(): void {
        this.flow?.pause();
      }
    }
    connection.cork?.();
    const leaving = new AbortController();
    const reads = [read(1, { statement: wide, sink: new Pausing(), signal: leaving.signal }), read(2), read(3)] as const;
    connection.uncork?.();
    leaving.abort();
    await expect(reads[0].done).rejects.toMatchObject({ kind: 'cancelled' });
    await expectRow(reads[1], 2);
    await expectRow(reads[2], 3);
  });
});
