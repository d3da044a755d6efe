// The statements of a read with `$expand`: one an item, whatever the number of rows, and those that can are sent together.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TextRows } from '../../../src/engines/rows.ts';
import { parseQuery } from '../../../src/util/query.ts';
import { Session } from './session.ts';

const ENGINES = ['postgres', 'mysql', 'mariadb'] as const;
const ROWS = 300;
const sessions = new Map<string, Session>();

beforeAll(async () => {
  await Promise.all(
    ENGINES.map(async (engine) => {
      const session = await Session.open(engine);
      sessions.set(engine, session);
      const { database } = session;
      await database.run('CREATE TABLE team (id int PRIMARY KEY)');
      await database.run('CREATE TABLE member (id int PRIMARY KEY, team_id int, FOREIGN KEY (team_id) REFERENCES team (id))');
      await database.run('CREATE TABLE badge (id int PRIMARY KEY, member_id int, FOREIGN KEY (member_id) REFERENCES member (id))');
      const ids = Array.from({ length: ROWS }, (_, i) => i);
      await database.run(`INSERT INTO team VALUES ${ids.map((id) => `(${id})`).join(', ')}`);
      await database.run(`INSERT INTO member VALUES ${ids.map((id) => `(${id}, ${id % 200})`).join(', ')}`);
      await database.run(`INSERT INTO badge VALUES ${ids.map((id) => `(${id}, ${id})`).join(', ')}`);
    }),
  );
});

afterAll(async () => {
  for (const session of sessions.values()) await session.close();
});

it.each(ENGINES)('one an item on %s', async (engine) => {
  const statements = (table: string, query: string) => sessions.get(engine)?.statements(table, parseQuery(query));
  for (const size of [1, 10, ROWS]) {
    expect(await statements('team', `pg=0&ps=${size}`)).toBe(1);
    expect(await statements('team', `pg=0&ps=${size}&$expand=member`)).toBe(2);
    expect(await statements('team', `pg=0&ps=${size}&$expand=member($ps=2;$expand=badge,team)`)).toBe(4);
    expect(await statements('team', `pg=0&ps=${size}&$has=member`)).toBe(1);
  }
});

it.each(ENGINES)('reads that are sent together fail as the first that fails, and leave a connection of use on %s', async (engine) => {
  const options = { timeoutMs: 10_000 };
  const reading = (text: string) => {
    const sink = new TextRows();
    return { statement: { text, types: [] }, params: [], sink };
  };
  await sessions.get(engine)?.connected(async (connection) => {
    const runs = ['SELECT count(*) FROM team', 'SELECT min(id) FROM team'].map(reading);
    for (const ends of [false, true]) {
      await connection.beginSnapshot?.(options);
      await connection.run({ text: 'SELECT 1', types: [] }, [], options);
      await connection.runTogether?.(runs, options, ends);
      expect(runs.map(({ sink }) => sink.rows.at(-1))).toEqual([[String(ROWS)], ['0']]);
      if (!ends) await connection.rollback(options);
      await connection.beginSnapshot?.(options);
      const failing = ['SELECT id FROM team WHERE id = 1', 'SELECT nothing FROM team', 'SELECT nowhere FROM team'].map(reading);
      await expect(connection.runTogether?.(failing, options, ends)).rejects.toThrow(/nothing/);
      await connection.rollback(options);
      expect(connection.usable).toBe(true);
    }
    // No transaction is open any more: what is written stays.
    await connection.run({ text: 'INSERT INTO team VALUES (-1)', types: [] }, [], options);
  });
  expect(await sessions.get(engine)?.statements('team', parseQuery('pg=0&ps=1&id=eq.-1'))).toBe(1);
  await sessions.get(engine)?.database.run('DELETE FROM team WHERE id = -1');
});

it.each(ENGINES)('a table that has changed since: what is sent together is refused as a whole or right, on %s', async (engine) => {
  const options = { timeoutMs: 10_000 };
  const session = sessions.get(engine);
  await session?.database.run('CREATE TABLE changing (id int PRIMARY KEY)');
  await session?.database.run('INSERT INTO changing VALUES (7)');
  await session?.connected(async (connection) => {
    const read = async (): Promise<(string | null)[][]> => {
      const sinks = [new TextRows(), new TextRows()] as const;
      await connection.beginSnapshot?.(options);
      await connection.run({ text: 'SELECT 1', types: [] }, [], options);
      const texts = ['SELECT * FROM changing', 'SELECT count(*) FROM team'];
      await connection.runTogether?.(
        sinks.map((sink, i) => ({ statement: { text: texts[i] ?? '', types: [] }, params: [], sink })),
        options,
        true,
      );
      return sinks.flatMap(({ rows }) => rows);
    };
    expect(await read()).toEqual([['7'], [String(ROWS)]]);
    await session.database.run('ALTER TABLE changing ADD COLUMN more int');
    if (engine === 'postgres') await expect(read()).rejects.toThrow(/cached plan/);
    expect(await read()).toEqual([['7', null], [String(ROWS)]]);
  });
});
