// Reads whose query is in the body (QUERY and POST …/query), and estimated counts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { TABLE, TableClient, USERS } from './users-table.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(ENGINE_NAMES)('long queries on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let users: TableClient;
  let project: TestProject;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await sharedService();
    project = await setUpProject(service, [database.entry()]);
    users = new TableClient(service, project, database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const ways: readonly (readonly [string, (body: string, more?: string, headers?: Record<string, string>) => Promise<Response>])[] = [
    [
      'QUERY',
      (body, more = '', headers = FORM) =>
        service.request('QUERY', `${users.path}${more}`, { body, headers: { ...project.headers, ...headers } }),
    ],
    [
      'POST',
      (body, more = '', headers = FORM) =>
        service.request('POST', `${users.path}/query${more}`, { body, headers: { ...project.headers, ...headers } }),
    ],
  ];

  it.each(ways)('%s reads with a query in its body', async (_, ask) => {
    const response = await ask('pg=0&ps=10&$select=id&name=li.ada&$count=exact');
    expect([response.status, response.text, response.headers['x-total-count'], response.headers['x-count']]).toEqual([
      200,
      engine === 'mysql' || engine === 'mariadb' ? '[{"id":1},{"id":5}]' : '[{"id":5}]',
      engine === 'mysql' || engine === 'mariadb' ? '2' : '1',
      'exact',
    ]);
    const many = Array.from({ length: 10_000 }, (__, i) => i + 4);
    expect((await ask(`pg=0&ps=10&$select=id&format=csv&id=in.${many.join(',')}`)).text).toBe('id\r\n4\r\n5\r\n');
    const parameters = Array.from({ length: 900 }, (__, i) => `id=ne.${i + 1000}`);
    expect((await ask(`pg=0&ps=10&$agg=count&${parameters.join('&')}`)).text).toBe('[{"count":5}]');
    expect((await ask('pg=0&ps=10&name=eq.Cy_d&email=eq.cyd%40example.org&$select=id')).text).toBe('[{"id":3}]');
  });

  it.each(ways)('%s rejects an invalid query', async (_, ask) => {
    expect((await ask('name=eq.Ada')).status).toBe(406);
    expect((await ask(`pg=0&ps=1&id=in.${Array.from({ length: 10_001 }, (__, i) => i).join(',')}`)).status).toBe(400);
    expect((await ask(`pg=0&ps=1&${'id=ne.7&'.repeat(1000)}`)).status).toBe(400);
    expect((await ask(`pg=0&ps=1&name=eq.${'x'.repeat(1024 * 1024)}`)).status).toBe(413);
    expect((await ask('pg=0&ps=1', '?ps=1')).status).toBe(400);
    expect((await ask('{}', '', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await ask('pg=0&ps=1&set=name.x')).status).toBe(400);
    expect((await ask('pg=0&ps=1&name=%ff')).status).toBe(400);
  });

  it('requires only the right to read', async () => {
    const made = await service.request('POST', '/svc/system/api/v1/token', {
      headers: { ...project.headers, 'x-server-key': service.serverKey },
      body: { name: `reader ${engine}`, key_type: 'r--', roles: ['viewer'] },
    });
    const token = made.json<{ power_token: string }>().power_token;
    const headers = { ...FORM, 'x-power-token': token };
    for (const [method, path] of [
      ['QUERY', users.path],
      ['POST', `${users.path}/query`],
    ] as const) {
      const response = await service.request(method, `${path}?pwt=${token}`, { body: 'pg=0&ps=1&$select=id', headers });
      expect([response.status, response.text], method).toEqual([200, '[{"id":1}]']);
    }
    expect((await service.request('POST', `${users.path}?pwt=${token}`, { body: [], headers: { 'x-power-token': token } })).status).toBe(
      403,
    );
  });

  it('estimates the number of rows', async () => {
    const response = await users.get('pg=0&ps=1&$select=id&$count=estimated');
    expect([response.status, response.headers['x-count']]).toEqual([200, 'estimated']);
    expect(response.headers['x-total-count']).toMatch(/^\d+$/);
    expect((await users.get('pg=0&ps=1&name=eq.Ada&$count=estimated')).headers['x-total-count']).toMatch(/^\d+$/);
    expect((await users.get('pg=0&ps=1&$count=about')).status).toBe(400);
  });
});
