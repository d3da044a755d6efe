// An operator can see why a database cannot be used: the log line and the connection test name
// database, address and reason, without secrets or client input.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { TABLE, TableClient, USERS } from '../spec/users-table.ts';
import { Databases } from '../support/databases.ts';
import { type DatabaseEntry, type EngineName, engineAddress } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService } from '../support/service.ts';

const SECRET = 'f0rb1dden-w0rd';

let service: Service;
const databases = new Databases();

beforeAll(async () => {
  service = await startService();
  await databases.create(['postgres', 'mysql', 'clickhouse'], async (database) => {
    await database.run(TABLE[database.engine]);
  });
  await databases.on('postgres').run(`CREATE ROLE ${role()} LOGIN CONNECTION LIMIT 0`);
});
afterAll(async () => {
  await service?.stop();
  await databases.on('postgres').run(`DROP ROLE IF EXISTS ${role()}`);
  await databases.drop();
});

const role = (): string => `full_${databases.on('postgres').name}`;
const at = (port: number, host = '127.0.0.1'): Partial<DatabaseEntry> => ({ host_details: [{ host, port: String(port) }] });

/** Reason in the log line of a request. A failed connection may have a line of its own as well. */
const reasonOf = (id: string): string => {
  const line = service.logs().find((candidate) => candidate['request_id'] === id && 'route' in candidate);
  return String(line?.['reason'] ?? '');
};

const CASES: readonly (readonly [string, EngineName, () => Partial<DatabaseEntry>, string])[] = [
  ['a wrong password', 'mysql', () => ({}), 'wrong password'],
  ['a wrong password', 'clickhouse', () => ({}), 'wrong password'],
  ['an unknown user', 'postgres', () => ({ username: 'nobody_at_all' }), 'wrong password'],
  ['a port that refuses', 'postgres', () => at(1), 'refused'],
  ['a port that refuses', 'mysql', () => at(1), 'refused'],
  ['a port that refuses', 'clickhouse', () => at(1), 'refused'],
  ['a host that nobody knows', 'postgres', () => at(5432, 'no-such-host.invalid'), 'unknown host'],
  ['a host that nobody knows', 'mysql', () => at(3306, 'no-such-host.invalid'), 'unknown host'],
  ['a server without TLS', 'postgres', () => ({ tls: 'require' }), 'tls'],
  ['a certificate that nobody vouches for', 'mysql', () => ({ tls: 'verify-full' }), 'tls'],
  ['a server without TLS', 'clickhouse', () => ({ tls: 'require' }), 'tls'],
  ['a server that is full', 'postgres', () => ({ username: role() }), 'too many connections'],
  ['a server of another kind', 'postgres', () => at(engineAddress('mysql').port), 'protocol'],
  ['a server of another kind', 'clickhouse', () => at(engineAddress('postgres').port), 'protocol'],
  ['a database that is not there', 'mysql', () => ({ password: '', db_name: 'nowhere_at_all' }), 'no such database'],
];

describe.concurrent('a failure is named', () => {
  test.each(CASES)('%s: %s', async (_, engine, changes, reason) => {
    const entry = databases.on(engine).entry({ password: SECRET, connect_timeout_secs: 3, ...changes() });
    const project = await setUpProject(service, [entry]);
    const [host] = entry.host_details;
    const place = `${reason}: ${entry.db_type}/${entry.db_name} at ${host?.host}:${host?.port}`;

    const query = `type=${entry.db_type}&name=${entry.db_name}`;
    const trial = await service.request('GET', `/svc/system/api/v1/project/database/test?${query}`, { headers: project.systemHeaders });
    expect([trial.status, trial.text]).toEqual([424, expect.stringContaining(place)]);

    const path = `${project.autoPath(entry.db_type, entry.db_name, 'users')}?pg=0&ps=1`;
    const answer = await service.request('GET', path, { headers: { ...project.headers, 'x-request-id': `why-${project.orgAbbr}` } });
    expect(answer.text).not.toContain(String(host?.port));
    // A database that does not exist is 404, not an outage.
    if (reason === 'no such database') {
      expect(answer.status).toBe(404);
      return;
    }
    expect([424, 503]).toContain(answer.status);
    await vi.waitFor(() => expect(reasonOf(`why-${project.orgAbbr}`)).toContain(place), PATIENCE);
    expect(service.output()).not.toContain(SECRET);
  });
});

