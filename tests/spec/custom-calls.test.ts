// Custom calls over HTTP: paths, versions, permission, input, steps, formats and modules.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import { createDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
let bench: Bench;
beforeAll(async () => {
  const database = await createDatabase('postgres');
  await database.run(
    'CREATE TABLE items (id bigint PRIMARY KEY, name text NOT NULL, price numeric(20,10), doc jsonb, data bytea, at timestamptz)',
  );
  await database.run(`INSERT INTO items VALUES (9007199254740993, 'big', 0.10, '{"a": [1, 9007199254740993]}', '\\x0102', '2024-01-02T03:04:05.123456Z'),
    (2, 'two', 1234567890.0123456789, null, null, null)`);
  service = await sharedService();
  bench = new Bench(service, await setUpProject(service, [database.entry()]), database);
});
afterAll(async () => {
  await service?.stop();
  await bench?.database.drop();
});

const message = (response: Response): string => response.json<{ message: string }>().message;
const echo = (name: string): object => ({ lark: name, code: 'result = input' });

describe('paths, versions and permission', () => {
  beforeAll(async () => {
    for (const version of ['1.9', '1.10', '2.0.0-beta', '1.2.3'])
      await bench.deploy({ uri: 'v', version, logic: [{ expr: 'answer', code: `"${version}"` }] });
  });

  test('the highest version is called, or the requested one', async () => {
    const highest = await bench.get('v');
    expect([highest.json(), highest.headers['x-served-version']]).toEqual(['2.0.0-beta', '2.0.0-beta']);
    expect(await bench.rows('GET', 'v?version=1.10')).toBe('1.10');
    expect(await bench.rows('GET', 'v?version=1.9')).toBe('1.9');
    expect((await bench.get('v?version=1.1')).status).toBe(404);
    expect((await bench.get('v?version=1.9&version=1.10')).status).toBe(400);
  });

  test('unknown uris, other methods and other paths are rejected', async () => {
    expect((await bench.get('nothing')).status).toBe(404);
    const post = await bench.call('POST', 'v');
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET']);
    for (const path of [
      '/svc/x/y',
      '/svc/api/rest/v1/a/b',
      '/a/b',
      '/a',
      '/svc',
      `/${bench.project.orgAbbr}/${bench.project.projectAbbr}/`,
    ])
      expect([(await service.request('GET', path, { headers: bench.project.headers })).status, path]).toEqual([404, path]);
    const foreign = await service.request('GET', `/other/${bench.project.projectAbbr}/v`, { headers: bench.project.headers });
    expect(foreign.status).toBe(403);
  });

  test('the five headers are required', async () => {
    for (const [name, status] of [
      ['x-user-id', 401],
      ['x-org-id', 400],
      ['x-project-id', 400],
      ['x-space-id', 400],
      ['x-user-roles', 400],
    ] as const) {
      const headers = Object.fromEntries(Object.entries(bench.project.headers).filter(([key]) => key !== name));
      expect([(await service.request('GET', bench.path('v'), { headers })).status, name]).toEqual([status, name]);
    }
    expect((await bench.get('v', { headers: { 'x-space-id': bench.project.spaces.prod } })).status).toBe(404);
    expect((await bench.get('v', { headers: { 'x-space-id': ulid() } })).status).toBe(404);
  });

  test('one role of the list is sufficient, and none is rejected', async () => {
    await bench.deploy({ uri: 'roles', permission: ['sales', 'audit'], logic: [{ expr: 'a', code: '1' }] });
    expect((await bench.get('roles', { headers: { 'x-user-roles': 'x, audit' } })).status).toBe(200);
    expect((await bench.get('roles', { headers: { 'x-user-roles': 'Audit' } })).status).toBe(403);
    expect((await bench.get('roles')).status).toBe(403);
  });

  test('a Power Token may call', async () => {
    const made = await service.request('POST', '/svc/system/api/v1/token', {
      headers: bench.project.systemHeaders,
      body: { name: 'caller', key_type: 'r--', roles: ['admin'] },
    });
    const { power_token: token } = made.json<{ power_token: string }>();
    const called = await service.request('GET', `${bench.path('v')}?pwt=${token}`, { headers: { 'x-power-token': token } });
    expect(called.json()).toBe('2.0.0-beta');
    await bench.deploy({ uri: 'token-input', logic: [echo('sent')] });
    const input = await service.request('GET', `${bench.path('token-input')}?pwt=${token}&a=1&format=json`, {
      headers: { 'x-power-token': token },
    });
    expect(input.json()).toEqual({ a: '1' });
    expect((await service.request('POST', `${bench.path('v')}?pwt=${token}`, { headers: { 'x-power-token': token } })).status).toBe(403);
  });
});

