// One row by its key on each engine: GET, PUT, PATCH and DELETE, entity tags, and PATCH of matching
// rows.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type RequestOptions, type Response, type Service, setUpProject, sharedService } from '../support/service.ts';
import { TABLE, TableClient, USERS } from './users-table.ts';

const PAIRS: Record<EngineName, string> = {
  postgres: 'CREATE TABLE pairs (a varchar(20), b int, v numeric(6,2), PRIMARY KEY (a, b))',
  mysql: 'CREATE TABLE pairs (a varchar(20), b int, v decimal(6,2), PRIMARY KEY (a, b))',
  mariadb: 'CREATE TABLE pairs (a varchar(20), b int, v decimal(6,2), PRIMARY KEY (a, b))',
  clickhouse: 'CREATE TABLE pairs (a String, b Int32, v Nullable(Decimal(6, 2))) ENGINE = MergeTree ORDER BY (a, b)',
};
const KEYLESS: Record<EngineName, string> = {
  postgres: 'CREATE TABLE keyless (a int)',
  mysql: 'CREATE TABLE keyless (a int)',
  mariadb: 'CREATE TABLE keyless (a int)',
  clickhouse: 'CREATE TABLE keyless (a Int32) ENGINE = MergeTree ORDER BY tuple()',
};

const onlyWith = (can: boolean): ((name: string, test: () => Promise<void>) => void) => (can ? it : () => undefined);

