// Sessions with PostgreSQL over HTTP: logins, privileges, refused TLS, residual state, restarts and
// full servers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SlowProject } from '../../faults/slow-database.ts';
import { slowDatabase, slowProject } from '../../faults/slow-database.ts';
import { messageOf } from '../../spec/system-client.ts';
import { createDatabase, startPrivateEngine, type TestDatabase } from '../../support/engines.ts';
import { PATIENCE } from '../../support/patience.ts';
import { type Service, sharedService } from '../../support/service.ts';

let service: Service;
let database: TestDatabase;
let role: string;

beforeAll(async () => {
  service = await sharedService();
  database = await createDatabase('postgres');
  role = `r_${database.name}`;
  await database.run(`
    CREATE ROLE ${role} LOGIN PASSWORD 'right' CONNECTION LIMIT 2;
    CREATE TABLE open (id int PRIMARY KEY, word text);
    CREATE TABLE closed (id int PRIMARY KEY);
    CREATE TABLE "read only" (id int PRIMARY KEY, word text);
    INSERT INTO "read only" VALUES (1, 'x');
    GRANT ALL ON open TO ${role};
    GRANT SELECT ON "read only" TO ${role};
    CREATE SCHEMA inner_room; CREATE TABLE inner_room.t (id int PRIMARY KEY)`);
});
afterAll(async () => {
  await service?.stop();
  await database?.run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database?.drop();
});

describe('logins', () => {
  // The user postgres of the test engine needs no password; users named "locked" do.
  const attempts: readonly (readonly [string, { username: string; password: string; tls?: string }, number])[] = [
    ['a wrong password', { username: 'locked', password: 'wrong' }, 424],
    ['an empty password', { username: 'locked', password: '' }, 424],
    ['a user that is not there', { username: 'nobody-of-that-name', password: 'x' }, 424],
    ['TLS demanded of a server without', { username: 'postgres', password: '', tls: 'require' }, 424],
    ['TLS with a certificate demanded of a server without', { username: 'postgres', password: '', tls: 'verify-full' }, 424],
    ['TLS preferred', { username: 'postgres', password: '', tls: 'prefer' }, 200],
    ['TLS refused', { username: 'postgres', password: '', tls: 'disable' }, 200],
  ];
  test.each(attempts)('%s', async (_, changes, status) => {
    const slow = await slowProject(service, database, changes);
    const answer = await slow.get('open?pg=0&ps=1');
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/locked|nobody|authentication|SCRAM|SSL/);
  });

  test('succeed with the right password', async () => {
    const locked = await createDatabase('postgres');
    await locked.run('CREATE TABLE open (id int PRIMARY KEY); GRANT SELECT ON open TO locked');
    const slow = await slowProject(service, locked, { username: 'locked', password: 'secret' });
    expect((await slow.get('open?pg=0&ps=1')).json()).toEqual([]);
    await locked.drop();
  });

  test('return 404 for a missing database', async () => {
    const slow = await slowProject(service, { ...database, entry: () => database.entry({ db_name: 'not-there' }), name: 'not-there' });
    messageOf(await slow.get('open?pg=0&ps=1'), 404);
  });

  test('succeed with a host name', async () => {
    const { port } = database.address;
    const slow = await slowProject(service, database, { host_details: [{ host: 'localhost', port: String(port) }] });
    expect((await slow.get('open?pg=0&ps=1')).status).toBe(200);
    const lost = await slowProject(service, database, {
      host_details: [{ host: 'no-such-host.invalid', port: String(port) }],
      connect_timeout_secs: 2,
    });
    messageOf(await lost.get('open?pg=0&ps=1'), 424);
  });
});

describe('privileges', () => {
  let slow: SlowProject;
  beforeAll(async () => {
    slow = await slowProject(service, database, { username: role, password: 'right', max_open_connections: 1 });
  });

  test('permit what is granted', async () => {
    expect((await slow.send('POST', 'open', [{ id: 1, word: 'x' }])).status).toBe(201);
    expect((await slow.get('open?pg=0&ps=1')).json()).toEqual([{ id: 1, word: 'x' }]);
    expect((await slow.get('read%20only?pg=0&ps=1')).status).toBe(200);
  });

  test('reject everything else with 403, and the connection stays usable', async () => {
    const refused = [
      slow.get('closed?pg=0&ps=1'),
      slow.send('POST', 'closed', [{ id: 1 }]),
      slow.send('DELETE', 'closed?id=eq.1'),
      slow.send('POST', 'read%20only', [{ id: 2, word: 'y' }]),
      slow.send('PUT', 'read%20only?id=eq.1&set=word.y'),
      slow.send('DELETE', 'read%20only?id=eq.1'),
    ];
    for (const answer of await Promise.all(refused)) expect(messageOf(answer, 403)).not.toMatch(/closed|permission denied/);
    const inner = await service.request('GET', `/svc/api/rest/auto/v1/pg/${database.name}.inner_room/t?pg=0&ps=1`, {
      headers: slow.project.headers,
    });
    messageOf(inner, 403);
    expect((await slow.get('open?pg=0&ps=1')).status).toBe(200);
  });

  test('limit the connections of a role with a clear error', async () => {
    const greedy = await slowProject(service, database, { username: role, password: 'right', max_open_connections: 20 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => greedy.get('open?pg=0&ps=1')));
    for (const { status } of answers) expect([200, 424, 503]).toContain(status);
    await expect.poll(async () => (await greedy.get('open?pg=0&ps=1')).status, PATIENCE).toBe(200);
  });
});

