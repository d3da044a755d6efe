// Common behaviour of all endpoints: the shape of errors, request ids, unknown paths and methods,
// rejected requests. On a real PostgreSQL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { sendRaw } from './raw-http.ts';
import { type ErrorBody, TABLE, TableClient, USERS } from './users-table.ts';

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

let database: TestDatabase;
let service: Service;
let project: TestProject;
let users: TableClient;

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run(TABLE.postgres);
  service = await startService({ env: { MILLRACE_MAX_BODY_BYTES: '200000' } });
  project = await setUpProject(service, [database.entry()]);
  users = new TableClient(service, project, database, 'users');
  expect((await users.post(USERS)).status).toBe(201);
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const expectError = (answer: { status: number; text: string; headers: Record<string, unknown> }, status: number): ErrorBody => {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-request-id']).toMatch(ULID);
  const body = JSON.parse(answer.text) as ErrorBody;
  expect(Object.keys(body)).toEqual(['code', 'status', 'message']);
  expect(body.code).toBe(status);
  expect(body.message).toMatch(/^[A-Z"$\d].*[.!…]\s?$|\.\s*\S*$/s);
  return body;
};

describe('paths and methods', () => {
  const unknown = [
    '/',
    '/nowhere',
    '/svc',
    '/svc/',
    '/svc/system/api/v1',
    '/svc/system/api/v2/org',
    '/svc/system/api/v1/org/',
    '/svc/system/api/v1/org/list/more',
    '/SVC/system/api/v1/org',
    '//svc/system/api/v1/org',
    '/svc/api/rest/auto/v1/',
    '/svc/api/rest/auto/v1/pg/db',
    '/svc/api/rest/auto/v1/a/pg/db/users',
    '/svc/api/rest/auto/v1/a/b/pg/db/users/1/more',
    '/healthz/',
    '/favicon.ico',
  ];
  test.each(unknown)('GET %s is 404', async (path) => {
    expectError(await service.request('GET', path, { headers: project.systemHeaders }), 404);
  });

  test('the message of an unknown path quotes nothing of the request', async () => {
    const answer = await service.request('GET', '/nowhere/marker-of-path?pwt=marker-of-token');
    expect(answer.text).not.toContain('marker');
  });

  const allowed: readonly (readonly [string, string])[] = [
    ['/healthz', 'GET'],
    ['/readyz', 'GET'],
    ['/metrics', 'GET'],
    ['/svc/system/api/v1/org', 'GET, POST, PUT, DELETE'],
    ['/svc/system/api/v1/org/list', 'GET'],
    ['/svc/system/api/v1/project', 'GET, POST, PUT, DELETE'],
    ['/svc/system/api/v1/project/list', 'GET'],
    ['/svc/system/api/v1/project/database', 'POST, PUT, DELETE'],
    ['/svc/system/api/v1/token', 'POST, DELETE'],
    ['/svc/system/api/v1/token/list', 'GET'],
    ['/svc/system/api/v1/db/meta', 'GET'],
    ['/svc/proof/v1/validate/server/key', 'GET, POST'],
    ['/svc/rest/meta/v1/table/list', 'GET'],
    ['/svc/rest/meta/v1/table/detail', 'GET'],
    ['/svc/rest/meta/v1/context', 'GET'],
    ['/svc/api/rest/auto/v1/pg/db/users', 'GET, QUERY, POST, PUT, PATCH, DELETE'],
    ['/svc/api/rest/auto/v1/a/b/pg/db/users', 'GET, QUERY, POST, PUT, PATCH, DELETE'],
  ];
  test.each(allowed)('%s allows %s and rejects other methods with 405', async (path, methods) => {
    const list = methods.split(', ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (list.includes(method)) continue;
      const answer = await service.request(method, path, { headers: project.systemHeaders });
      expect(`${method} ${answer.status}`).toBe(`${method} 405`);
      expect(answer.headers.allow).toBe(methods);
      expectError(answer, 405);
    }
    if (list.includes('GET')) return;
    const head = await service.request('HEAD', path, { headers: project.systemHeaders });
    expect([head.status, head.headers.allow, head.text]).toEqual([405, methods, '']);
  });

  test('HEAD returns the head of GET without a body', async () => {
    const head = await users.send('HEAD', 'pg=0&ps=2');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toMatch(/^application\/json/);
    expect((await service.request('HEAD', '/healthz')).status).toBe(200);
  });

  test('a method-override header has no effect', async () => {
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override'])
      expect((await users.send('GET', 'pg=0&ps=9&id=eq.1', { headers: { [name]: 'DELETE' } })).json()).toHaveLength(1);
    expect(await users.rows()).toHaveLength(5);
  });
});

describe('request ids', () => {
  const kept = ['abc', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '7f1c-2_a.b~c', 'a'.repeat(128), 'trace=00-ab:cd/ef+gh'];
  test.each(kept)('%s is returned', async (id) => {
    const [good, bad] = [
      await users.send('GET', 'pg=0&ps=1', { headers: { 'x-request-id': id } }),
      await service.request('GET', '/nowhere', { headers: { 'x-request-id': id } }),
    ];
    expect([good.headers['x-request-id'], bad.headers['x-request-id']]).toEqual([id, id]);
  });

  const replaced: readonly (string | string[])[] = ['', ' ', 'a b', 'a'.repeat(129), '<script>', 'é', '"x"', ['one', 'two']];
  test.each(replaced)('%j is replaced by a new ULID', async (id) => {
    const answer = await service.request('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(ULID);
  });

  test('every request has a different id', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.request('GET', '/healthz')));
    expect(new Set(answers.map((answer) => answer.headers['x-request-id'])).size).toBe(50);
  });
});

