// Settings whose effect is visible over HTTP: gateway secret, denied hosts, health, metrics.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { abbreviation, type Body, messageOf, SystemClient } from './system-client.ts';

const SECRET = 'only-the-gateway-knows';

/** Runs the service, lets the test modify its data, and starts it again with the same keys. */
async function restarted(
  first: (service: Service) => Promise<void>,
  between: (dataDir: string) => void,
  env: Record<string, string> = {},
): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-kept-'));
  const service = await startService({ dataDir });
  await first(service);
  await service.stop();
  between(dataDir);
  const keys = { MILLRACE_SERVER_KEY: service.serverKey, MILLRACE_ENCRYPTION_KEY: service.encryptionKey };
  const again = await startService({ dataDir, env: { ...keys, ...env } });
  void again.exited.then(() => rmSync(dataDir, { recursive: true, force: true }));
  return again;
}

describe('MILLRACE_GATEWAY_SECRET', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MILLRACE_GATEWAY_SECRET: SECRET } });
  });
  afterAll(() => service?.stop());

  test.each([
    ['GET', '/svc/system/api/v1/org/list'],
    ['POST', '/svc/system/api/v1/org'],
    ['GET', '/svc/api/rest/auto/v1/pg/a/b?pg=0&ps=1'],
    ['DELETE', '/svc/api/rest/auto/v1/pg/a/b?id=eq.1'],
    ['GET', '/svc/rest/meta/v1/table/list?type=pg&schema=x'],
    ['GET', '/svc/proof/v1/validate/server/key'],
    ['GET', '/nowhere/at/all'],
  ])('%s %s is 401 without it, whatever else is right', async (method, path) => {
    const right = { 'x-server-key': service.serverKey, 'x-user-id': ulid(), 'x-user-roles': 'admin' };
    for (const secret of [{}, { 'x-gateway-secret': '' }, { 'x-gateway-secret': 'wrong' }, { 'x-gateway-secret': `${SECRET}x` }]) {
      const answer = await service.request(method, path, { headers: { ...right, ...secret } });
      expect(messageOf(answer, 401)).toContain('X-Gateway-Secret');
      expect(answer.text).not.toContain(SECRET);
    }
    messageOf(await service.request(method, path, { headers: { ...right, 'x-gateway-secret': [SECRET, SECRET] } }), 400);
  });

  test('requests with the secret work, and health needs none', async () => {
    const headers = { 'x-server-key': service.serverKey, 'x-user-id': ulid(), 'x-gateway-secret': SECRET };
    expect((await service.request('GET', '/svc/system/api/v1/org/list', { headers })).json()).toEqual([]);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await service.request('GET', path)).status).toBe(200);
  });
});

