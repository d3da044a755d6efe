// Power Tokens over HTTP: create, list, delete, and their rights. On a real PostgreSQL.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { type Body, type Headers, messageOf, SystemClient } from './system-client.ts';
import { TABLE, USERS } from './users-table.ts';

let service: Service;
let client: SystemClient;
let database: TestDatabase;
let project: TestProject;
let other: TestProject;

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run(TABLE.postgres);
  service = await startService();
  client = new SystemClient(service);
  project = await setUpProject(service, [database.entry()]);
  other = await setUpProject(service, [database.entry()]);
  const posted = await service.request('POST', project.autoPath('pg', database.name, 'users'), { headers: project.headers, body: USERS });
  expect(posted.status).toBe(201);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

let names = 0;
const create = (changes: Body = {}, headers: Headers = {}) =>
  client.system(
    'POST',
    'token',
    { name: `token ${++names}`, key_type: 'rwd', roles: ['viewer'], ...changes },
    { ...project.headers, ...headers },
  );
const made = async (changes: Body = {}, headers: Headers = {}): Promise<{ token: string; id: string }> => {
  const body = (await create(changes, headers)).json<Body>();
  return { token: String(body['power_token']), id: String(body['token_id']) };
};
const list = (query = '') => client.system('GET', `token/list${query}`, undefined, project.headers);
const remove = (id: string, headers: Headers = project.headers) => client.system('DELETE', `token?token_id=${id}`, undefined, headers);

