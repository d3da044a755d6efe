// Concurrent single-row writes of the Auto API: PostgreSQL pipelines them, and a write that waits
// for a lock is retried on its own connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/util/text/query.ts';
import { connectTo } from '../../support/connection.ts';
import { Session } from './session.ts';

const OPTIONS = { timeoutMs: 30_000 };

describe('on postgres', () => {
  let session: Session;
  beforeAll(async () => {
    session = await Session.open('postgres');
    await session.database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(50))');
    await session.database.run("INSERT INTO things VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a')");
  });
  afterAll(() => session?.close());

  const change = (id: number, name: string, more = ''): Promise<number> =>
    session.update('things', parseQuery(`id=eq.${id}&set=name.${name}${more}`));
  const changeRows = (name: string, more = ''): Promise<number[]> => Promise.all([1, 2, 3, 4].map((id) => change(id, name, more)));
  const names = async (): Promise<unknown[]> =>
    (await session.database.run('SELECT name FROM things ORDER BY id')).map((row) => row['name']);

  /** The largest number of writes, out of four concurrent ones, that shared a connection. */
  async function together(more = ''): Promise<number> {
    // Leaves a connection that has just been in use.
    await change(1, 'a');
    session.forgetUse();
    expect(await changeRows('b', more)).toEqual([1, 1, 1, 1]);
    expect(await names()).toEqual(['b', 'b', 'b', 'b']);
    return Math.max(...session.together);
  }

  it('concurrent writes share a connection unless they need a transaction', async () => {
    await expect.poll(() => together()).toBe(4);
    expect(await together('&$max_affected=1')).toBe(1);
  });

  it('a write that blocks others is retried on its own connection, and executed once', async () => {
    const { connection: other } = await connectTo(session.database);
    try {
      await expect.poll(() => together()).toBe(4);
      await other.begin(OPTIONS);
      await other.run({ text: 'SELECT id FROM things WHERE id = 1 FOR UPDATE', types: [] }, [], OPTIONS);
      await session.read('things', parseQuery('pg=0&ps=1&id=eq.4'));
      session.forgetUse();
      const [locked, ...others] = [1, 2, 3, 4].map((id) => change(id, 'c'));
      expect(await Promise.all(others)).toEqual([1, 1, 1]);
      expect(await names()).toEqual(['b', 'c', 'c', 'c']);
      await other.commit(OPTIONS);
      expect(await locked).toBe(1);
      expect(await names()).toEqual(['c', 'c', 'c', 'c']);
      // Four together, and the one again; one behind it may have been hit with it.
      expect(session.used.length).toBeGreaterThan(4);
      expect(new Set(session.used.slice(0, 4)).size).toBe(1);
    } finally {
      other.close();
    }
  });
});

it('on postgres a preempted write that has returned its row is not retried', async () => {
  const session = await Session.open('postgres');
  try {
    const { database } = session;
    await database.run('CREATE TABLE things (id int PRIMARY KEY)');
    await database.run(
      "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.id = 100 THEN PERFORM pg_sleep(20); END IF; RETURN NULL; END'",
    );
    await database.run(
      'CREATE CONSTRAINT TRIGGER late AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()',
    );
    const insert = (id: number) => session.insertAndReturn('things', `[{"id":${id}}]`);
    let id = 1000;
    const ofOneMoment = (...ids: number[]) => Promise.all(ids.map(insert));
    const share = async (): Promise<number> => {
      for (let i = 0; i < 10; i++) await insert(id++);
      session.forgetUse();
      await ofOneMoment(id++, id++);
      return Math.max(...session.together);
    };
    await expect.poll(share).toBe(2);
    session.forgetUse();
    const [slow, other] = await ofOneMoment(100, 101);
    expect(slow?.rows).toEqual([['100']]);
    expect(slow?.failure).toMatchObject({ key: 'database_conflict' });
    expect(other).toEqual({ rows: [['101']], failure: undefined });
    expect(new Set(session.used).size).toBe(1);
    expect(await database.run('SELECT id FROM things WHERE id < 1000')).toEqual([{ id: 101 }]);
  } finally {
    await session.close();
  }
});

describe('on mysql inserted rows that are read back', () => {
  let session: Session;
  beforeAll(async () => {
    session = await Session.open('mysql');
    await session.database.run('CREATE TABLE things (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50) UNIQUE, size int DEFAULT 7)');
  });
  afterAll(() => session?.close());

  const insert = (...names: string[]) => session.insertAndReturn('things', JSON.stringify(names.map((name) => ({ name }))));
  const ofOneMoment = (...names: string[]) => Promise.all(names.map((name) => insert(name)));
  const stored = async (like: string): Promise<unknown[]> =>
    (await session.database.run(`SELECT name FROM things WHERE name LIKE '${like}' ORDER BY name`)).map((row) => row['name']);

  it('are returned as they are when the type of a column has changed', async () => {
    await insert('before');
    await session.database.run("ALTER TABLE things MODIFY size varchar(20) DEFAULT 'seven'");
    const answers = await ofOneMoment('changed 1', 'changed 2');
    expect(answers.map(({ rows, failure }) => [failure, (rows[0] as unknown[]).slice(1)])).toEqual([
      [undefined, ['changed 1', 'seven']],
      [undefined, ['changed 2', 'seven']],
    ]);
    expect(await stored('changed%')).toEqual(['changed 1', 'changed 2']);
  });

  it('have an unknown outcome when a column was dropped, and the next insert uses the new columns', async () => {
    await session.database.run('CREATE TABLE others (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50), size int DEFAULT 7)');
    const other = (name: string) => session.insertAndReturn('others', JSON.stringify([{ name }]));
    expect(await other('before')).toEqual({ rows: [['1', 'before', '7']], failure: undefined });
    await session.database.run('ALTER TABLE others DROP COLUMN size');
    expect(await other('first')).toMatchObject({ rows: [], failure: { headers: { 'x-outcome': 'unknown' } } });
    expect(await other('next')).toEqual({ rows: [['3', 'next']], failure: undefined });
    expect(await session.database.run('SELECT name FROM others ORDER BY id')).toEqual([
      { name: 'before' },
      { name: 'first' },
      { name: 'next' },
    ]);
  });
});
