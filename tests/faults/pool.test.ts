// The connection pool of a database: its four limits, deadlines of waiting and of queries, and that
// no statement keeps running on the server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';
import { type SlowDatabase, type SlowProject, slowDatabase, slowProject } from './slow-database.ts';

let service: Service;
let database: SlowDatabase;

beforeAll(async () => {
  [service, database] = await Promise.all([startService(), slowDatabase()]);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const settled = (count: () => Promise<number>, number: number) => expect.poll(count, PATIENCE).toBe(number);
/** Duration of a sleep that is expected to be cancelled. An early response did not wait for it. */
const LONG_MS = 60_000;
const SOON_MS = 10_000;

describe('a query past timeout_secs', () => {
  let slow: SlowProject;
  beforeAll(async () => {
    slow = await slowProject(service, database, { timeout_secs: 1, max_open_connections: 1 });
    expect((await slow.nap(0)).status).toBe(200);
  });

  test('is 504 in time, is stopped on the server, and the next request is quick', async () => {
    const { status, ms, response } = await slow.nap(LONG_MS);
    expect(status).toBe(504);
    expect(response.json()).toMatchObject({ code: 504, status: 'Gateway Timeout', message: expect.stringContaining('1 second') });
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThan(SOON_MS);
    await settled(database.running, 0);
    expect((await slow.nap(0)).ms).toBeLessThan(SOON_MS);
  });

  test('of a write is 504 too, and nothing is written', async () => {
    await database.run(`
      CREATE TABLE slow_writes (id int PRIMARY KEY);
      CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
      CREATE TRIGGER delay BEFORE INSERT OR UPDATE ON slow_writes FOR EACH ROW EXECUTE FUNCTION delay()`);
    const answer = await slow.send('POST', 'slow_writes', [{ id: 1 }]);
    expect(answer.status).toBe(504);
    await settled(database.running, 0);
    expect(await database.run('SELECT * FROM slow_writes')).toEqual([]);
  });

  test('does not count the time of waiting for a connection', async () => {
    const patient = await slowProject(service, database, { timeout_secs: 3, max_open_connections: 1 });
    const answers = await Promise.all([patient.nap(1600), patient.nap(1600)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a busy pool', () => {
  test('answers 503 with Retry-After after connect_timeout_secs, and serves those who got through', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 2, connect_timeout_secs: 1 });
    await slow.nap(0);
    const answers = await Promise.all(Array.from({ length: 6 }, () => slow.nap(5000)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503, 503, 503]);
    for (const { status, ms, response } of answers) {
      if (status === 200) continue;
      expect(response.headers['retry-after']).toMatch(/^\d+$/);
      expect(response.json()).toMatchObject({ code: 503, status: 'Service Unavailable' });
      expect(ms).toBeGreaterThan(900);
      expect(ms).toBeLessThan(4900);
    }
    expect((await slow.nap(0)).status).toBe(200);
  });
});

describe('connections', () => {
  test('are at most max_open, max_idle of them idle, and none after idle_timeout', async () => {
    const own = await slowDatabase();
    const slow = await slowProject(service, own, { max_open_connections: 4, max_idle_connections: 2, idle_timeout_secs: 4 });
    let most = 0;
    const work = Promise.all(Array.from({ length: 24 }, () => slow.nap(100)));
    let done = false;
    void work.then(() => {
      done = true;
    });
    while (!done) most = Math.max(most, await own.sessions());
    expect((await work).every(({ status }) => status === 200)).toBe(true);
    expect(most).toBe(4);
    await settled(own.sessions, 2);
    await settled(own.sessions, 0);
    expect((await slow.nap(0)).status).toBe(200);
    await own.drop();
  });

  test('are not kept at all with max_idle 0', async () => {
    const own = await slowDatabase();
    const slow = await slowProject(service, own, { max_idle_connections: 0 });
    for (let round = 0; round < 3; round++) expect((await slow.nap(0)).status).toBe(200);
    await settled(own.sessions, 0);
    await own.drop();
  });

  test('are opened by the first request only', async () => {
    const own = await slowDatabase();
    await slowProject(service, own);
    expect(await own.sessions()).toBe(0);
    await own.drop();
  });
});

describe('a client that goes away', () => {
  test('ends its query on the server, and its connection is free again', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 1 });
    await slow.nap(0);
    const abort = new AbortController();
    const nap = slow.nap(LONG_MS, abort.signal);
    await settled(database.running, 1);
    abort.abort();
    await expect(nap).rejects.toThrow();
    await settled(database.running, 0);
    expect((await slow.nap(0)).ms).toBeLessThan(SOON_MS);
  });

  test('while it waits for a connection leaves no trace', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 1, connect_timeout_secs: 20 });
    await slow.nap(0);
    const first = slow.nap(3000);
    const abort = new AbortController();
    const waiting = Array.from({ length: 5 }, () => slow.nap(LONG_MS, abort.signal).catch(() => 'gone'));
    await settled(database.running, 1);
    abort.abort();
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 5 }, () => 'gone'));
    expect((await first).status).toBe(200);
    expect((await slow.nap(0)).status).toBe(200);
    // A look at the table may follow that; one of the long naps would go on.
    await settled(database.running, 0);
  });

  test('in the middle of a large answer ends the query', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 1 });
    await database.run(`CREATE TABLE large (id int PRIMARY KEY, filler text);
      INSERT INTO large SELECT n, repeat(md5(n::text), 100) FROM generate_series(1, 10000) n`);
    await slow.nap(0);
    const { headers } = slow.project;
    for (let round = 0; round < 3; round++) {
      const abort = new AbortController();
      const path = `${service.url}/svc/api/rest/auto/v1/pg/${database.name}/large?pg=0&ps=10000`;
      const response = await fetch(path, { headers, signal: abort.signal });
      expect(response.status).toBe(200);
      abort.abort();
    }
    await settled(database.running, 0);
    expect((await slow.nap(0)).status).toBe(200);
  });
});