describe.each(ENGINE_NAMES)('rows by key on %s', (engine) => {
  const hasTransactions = engine !== 'clickhouse';
  let database: TestDatabase;
  let service: Service;
  let users: TableClient;
  let pairs: TableClient;
  let send: (method: string, path: string, options?: RequestOptions) => Promise<Response>;

  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const statement of [TABLE[engine], PAIRS[engine], KEYLESS[engine]]) await database.run(statement);
    service = await sharedService();
    const project = await setUpProject(service, [database.entry()]);
    users = new TableClient(service, project, database, 'users');
    pairs = new TableClient(service, project, database, 'pairs');
    const base = users.path.slice(0, -'users'.length);
    send = (method, path, options = {}) =>
      service.request(method, `${base}${path}`, { ...options, headers: { ...project.headers, ...options.headers } });
    expect(
      (
        await pairs.post([
          { a: 'x,y', b: 1, v: '1.50' },
          { a: 'p+q/"r', b: 2, v: null },
        ])
      ).status,
    ).toBe(201);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  beforeEach(async () => {
    await database.run('TRUNCATE TABLE users');
    expect((await users.post(USERS)).status).toBe(201);
  });

  it('returns the object itself in every format', async () => {
    const row = await send('GET', 'users/1');
    expect(row.status).toBe(200);
    expect(row.json()).toEqual(USERS[0]);
    expect((await send('GET', 'users/1?$select=name,id')).text).toBe('{"name":"Ada","id":1}');
    expect((await send('GET', 'users/1?$select=id,name&format=yaml')).text).toBe('id: 1\nname: Ada\n');
    expect((await send('GET', 'users/1?$select=id&format=xml')).text).toContain('<response><row><id>1</id></row></response>');
    expect((await send('GET', 'users/1?$select=id&format=csv')).text).toBe('id\r\n1\r\n');
    expect((await send('GET', 'users/1?$select=id&format=bson')).body.length).toBeGreaterThan(10);
  });

  it('reads keys of several columns, quoted like a list and decoded', async () => {
    expect((await send('GET', 'pairs/%22x,y%22,1')).text).toBe('{"a":"x,y","b":1,"v":1.50}');
    expect((await send('GET', `pairs/${encodeURIComponent('"p+q/\\"r",2')}`)).text).toBe('{"a":"p+q/\\"r","b":2,"v":null}');
    expect((await send('GET', 'pairs/%22p+q%2F%5C%22r%22,2')).status).toBe(200);
  });

  it('distinguishes an invalid key from a missing one', async () => {
    const statuses = async (path: string) => (await send('GET', path)).status;
    expect(await statuses('users/99')).toBe(404);
    expect(await statuses('users/abc')).toBe(400);
    expect(await statuses('users/1,2')).toBe(400);
    expect(await statuses('pairs/x')).toBe(400);
    expect(await statuses('keyless/1')).toBe(400);
    expect(await statuses('users/1?pg=0')).toBe(400);
    expect(await statuses('users/1?ps=1')).toBe(400);
    expect(await statuses('users/1?name=eq.Ada')).toBe(400);
    expect(await statuses('users/1?$null=note')).toBe(400);
    expect(await statuses('users/1?$select=nothing')).toBe(400);
    expect(await statuses('nothing/1')).toBe(404);
    for (const [method, more, body] of [
      ['PUT', '?set=name.x', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
    ] as const) {
      expect((await send(method, `users/99${more}`, { body })).status, method).toBe(404);
      expect((await send(method, `users/1${more === '' ? '?' : `${more}&`}name=eq.Ada`, { body })).status, method).toBe(400);
    }
    const post = await send('POST', 'users/1', { body: {} });
    expect(post.status).toBe(405);
    expect(post.headers['allow']).toBe('GET, PUT, PATCH, DELETE');
    expect(await users.rows()).toEqual(USERS);
  });

  it('updates and deletes one row', async () => {
    expect((await send('PUT', 'users/1?set=name.New')).text).toBe('{"rows_affected":1}');
    expect((await send('PATCH', 'users/2', { body: { name: 'P', note: null } })).text).toBe('{"rows_affected":1}');
    expect((await send('DELETE', 'users/3')).text).toBe('{"rows_affected":1}');
    const rows = await users.rows();
    expect(rows.map(({ id, name }) => `${id} ${name}`)).toEqual(['1 New', '2 P', '4 Dé\'ja"\\', '5 ada two']);
  });

  it('has an ETag that is the same in all formats and changes with the row', async () => {
    const tag = (await send('GET', 'users/1')).headers.etag ?? '';
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    expect((await send('GET', 'users/1?$select=id&format=csv')).headers.etag).toBe(tag);
    const known = await send('GET', 'users/1', { headers: { 'if-none-match': `"x", ${tag}` } });
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', tag]);
    expect((await send('GET', 'users/1', { headers: { 'if-none-match': '*' } })).status).toBe(304);
    expect((await send('GET', 'users/1', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    expect((await send('GET', 'users/1', { headers: { 'if-none-match': 'other' } })).status).toBe(400);
    await send('PUT', 'users/1?set=note.changed');
    expect((await send('GET', 'users/1')).headers.etag).not.toBe(tag);
    expect((await send('GET', 'users/1', { headers: { 'if-none-match': tag } })).status).toBe(200);
  });

  onlyWith(hasTransactions)('writes only to the row that If-Match means', async () => {
    const tag = (await send('GET', 'users/1')).headers.etag ?? '';
    const headers = { 'if-match': tag };
    expect((await send('PATCH', 'users/1', { body: { note: 'mine' }, headers })).status).toBe(200);
    expect((await send('PATCH', 'users/1', { body: { note: 'again' }, headers })).status).toBe(412);
    expect((await send('PUT', 'users/1?set=note.again', { headers })).status).toBe(412);
    expect((await send('DELETE', 'users/1', { headers })).status).toBe(412);
    expect((await send('DELETE', 'users/99', { headers: { 'if-match': '*' } })).status).toBe(404);
    expect((await send('DELETE', 'users/1', { headers: { 'if-match': 'x' } })).status).toBe(400);
    expect((await users.rows('id=eq.1'))[0]?.note).toBe('mine');
    expect(
      (await send('DELETE', 'users/1', { headers: { 'if-match': `"x", ${(await send('GET', 'users/1')).headers.etag}` } })).status,
    ).toBe(200);
  });

  onlyWith(!hasTransactions)('refuses what the engine cannot do', async () => {
    await users.post([{ ...USERS[0], name: 'twice' }]);
    for (const [method, more, body] of [
      ['GET', '', undefined],
      ['PUT', '?set=name.x', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
    ] as const)
      expect((await send(method, `users/1${more}`, { body })).status, method).toBe(422);
    expect((await send('DELETE', 'users/2', { headers: { 'if-match': '*' } })).status).toBe(422);
    expect((await send('DELETE', 'users/2?$return=rows')).status).toBe(422);
    expect((await users.send('PATCH', '', { body: [{ id: 1, name: 'x' }] })).status).toBe(422);
    expect(await users.rows()).toHaveLength(USERS.length + 1);
  });

  it('patches all rows that match', async () => {
    const patch = (query: string, body: unknown) => users.send('PATCH', query, { body });
    const done = await patch('id=le.2', { name: 'both', note: null });
    expect([done.status, done.text]).toEqual([200, '{"rows_affected":2}']);
    expect((await users.rows('id=le.2')).map(({ name, note }) => [name, note])).toEqual([
      ['both', null],
      ['both', null],
    ]);
    expect((await patch('id=eq.99', { name: 'x' })).text).toBe('{"rows_affected":0}');
    for (const [query, body, status] of [
      ['', { name: 'x' }, 406],
      ['id=eq.1', {}, 400],
      ['id=eq.1', 'text', 400],
      ['id=eq.1', '{"name":"a"},{"name":"b"}', 400],
      ['id=eq.1', '{"name":', 400],
      ['id=eq.1', { nothing: 1 }, 400],
      ['id=eq.1', { name: 5 }, 422],
      ['id=eq.1', { name: null }, 422],
      ['id=eq.1', { created_at: 'yesterday' }, 422],
      ['id=zz.1', { name: 'x' }, 417],
      ['id=eq.1', [{ id: 1, name: 'x' }], 400],
      ['', [], 400],
      ['id=eq.1&pg=0', { name: 'x' }, 400],
    ] as const) {
      const response = await patch(query, body);
      expect(response.status, `${query} ${JSON.stringify(body)}: ${response.text}`).toBe(status);
    }
    expect((await users.rows('id=le.2')).map(({ name }) => name)).toEqual(['both', 'both']);
  });

  onlyWith(hasTransactions)('patches keys, and refuses duplicates', async () => {
    expect((await users.send('PATCH', 'id=eq.1', { body: { id: 10, name: 'ten' } })).status).toBe(200);
    expect((await users.rows('id=eq.10'))[0]?.name).toBe('ten');
    expect((await send('PATCH', 'users/2', { body: { email: 'cyd@example.org' } })).status).toBe(422);
    expect((await send('PATCH', 'users/2?$dry_run=true', { body: { name: 'x' } })).text).toBe('{"rows_affected":1}');
    expect((await users.send('PATCH', 'id=ge.2&$max_affected=1', { body: { name: 'x' } })).status).toBe(422);
    expect((await users.rows('name=eq.x')).length).toBe(0);
  });
});