/** Sends a request with a token only, in both places unless the test overrides one. */
function use(
  method: string,
  path: string,
  token: string,
  options: { body?: unknown; header?: string; pwt?: string; headers?: Body } = {},
): Promise<Response> {
  const pwt = 'pwt' in options ? options.pwt : token;
  const header = 'header' in options ? options.header : token;
  const mark = path.includes('?') ? '&' : '?';
  return service.request(method, pwt === undefined ? path : `${path}${mark}pwt=${encodeURIComponent(pwt)}`, {
    headers: { ...(header === undefined ? {} : { 'x-power-token': header }), ...(options.headers as Record<string, string>) },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
}
const usersPath = (short = false): string =>
  short ? `/svc/api/rest/auto/v1/pg/${database.name}/users` : project.autoPath('pg', database.name, 'users');
const read = (token: string, options = {}) => use('GET', `${usersPath(true)}?pg=0&ps=9`, token, options);

describe('creating', () => {
  test('shows the token once, with all its properties', async () => {
    const answer = await create({ name: 'reporting', key_type: 'r--', roles: ['viewer', 'auditor'], description: 'For reports.' });
    expect(answer.status).toBe(201);
    const body = answer.json<Body>();
    expect(body).toMatchObject({
      code: 201,
      status: 'Created',
      message: expect.any(String),
      token_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      power_token: expect.stringMatching(/^mr_[A-Za-z0-9_-]{43,}$/),
      name: 'reporting',
      key_type: 'r--',
      roles: ['viewer', 'auditor'],
      org_id: project.orgId,
      project_id: project.projectId,
      space_id: project.spaces.dev,
      user_id: project.userId,
      expires_at: null,
    });
    const secret = String(body['power_token']);
    expect((await list()).text).not.toContain(secret);
    const { readdirSync, readFileSync } = await import('node:fs');
    const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const kept = Buffer.concat(files.map((file) => readFileSync(`${file.parentPath}/${file.name}`)));
    expect(kept.includes(secret)).toBe(false);
    expect(
      kept.includes(createHash('sha256').update(secret).digest('hex')) || kept.includes(createHash('sha256').update(secret).digest()),
    ).toBe(true);
  });

  test('accepts roles as a list or with commas, and a user, a feature and an expiry', async () => {
    const given = { user_id: ulid(), feature_id: ulid(), expires_at: '2099-12-31T23:59:59Z' };
    expect((await create({ roles: ' viewer , auditor', ...given })).json()).toMatchObject({ roles: ['viewer', 'auditor'], ...given });
  });

  test('is for the space that the body names, if it belongs to the project', async () => {
    const { prod } = project.spaces;
    const answer = await create({ space_id: prod });
    expect(answer.json()).toMatchObject({ code: 201, space_id: prod });
    const headers = { authorization: `Bearer ${String(answer.json<Body>()['power_token'])}` };
    const context = await service.request('GET', '/svc/rest/meta/v1/context', { headers });
    expect(context.json()).toMatchObject({ space: { space_id: prod, name: 'prod' } });
    for (const foreign of [other.spaces.dev, ulid(), 'nonsense', '']) messageOf(await create({ space_id: foreign }), 404);
    messageOf(await create({ space_id: 5 }), 400);
    messageOf(await create({ space_id: prod, persona: 'nobody' }), 422);
  });

  test('creates a different token each time', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => made()));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(10);
  });

  test('rejects a name that exists in the project with 409, but not one of another project', async () => {
    await create({ name: 'taken' });
    expect(messageOf(await create({ name: 'taken' }), 409)).toContain('taken');
    expect(messageOf(await create({ name: 'taken' }, { 'x-space-id': project.spaces.prod }), 409)).toContain('taken');
    expect((await create({ name: 'taken' }, other.headers)).status).toBe(201);
  });

  const wrong: readonly (readonly [string, number, Body])[] = [
    ['name', 400, { name: undefined }],
    ['name', 400, { name: 5 }],
    ['name', 422, { name: '' }],
    ['key_type', 400, { key_type: undefined }],
    ['key_type', 400, { key_type: ['r'] }],
    ...['---', 'r', 'rw', 'wr-', 'RWD', 'rwdx', '', 'x--', '-d-', '__proto__'].map((key_type) => ['key_type', 422, { key_type }] as const),
    ['roles', 400, { roles: undefined }],
    ['roles', 400, { roles: 5 }],
    ['roles', 400, { roles: [5] }],
    ['roles', 422, { roles: [] }],
    ['roles', 422, { roles: '' }],
    ['roles', 422, { roles: ['a,b'] }],
    ['user_id', 422, { user_id: 'me' }],
    ['expires_at', 422, { expires_at: 'tomorrow' }],
    ['expires_at', 422, { expires_at: '2001-01-01T00:00:00Z' }],
    ['expires_at', 422, { expires_at: '2099-02-30T00:00:00Z' }],
    ['expires_at', 400, { expires_at: 4102444800 }],
  ];
  test.each(wrong)('a wrong %s is %d: %j', async (field, status, changes) => {
    expect(messageOf(await create(changes), status)).toContain(field);
  });

  test('requires a context that exists', async () => {
    messageOf(await create({}, { 'x-org-id': ulid() }), 404);
    messageOf(await create({}, { 'x-project-id': ulid() }), 404);
    messageOf(await create({}, { 'x-space-id': ulid() }), 404);
    messageOf(await create({}, { 'x-space-id': other.spaces.dev }), 404);
    for (const name of ['x-org-id', 'x-project-id', 'x-space-id', 'x-user-roles']) messageOf(await create({}, { [name]: undefined }), 400);
  });
});

describe('listing', () => {
  test('returns everything but the tokens, in pages', async () => {
    const own = await setUpProject(service, []);
    for (const name of ['a', 'b', 'c']) await create({ name, description: `the ${name}` }, own.headers);
    const page = async (query: string) => (await client.system('GET', `token/list${query}`, undefined, own.headers)).json<Body[]>();
    const all = await page('');
    expect(all.map((token) => token['name'])).toEqual(['a', 'b', 'c']);
    const fields = [
      'token_id',
      'name',
      'description',
      'key_type',
      'roles',
      'user_id',
      'org_id',
      'project_id',
      'space_id',
      'created_at',
      'expires_at',
    ];
    for (const token of all) {
      expect(Object.keys(token)).toEqual(expect.arrayContaining(fields));
      expect(JSON.stringify(token)).not.toMatch(/mr_|hash/);
    }
    expect((await page('?pg=1&ps=2')).map((token) => token['name'])).toEqual(['c']);
    expect(await page('?pg=9&ps=2')).toEqual([]);
    for (const query of ['?pg=-1&ps=1', '?pg=0&ps=0', '?pg=x&ps=1', '?pg=0&ps=1000000', '?pg=1.5'])
      messageOf(await client.system('GET', `token/list${query}`, undefined, own.headers), 400);
  });

  test('shows no token of another project', async () => {
    const { id } = await made({}, other.headers);
    expect((await list('?ps=1000')).text).not.toContain(id);
  });
});

