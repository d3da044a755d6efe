// Identical concurrent reads on ClickHouse, and aggregates on any engine, share statements. Each
// caller gets the whole response, never data from before its request.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { TABLE, TableClient, USERS } from './users-table.ts';

describe('concurrent reads', () => {
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase('clickhouse');
    await database.run(TABLE.clickhouse);
    service = await startService();
    project = await setUpProject(service, [database.entry()]);
    users = new TableClient(service, project, database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const MANY = 24;
  const atOnce = (query: string, client = users): Promise<Response[]> => Promise.all(Array.from({ length: MANY }, () => client.get(query)));

  async function shared(): Promise<number> {
    const { text } = await service.request('GET', '/metrics');
    return Number(/^millrace_shared_reads_total (\d+)$/m.exec(text)?.[1]);
  }

  test.each(['json', 'csv', 'xml', 'yaml', 'bson'])('return the same body to all, as %s, each with its own request id', async (format) => {
    const query = `pg=0&ps=3&format=${format}`;
    const alone = await users.get(query);
    const before = await shared();
    // A quick server may have answered each before the next has come.
    for (let bursts = 0; bursts < 20 && (await shared()) === before; bursts++) {
      const answers = await atOnce(query);
      for (const { status, body, headers } of answers) {
        expect([status, headers['content-type']]).toEqual([200, alone.headers['content-type']]);
        expect(body.equals(alone.body)).toBe(true);
      }
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(MANY);
    }
    expect(await shared()).toBeGreaterThan(before);
  });

  test('share the response headers too', async () => {
    const query = 'pg=0&ps=2&$after=&$count=exact';
    const alone = await users.get(query);
    expect(alone.headers['x-next-cursor']).toBeDefined();
    for (const { headers } of await atOnce(query)) {
      expect([headers['x-next-cursor'], headers['x-total-count']]).toEqual([alone.headers['x-next-cursor'], '5']);
    }
  });

  test('are not shared when they differ in anything', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const id = 1 + (i % 5);
        return [id, (await users.get(`pg=0&ps=1&id=eq.${id}`)).json<{ id: number }[]>()[0]?.id];
      }),
    );
    for (const [asked, found] of answers) expect(found).toBe(asked);
  });

  test('are not shared between projects', async () => {
    const other = await createDatabase('clickhouse');
    try {
      await other.run(TABLE.clickhouse);
      const elsewhere = new TableClient(service, await setUpProject(service, [other.entry()]), other, 'users');
      const [here, there] = await Promise.all([atOnce('pg=0&ps=10'), atOnce('pg=0&ps=10', elsewhere)]);
      for (const answer of here) expect(answer.json()).toHaveLength(5);
      for (const answer of there) expect(answer.json()).toEqual([]);
    } finally {
      await other.drop();
    }
  });

  test('show a caller its own write in its next read, whatever others read', async () => {
    const query = 'pg=0&ps=500&id=bw.1000.1999';
    let going = true;
    const readers = Array.from({ length: 6 }, async () => {
      while (going) await users.get(query);
    });
    try {
      for (let i = 0; i < 60; i++) {
        const id = 1000 + i;
        expect((await users.post([{ ...USERS[0], id, email: `${id}@example.org` }])).status).toBe(201);
        const ids = (await users.get(query)).json<{ id: number }[]>().map((row) => row.id);
        expect(ids).toContain(id);
      }
    } finally {
      going = false;
      await Promise.all(readers);
    }
  });

  test('continue when one client disconnects', async () => {
    const leaving = Array.from({ length: 12 }, () => {
      const leaver = new AbortController();
      const answer = users.send('GET', 'pg=0&ps=4', { signal: leaver.signal }).catch(() => undefined);
      setImmediate(() => leaver.abort());
      return answer;
    });
    for (const { status, text } of await atOnce('pg=0&ps=4')) expect([status, JSON.parse(text).length]).toEqual([200, 4]);
    await Promise.all(leaving);
  });

  test('stream large responses to each client individually', async () => {
    await database.run(
      "CREATE TABLE wide (id Int32, text String) ENGINE = MergeTree ORDER BY id AS SELECT number, repeat('x', 4000) FROM numbers(500)",
    );
    const wide = new TableClient(service, project, database, 'wide');
    const before = await shared();
    for (const round of [1, 2]) {
      for (const { status, body } of await atOnce('pg=0&ps=500', wide)) {
        expect([round, status, JSON.parse(body.toString()).length]).toEqual([round, 200, 500]);
      }
    }
    expect(await shared()).toBe(before);
  });

  test('fail for all clients alike', async () => {
    await database.run("CREATE VIEW failing AS SELECT id, throwIf(id = 3, 'no') AS broken FROM users");
    const failing = new TableClient(service, project, database, 'failing');
    const alone = await failing.get('pg=0&ps=10');
    expect(alone.status).toBeGreaterThanOrEqual(400);
    for (const { status } of await atOnce('pg=0&ps=10', failing)) expect(status).toBe(alone.status);
  });
});

describe.each(['postgres', 'mysql', 'mariadb'] as const)('concurrent aggregates on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await startService();
    users = new TableClient(service, await setUpProject(service, [database.entry()]), database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const QUERY = 'pg=0&ps=10&$agg=count,most:max.id';
  const shared = async (): Promise<number> =>
    Number(/^millrace_shared_reads_total (\d+)$/m.exec((await service.request('GET', '/metrics')).text)?.[1]);

  test('share statements, unlike reads of rows', async () => {
    const alone = await users.get(QUERY);
    const before = await shared();
    const allAtOnce = async (): Promise<number> => {
      for (const { status, body } of await Promise.all(Array.from({ length: 24 }, () => users.get(QUERY)))) {
        expect(status).toBe(200);
        expect(body.equals(alone.body)).toBe(true);
      }
      return shared();
    };
    // One may be over before the next comes.
    await expect.poll(allAtOnce).toBeGreaterThan(before);
    const after = await shared();
    await Promise.all(Array.from({ length: 24 }, () => users.get('pg=0&ps=3&name=ne.x')));
    expect(await shared()).toBe(after);
  });

  test('show a caller its own write, whatever others read', async () => {
    let going = true;
    const readers = Array.from({ length: 6 }, async () => {
      while (going) await users.get(QUERY);
    });
    try {
      for (let id = 1000; id < 1030; id++) {
        expect((await users.post([{ ...USERS[0], id, email: `${id}@example.org` }])).status).toBe(201);
        expect((await users.get(QUERY)).json<{ most: number }[]>()[0]?.most).toBe(id);
      }
    } finally {
      going = false;
      await Promise.all(readers);
    }
  });
});