describe('MILLRACE_DENY_HOSTS', () => {
  let service: Service;
  let client: SystemClient;
  let database: TestDatabase;
  let orgId: string;
  beforeAll(async () => {
    database = await createDatabase('postgres');
    service = await startService({ env: { MILLRACE_DENY_HOSTS: '169.254.0.0/16,fe80::/10,fd00:ec2::254,127.9.0.0/16,10.1.2.3' } });
    client = new SystemClient(service);
    orgId = await client.createOrg();
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const register = (host: string) =>
    client.system(
      'POST',
      'project',
      { name: 'x', abbreviation: abbreviation(), database: [database.entry({ host_details: [{ host, port: '5432' }] })] },
      { 'x-org-id': orgId },
    );

  const denied = [
    '169.254.169.254',
    '169.254.0.1',
    '127.9.0.1',
    '10.1.2.3',
    'fe80::1',
    '[fe80::1]',
    'FE80::1',
    'fe80:0:0:0:0:0:0:1',
    'febf::1',
    'fd00:ec2::254',
    'fd00:0ec2:0000::0254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::FFFF:A9FE:A9FE',
    '2852039166',
    '0xA9FEA9FE',
    '0xa9.0xfe.0xa9.0xfe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '127.9.1',
    '/var/run/postgresql',
    '/tmp',
    './socket',
    '\\\\.\\pipe\\mysql',
    '@abstract',
  ];
  test.each(denied)('%s is rejected at registration', async (host) => {
    const answer = await register(host);
    expect(messageOf(answer, 400)).toMatch(/host/);
  });

  test.each(['192.0.2.1', '127.0.0.1', 'db.example.invalid', '2001:db8::1', '10.1.2.4', 'fec0::1'])(
    '%s may be registered',
    async (host) => {
      expect((await register(host)).status).toBe(201);
    },
  );

  test('one denied host among several is enough for a rejection', async () => {
    const host_details = [{ host: '127.0.0.1' }, { host: '169.254.169.254' }];
    const entry = { ...database.entry(), host_details };
    messageOf(
      await client.system('POST', 'project', { name: 'x', abbreviation: abbreviation(), database: [entry] }, { 'x-org-id': orgId }),
      400,
    );
  });

  test('denied hosts also apply to earlier registrations', async () => {
    const own = await createDatabase('postgres');
    await own.run('CREATE TABLE t (id int PRIMARY KEY)');
    const path = `/svc/api/rest/auto/v1/pg/${own.name}/t?pg=0&ps=1`;
    let headers: Readonly<Record<string, string>> = {};
    const second = await restarted(
      async (first) => {
        ({ headers } = await setUpProject(first, [own.entry()]));
        expect((await first.request('GET', path, { headers })).status).toBe(200);
      },
      () => undefined,
      { MILLRACE_DENY_HOSTS: '127.0.0.0/8' },
    );
    expect(messageOf(await second.request('GET', path, { headers }), 424)).not.toContain('127.0.0.1');
    await second.stop();
    await own.drop();
  });
});

describe('endpoints for the orchestrator', () => {
  /** A number that no time, size or sum has in it by chance. */
  const ASKED = '1947110815';
  let service: Service;
  let database: TestDatabase;
  let project: TestProject;
  beforeAll(async () => {
    database = await createDatabase('postgres');
    await database.run('CREATE TABLE t (id int PRIMARY KEY)');
    service = await startService();
    project = await setUpProject(service, [database.entry()]);
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  test.each(['/healthz', '/readyz'])('%s needs no headers', async (path) => {
    const answer = await service.request('GET', path);
    expect(answer.json()).toEqual({ code: 200, status: 'OK', message: expect.any(String) });
  });

  test('/metrics has the Prometheus format, labels of routes and tables, and no data of callers', async () => {
    const path = `/svc/api/rest/auto/v1/pg/${database.name}/t?pg=0&ps=1&id=eq.${ASKED}`;
    for (let round = 0; round < 3; round++) expect((await service.request('GET', path, { headers: project.headers })).status).toBe(200);
    await service.request('GET', '/a-path-that-is-not-there/marker');
    const answer = await service.request('GET', '/metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.text).toMatch(/^millrace_request_duration_seconds_count\{.*auto.*status="200".*\} 3$/m);
    expect(answer.text).toMatch(/^millrace_pool_connections\{type="pg",purpose="auto",state="idle"\} 1$/m);
    for (const line of answer.text.split('\n').filter((text) => text !== ''))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+.\deInfNa]+)$/);
    expect(answer.text).toMatch(new RegExp(`^millrace_subject_\\w+\\{[^}]*${database.name}[^}]*\\} 3$`, 'm'));
    for (const secret of [project.orgId, ASKED, 'marker']) expect(answer.text).not.toContain(secret);
  });

  test('each request is one line of JSON', async () => {
    const id = `line-${ulid()}`;
    const path = `/svc/api/rest/auto/v1/pg/${database.name}/t?pg=0&ps=1&id=eq.${ASKED}`;
    await service.request('GET', path, { headers: { ...project.headers, 'x-request-id': id } });
    await expect
      .poll(() => service.logs().filter((line) => line['request_id'] === id), PATIENCE)
      .toEqual([
        expect.objectContaining({
          method: 'GET',
          status: 200,
          ms: expect.any(Number),
          org_id: project.orgId,
          project_id: project.projectId,
          user_id: project.userId,
        }),
      ]);
    expect(service.output()).not.toContain(ASKED);
  });

  test('an entry whose password cannot be decrypted fails alone, with its id', async () => {
    let two: TestProject = project;
    const again = await restarted(
      async (first) => {
        two = await setUpProject(first, [database.entry(), database.entry({ db_name: 'damaged' })]);
      },
      (dataDir) => {
        const records = new Database(join(dataDir, 'millrace.db'));
        const damage = "UPDATE entries SET password = substr(password, 1, length(password) - 6) || 'AAAAAA' WHERE db_name = 'damaged'";
        expect(records.prepare(damage).run().changes).toBe(1);
        records.close();
      },
    );
    const get = (name: string) => again.request('GET', `/svc/api/rest/auto/v1/pg/${name}/t?pg=0&ps=1`, { headers: two.headers });
    expect((await get(database.name)).status).toBe(200);
    expect(messageOf(await get('damaged'), 500)).toMatch(/damaged.*record [0-9A-HJKMNP-TV-Z]{26}/);
    const entries = (
      await again.request('GET', `/svc/system/api/v1/project?project_id=${two.projectId}`, { headers: two.systemHeaders })
    ).json<Body>();
    expect(entries['databases']).toHaveLength(2);
    await again.stop();
  });
});
