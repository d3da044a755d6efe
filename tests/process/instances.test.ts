// Processes that share records: instances on a PostgreSQL store, and workers on one port.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, SystemClient } from '../spec/system-client.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const ROUNDS = 15;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE t (id int PRIMARY KEY)');
  await database.run('INSERT INTO t VALUES (1)');
});
afterAll(() => database?.drop());

const storeUrl = (store: TestDatabase, port = store.address.port): string => {
  const { user, password, host } = store.address;
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${store.name}`;
};
const read = async (service: Service, token: string): Promise<number> => {
  const path = `/svc/api/rest/auto/v1/pg/${database.name}/t?pg=0&ps=1&pwt=${token}`;
  return (await service.request('GET', path, { headers: { 'x-power-token': token, connection: 'close' } })).status;
};
const makeToken = async (service: Service, project: TestProject): Promise<{ token: string; id: string }> => {
  const body = { name: ulid(), key_type: 'r--', roles: 'viewer' };
  const answer = (await service.request('POST', '/svc/system/api/v1/token', { headers: project.systemHeaders, body })).json<Body>();
  return { token: String(answer['power_token']), id: String(answer['token_id']) };
};
const deleteToken = (service: Service, project: TestProject, id: string) =>
  service.request('DELETE', `/svc/system/api/v1/token?token_id=${id}`, { headers: project.systemHeaders });

describe('two instances on one PostgreSQL', () => {
  let store: TestDatabase;
  let proxy: FaultProxy;
  let one: Service;
  let two: Service;
  let project: TestProject;
  beforeAll(async () => {
    store = await createDatabase('postgres');
    proxy = await FaultProxy.start(store.address);
    one = await startService({ env: { MILLRACE_STORE_URL: storeUrl(store) } });
    const env = {
      MILLRACE_STORE_URL: storeUrl(store, proxy.port),
      MILLRACE_SERVER_KEY: one.serverKey,
      MILLRACE_ENCRYPTION_KEY: one.encryptionKey,
    };
    two = await startService({ env });
    project = await setUpProject(one, [database.entry()]);
  });
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await proxy?.stop();
    await store?.drop();
  });

  test('store and delete apps that the other one shows and forgets at once', async () => {
    const headers = { ...project.headers, 'x-user-roles': 'admin,reader', 'content-type': 'application/x-yaml' };
    const page = async (): Promise<string> => {
      const { status, text } = await two.request('GET', '/svc/app/v1/render?app=shared', { headers });
      return status === 200 ? (/<title>(.*)<\/title>/.exec(text)?.[1] ?? '') : String(status);
    };
    const seen: string[] = [];
    const expected: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const body = `app: shared\ntitle: Round ${round}\npermission: [reader]\nblocks: [{text: a}]\n`;
      expect((await one.request('POST', '/svc/app/v1', { headers, body })).status).toBe(201);
      seen.push(await page());
      expect((await one.request('DELETE', '/svc/app/v1?app=shared', { headers })).status).toBe(200);
      seen.push(await page());
      expected.push(`Round ${round}`, '404');
    }
    expect(seen).toEqual(expected);
  });

  test('create and delete tokens that the other one accepts and rejects at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { token, id } = await makeToken(one, project);
      expect([await read(two, token), await read(one, token)]).toEqual([200, 200]);
      expect((await deleteToken(round % 2 === 0 ? one : two, project, id)).status).toBe(200);
      expect([await read(two, token), await read(one, token)]).toEqual([404, 404]);
    }
  });

  test('add and remove databases for both', async () => {
    const get = async (service: Service) =>
      (await service.request('GET', `/svc/api/rest/auto/v1/pg/${database.name}/t?pg=0&ps=1`, { headers: project.headers })).status;
    for (let round = 0; round < 5; round++) {
      await one.request('DELETE', `/svc/system/api/v1/project/database?type=pg&name=${database.name}`, { headers: project.systemHeaders });
      expect([await get(two), await get(one)]).toEqual([404, 404]);
      await two.request('POST', '/svc/system/api/v1/project/database', { headers: project.systemHeaders, body: database.entry() });
      expect([await get(one), await get(two)]).toEqual([200, 200]);
    }
  });

  test('put, change and delete personas for both at once', async () => {
    const path = `/svc/api/rest/auto/v1/pg/${database.name}/t?pg=0&ps=1`;
    const headers = { ...project.headers, 'x-user-roles': 'user', connection: 'close' };
    const get = async (service: Service) => (await service.request('GET', path, { headers })).status;
    const both = async () => [await get(two), await get(one)];
    const put = (service: Service, roles: readonly string[], table: object) =>
      service.request('POST', '/svc/persona/v1', {
        headers: project.headers,
        body: { persona: 'reader', roles, tables: { [`pg/${database.name}/t`]: table } },
      });
    for (let round = 0; round < 5; round++) {
      const [here, there] = round % 2 === 0 ? [one, two] : [two, one];
      expect(await both()).toEqual([200, 200]);
      expect((await put(here, ['other'], { read: true })).status).toBe(201);
      expect(await both()).toEqual([403, 403]);
      expect((await put(there, ['user'], { read: true })).status).toBe(200);
      expect(await both()).toEqual([200, 200]);
      expect((await put(here, ['user'], { read: { rows: ['id=eq.?:claims.none'] } })).status).toBe(200);
      expect(await both()).toEqual([403, 403]);
      expect((await put(there, ['user'], {})).status).toBe(200);
      expect(await both()).toEqual([404, 404]);
      const gone = await here.request('DELETE', '/svc/persona/v1?persona=reader', { headers: project.headers });
      expect([gone.status, ...(await both())]).toEqual([200, 200, 200]);
    }
  });

  test('create one organization when both create it concurrently', async () => {
    const clients = [new SystemClient(one), new SystemClient(two)];
    for (let round = 0; round < 5; round++) {
      const body = { name: 'Race', abbreviation: `race-${round}` };
      const answers = await Promise.all(clients.map((client) => client.system('POST', 'org', body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 208]);
      expect(new Set(answers.map((answer) => answer.json<Body>()['org_id'])).size).toBe(1);
    }
  });

  test('serve cached records without the store, are not ready, and recover', async () => {
    const { token } = await makeToken(one, project);
    expect(await read(two, token)).toBe(200);
    await proxy.set({ kind: 'refuse' });
    proxy.resetAll();
    expect(await read(two, token)).toBe(200);
    const ready = await two.request('GET', '/readyz');
    expect([ready.status, ready.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await two.request('GET', '/healthz')).status).toBe(200);
    const made = await two.request('POST', '/svc/system/api/v1/org', {
      headers: project.systemHeaders,
      body: { name: 'x', abbreviation: 'never' },
    });
    expect(made.status).toBe(503);
    expect(made.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres/);
    await proxy.set({ kind: 'pass' });
    await expect.poll(async () => (await two.request('GET', '/readyz')).status, PATIENCE).toBe(200);
    expect(await read(two, token)).toBe(200);
  });
});

describe('two workers on one port', () => {
  let service: Service;
  let project: TestProject;
  beforeAll(async () => {
    service = await startService({ env: { MILLRACE_WORKERS: '2' } });
    project = await setUpProject(service, [database.entry()]);
  });
  afterAll(() => service?.stop());

  test('see the changes of each other at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { token, id } = await makeToken(service, project);
      // Each on its own connection; the workers accept them in turn.
      expect(await Promise.all([1, 2, 3, 4].map(() => read(service, token)))).toEqual([200, 200, 200, 200]);
      await deleteToken(service, project, id);
      expect(await Promise.all([1, 2, 3, 4].map(() => read(service, token)))).toEqual([404, 404, 404, 404]);
    }
  });

  test('print the ready line once', () => {
    expect(service.output().match(/ready on/g)).toHaveLength(1);
  });

  test('return the metrics of both from either worker', async () => {
    const counted = async (): Promise<{ readonly total: number; readonly workers: Set<string>; readonly text: string }> => {
      const { text } = await service.request('GET', '/metrics');
      const healthz = /millrace_request_duration_seconds_count\{route="\/healthz",method="GET",status="200",worker="(\d+)"\} (\d+)/g;
      const found = [...text.matchAll(healthz)];
      return { total: found.reduce((sum, [, , count]) => sum + Number(count), 0), workers: new Set(found.map(([, id = '']) => id)), text };
    };
    const before = (await counted()).total;
    // Each on its own connection; the workers accept them in turn.
    await Promise.all(Array.from({ length: 20 }, () => service.request('GET', '/healthz')));
    for (let turn = 0; turn < 4; turn++) {
      const { total, workers, text } = await counted();
      expect(total).toBe(before + 20);
      expect(workers.size).toBe(2);
      expect(text.match(/^# TYPE millrace_request_duration_seconds histogram$/gm)).toHaveLength(1);
      expect(text.match(/^millrace_process_resident_memory_bytes\{worker="\d+"\} \d+$/gm)).toHaveLength(2);
    }
  });

  test('replace a worker that dies, and continue to serve', async () => {
    const { token } = await makeToken(service, project);
    const { execFileSync } = await import('node:child_process');
    const children = () =>
      execFileSync('ps', ['-o', 'pid=', '--ppid', String(service.pid)])
        .toString()
        .trim()
        .split(/\s+/)
        .map(Number);
    const before = children();
    expect(before).toHaveLength(2);
    process.kill(before[0] ?? 0, 'SIGKILL');
    await expect.poll(() => children().filter((pid) => !before.includes(pid)).length, PATIENCE).toBe(1);
    await expect.poll(() => read(service, token).catch(() => 0), PATIENCE).toBe(200);
    const workers = async () =>
      new Set((await service.request('GET', '/metrics')).text.match(/worker="\d+"/g)?.filter((label) => label !== 'worker="1"'));
    await expect.poll(async () => (await workers().catch(() => new Set())).size, PATIENCE).toBeGreaterThan(0);
    expect(service.output()).toMatch(/worker \d+ ended; starting another/);
  });
});
