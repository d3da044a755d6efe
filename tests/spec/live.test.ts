// Live figures over HTTP: what they count, for whom, and that they add up over all workers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { messageOf } from './system-client.ts';

interface Figures {
  readonly at: string;
  readonly started_at: string;
  readonly version: string;
  readonly requests: number;
  readonly errors: number;
  readonly latency: { readonly le: number | null; readonly count: number }[];
  readonly in_flight: number;
  readonly pools: { readonly ref: string; readonly open: number; readonly idle: number; readonly waiting: number; readonly max: number }[];
  readonly rollbacks: number;
  readonly cache: { readonly hits: number; readonly misses: number };
}

const PATH = '/svc/system/api/v1/live';

let service: Service;
let database: TestDatabase;
let project: TestProject;
let bench: Bench;
let authorization: string;
beforeAll(async () => {
  database = await createDatabase('postgres');
  service = await startService({ env: { MILLRACE_WORKERS: '2' } });
  project = await setUpProject(service, [database.entry({ max_open_connections: 7 })]);
  bench = new Bench(service, project, database);
  const body = { name: 'live', key_type: 'r--', roles: 'admin' };
  const made = await service.request('POST', '/svc/system/api/v1/token', { headers: project.systemHeaders, body });
  authorization = `Bearer ${made.json<{ power_token: string }>().power_token}`;
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const ofInstance = async (): Promise<Figures> => (await service.request('GET', PATH, { headers: project.systemHeaders })).json<Figures>();
const ofProject = async (): Promise<Figures> => (await service.request('GET', PATH, { headers: { authorization } })).json<Figures>();
/** A connection for each request, so that both workers get some. */
const me = (headers: Readonly<Record<string, string>>) =>
  service.request('GET', '/svc/persona/v1/me', { headers: { ...headers, connection: 'close' } });

describe('GET …/live', () => {
  it('counts requests of all workers, by duration', async () => {
    const before = await ofInstance();
    for (let i = 0; i < 20; i++) await me(project.headers);
    const after = await ofInstance();
    // The first list of figures was answered in between.
    expect(after.requests - before.requests).toBe(21);
    expect(after.latency.at(-1)).toEqual({ le: null, count: after.requests });
    expect(after.latency.map(({ count }) => count)).toEqual(after.latency.map(({ count }) => count).toSorted((a, b) => a - b));
    expect(after.latency[0]).toEqual({ le: 0.001, count: expect.any(Number) });
    expect(after.version).toMatch(/^\d+\./);
    expect(Date.parse(after.at)).toBeGreaterThan(Date.parse(after.started_at));
  });

  it('counts for a token its project only', async () => {
    const other = await setUpProject(service, []);
    const before = await ofProject();
    for (let i = 0; i < 5; i++) await me(other.headers);
    for (let i = 0; i < 3; i++) await me(project.headers);
    expect((await ofProject()).requests - before.requests).toBe(4);
  });

  it('shows pools by database, and running requests', async () => {
    await bench.deploy({ uri: 'slow', logic: [{ sql: 'SELECT pg_sleep(?:secs)' }] });
    const slow = [1, 2].map(() => bench.call('GET', 'slow?secs=6'));
    await expect.poll(async () => (await ofProject()).in_flight, PATIENCE).toBe(2);
    const busy = { ref: `pg/${database.name}`, open: 2, idle: 0, waiting: 0, max: expect.toBeOneOf([7, 14, 21, 28]) };
    await expect.poll(async () => (await ofProject()).pools, PATIENCE).toEqual([busy]);
    await Promise.all(slow);
    const after = await ofProject();
    expect([after.in_flight, after.pools[0]?.idle]).toEqual([0, 2]);
  });

  it('counts errors, rollbacks and the cache', async () => {
    const before = await ofProject();
    await bench.deploy({ uri: 'broken', version: '1', logic: [{ sql: 'SELECT 1 AS n' }] });
    await bench.deploy({
      uri: 'broken',
      version: '2',
      logic: [{ lark: 'x', code: 'result = 1 // int(input.zero)' }],
      config: { rollback_version: '1' },
    });
    expect((await bench.call('GET', 'broken?zero=0')).status).toBe(200);
    await bench.deploy({ uri: 'failing', logic: [{ lark: 'x', code: 'result = 1 // int(input.zero)' }] });
    expect((await bench.call('GET', 'failing?zero=0')).status).toBe(500);
    await bench.deploy({ uri: 'cached', logic: [{ sql: 'SELECT 1 AS n' }], config: { cache_result: true } });
    const agents = [1, 2, 3, 4];
    for (const _ of agents) expect((await bench.call('GET', 'cached')).status).toBe(200);
    const after = await ofProject();
    expect([after.errors - before.errors, after.rollbacks - before.rollbacks]).toEqual([1, 1]);
    const { hits, misses } = { hits: after.cache.hits - before.cache.hits, misses: after.cache.misses - before.cache.misses };
    // Each worker has a cache of its own.
    expect([hits + misses, misses]).toEqual([agents.length, expect.toBeOneOf([1, 2])]);
  });

  it('needs the server key or a token with the role admin', async () => {
    messageOf(await service.request('GET', PATH, { headers: project.headers }), 403);
    messageOf(await service.request('POST', PATH, { headers: project.systemHeaders, body: {} }), 405);
  });
});
