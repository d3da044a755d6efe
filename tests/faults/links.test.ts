// Failures of the network and the server between the service and PostgreSQL: refused, silent,
// broken and restored connections. The service always responds in time, never with a truncated body
// that looks whole, and recovers with the database.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Service, startService } from '../support/service.ts';
import { type SlowDatabase, type SlowProject, slowDatabase, slowProject, through } from './slow-database.ts';

/** Waits until they have ended: a statement that meets a session on its way out may already run. */
const END_SESSIONS =
  "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'millrace'";

let service: Service;
let database: SlowDatabase;

beforeAll(async () => {
  [service, database] = await Promise.all([startService(), slowDatabase()]);
});
afterAll(async () => {
  const exit = await service?.stop();
  await database?.drop();
  expect(exit).toEqual({ code: 0, signal: null });
});

describe('one host', () => {
  let proxy: FaultProxy;
  let slow: SlowProject;
  beforeEach(async () => {
    proxy = await FaultProxy.start(database.address);
    slow = await slowProject(service, database, { ...through(proxy), timeout_secs: 2, connect_timeout_secs: 1, max_open_connections: 2 });
  });
  afterEach(() => proxy.stop());

  const heals = () => expect.poll(async () => (await slow.nap(0)).status, PATIENCE).toBe(200);

  test('that refuses from the start is 424 at once, and heals by itself', async () => {
    slow = await slowProject(service, database, { ...through(proxy), connect_timeout_secs: 20 });
    await proxy.set({ kind: 'refuse' });
    const { status, ms, response } = await slow.nap(0);
    expect([status, response.json()]).toEqual([424, { code: 424, status: 'Failed Dependency', message: expect.any(String) }]);
    expect(ms).toBeLessThan(5000);
    expect(response.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres/);
    await proxy.set({ kind: 'pass' });
    expect((await slow.nap(0)).status).toBe(200);
  });

  test('that refuses later is 424 for reads and writes', async () => {
    expect((await slow.nap(0)).status).toBe(200);
    await proxy.set({ kind: 'refuse' });
    proxy.resetAll();
    for (let round = 0; round < 3; round++) {
      expect((await slow.nap(0)).status).toBe(424);
      expect((await slow.send('POST', 'naps', [{ id: 7 }])).status).toBe(424);
      expect((await slow.send('PUT', 'words?id=eq.1&set=word.y')).status).toBe(424);
      expect((await slow.send('DELETE', 'words?id=eq.1')).status).toBe(424);
    }
    await proxy.set({ kind: 'pass' });
    expect((await slow.nap(0)).status).toBe(200);
  });

  test('that accepts and says nothing is 424 when connect_timeout_secs are over', async () => {
    await proxy.set({ kind: 'blackhole' });
    const answers = await Promise.all([slow.nap(0), slow.nap(0), slow.nap(0)]);
    for (const { status, ms } of answers) {
      expect([424, 503]).toContain(status);
      expect(ms).toBeGreaterThan(800);
      expect(ms).toBeLessThan(10_000);
    }
    expect(answers.some(({ status }) => status === 424)).toBe(true);
    proxy.resetAll();
    await proxy.set({ kind: 'pass' });
    await heals();
  });

  test('that falls silent in mid-life is an error soon after timeout_secs, and the pool recovers', async () => {
    expect((await slow.nap(0)).status).toBe(200);
    await proxy.set({ kind: 'blackhole' });
    const { status, ms } = await slow.nap(0);
    expect([424, 504]).toContain(status);
    expect(ms).toBeGreaterThan(1800);
    expect(ms).toBeLessThan(12_000);
    await proxy.set({ kind: 'pass' });
    await heals();
    await expect.poll(() => proxy.open, PATIENCE).toBeLessThanOrEqual(2);
  });

  test('that breaks during a query is 424, and a write is not repeated', async () => {
    slow = await slowProject(service, database, { ...through(proxy), timeout_secs: 60 });
    expect((await slow.nap(0)).status).toBe(200);
    const nap = slow.nap(30_000);
    await expect.poll(database.running, PATIENCE).toBe(1);
    await proxy.set({ kind: 'refuse' });
    proxy.resetAll();
    expect((await nap).status).toBe(424);
    await proxy.set({ kind: 'pass' });
    await database.run('CREATE TABLE IF NOT EXISTS counted (id serial PRIMARY KEY, v int)');
    await heals();
    await slow.send('POST', 'counted', [{ v: 0 }]);
    for (const afterBytes of [1, 2, 3]) {
      await proxy.set({ kind: 'cut', afterBytes });
      expect((await slow.send('POST', 'counted', [{ v: afterBytes }])).status).toBe(424);
    }
    await proxy.set({ kind: 'pass' });
    await heals();
    // It is unknown whether a write took effect before its connection broke, but it never took
    // effect twice.
    const counts = await database.run('SELECT v, count(*)::int AS n FROM counted GROUP BY v');
    expect(counts.filter((row) => Number(row['n']) > 1)).toEqual([]);
  });

  test('that resets idle connections costs no GET anything', async () => {
    await Promise.all([slow.nap(100), slow.nap(100)]);
    proxy.resetAll();
    const answers = await Promise.all([slow.nap(0), slow.nap(0), slow.nap(50)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('that is slow is slow, and nothing else', async () => {
    await proxy.set({ kind: 'latency', ms: 60 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => slow.nap(0)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('that is slow to tell that an idle session was ended costs nothing either, and a write is done once', async () => {
    await database.run('CREATE TABLE IF NOT EXISTS crossed (id int PRIMARY KEY)');
    slow = await slowProject(service, database, { ...through(proxy), max_open_connections: 2 });
    // More than it takes to hear that the sessions have ended.
    await proxy.set({ kind: 'latency', ms: 250 });
    const requests = [
      { send: () => slow.nap(0), status: 200 },
      { send: () => slow.send('POST', 'crossed', [{ id: 1 }]), status: 201 },
    ];
    for (const { send, status } of requests) {
      await Promise.all([slow.nap(0), slow.nap(0)]);
      await database.run(END_SESSIONS);
      // The server has gone, which we have yet to hear: the statement crosses its farewell.
      expect((await send()).status).toBe(status);
    }
    expect(await database.run('SELECT id FROM crossed')).toEqual([{ id: 1 }]);
  });

  test('that is cut anywhere never makes a short answer look whole', async () => {
    await slow.get('words?pg=0&ps=1000');
    const whole = (await slow.get('words?pg=0&ps=1000')).json<unknown[]>();
    expect(whole).toHaveLength(1000);
    const outcomes = new Map<string, number>();
    // A thousand rows are some 330,000 bytes from the server: cut before, inside and after them.
    // The response starts after 128 KiB.
    const cuts = [...Array.from({ length: 28 }, (_, index) => index * 37 + 1), 5_000, 64_000, 120_000, 200_000, 280_000, 333_000, 340_000];
    for (const afterBytes of cuts) {
      await proxy.set({ kind: 'cut', afterBytes });
      const outcome = await slow.get('words?pg=0&ps=1000').then(
        (answer) => {
          if (answer.status === 200) expect(answer.json()).toEqual(whole);
          return String(answer.status);
        },
        () => 'broken off',
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    await proxy.set({ kind: 'pass' });
    await heals();
    expect([...outcomes.keys()].filter((outcome) => !['200', '424', 'broken off'].includes(outcome))).toEqual([]);
    expect(outcomes.get('424')).toBeGreaterThan(0);
    expect(outcomes.get('broken off')).toBeGreaterThan(0);
  });
});

describe('the server', () => {
  test('that ends a session in mid-query is 424, an idle one is not missed', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 1, timeout_secs: 60 });
    const terminate = () => database.run(END_SESSIONS);
    await slow.nap(0);
    await terminate();
    expect((await slow.nap(0)).status).toBe(200);
    const nap = slow.nap(30_000);
    await expect.poll(database.running, PATIENCE).toBe(1);
    await terminate();
    expect((await nap).status).toBe(424);
    expect((await slow.nap(0)).status).toBe(200);
  });

  test('that cancels a query by hand is told as a timeout, and the connection stays', async () => {
    const slow = await slowProject(service, database, { max_open_connections: 1, timeout_secs: 60 });
    await slow.nap(0);
    const nap = slow.nap(30_000);
    await expect.poll(database.running, PATIENCE).toBe(1);
    await database.run(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'millrace' AND query ~ 'sleepy' AND state = 'active'",
    );
    expect((await nap).status).toBe(504);
    expect((await slow.nap(0)).status).toBe(200);
  });
});

describe('several hosts', () => {
  const CONNECT_SECS = 8;
  let proxies: [FaultProxy, FaultProxy];
  let slow: SlowProject;
  beforeEach(async () => {
    proxies = [await FaultProxy.start(database.address), await FaultProxy.start(database.address)];
    slow = await slowProject(service, database, { ...through(...proxies), connect_timeout_secs: CONNECT_SECS });
  });
  afterEach(() => Promise.all(proxies.map((proxy) => proxy.stop())));

  test('are tried in order', async () => {
    for (let round = 0; round < 3; round++) expect((await slow.nap(0)).status).toBe(200);
    expect([proxies[0].accepted > 0, proxies[1].accepted]).toEqual([true, 0]);
  });

  test('the first refuses: the second serves', async () => {
    await proxies[0].set({ kind: 'refuse' });
    const { status, ms } = await slow.nap(0);
    expect(status).toBe(200);
    // Not after the share of the time that a silent one would be given.
    expect(ms).toBeLessThan((CONNECT_SECS / 2) * 1000);
  });

  test('the first says nothing: the second serves within connect_timeout_secs, and at once from then on', async () => {
    await proxies[0].set({ kind: 'blackhole' });
    const first = await slow.nap(0);
    expect(first.status).toBe(200);
    expect(first.ms).toBeLessThan(CONNECT_SECS * 1000);
    const later = await Promise.all(Array.from({ length: 5 }, () => slow.nap(50)));
    for (const { status, ms } of later) {
      expect(status).toBe(200);
      expect(ms).toBeLessThan((CONNECT_SECS / 2) * 1000);
    }
  });

  test('one goes away, then the other: no GET notices', async () => {
    expect((await slow.nap(0)).status).toBe(200);
    for (const [gone, back] of [
      [proxies[0], proxies[1]],
      [proxies[1], proxies[0]],
    ] as const) {
      await back.set({ kind: 'pass' });
      await gone.set({ kind: 'refuse' });
      gone.resetAll();
      expect((await slow.nap(0)).status).toBe(200);
    }
  });

  test('all are gone: 424', async () => {
    for (const proxy of proxies) {
      await proxy.set({ kind: 'refuse' });
      proxy.resetAll();
    }
    expect((await slow.nap(0)).status).toBe(424);
  });
});
