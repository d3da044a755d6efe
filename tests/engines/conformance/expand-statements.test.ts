// Statements of a read with `$expand`: one per expanded relation, regardless of the number of rows.
// Where possible they are sent together.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TextRows } from '../../../src/engines/contract/rows.ts';
import { parseQuery } from '../../../src/util/text/query.ts';
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
      await database.run('CREATE TABLE place (id int PRIMARY KEY, page varchar(20), j0 int, note text)');
      await database.run("INSERT INTO place VALUES (1, 'one', NULL, 'first'), (2, NULL, 3, NULL)");
      await database.run(
        'CREATE TABLE visit (id bigint PRIMARY KEY, place_id int, other_id int, page varchar(20), FOREIGN KEY (place_id) REFERENCES place (id), FOREIGN KEY (other_id) REFERENCES place (id))',
      );
      await database.run(
        "INSERT INTO visit VALUES (1, 1, 2, 'a'), (2, NULL, 1, NULL), (3, 2, NULL, 'b'), (4, 2, 2, 'b'), (5, NULL, NULL, NULL)",
      );
      await database.run('CREATE TABLE person (id int PRIMARY KEY)');
      await database.run('CREATE TABLE desk (id int PRIMARY KEY, person_id int, FOREIGN KEY (person_id) REFERENCES person (id))');
      await database.run('CREATE UNIQUE INDEX desk_person ON desk (person_id)');
      await database.run('INSERT INTO person VALUES (1), (2), (3)');
      await database.run('INSERT INTO desk VALUES (1, 1), (2, 2)');
      await database.run('CREATE TABLE album (id int PRIMARY KEY)');
      await database.run('CREATE TABLE track (id int PRIMARY KEY, album_id int, FOREIGN KEY (album_id) REFERENCES album (id))');
      await database.run('INSERT INTO album VALUES (1), (2), (3)');
      await database.run('CREATE TABLE owner (id int PRIMARY KEY)');
      await database.run('CREATE TABLE flat (id int PRIMARY KEY, owner_id int, FOREIGN KEY (owner_id) REFERENCES owner (id))');
      await database.run('CREATE UNIQUE INDEX flat_owner ON flat (owner_id)');
      await database.run('CREATE TABLE pet (id int PRIMARY KEY, owner_id int, FOREIGN KEY (owner_id) REFERENCES owner (id))');
      await database.run('INSERT INTO owner VALUES (1), (2), (3)');
      await database.run('INSERT INTO flat VALUES (1, 1), (2, 2)');
      await database.run('INSERT INTO pet VALUES (1, 1), (2, 1), (3, 3)');
      const ids = Array.from({ length: ROWS }, (_, i) => i);
      await database.run(`INSERT INTO team VALUES ${ids.map((id) => `(${id})`).join(', ')}`);
      await database.run(
        'CREATE TABLE memo (id int NOT NULL, team_id int, CONSTRAINT memo_key PRIMARY KEY (id), FOREIGN KEY (team_id) REFERENCES team (id))',
      );
      await database.run('INSERT INTO memo VALUES (1, 0), (2, 1)');
      await database.run(`INSERT INTO member VALUES ${ids.map((id) => `(${id}, ${id % 200})`).join(', ')}`);
      await database.run(`INSERT INTO badge VALUES ${ids.map((id) => `(${id}, ${id})`).join(', ')}`);
    }),
  );
});

afterAll(async () => {
  for (const session of sessions.values()) await session.close();
});

it.each(ENGINES)('each expanded relation takes one statement on %s', async (engine) => {
  const statements = (table: string, query: string) => sessions.get(engine)?.statements(table, parseQuery(query));
  for (const size of [1, 10, ROWS]) {
    expect(await statements('team', `pg=0&ps=${size}`)).toBe(1);
    // A short page includes one list in its own statement.
    expect(await statements('team', `pg=0&ps=${size}&$expand=member`)).toBe(size > 100 ? 2 : 1);
    expect(await statements('team', `pg=0&ps=${size}&$expand=member(id=ge.0)`)).toBe(2);
    expect(await statements('team', `pg=0&ps=${size}&$expand=member,again:member`)).toBe(3);
    expect(await statements('team', `pg=0&ps=${size}&$expand=member($ps=2;$expand=badge,team)`)).toBe(4);
    expect(await statements('team', `pg=0&ps=${size}&$has=member`)).toBe(1);
  }
});