describe('the state of a session', () => {
  test('is reset for every request, regardless of the settings of the role', async () => {
    await database.run(`
      ALTER ROLE ${role} CONNECTION LIMIT -1;
      ALTER ROLE ${role} SET search_path = pg_catalog; ALTER ROLE ${role} SET TimeZone = 'Asia/Tokyo'; ALTER ROLE ${role} SET DateStyle = 'German';
      ALTER ROLE ${role} SET bytea_output = 'escape'; ALTER ROLE ${role} SET IntervalStyle = 'sql_standard'; ALTER ROLE ${role} SET extra_float_digits = -10;
      ALTER ROLE ${role} SET standard_conforming_strings = off; ALTER ROLE ${role} SET client_encoding = 'LATIN1';
      CREATE TABLE kinds (id int PRIMARY KEY, at timestamptz, day date, bytes bytea, span interval, f float8, note text);
      GRANT ALL ON kinds TO ${role}`);
    const slow = await slowProject(service, database, { username: role, password: 'right', max_open_connections: 1 });
    const row = {
      id: 1,
      at: '2024-01-02T03:04:05Z',
      day: '2024-01-02',
      bytes: 'AP9c',
      span: 'P1DT2H',
      f: 0.30000000000000004,
      note: "東京 \\' é",
    };
    for (let round = 0; round < 2; round++) {
      expect((await slow.send('POST', 'kinds', [row])).text).toBe('{"rows_affected":1}');
      expect((await slow.get('kinds?pg=0&ps=1')).json()).toEqual([row]);
      expect((await slow.get(`kinds?pg=0&ps=1&note=eq.${encodeURIComponent(row.note)}`)).json()).toEqual([row]);
      expect((await slow.send('DELETE', 'kinds?id=eq.1')).text).toBe('{"rows_affected":1}');
    }
  });

  test('has no open transaction after a failed statement', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 1 });
    await database.run('CREATE TABLE strict (id int PRIMARY KEY, v int CHECK (v > 0))');
    for (const body of [
      [{ id: 1, v: -1 }],
      [
        { id: 1, v: 1 },
        { id: 1, v: 2 },
      ],
      [
        { id: 2, v: 1 },
        { id: 3, v: 0 },
      ],
    ])
      expect([409, 422]).toContain((await slow.send('POST', 'strict', body)).status);
    expect((await slow.send('POST', 'strict?$dry_run=true', [{ id: 9, v: 9 }])).status).toBe(201);
    const open = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    expect(await database.run(open)).toEqual([]);
    expect((await slow.get('strict?pg=0&ps=9')).json()).toEqual([]);
    expect((await slow.send('POST', 'strict', [{ id: 1, v: 1 }])).status).toBe(201);
    expect(await database.run('SELECT * FROM strict')).toEqual([{ id: 1, v: 1 }]);
  });
});

describe('a server', () => {
  test('that is killed and restarted is unavailable only until it runs again', async () => {
    const engine = await startPrivateEngine('postgres');
    try {
      const own = await slowDatabase(engine.address);
      // The test engines write lazily; a crash must not lose the tables.
      await own.run('CHECKPOINT');
      const slow = await slowProject(service, own, { max_open_connections: 4, timeout_secs: 60, connect_timeout_secs: 20 });
      expect((await Promise.all([1, 2, 3].map(() => slow.nap(50)))).map(({ status }) => status)).toEqual([200, 200, 200]);
      const nap = slow.nap(30_000);
      await expect.poll(own.running, PATIENCE).toBe(1);
      await engine.kill();
      expect((await nap).status).toBe(424);
      const gone = await slow.nap(0);
      expect([gone.status, gone.ms < 10_000]).toEqual([424, true]);
      expect((await slow.send('POST', 'naps', [{ id: 3 }])).status).toBe(424);
      await engine.restart();
      await expect.poll(async () => (await slow.nap(0)).status, PATIENCE).toBe(200);
      // The server is restarted while the connections are idle, so no read notices.
      await Promise.all([1, 2, 3].map(() => slow.nap(50)));
      await engine.kill();
      await engine.restart();
      expect((await Promise.all([1, 2, 3].map(() => slow.nap(0)))).map(({ status }) => status)).toEqual([200, 200, 200]);
    } finally {
      await engine.stop();
    }
  });
});