describe('deleting', () => {
  test('revokes the token at once, and confirms it', async () => {
    const { token, id } = await made();
    expect((await read(token)).status).toBe(200);
    expect((await remove(id)).json()).toEqual({ code: 200, status: 'OK', message: expect.any(String) });
    messageOf(await read(token), 404);
    messageOf(await remove(id), 404);
    expect((await list('?ps=1000')).text).not.toContain(id);
  });

  test('is limited to tokens of the own project', async () => {
    const { token, id } = await made({}, other.headers);
    messageOf(await remove(id), 404);
    expect((await use('GET', `/svc/api/rest/auto/v1/pg/${database.name}/users?pg=0&ps=1`, token)).status).toBe(200);
    for (const wrong of ['x', ulid(), "' OR 1=1--", '']) messageOf(await remove(encodeURIComponent(wrong)), 404);
    messageOf(await client.system('DELETE', 'token', undefined, project.headers), 400);
  });
});

describe('using', () => {
  const LETTERS = { GET: 'r', HEAD: 'r', POST: 'w', PUT: 'w', PATCH: 'w', DELETE: 'd' } as const;
  const GOOD = { GET: 200, HEAD: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 200 } as const;
  const QUERY = {
    GET: '?pg=0&ps=1',
    HEAD: '?pg=0&ps=1',
    POST: '',
    PUT: '?id=eq.900&set=note.x',
    PATCH: '?id=eq.900',
    DELETE: '?id=eq.900',
  } as const;
  const BODIES: Partial<Record<string, (key: string) => unknown>> = {
    POST: (key) => [{ id: 900, name: 'n', email: `e-${key}` }],
    PATCH: () => ({ note: 'y' }),
  };
  test.each(['r--', '-w-', '--d', '-wd', 'r-d', 'rw-', 'rwd'])('key_type %s permits its methods and no other', async (key_type) => {
    const { token } = await made({ key_type });
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const body = BODIES[method]?.(key_type);
      const answer = await use(method, `${usersPath()}${QUERY[method]}`, token, { body });
      const permitted = key_type.includes(LETTERS[method]);
      expect(`${method} ${answer.status}`).toBe(`${method} ${permitted ? GOOD[method] : 403}`);
      if (!permitted && method !== 'HEAD') expect(messageOf(answer, 403)).toContain(key_type);
    }
    // A path that is not an endpoint stays 405 for every token.
    expect((await use('PROPFIND', usersPath(), token)).status).toBe(405);
    await database.run('DELETE FROM users WHERE id = 900');
  });

  test('requires the token in both places, with the same value', async () => {
    const { token } = await made();
    const { token: another } = await made();
    for (const options of [
      { pwt: undefined },
      { header: undefined },
      { pwt: '' },
      { header: '' },
      { pwt: another },
      { header: another },
      { pwt: `${token}x` },
    ])
      expect(`${JSON.stringify(Object.keys(options))} ${(await read(token, options)).status}`).toContain('401');
    expect(messageOf(await use('GET', `${usersPath()}?pg=0&ps=9&pwt=${token}`, token), 400)).toContain('pwt');
    messageOf(await service.request('GET', `${usersPath()}?pg=0&ps=9&pwt=${token}`, { headers: { 'x-power-token': [token, token] } }), 400);
    messageOf(await service.request('GET', `${usersPath()}?pg=0&ps=9&pwt=${token}`, { headers: project.headers }), 401);
  });

  describe('as Authorization: Bearer', () => {
    const bearer = (token: string, path = `${usersPath(true)}?pg=0&ps=9`, headers: Body = {}): Promise<Response> =>
      service.request('GET', path, { headers: { authorization: `Bearer ${token}`, ...(headers as Record<string, string>) } });

    test('identifies the caller on every kind of endpoint, whatever context headers are beside it', async () => {
      const { token } = await made({ roles: 'admin' });
      expect((await bearer(token)).json()).toEqual(USERS);
      const schema = `type=pg&schema=${database.name}`;
      for (const path of [
        `${usersPath()}?pg=0&ps=1`,
        `/svc/rest/meta/v1/table/list?${schema}`,
        '/svc/rest/definition/v1/list',
        '/svc/code/v1/lark/list',
        '/svc/persona/v1/me',
        '/svc/rest/openapi/v1',
        '/svc/rest/llms.txt',
        '/svc/system/api/v1/token/list',
        '/svc/system/api/v1/project',
        `/svc/system/api/v1/db/meta?${schema}&table=users`,
      ])
        expect(`${path} ${(await bearer(token, path, { 'x-org-id': ulid(), 'x-user-roles': 'none' })).status}`).toBe(`${path} 200`);
    });

    test('has the rights of its key_type, and is 404 when it does not exist', async () => {
      const { token } = await made({ key_type: 'r--' });
      const answer = await service.request('DELETE', `${usersPath()}?id=eq.1`, { headers: { authorization: `bearer  ${token}` } });
      expect(messageOf(answer, 403)).toContain('r--');
      for (const unknown of ['mr_', `mr_${'A'.repeat(43)}`, `${token} x`]) messageOf(await bearer(unknown), 404);
    });

    test('is 400 together with X-Power-Token or pwt, or twice', async () => {
      const { token } = await made();
      const path = `${usersPath(true)}?pg=0&ps=9`;
      messageOf(await bearer(token, path, { 'x-power-token': token }), 400);
      messageOf(await bearer(token, `${path}&pwt=${token}`), 400);
      messageOf(await bearer(token, `${path}&pwt=${token}`, { 'x-power-token': token }), 400);
      const twice = { authorization: [`Bearer ${token}`, `Bearer ${token}`] };
      messageOf(await service.request('GET', path, { headers: twice }), 400);
    });

    test('is ignored when it is not a Power Token', async () => {
      const { token } = await made();
      const path = `${usersPath(true)}?pg=0&ps=9`;
      for (const authorization of ['Bearer eyJhbGciOiJSUzI1NiJ9.e30.x', 'Basic bXJfOng=', `Basic ${token}`, token, 'Bearer']) {
        expect((await service.request('GET', path, { headers: { ...project.headers, authorization } })).json()).toEqual(USERS);
        messageOf(await service.request('GET', path, { headers: { authorization } }), 400);
        expect((await read(token, { headers: { authorization } })).json()).toEqual(USERS);
      }
    });

    test('appears in no log', async () => {
      const { token } = await made();
      await bearer(token);
      await bearer(`${token}x`);
      await expect.poll(() => service.logs().filter((line) => line['error'] === 'token_unknown').length).toBeGreaterThan(0);
      expect(service.output()).not.toContain(token);
    });
  });

  test.each(['nonsense', 'mr_', `mr_${'A'.repeat(43)}`, "' OR 1=1 --", 'a'.repeat(5000), 'é'])('%s is 404', async (token) => {
    messageOf(await read(token, { header: Buffer.from(token).toString('latin1'), pwt: Buffer.from(token).toString('latin1') }), 404);
  });

  test('an expired token returns 404 from its expiry on', async () => {
    const expiry = Date.now() + 4000;
    const { token } = await made({ expires_at: new Date(expiry).toISOString() });
    expect((await read(token)).status).toBe(200);
    await wait(expiry - Date.now() + 50);
    messageOf(await read(token), 404);
  });

  test('context headers beside a token have no effect', async () => {
    const { token } = await made({ key_type: 'r--' });
    const headers = { ...other.headers, 'x-user-roles': 'admin', 'x-org-id': ulid() };
    expect((await read(token, { headers })).json()).toEqual(USERS);
    messageOf(await use('DELETE', `${usersPath()}?id=eq.1`, token, { headers }), 403);
    messageOf(await use('GET', '/svc/system/api/v1/org/list', token, { headers: { ...headers, 'x-server-key': service.serverKey } }), 403);
    // Nonsense in them does not matter either.
    expect((await read(token, { headers: { 'x-org-id': 'nonsense', 'x-user-id': '' } })).status).toBe(200);
  });

  test('a token returns 403 for the path of another project', async () => {
    const { token } = await made();
    messageOf(await use('GET', `${other.autoPath('pg', database.name, 'users')}?pg=0&ps=1`, token), 403);
  });

  test('a token gives access to metadata', async () => {
    const { token } = await made({ key_type: 'r--' });
    const query = `type=pg&schema=${database.name}`;
    expect((await use('GET', `/svc/rest/meta/v1/table/list?${query}`, token)).json()).toMatchObject([{ table: 'users' }]);
    expect((await use('GET', `/svc/rest/meta/v1/table/detail?${query}&table=users`, token)).status).toBe(200);
    messageOf(await use('GET', `/svc/system/api/v1/db/meta?${query}&table=users`, token), 403);
  });
});

