// The number of statements of a read with `$expand`: one an item, whatever the number of rows.
import { afterAll, beforeAll, expect, it } from 'vitest';
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
