// Auto's writes of single rows at one moment: they share a connection once they have been quick, and one that waits for a lock is run again by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/util/text/query.ts';
import { connectTo } from '../../support/connection.ts';
import { Session } from './session.ts';

const ENGINES = ['postgres', 'mysql', 'mariadb'] as const;
const OPTIONS = { timeoutMs: 30_000 };

describe.each(ENGINES)('on %s', (engine) => {
  let session: Session;
  beforeAll(async () => {
    session = await Session.open(engine);
    await session.database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(50))');
    await session.database.run("INSERT INTO things VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a')");
  });
  afterAll(() => session?.close());

  const change = (id: number, name: string, more = ''): Promise<number> =>
    session.update('things', parseQuery(`id=eq.${id}&set=name.${name}${more}`));
  const changeRows = (name: string, more = ''): Promise<number[]> => Promise.all([1, 2, 3, 4].map((id) => change(id, name, more)));
  const names = async (): Promise<unknown[]> =>
    (await session.database.run('SELECT name FROM things ORDER BY id')).map((row) => row['name']);

  /** How many of four writes of one moment were on a connection together. */
  async function together(more = ''): Promise<number> {
    // Each by itself shows that they are quick, and leaves a connection that has just been in use.
    for (let i = 0; i < 10; i++) await change(1, `${i}`);
    session.forgetUse();
    expect(await changeRows('b', more)).toEqual([1, 1, 1, 1]);
    expect(await names()).toEqual(['b', 'b', 'b', 'b']);
    return Math.max(...session.together);
  }

  it('they share one, and those that need a transaction do not', async () => {
    await expect.poll(() => together()).toBe(4);
    expect(await together('&$max_affected=1')).toBe(1);
  });

  it('one that holds others up is run again by itself, and written once', async () => {
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

it('on postgres one that has given its row before it had to make way is not run again', async () => {
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

describe('on mysql new rows that are read again', () => {
  let session: Session;
  beforeAll(async () => {
    session = await Session.open('mysql');
    await session.database.run('CREATE TABLE things (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50) UNIQUE, size int DEFAULT 7)');
  });
  afterAll(() => session?.close());

  const insert = (...names: string[]) => session.insertAndReturn('things', JSON.stringify(names.map((name) => ({ name }))));
  const ofOneMoment = (...names: string[]) => Promise.all(names.map((name) => insert(name)));
  let n = 0;
  /** How many of four of one moment were on a connection together. */
  async function together(): Promise<number> {
    for (let i = 0; i < 10; i++) await insert(`${n++}`);
    session.forgetUse();
    const names = [n++, n++, n++, n++].map(String);
    const answers = await ofOneMoment(...names);
    expect(answers.map(({ rows, failure }) => [rows.length, (rows[0] as unknown[])[1], (rows[0] as unknown[])[2], failure])).toEqual(
      names.map((name) => [1, name, '7', undefined]),
    );
    return Math.max(...session.together);
  }
  const stored = async (like: string): Promise<unknown[]> =>
    (await session.database.run(`SELECT name FROM things WHERE name LIKE '${like}' ORDER BY name`)).map((row) => row['name']);

  it('share one, and several of a request do not', async () => {
    await expect.poll(together).toBe(4);
    session.forgetUse();
    const both = await Promise.all([insert('two a', 'two b'), insert('two c', 'two d')]);
    expect(both.map(({ rows, failure }) => [rows.length, failure])).toEqual([
      [2, undefined],
      [2, undefined],
    ]);
    expect(await stored('two%')).toEqual(['two a', 'two b', 'two c', 'two d']);
    // Each has had its connection for itself in the end.
    expect(session.together.slice(-2)).toEqual([1, 1]);
  });

  it('one that holds others up is run again by itself, and written once', async () => {
    const { connection: other } = await connectTo(session.database);
    try {
      await other.begin(OPTIONS);
      await other.run({ text: "INSERT INTO things (name) VALUES ('late')", types: [] }, [], OPTIONS);
      await expect.poll(together).toBe(4);
      // A connection that was used just now, which the first one shares with the others; one that has rested is looked at before.
      await insert('just now');
      session.forgetUse();
      const [late, ...others] = ['late', 'soon 1', 'soon 2'].map((name) => insert(name));
      for (const answer of await Promise.all(others)) expect(answer).toMatchObject({ rows: [expect.anything()], failure: undefined });
      await other.rollback(OPTIONS);
      expect(await late).toMatchObject({ rows: [expect.anything()], failure: undefined });
      expect(await stored('late')).toEqual(['late']);
      expect(await stored('soon%')).toEqual(['soon 1', 'soon 2']);
      expect(new Set(session.used.slice(0, 3)).size).toBe(1);
      expect(session.used.length).toBeGreaterThan(3);
    } finally {
      other.close();
    }
  });

  it('that are of another kind by now are given as they are', async () => {
    await expect.poll(together).toBe(4);
    await session.database.run("ALTER TABLE things MODIFY size varchar(20) DEFAULT 'seven'");
    const answers = await ofOneMoment('changed 1', 'changed 2');
    expect(answers.map(({ rows, failure }) => [failure, (rows[0] as unknown[]).slice(1)])).toEqual([
      [undefined, ['changed 1', 'seven']],
      [undefined, ['changed 2', 'seven']],
    ]);
    expect(await stored('changed%')).toEqual(['changed 1', 'changed 2']);
  });

  it('whose column is gone: nobody says that nothing was written, and the next one knows', async () => {
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