describe('input', () => {
  beforeAll(async () => {
    await bench.deploy({ uri: 'in', logic: [echo('sent')] });
    await bench.deploy({ uri: 'in', method: 'delete', logic: [echo('sent')] });
    for (const method of ['post', 'put', 'patch']) await bench.deploy({ uri: 'in', method, logic: [echo('sent')] });
    await bench.deploy({ uri: 'form', method: 'post', input_type: 'form', logic: [echo('sent')] });
    await bench.deploy({ uri: 'multi', method: 'post', input_type: 'multipart', logic: [echo('sent')] });
  });

  test('is read from a query: strings, lists, the version, but not format or pwt', async () => {
    expect(await bench.rows('GET', 'in?a=1&b=x%20y&b=z&version=1.0.0&format=json')).toEqual({ a: '1', b: ['x y', 'z'], version: '1.0.0' });
    expect(await bench.rows('DELETE', 'in?a=1', { body: { b: 2 } })).toEqual({ a: '1' });
  });

  test.each(['POST', 'PUT', 'PATCH'])('is read from a JSON body: %s', async (method) => {
    const body = '{"a": 1, "big": 9007199254740993, "d": 0.10, "n": null, "o": {"x": [true]}}';
    const response = await bench.call(method, 'in?a=no&q=yes', { body, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(response.text).toBe('{"a":1,"big":9007199254740993,"d":0.10,"n":null,"o":{"x":[true]},"q":"yes"}');
    expect(await bench.rows(method, 'in?q=yes')).toEqual({ q: 'yes' });
  });

  test('is read from forms', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await bench.rows('POST', 'form?a=no&v=1', { body: 'a=1&b=x+y%26&b=%C3%A9&c', headers: form })).toEqual({
      a: '1',
      b: ['x y&', 'é'],
      c: '',
      v: '1',
    });
    expect((await bench.call('POST', 'form', { body: 'a=%zz', headers: form })).status).toBe(400);
    expect((await bench.call('POST', 'form', { body: '{}', headers: { 'content-type': 'application/json' } })).status).toBe(415);
  });

  test('is read from multipart forms, with files', async () => {
    const form = new FormData();
    form.append('name', 'Ann');
    form.append('tag', 'a');
    form.append('tag', 'b');
    form.append('file', new Blob([Buffer.from([0, 1, 255])], { type: 'image/png' }), 'a.png');
    const request = new Request('http://x', { method: 'POST', body: form });
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    const body = Buffer.from(await request.arrayBuffer());
    expect(await bench.rows('POST', 'multi', { body, headers })).toEqual({
      name: 'Ann',
      tag: ['a', 'b'],
      file: { filename: 'a.png', content_type: 'image/png', size: 3, data: 'AAH/' },
    });
    expect((await bench.call('POST', 'multi', { body: 'nonsense', headers: { 'content-type': 'multipart/form-data' } })).status).toBe(400);
    expect((await bench.call('POST', 'multi', { body: body.subarray(0, 80), headers })).status).toBe(400);
  });

  test.each<[string, string, number]>([
    ['no JSON', '{', 400],
    ['no object', '[1]', 400],
    ['great depth', `{"a": ${'['.repeat(100)}${']'.repeat(100)}}`, 400],
    ['a key twice', '{"a": 1, "a": 2}', 400],
  ])('rejects %s', async (_, body, status) => {
    expect((await bench.call('POST', 'in', { body, headers: { 'content-type': 'application/json' } })).status).toBe(status);
  });

  test('is rejected if it is encoded or has the wrong type', async () => {
    expect((await bench.call('POST', 'in', { body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await bench.call('POST', 'in', { body: '{}', headers: gzip })).status).toBe(415);
  });
});

describe('steps', () => {
  test('the response is the last result that is not omitted', async () => {
    const steps = (omits: readonly boolean[]): object[] => omits.map((omit, i) => ({ expr: `s${i}`, code: String(i), omit }));
    await bench.deploy({ uri: 'omit-0', logic: steps([false, false]) });
    await bench.deploy({ uri: 'omit-1', logic: steps([false, true]) });
    await bench.deploy({ uri: 'omit-2', logic: steps([true, true]) });
    expect([await bench.rows('GET', 'omit-0'), await bench.rows('GET', 'omit-1'), await bench.rows('GET', 'omit-2')]).toEqual([1, 0, 1]);
    await bench.deploy({ uri: 'omit-3', logic: [{ sql: 'SELECT 7 AS n' }, { sql: 'SELECT 8 AS n', omit: true }] });
    expect(await bench.rows('GET', 'omit-3')).toEqual([{ n: 7 }]);
  });

  test('lark and expr keep every digit of a row', async () => {
    const rows = 'SELECT * FROM items ORDER BY id DESC';
    await bench.deploy({ uri: 'direct', logic: [{ sql: rows }] });
    await bench.deploy({
      uri: 'through',
      logic: [{ sql: rows }, { lark: 'a', code: 'result = step_0' }, { expr: 'b', code: 'filter(a, true)' }],
    });
    const direct = await bench.get('direct');
    expect(direct.text).toContain('9007199254740993');
    expect(direct.text).toContain('1234567890.0123456789');
    const through = (await bench.get('through')).text.replaceAll(' ', '');
    expect(through).toBe(direct.text.replaceAll(' ', ''));
  });

  test('steps can use names, the context, and results of every kind', async () => {
    await bench.deploy({
      uri: 'names',
      logic: [
        { sql: 'SELECT id, name FROM items WHERE id = ?:id' },
        { lark: 'loud', code: 'result = [dict(r, name = r["name"].upper() + "!") for r in step_0]' },
        { expr: 'first', code: 'loud[0].name + context.user_id' },
        { sql: "SELECT ?:first AS a, ?:loud[0].name AS b, '?:context.org_id' AS c, ?:name AS d" },
      ],
    });
    const { userId, orgId } = bench.project;
    expect(await bench.rows('GET', 'names?id=2')).toEqual([{ a: `TWO!${userId}`, b: 'TWO!', c: orgId, d: 'TWO!' }]);
    await bench.deploy({
      uri: 'who',
      logic: [{ lark: 'a', code: 'result = [context.roles, context["space_id"], hasattr(input, "x"), input.get("x")]' }],
    });
    expect(await bench.rows('GET', 'who')).toEqual([['admin', 'power'], bench.project.spaces.dev, false, null]);
  });

  test.each<[string, object, number, RegExp]>([
    ['fail', { lark: 'a', code: 'x = 1\nfail("too old")\nresult = x' }, 422, /^too old$/],
    ['a type error', { lark: 'a', code: 'result = 1 + "a"' }, 500, /Step 0 \(lark a\) failed: .*line 1, column \d+/],
    ['no result', { lark: 'a', code: 'if False:\n  result = 1' }, 500, /result/],
    ['a field of nothing', { expr: 'a', code: 'input.a.b.c' }, 500, /Step 0 \(expr a\) failed: .*line 1, column \d+/],
    ['too many steps', { lark: 'a', code: 'x = 0\nfor i in range(1000000000):\n  x += i\nresult = x' }, 422, /stopped.*(steps|ms)/],
    ['too much memory', { lark: 'a', code: 'x = "a"\nfor i in range(60):\n  x += x\nresult = len(x)' }, 422, /stopped.*memory/],
  ])('%s', async (name, step, status, words) => {
    const uri = `fails-${name.replaceAll(' ', '-')}`;
    await bench.deploy({ uri, logic: [step], config: { limits: { steps: 1_000_000, memory_mb: 16, time_ms: 500 } } });
    const response = await bench.get(uri);
    expect([response.status, message(response)]).toEqual([status, expect.stringMatching(words)]);
  });

  test('a runaway step does not block others', async () => {
    await bench.deploy({
      uri: 'runaway',
      logic: [{ lark: 'a', code: 'x = 0\nfor i in range(10000000000):\n  x += 1\nresult = x' }],
      config: { limits: { time_ms: 5000, steps: 10_000_000_000 } },
    });
    await bench.deploy({ uri: 'quick', logic: [{ sql: 'SELECT 1 AS n' }] });
    const running = bench.get('runaway');
    let worst = 0;
    let done = false;
    void running.then(() => {
      done = true;
    });
    while (!done) {
      const began = performance.now();
      await bench.rows('GET', 'quick');
      worst = Math.max(worst, performance.now() - began);
    }
    expect((await running).status).toBe(422);
    // Without a thread of its own it would have held everything for five seconds.
    expect(worst).toBeLessThan(4000);
  });

  test('programs without a waiting caller are evicted for others', async () => {
    const config = { limits: { time_ms: 30_000, steps: 10_000_000_000 } };
    const loop = (turns: number): object[] => [{ lark: 'a', code: `x = 0\nfor i in range(${turns}):\n  x += 1\nresult = x` }];
    await bench.deploy({ uri: 'endless', logic: loop(10_000_000_000), config });
    await bench.deploy({ uri: 'longish', logic: loop(300_000), config });
    const abort = new AbortController();
    const waiting = Array.from({ length: 8 }, () => bench.get('endless', { signal: abort.signal }).catch(() => 'gone'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    abort.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['gone']));
    const began = performance.now();
    expect(await bench.rows('GET', 'longish')).toBe(300_000);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test('results of any shape are returned in any format', async () => {
    await bench.deploy({ uri: 'shape', method: 'post', logic: [{ lark: 'a', code: 'result = input.v' }] });
    const shaped = async (v: unknown, format: string): Promise<string> =>
      (await bench.call('POST', `shape?format=${format}`, { body: { v } })).text;
    expect(await shaped([{ a: 1 }, { b: 'x' }], 'csv')).toBe('a,b\r\n1,\r\n,x\r\n');
    expect(await shaped({ a: [1] }, 'xml')).toContain('<row><a>[1]</a></row>');
    expect(await shaped([1, 2], 'csv')).toBe('value\r\n1\r\n2\r\n');
    expect(await shaped('x', 'json')).toBe('"x"');
    expect(await shaped({ a: null }, 'yaml')).toMatch(/^a: (null|~)/);
    expect((await bench.call('POST', 'shape?format=pdf', { body: { v: 1 } })).status).toBe(406);
  });

  test('too many rows to buffer are rejected, and streamed when no step needs them', async () => {
    const sql = "SELECT n, repeat('x', 100) AS t FROM generate_series(1, 200000) AS n";
    const config = { limits: { memory_mb: 4 } };
    await bench.deploy({ uri: 'flow', logic: [{ sql }], config });
    expect((await bench.get('flow')).json<unknown[]>()).toHaveLength(200_000);
    await bench.deploy({ uri: 'keep', logic: [{ sql }, { expr: 'n', code: 'len(step_0)' }], config });
    const kept = await bench.get('keep');
    expect([kept.status, message(kept)]).toEqual([422, expect.stringMatching(/Step 0 \(sql\) was stopped: .*4 MiB/)]);
    await bench.deploy({
      uri: 'unread',
      logic: [
        { sql, omit: true },
        { expr: 'n', code: '5' },
      ],
      config,
    });
    expect(await bench.rows('GET', 'unread')).toBe(5);
  });

  test('callers notice neither a changed table nor a broken connection', async () => {
    await bench.database.run('CREATE TABLE changing (a int)');
    await bench.deploy({ uri: 'changing', logic: [{ sql: 'SELECT * FROM changing' }, { sql: 'SELECT * FROM changing' }] });
    await bench.database.run('INSERT INTO changing VALUES (1)');
    expect(await bench.rows('GET', 'changing')).toEqual([{ a: 1 }]);
    await bench.database.run('ALTER TABLE changing ADD b text');
    expect(await bench.rows('GET', 'changing')).toEqual([{ a: 1, b: null }]);
    for (let i = 0; i < 3; i++) {
      await bench.database.run(
        "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%changing%' AND pid <> pg_backend_pid()",
      );
      expect(await bench.rows('GET', 'changing')).toEqual([{ a: 1, b: null }]);
    }
  });

  test('RETURNING returns rows, and a caller who disconnects cancels the statement', async () => {
    await bench.deploy({
      uri: 'add',
      method: 'post',
      logic: [{ sql: 'INSERT INTO items (id, name) VALUES (?:id, ?:name) RETURNING id, name' }],
    });
    expect(await bench.rows('POST', 'add', { body: { id: 50, name: 'x' } })).toEqual([{ id: 50, name: 'x' }]);
    const duplicate = await bench.call('POST', 'add', { body: { id: 50, name: 'x' } });
    expect([duplicate.status, message(duplicate)]).toEqual([422, expect.stringContaining('duplicate key')]);
    expect((await bench.call('POST', 'add', { body: { id: 'abc', name: 'x' } })).status).toBe(422);
    expect((await bench.call('POST', 'add', { body: { id: 51, name: null } })).status).toBe(422);

    await bench.deploy({ uri: 'sleep', logic: [{ sql: "SELECT pg_sleep(60), 'canary-custom'" }] });
    const abort = new AbortController();
    const running = bench.get('sleep', { signal: abort.signal }).catch(() => 'gone');
    const count = async (): Promise<number> =>
      Number(
        (
          await bench.database.run(
            "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%canary-custom%' AND state = 'active' AND pid <> pg_backend_pid()",
          )
        )[0]?.['n'],
      );
    await expect.poll(count, PATIENCE).toBe(1);
    abort.abort();
    expect(await running).toBe('gone');
    await expect.poll(count, PATIENCE).toBe(0);
  });
});

describe('Lark modules', () => {
  const put = (module: string, code: string, headers: Record<string, string> = {}): Promise<Response> => {
    const { orgId, projectId, userId, spaces } = bench.project;
    const ids = stringify({ org_id: orgId, project_id: projectId, space_id: spaces.dev, user_id: userId });
    return service.request('POST', '/svc/code/v1/lark/', {
      headers: { ...bench.project.headers, 'content-type': 'application/x-yaml', ...headers },
      body: `${ids}\n${stringify({ module, code })}`,
    });
  };
  const modules = (method: string, path: string): Promise<Response> =>
    service.request(method, `/svc/code/v1/lark${path}`, { headers: bench.project.headers });

  test('can be put, listed, read and deleted', async () => {
    const made = await put('first', 'def f(x):\n  return x + 1\n');
    expect([made.status, made.json()]).toEqual([201, { code: 201, status: 'Created', message: expect.any(String) }]);
    expect((await modules('GET', '/list')).json()).toContainEqual({
      module: 'first',
      org_id: bench.project.orgId,
      project_id: bench.project.projectId,
      space_id: bench.project.spaces.dev,
      user_id: bench.project.userId,
      updated_at: expect.any(String),
    });
    expect((await modules('GET', '/list?format=xml')).text).toContain('<module>first</module>');
    expect((await modules('GET', '?module=first')).json()).toMatchObject({ module: 'first', code: 'def f(x):\n  return x + 1\n' });
    expect((await modules('GET', '?module=none')).status).toBe(404);
    expect((await modules('GET', '')).status).toBe(400);
    expect((await modules('DELETE', '?module=first')).json()).toMatchObject({ code: 200, status: 'OK' });
    expect((await modules('DELETE', '?module=first')).status).toBe(404);
  });

  test('are rejected when they are invalid', async () => {
    const broken = await put('broken', 'def f(:\n');
    expect([broken.status, message(broken)]).toEqual([422, expect.stringMatching(/line 1, column/)]);
    expect((await put('x', 'a = 1', { 'x-user-roles': 'viewer' })).status).toBe(403);
    expect((await put('x', 'a = 1', { 'x-user-id': ulid() })).status).toBe(403);
    expect((await put('c1', 'load("c2", "g")\nf = 1')).status).toBe(201);
    const cycle = await put('c2', 'load("c1", "f")\ng = 1');
    expect([cycle.status, message(cycle)]).toEqual([422, expect.stringContaining('c2 → c1 → c2')]);
  });

  test('are loaded, named, updated at once, and reported when they are deleted', async () => {
    await put('tax', 'def rate():\n  return 1\n');
    await put('shop', 'load("tax", "rate")\ndef price(x):\n  return x * rate()\n_private = 1\n');
    await bench.deploy({
      uri: 'loads',
      logic: [{ lark: 'a', code: 'load("shop", "price", again = "price")\nresult = [price(10), again(1), shop.price(5), tax.rate()]' }],
    });
    expect(await bench.rows('GET', 'loads')).toEqual([10, 1, 5, 1]);
    await put('tax', 'def rate():\n  return 2\n');
    expect(await bench.rows('GET', 'loads')).toEqual([20, 2, 10, 2]);
    await modules('DELETE', '?module=tax');
    const missing = await bench.get('loads');
    expect([missing.status, message(missing)]).toEqual([424, expect.stringContaining('tax')]);
    await put('tax', 'def rate():\n  return 3\n');
    // Modules that are called like something else hide nothing of it.
    for (const name of ['input', 'json', 'len', 'a']) expect((await put(name, 'def f():\n  return 1\n')).status).toBe(201);
    await bench.deploy({
      uri: 'unhidden',
      logic: [
        { expr: 'a', code: '5' },
        { lark: 'b', code: 'load("len", "f")\nresult = [input.x, json.encode([a]), len("xy"), f()]' },
      ],
    });
    expect(await bench.rows('GET', 'unhidden?x=1')).toEqual(['1', '[5]', 2, 1]);
    expect(await bench.rows('GET', 'loads')).toEqual([30, 3, 15, 3]);
  });
});

describe('check', () => {
  const check = (sketch: object, query = ''): Promise<Response> =>
    bench.send('POST', `/check${query}`, stringify(bench.document(sketch as never)));
  const steps = [
    { sql: "INSERT INTO items (id, name) VALUES (?:id, '?:name') RETURNING id, name" },
    { lark: 'loud', code: 'print("hello")\nresult = step_0[0]["name"] + "!"' },
  ];

  test('validates a definition, and stores nothing', async () => {
    const right = await check({ uri: 'checked', method: 'post', logic: steps });
    expect([right.status, right.json()]).toEqual([200, expect.objectContaining({ valid: true, uri: 'checked' })]);
    expect((await bench.call('POST', 'checked')).status).toBe(404);
    const problems = { valid: false, problems: [expect.objectContaining({ line: expect.any(Number), column: expect.any(Number) })] };
    const wrong = await check({ uri: 'checked', logic: [{ lark: 'a', code: 'result = (' }] });
    expect([wrong.status, wrong.json()]).toEqual([200, expect.objectContaining(problems)]);
    const broken = await bench.send('POST', '/check', 'a: [');
    expect([broken.status, broken.json()]).toEqual([200, expect.objectContaining({ valid: false })]);
    expect((await bench.send('POST', '/check', 'a: 1', { 'x-user-roles': 'viewer' })).status).toBe(403);
  });

  test('runs the definition, reports every step, and rolls it back', async () => {
    const input = encodeURIComponent('{"id": 99, "name": "Zoe"}');
    const ran = await check({ uri: 'checked', method: 'post', logic: steps }, `?execute=true&input=${input}`);
    expect(ran.json()).toMatchObject({
      valid: true,
      result: 'Zoe!',
      duration_ms: expect.any(Number),
      steps: [
        {
          step: 'step_0',
          kind: 'sql',
          sql: 'INSERT INTO items (id, name) VALUES ($1, $2) RETURNING id, name',
          parameters: ['99', 'Zoe'],
          result: [{ id: 99, name: 'Zoe' }],
          duration_ms: expect.any(Number),
        },
        { step: 'step_1', kind: 'lark', name: 'loud', printed: ['hello'], result: 'Zoe!' },
      ],
    });
    expect(await bench.database.run('SELECT id FROM items WHERE id = 99')).toEqual([]);
    const failed = await check(
      { uri: 'checked', method: 'post', logic: steps },
      `?execute=true&input=${encodeURIComponent('{"id": "x", "name": "Zoe"}')}`,
    );
    expect(failed.json<{ steps: object[] }>().steps).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 422 }) })]);
    expect((await check({ uri: 'checked', method: 'post', logic: steps }, '?execute=true&input=5')).status).toBe(400);
  });
});