describe('the URL', () => {
  const encodings = ['%zz', '%', '%a', '%ff', '%C0%AF', '%ED%A0%80', '%F5%80%80%80', '%00', 'a%00b'];
  test.each(encodings)('%s is rejected at any position', async (text) => {
    for (const query of [`pg=0&ps=1&name=eq.${text}`, `pg=0&ps=1&${text}=eq.1`, `pg=0&ps=${text}`, `pg=0&ps=1&x=${text}`])
      expectError(await users.get(query), 400);
    for (const path of [`pg/${text}/users`, `pg/${database.name}/${text}`, `${text}/${database.name}/users`]) {
      const answer = await service.request('GET', `/svc/api/rest/auto/v1/${path}?pg=0&ps=1`, { headers: project.headers });
      expectError(answer, 400);
    }
    expectError(await service.request('GET', `/svc/system/api/v1/org?org_id=${text}`, { headers: project.systemHeaders }), 400);
  });

  test('one hundred parameters are accepted and one more is rejected, on every endpoint', async () => {
    const filters = (count: number): string => Array.from({ length: count }, () => 'id=ge.0').join('&');
    expect((await users.get(`pg=0&ps=9&${filters(98)}`)).status).toBe(200);
    expectError(await users.get(`pg=0&ps=9&${filters(99)}`), 400);
    for (const path of ['system/api/v1/org/list', 'system/api/v1/project/list', 'system/api/v1/token/list'])
      expectError(await service.request('GET', `/svc/${path}?${filters(101)}`, { headers: project.systemHeaders }), 400);
  });

  test('a repeated parameter is rejected where one is expected', async () => {
    const { orgId } = project;
    const path = `/svc/system/api/v1/org?org_id=${orgId}&org_id=${orgId}`;
    expect(expectError(await service.request('GET', path, { headers: project.systemHeaders }), 400).message).toContain('org_id');
  });

  test('a URL that is too long is 414', async () => {
    expectError(await users.get(`pg=0&ps=1&name=eq.${'a'.repeat(40_000)}`), 414);
    // A long list is still possible.
    const list = Array.from({ length: 2500 }, (_, index) => index + 3).join(',');
    expect((await users.get(`pg=0&ps=9&id=in.${list}`)).json()).toHaveLength(3);
  });

  test('the absolute form of a request line is the same request', async () => {
    const headers = Object.entries(project.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const line = `GET ${service.url}${users.path}?pg=0&ps=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const answer = await sendRaw(service, `${line}${headers.join('')}\r\n`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, USERS.slice(0, 1)]);
  });
});

describe('malformed HTTP', () => {
  const requests: readonly (readonly [string, string, number])[] = [
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost: x\r\nX-Org-Id : a\r\n\r\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nX-Org-Id: a\r\n b\r\n\r\n', 400],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-Org-Id: a\0b\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(60_000)}\r\n\r\n`, 431],
    ['many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X-Filler: aaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1500)}\r\n`, 431],
  ];
  test.each(requests)('%s', async (_, bytes, status) => {
    const { status: got, headers, body } = await sendRaw(service, bytes);
    expectError({ status: got, text: body, headers: Object.fromEntries(headers) }, status);
    expect((await service.request('GET', '/healthz')).status).toBe(200);
  });
});

describe('bodies', () => {
  const org = '/svc/system/api/v1/org';
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.request('POST', path, { body, headers: { ...project.systemHeaders, 'content-type': 'application/json', ...headers } });
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  test('larger than the limit are 413, and the service continues', async () => {
    const large = JSON.stringify([{ id: 9, name: 'x'.repeat(200_001), email: 'x' }]);
    for (const path of [users.path, org]) expectError(await post(path, large), 413);
    const chunked = await service.request('POST', org, {
      body: large,
      headers: { ...project.systemHeaders, 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    });
    expectError(chunked, 413);
    expect(await users.rows()).toHaveLength(5);
  });

  test('far too large are 413 also to a client that is still sending', async () => {
    const large = Buffer.alloc(20_000_000, ' ');
    for (let round = 0; round < 5; round++) {
      const answer = await fetch(`${service.url}${org}`, { method: 'POST', body: large, headers: { 'content-type': 'application/json' } });
      expect(answer.status).toBe(413);
      await answer.text();
    }
  });

  const broken = [
    '',
    ' ',
    '{',
    '[',
    '{"a":}',
    '[1,]',
    '{"a":1}}',
    'nul',
    "{'a':1}",
    '\u{feff}{',
    '{"a":"\\ud83"}',
    '[1] x',
    '\0',
    '{"a":"\n"}',
  ];
  test.each(broken)('%j is 400', async (body) => {
    for (const path of [users.path, org, '/svc/system/api/v1/project', '/svc/system/api/v1/token'])
      expectError(await post(path, body), 400);
  });

  test('that are not UTF-8 are 400', async () => {
    for (const path of [users.path, org])
      expectError(await post(path, Buffer.from('{"name":"\xff\xfe","abbreviation":"a"}', 'latin1')), 400);
  });

  test.each([65, 1000, 90_000])('nested %d levels deep are 400', async (levels) => {
    expectError(await post(org, `{"name":${deep(levels)}}`), 400);
    expectError(await post(users.path, `[{"id":6,"name":"n","email":"e","note":${deep(levels)}}]`), 400);
  });

  const notObjects = ['[]', '1', '"x"', 'null', 'true', '[{}]'];
  test.each(notObjects)('%s in the place of an object is 400', async (body) => {
    for (const path of ['org', 'project', 'project/database', 'token']) expectError(await post(`/svc/system/api/v1/${path}`, body), 400);
  });

  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
    'a/b/c',
  ];
  test.each(types)('of the type %s are 415', async (type) => {
    for (const path of [users.path, org]) expectError(await post(path, '[{"id":9,"name":"x","email":"x"}]', { 'content-type': type }), 415);
    expect(await users.rows()).toHaveLength(5);
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'identity, gzip'])('with the encoding %s are 415', async (encoding) => {
    for (const path of [users.path, org]) expectError(await post(path, '[]', { 'content-encoding': encoding }), 415);
  });

  test('of JSON may have a charset, or no content type', async () => {
    const row = (id: number): string => JSON.stringify([{ id, name: 'n', email: String(id) }]);
    const { headers } = project;
    for (const [id, type] of [[21, 'application/json; charset=utf-8'] as const, [22, 'Application/JSON'] as const])
      expect((await service.request('POST', users.path, { headers: { ...headers, 'content-type': type }, body: row(id) })).status).toBe(
        201,
      );
    expect((await service.request('POST', users.path, { headers, body: row(23) })).status).toBe(201);
    expect((await users.send('DELETE', 'id=gt.20')).json()).toEqual({ rows_affected: 3 });
  });

  test('are not read where none is expected', async () => {
    const answer = await users.send('GET', 'pg=0&ps=1', { body: 'anything', headers: { 'content-type': 'text/plain' } });
    expect(answer.json()).toEqual(USERS.slice(0, 1));
    expect((await users.send('DELETE', 'id=eq.99', { body: { any: 'thing' } })).json()).toEqual({ rows_affected: 0 });
    expect((await users.send('PUT', 'id=eq.99&set=note.x', { body: 'x'.repeat(1000), headers: { 'content-type': 'x/y' } })).status).toBe(
      200,
    );
  });
});

test('errors are JSON, whatever `format` or Accept request', async () => {
  for (const format of ['xml', 'yaml', 'csv', 'bson', 'json'])
    expectError(await users.send('GET', `pg=0&ps=1&nothing=eq.1&format=${format}`, { headers: { accept: 'application/xml' } }), 400);
  for (const format of ['', 'JSON', 'html', 'json,xml', '__proto__', 'constructor', 'toString'])
    expectError(await users.get(`pg=0&ps=1&format=${format}`), 406);
});

test('every response forbids sniffing and storing', async () => {
  for (const answer of [await users.get('pg=0&ps=1'), await users.get('pg=0'), await service.request('GET', '/healthz')])
    expect([answer.headers['x-content-type-options'], answer.headers['cache-control']]).toEqual(['nosniff', 'no-store']);
});