test('a trial of a database that works, registered or not', async () => {
  const database = databases.on('postgres');
  const project = await setUpProject(service, [database.entry()]);
  const path = '/svc/system/api/v1/project/database/test';
  const found = await service.request('GET', `${path}?type=pg&name=${database.name}`, { headers: project.systemHeaders });
  expect(found.json()).toMatchObject({
    ok: true,
    engine: 'PostgreSQL',
    version: expect.stringContaining('PostgreSQL'),
    ms: expect.any(Number),
  });
  const unsaved = await service.request('POST', path, { headers: project.systemHeaders, body: database.entry({ tls: 'prefer' }) });
  expect(unsaved.json()).toMatchObject({ ok: true });
  const unknown = await service.request('GET', `${path}?type=pg&name=nothing`, { headers: project.systemHeaders });
  expect(unknown.status).toBe(404);
});

test('the stored password is tested with its registered hosts and user only', async () => {
  const database = databases.on('postgres');
  const project = await setUpProject(service, [database.entry()]);
  const send = (change: object) =>
    service.request('POST', '/svc/system/api/v1/project/database/test', {
      headers: project.systemHeaders,
      body: { ...database.entry(), password: '***', ...change },
    });
  let connections = 0;
  const listener = createServer(() => connections++).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  try {
    expect((await send({})).json()).toMatchObject({ ok: true });
    const answers = [
      await send({ host_details: [{ host: '127.0.0.1', port: String(port) }] }),
      await send({ username: 'somebody' }),
      await send({ alias: 'unregistered' }),
      await send({ db_type: 'ms' }),
      await send({ alias: 'unregistered', password: undefined }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    expect(answers[0]?.text).toContain('send the password');
    expect(connections).toBe(0);
  } finally {
    listener.close();
  }
});

describe('log lines and metrics', () => {
  const lineOf = async (id: string): Promise<Record<string, unknown>> => {
    await expect.poll(() => service.logs().some((line) => line['request_id'] === id), PATIENCE).toBe(true);
    return service.logs().find((line) => line['request_id'] === id) ?? {};
  };

  test('name the table or the endpoint, rows, bytes and the time in the database', async () => {
    const database = databases.on('postgres');
    const project = await setUpProject(service, [database.entry()]);
    const users = new TableClient(service, project, database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
    const page = await users.send('GET', 'pg=0&ps=3', { headers: { 'x-request-id': 'named-table' } });
    expect(await lineOf('named-table')).toMatchObject({
      database: `pg/${database.name}`,
      table: 'users',
      rows: 3,
      bytes: page.body.length,
      database_ms: expect.any(Number),
    });

    const bench = new Bench(service, project, database);
    await bench.deploy({ uri: 'people', version: '1.2.3', logic: [{ sql: 'SELECT id FROM users' }] });
    await bench.call('GET', 'people', { headers: { 'x-request-id': 'named-endpoint' } });
    const endpoint = { endpoint: 'get people', version: '1.2.3', rows: USERS.length, database_ms: expect.any(Number) };
    expect(await lineOf('named-endpoint')).toMatchObject(endpoint);

    await users.send('GET', 'pg=0&ps=3&mr=eq.1');
    const token = `mr_${'x'.repeat(43)}`;
    await new TableClient(service, project, database, token).send('GET', 'pg=0&ps=1');
    const metrics = (await service.request('GET', '/metrics')).text;
    const labels = `project="${project.projectId}",database="pg/${database.name}",table="users"`;
    expect(metrics).toContain(`millrace_subject_requests_total{${labels},outcome="ok"} 2\n`);
    expect(metrics).toContain(`millrace_subject_rows_total{${labels}} ${USERS.length + 3}\n`);
    expect(metrics).toContain(`endpoint="get people",version="1.2.3",outcome="ok"} 1\n`);
    // A table that is not there counts for nothing, and a token in its place is not repeated.
    expect(metrics).not.toContain('mr_');
    expect(service.output()).not.toContain(token);
  });

  test('audit lines name the object and what changed', async () => {
    const database = databases.on('postgres');
    const project = await setUpProject(service, [database.entry()]);
    const path = '/svc/system/api/v1/project/database';
    const body = database.entry({ password: 'another', max_open_connections: 7 });
    const headers = { ...project.systemHeaders, 'x-request-id': 'audited-change' };
    expect((await service.request('PUT', path, { headers, body })).status).toBe(200);
    expect(await lineOf('audited-change')).toMatchObject({
      action: 'database.change',
      object: `project_id=${project.projectId} db_type=pg db_name=${database.name}`,
      changed: ['max_open_connections', 'password'],
      org_id: project.orgId,
    });
    const bench = new Bench(service, project, database);
    await bench.deploy({ uri: 'audited', version: '2.0', logic: [{ expr: 'a', code: '1' }] });
    await expect
      .poll(() => service.logs().find((line) => line['action'] === 'definition.deploy' && line['object'] === 'get audited 2.0'), PATIENCE)
      .toBeDefined();
  });

  test('every line of the log is JSON, but for the one that says where the service is', () => {
    const lines = service.output().trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([`millrace ready on ${service.url}`]);
    for (const line of lines) if (line.startsWith('{')) JSON.parse(line);
  });
});