it.each(ENGINES)('a to-one relation is read with the page on %s', async (engine) => {
  const statements = (query: string) => sessions.get(engine)?.statements('member', parseQuery(query));
  for (const size of [1, 10, ROWS]) expect(await statements(`pg=0&ps=${size}&$expand=team`)).toBe(1);
  expect(await statements('pg=0&ps=10&$expand=one:team,other:team')).toBe(1);
  expect(await statements('pg=0&ps=10&team_id=gt.3&$order=team_id.desc&$expand=team($select=id)')).toBe(1);
  expect(await statements('pg=0&ps=10&$expand=team,badge')).toBe(1);
  expect(await statements('pg=9&ps=10&$expand=team')).toBe(1);
  // PostgreSQL plans such a page each time.
  expect(await statements('pg=10&ps=10&$expand=team')).toBe(engine === 'postgres' ? 2 : 1);
  // A relation with an extra filter or a nested `$expand` needs a statement of its own.
  expect(await statements('pg=0&ps=10&$expand=team(id=ge.0)')).toBe(2);
  expect(await statements('pg=0&ps=10&$expand=team($expand=member)')).toBe(3);
});

it.each(ENGINES)('rows read with the page equal rows read by a second statement on %s', async (engine) => {
  const session = sessions.get(engine);
  const read = async (query: string) => (await session?.read('visit', parseQuery(`ps=3&${query}`)))?.rows;
  const queries = [
    'pg=0',
    'pg=1',
    'pg=0&$order=page.desc',
    'pg=0&page=eq.b',
    'pg=0&$select=id',
    'pg=0&$after=',
    'pg=0&$hasnot=place!place_id',
  ];
  for (const query of queries) {
    const joined = await read(`${query}&$expand=p:place!place_id,o:place!other_id($select=note)`);
    expect(joined).toEqual(await read(`${query}&$expand=p:place!place_id(id=ge.0),o:place!other_id($select=note;id=ge.0)`));
    expect(joined?.length).toBeGreaterThan(0);
  }
  // NULL where nothing is referred to.
  expect((await read('pg=1&$expand=p:place!place_id'))?.map((row) => row.at(-1) === null)).toEqual([false, true]);
  const row = (query: string) => session?.row('visit', '4', parseQuery(query));
  expect(await row('$expand=p:place!place_id')).toEqual(await row('$expand=p:place!place_id(id=ge.0)'));
});

it.each(ENGINES)('lists read with the page equal lists read by a second statement on %s', async (engine) => {
  const session = sessions.get(engine);
  const read = async (query: string) => (await session?.read('place', parseQuery(query)))?.rows;
  const queries = ['pg=0&ps=3', 'pg=1&ps=1', 'pg=0&ps=3&$order=page.desc', 'pg=0&ps=3&page=eq.one', 'pg=0&ps=3&$select=page', 'pg=5&ps=3'];
  const lists = ['', '$order=page.desc', '$ps=1', '$order=page.desc,id.desc;$ps=2', '$select=page,id'];
  for (const query of queries) {
    for (const list of lists) {
      const joined = await read(`${query}&$expand=v:visit!place_id${list === '' ? '' : `(${list})`}`);
      expect(joined).toEqual(await read(`${query}&$expand=v:visit!place_id(${list === '' ? '' : `${list};`}id=ge.0)`));
    }
  }
  expect(await session?.statements('place', parseQuery('pg=0&ps=3&$expand=v:visit!place_id'))).toBe(engine === 'postgres' ? 1 : 2);
});

it.each(ENGINES)('a list that is too long for the page is read by a second statement on %s', async (engine) => {
  const session = sessions.get(engine);
  const { database } = session ?? {};
  const tracks = (from: number, to: number, album: string) =>
    database?.run(`INSERT INTO track VALUES ${Array.from({ length: to - from }, (_, i) => `(${from + i}, ${album})`)}`);
  await tracks(0, 998, '1');
  const lengths = async (size: number): Promise<unknown> =>
    (await session?.read('album', parseQuery(`pg=0&ps=9&$expand=track($ps=${size})`)))?.rows.map(([id, list]) => [id, list?.length]);
  const statements = () => session?.statements('album', parseQuery('pg=0&ps=9&$expand=track($ps=5000)'));
  // 998 rows, and one for each album without any.
  const whole = await lengths(5000);
  expect(await statements()).toBe(1);
  await tracks(998, 1000, '3');
  expect(await lengths(5000)).not.toEqual(whole);
  await statements();
  expect(await statements()).toBe(2);
  expect(await session?.read('album', parseQuery('pg=0&ps=9&$expand=track($ps=2)'))).toEqual(
    await session?.read('album', parseQuery('pg=0&ps=9&$expand=track($ps=2;id=ge.0)')),
  );
});