describe('with the role admin', () => {
  test('gives access to the System APIs of its own project without a server key', async () => {
    const { token } = await made({ roles: 'admin' });
    const base = '/svc/system/api/v1';
    expect((await use('GET', `${base}/org?org_id=${project.orgId}`, token)).json()).toMatchObject({ org_id: project.orgId });
    expect((await use('GET', `${base}/project?project_id=${project.projectId}`, token)).json()).toMatchObject({
      project_id: project.projectId,
    });
    expect((await use('GET', `${base}/project/list`, token)).json<Body[]>().map((item) => item['project_id'])).toEqual([project.projectId]);
    expect((await use('GET', `${base}/db/meta?type=pg&schema=${database.name}&table=users`, token)).status).toBe(200);
    const body = { ...database.entry(), db_name: 'added-by-token' };
    expect((await use('POST', `${base}/project/database`, token, { body })).status).toBe(201);
    expect((await use('PUT', `${base}/project/database`, token, { body })).status).toBe(200);
    expect((await use('DELETE', `${base}/project/database?type=pg&name=added-by-token`, token)).status).toBe(200);
    const child = await use('POST', `${base}/token`, token, { body: { name: `child ${++names}`, key_type: 'r--', roles: ['viewer'] } });
    expect(child.json()).toMatchObject({ code: 201, project_id: project.projectId, space_id: project.spaces.dev });
    expect((await use('GET', `${base}/token/list?ps=1000`, token)).text).toContain(String(child.json<Body>()['token_id']));
    expect((await use('DELETE', `${base}/token?token_id=${String(child.json<Body>()['token_id'])}`, token)).status).toBe(200);
  });

  test('gives access to nothing else', async () => {
    const { token } = await made({ roles: 'admin' });
    const base = '/svc/system/api/v1';
    const foreign: readonly (readonly [string, string, unknown])[] = [
      ['POST', `${base}/org`, { name: 'x', abbreviation: 'by-token' }],
      ['GET', `${base}/org/list`, undefined],
      ['GET', `${base}/org?org_id=${other.orgId}`, undefined],
      ['POST', `${base}/project`, { name: 'x', abbreviation: 'by-token', database: [] }],
      ['GET', `${base}/project?project_id=${other.projectId}`, undefined],
      ['DELETE', `${base}/project?project_id=${other.projectId}`, undefined],
      ['POST', `${base}/project/database?project_id=${other.projectId}`, { ...database.entry(), db_name: 'x' }],
      ['POST', `${base}/project/database`, { ...database.entry(), db_name: 'x', project_id: other.projectId }],
      ['PUT', `${base}/project/database?project_id=${other.projectId}`, database.entry()],
      ['DELETE', `${base}/project/database?type=pg&name=${database.name}&project_id=${other.projectId}`, undefined],
    ];
    for (const [method, path, body] of foreign)
      expect(`${method} ${path} ${(await use(method, path, token, { body, headers: other.systemHeaders })).status}`).toBe(
        `${method} ${path} 403`,
      );
    const read = await service.request('GET', `${other.autoPath('pg', database.name, 'users')}?pg=0&ps=1`, { headers: other.headers });
    expect(read.status).toBe(200);
  });

  test('still requires a key_type that permits the method', async () => {
    const { token } = await made({ roles: 'admin', key_type: 'r--' });
    messageOf(await use('POST', '/svc/system/api/v1/token', token, { body: { name: 'x', key_type: 'rwd', roles: 'admin' } }), 403);
    messageOf(await use('DELETE', `/svc/system/api/v1/project?project_id=${project.projectId}`, token), 403);
  });

  test.each(['Admin', 'administrator', 'power', 'admin2'])('is exactly that: %s is not', async (role) => {
    const { token } = await made({ roles: [role] });
    messageOf(await use('GET', `/svc/system/api/v1/project?project_id=${project.projectId}`, token), 403);
  });
});