it.each(ENGINES)('a key that is no longer unique duplicates no row that has a list on %s', async (engine) => {
  const session = sessions.get(engine);
  const { database } = session ?? {};
  const read = async (expand: string) => (await session?.read('owner', parseQuery(`pg=0&ps=9&$expand=${expand}`)))?.rows;
  const before = await read('flat,pet');
  expect(before).toEqual(await read('flat(id=ge.0),pet(id=ge.0)'));
  await database?.run('CREATE INDEX flat_of ON flat (owner_id)');
  await database?.run(engine === 'postgres' ? 'DROP INDEX flat_owner' : 'DROP INDEX flat_owner ON flat');
  await database?.run('INSERT INTO flat VALUES (3, 1), (4, 3)');
  const after = await read('flat,pet');
  expect(after?.map(([id]) => id)).toEqual(['1', '2', '3']);
  expect(after?.map((row) => row.at(-1))).toEqual(before?.map((row) => row.at(-1)));
});

it.each(ENGINES)('a key that is no longer unique duplicates no row on %s', async (engine) => {
  const session = sessions.get(engine);
  const { database } = session ?? {};
  const read = async (): Promise<unknown> => (await session?.read('person', parseQuery('pg=0&ps=2&$expand=desk')))?.rows.map(([id]) => id);
  expect(await read()).toEqual(['1', '2']);
  await database?.run('CREATE INDEX desk_of ON desk (person_id)');
  await database?.run(engine === 'postgres' ? 'DROP INDEX desk_person' : 'DROP INDEX desk_person ON desk');
  await database?.run('INSERT INTO desk VALUES (3, 1)');
  expect(await read()).toEqual(['1', '2']);
  expect((await session?.row('person', '1', parseQuery('$expand=desk')))?.[0]).toBe('1');
});

it.each(ENGINES)('a dropped primary key with NULLs loses no row on %s', async (engine) => {
  const session = sessions.get(engine);
  const read = async (): Promise<unknown> => (await session?.read('memo', parseQuery('pg=0&ps=9&$expand=team')))?.rows.length;
  expect(await read()).toBe(2);
  const nullable = engine === 'postgres' ? 'DROP CONSTRAINT memo_key, ALTER id DROP NOT NULL' : 'DROP PRIMARY KEY, MODIFY id int NULL';
  await session?.database.run(`ALTER TABLE memo ${nullable}`);
  await session?.database.run('INSERT INTO memo VALUES (NULL, 0), (NULL, 1)');
  expect(await read()).toBe(4);
});

it.each(ENGINES)('short concurrent reads share a connection, and others do not, on %s', async (engine) => {
  const session = sessions.get(engine);
  const connections = async (query: string): Promise<number> => {
    // An idle connection is probed before it is used.
    await session?.read('team', parseQuery(query));
    session?.forgetUse();
    await Promise.all(Array.from({ length: 4 }, () => session?.read('team', parseQuery(query))));
    return new Set(session?.used).size;
  };
  for (const query of ['pg=0&ps=1&id=eq.3', 'pg=0&ps=5', 'pg=0&ps=5&$expand=member']) {
    await expect.poll(() => connections(query)).toBe(1);
    expect(session?.together).toEqual([1, 2, 3, 4]);
  }
  for (const query of ['pg=0&ps=5&id=gt.3', 'pg=0&ps=5&$expand=member,again:member']) {
    await connections(query);
    expect(session?.together).toEqual([1, 1, 1, 1]);
  }
});

it.each(ENGINES)('reads that are sent together fail with the first failure, and the connection stays usable on %s', async (engine) => {
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

it.each(ENGINES)('reads that are sent together fail as a whole or are correct when the table has changed on %s', async (engine) => {
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
