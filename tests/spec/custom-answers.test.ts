// The `response` section: status, headers, body, files, errors with custom messages, redaction.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, type Sketch } from '../custom/definitions.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
let postgres: TestDatabase;
let clickhouse: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  postgres = await createDatabase('postgres');
  clickhouse = await createDatabase('clickhouse');
  await postgres.run('CREATE TABLE log (v text)');
  await postgres.run("CREATE TABLE files (id int, pdf bytea); INSERT INTO files VALUES (1, '\\x25504446')");
  service = await sharedService();
  bench = new Bench(service, await setUpProject(service, [postgres.entry(), clickhouse.entry()]), postgres);
});
afterAll(async () => {
  await service?.stop();
  await postgres?.drop();
  await clickhouse?.drop();
});

const messageOf = (response: Response): unknown[] => [response.status, response.json<{ message: string }>().message];
const refused = async (sketch: Sketch): Promise<Response> => bench.deployText(stringify(bench.document(sketch)));
const logged = async (): Promise<unknown[]> => (await postgres.run('SELECT v FROM log')).map(({ v }) => v);
const VALUE = [{ expr: 'a', code: '{"id": 5, "none": nil}' }];

describe('response', () => {
  test('status and headers are constants or expressions; nil headers are omitted, numbers become strings', async () => {
    await bench.deploy({
      uri: 'created',
      method: 'post',
      logic: VALUE,
      response: {
        status: 201,
        headers: { Location: '"/orders/" + string(a.id)', 'X-Count': 'a.id', 'X-None': 'a.none', 'Cache-Control': '"max-age=60"' },
      },
    });
    const response = await bench.call('POST', 'created', { body: '{}', headers: { 'content-type': 'application/json' } });
    expect([response.status, response.json()]).toEqual([201, { id: 5, none: null }]);
    expect(response.headers).toMatchObject({
      location: '/orders/5',
      'x-count': '5',
      'cache-control': 'max-age=60',
      'x-served-version': '1.0.0',
    });
    expect(response.headers['x-none']).toBeUndefined();
  });

  test('may set Retry-After', async () => {
    await bench.deploy({ uri: 'later', logic: VALUE, response: { status: 503, headers: { 'Retry-After': '7' } } });
    const response = await bench.get('later');
    expect([response.status, response.headers['retry-after']]).toEqual([503, '7']);
  });

  test.each([true, 1.5, 99, 600, ['200'], { a: 1 }])('a status of %j is rejected at deploy', async (status) => {
    const response = await bench.deployText(stringify(bench.document({ uri: 'odd', logic: VALUE, response: { status } })));
    expect([response.status, response.text]).toEqual([400, expect.stringContaining('response.status')]);
  });

  test('the body replaces the result of the last step, and the status may depend on it', async () => {
    await bench.deploy({
      uri: 'file-of/{id}',
      input: { id: { type: 'integer' } },
      logic: [{ sql: 'SELECT id FROM files WHERE id = ?:id' }, { expr: 'last', code: '1' }],
      response: { status: 'len(step_0) == 0 ? 404 : 200', body: 'len(step_0) == 0 ? {"sorry": input.id} : step_0[0]' },
    });
    expect((await bench.get('file-of/1')).json()).toEqual({ id: 1 });
    const missing = await bench.get('file-of/2');
    expect([missing.status, missing.json()]).toEqual([404, { sorry: 2 }]);
    expect((await bench.get('file-of/1?format=csv')).text).toBe('id\r\n1\r\n');
  });

  test('204 and 304 have no body, and the connection stays open', async () => {
    await bench.deploy({ uri: 'nothing', logic: VALUE, response: { status: 'input.s == "304" ? 304 : 204' } });
    for (const status of [204, 304]) {
      const response = await bench.get(`nothing?s=${status}`);
      expect([response.status, response.text, response.headers['content-length']]).toEqual([status, '', undefined]);
    }
    expect((await bench.get('created')).status).toBe(405);
  });

  test('a status of 400 or higher rolls back and does not trigger a rollback version', async () => {
    const logic = [{ sql: "INSERT INTO log VALUES ('x')" }];
    await bench.deploy({ uri: 'taken', method: 'post', logic: [{ expr: 'a', code: '"old"' }] });
    await bench.deploy({
      uri: 'taken',
      method: 'post',
      version: '2',
      logic,
      response: { status: 'int(input.s)', body: '"mine"' },
      config: { rollback_version: '1.0.0' },
    });
    for (const status of [409, 503]) {
      const response = await bench.call('POST', `taken?s=${status}`);
      expect([response.status, response.json(), response.headers['x-rolled-back-from']]).toEqual([status, 'mine', undefined]);
    }
    expect(await logged()).toEqual([]);
    expect((await bench.call('POST', 'taken?s=202')).status).toBe(202);
    expect(await logged()).toEqual(['x']);
    await postgres.run('DELETE FROM log');
    // An invalid status is the version's own fault.
    const fallen = await bench.call('POST', 'taken?s=99');
    expect([fallen.status, fallen.json(), fallen.headers['x-rolled-back-from']]).toEqual([200, 'old', '2']);
    expect(await logged()).toEqual([]);
  });

  test.each<[string, object]>([
    ['a status that is no number', { status: '"200"' }],
    ['a status out of range', { status: '100 + 1' }],
    ['a header with a line break', { headers: { 'X-A': '"a\\r\\nSet-Cookie: b=c"' } }],
    ['a header whose bytes would be a line break', { headers: { 'X-A': '"a\u010d\u010aSet-Cookie: b=c"' } }],
    ['a header with a character that has no byte', { headers: { 'X-A': '"\u65e5"' } }],
    ['a header with a NUL', { headers: { 'X-A': '"a\u0000b"' } }],
    ['a header that is a list', { headers: { 'X-A': '[1]' } }],
    ['data that is no base64', { file: { data: '"not base64!"' } }],
    ['an expression that fails', { body: 'a.id.x' }],
  ])('%s is 500', async (name, response) => {
    const uri = `bad-${name.replaceAll(' ', '-')}`;
    await bench.deploy({ uri, logic: VALUE, response });
    expect(messageOf(await bench.get(uri))).toEqual([500, expect.stringContaining('response.')]);
  });

  test('headers are written as Latin-1', async () => {
    await bench.deploy({ uri: 'latin', logic: VALUE, response: { headers: { 'X-A': '"caf\u00e9"' } } });
    const { headers } = await bench.get('latin');
    expect(headers['x-a']).toBe('caf\u00e9');
  });

  test('files are bytes from the database or from base64, and reject the parameter format', async () => {
    await bench.deploy({
      uri: 'pdf',
      logic: [{ sql: 'SELECT pdf FROM files' }],
      response: { file: { name: '"invoice.pdf"', type: '"application/pdf"', data: 'step_0[0].pdf' } },
    });
    const response = await bench.get('pdf');
    expect([response.status, response.text, response.headers['content-type']]).toEqual([200, '%PDF', 'application/pdf']);
    expect(response.headers['content-disposition']).toBe('attachment; filename="invoice.pdf"');
    expect((await bench.get('pdf?format=json')).status).toBe(406);
    await bench.deploy({ uri: 'text', logic: VALUE, response: { file: { name: '"ä.txt"', data: 'toBase64("hello")' } } });
    const text = await bench.get('text');
    expect([text.text, text.headers['content-disposition']]).toEqual([
      'hello',
      `attachment; filename="_.txt"; filename*=UTF-8''%C3%A4.txt`,
    ]);
    await bench.deploy({
      uri: 'named',
      logic: VALUE,
      input: { name: { type: 'string' } },
      response: { file: { name: 'input.name', data: 'toBase64("hello")' } },
    });
    for (const [name, kept] of [
      ['../../etc/passwd', 'passwd'],
      ['..\\..\\a.bat', 'a.bat'],
      ['../..', 'download'],
    ] as const) {
      const { headers } = await bench.get(`named?name=${encodeURIComponent(name)}`);
      expect(headers['content-disposition']).toBe(`attachment; filename="${kept}"`);
    }
  });

  test('is cached and shared with its head, successes only', async () => {
    await bench.deploy({
      uri: 'kept',
      logic: VALUE,
      response: { status: 'int(input.s)', headers: { 'X-A': '"1"' } },
      config: { cache_result: true },
    });
    const seen = async (s: number): Promise<unknown[]> => {
      const { status, headers } = await bench.get(`kept?s=${s}`);
      return [status, headers['x-a'], headers['x-cache']];
    };
    expect([await seen(203), await seen(203)]).toEqual([
      [203, '1', 'MISS'],
      [203, '1', 'HIT'],
    ]);
    expect([await seen(404), await seen(404)]).toEqual([
      [404, '1', 'MISS'],
      [404, '1', 'MISS'],
    ]);
  });

  test.each<[string, object, number]>([
    ['Content-Length', { headers: { 'Content-Length': '"1"' } }, 400],
    ['Set-Cookie', { headers: { 'set-cookie': '"a=b"' } }, 400],
    ['X-Request-Id', { headers: { 'X-Request-Id': '"a"' } }, 400],
    ['Transfer-Encoding', { headers: { 'Transfer-Encoding': '"chunked"' } }, 400],
    ['a name that is none', { headers: { 'a b': '"1"' } }, 400],
    ['a status out of range', { status: 199 }, 400],
    ['a body beside a file', { body: '1', file: { data: '"AA=="' } }, 400],
    ['an unknown field', { state: 200 }, 400],
    ['an expression that does not compile', { status: 'step_9 == nil ? 404 : 200' }, 422],
  ])('%s is rejected at deploy', async (_, response, status) => {
    const answer = await refused({ uri: 'refused', logic: VALUE, response });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/line \d+, column \d+: response/)]);
  });
});

describe('refuse and fail', () => {
  test.each<[string, object[], unknown[]]>([
    ['refuse in lark', [{ lark: 'l', code: 'refuse(404, "no such order")\nresult = 1' }], [404, 'no such order']],
    ['refuse in expr', [{ expr: 'e', code: 'true ? refuse(409, "taken: " + input.n) : 1' }], [409, 'taken: 5']],
    [
      'refuse with another status in lark',
      [{ lark: 'l', code: 'refuse(500, "no")\nresult = 1' }],
      [500, expect.stringContaining('refuse')],
    ],
    ['refuse with another status in expr', [{ expr: 'e', code: 'refuse(302, "no")' }], [500, expect.stringContaining('refuse')]],
    ['fail', [{ lark: 'l', code: 'fail("there are only", 3, "left")\nresult = 1' }], [422, 'there are only 3 left']],
    ['refuse in a function', [{ lark: 'l', code: 'def check(x):\n    refuse(424, "gone")\nresult = check(1)' }], [424, 'gone']],
  ])('%s', async (name, logic, expected) => {
    const uri = name.replaceAll(' ', '-');
    await bench.deploy({ uri, method: 'post', logic: [{ expr: 'o', code: '"old"' }] });
    await bench.deploy({
      uri,
      method: 'post',
      version: '2',
      logic: [{ sql: "INSERT INTO log VALUES ('x')" }, ...logic],
      config: { rollback_version: '1.0.0' },
    });
    const response = await bench.call('POST', `${uri}?n=5`);
    const isOwn = expected[0] === 500;
    if (isOwn) expect([response.json(), response.headers['x-rolled-back-from']]).toEqual(['old', '2']);
    else expect([...messageOf(response), response.headers['x-rolled-back-from']]).toEqual([...expected, undefined]);
    expect(await logged()).toEqual([]);
  });

  test('an input that a lark step reads and that was not sent yields 400', async () => {
    await bench.deploy({ uri: 'absent', logic: [{ expr: 'o', code: '"old"' }] });
    await bench.deploy({
      uri: 'absent',
      version: '2',
      logic: [{ lark: 'l', code: 'result = input.city' }],
      config: { rollback_version: '1.0.0' },
    });
    expect(messageOf(await bench.get('absent'))).toEqual([400, expect.stringContaining('"city"')]);
    expect((await bench.get('absent?city=x')).json()).toBe('x');
    await bench.deploy({ uri: 'key', logic: [{ lark: 'l', code: 'result = input["city"]' }] });
    expect((await bench.get('key')).status).toBe(400);
    await bench.deploy({ uri: 'other', logic: [{ lark: 'l', code: 'result = context.city' }] });
    expect((await bench.get('other')).status).toBe(500);
  });
});

const TABLES: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: ['CREATE TABLE t (id int PRIMARY KEY, secret text, n int CONSTRAINT positive CHECK (n > 0))'],
  mysql: ['CREATE TABLE t (id int PRIMARY KEY, secret varchar(20), n int, CONSTRAINT positive CHECK (n > 0))'],
  mariadb: ['CREATE TABLE t (id int PRIMARY KEY, secret varchar(20), n int, CONSTRAINT positive CHECK (n > 0))'],
  clickhouse: ['CREATE TABLE t (id Int32, secret String, n Int32, CONSTRAINT positive CHECK n > 0) ENGINE = MergeTree ORDER BY id'],
};

describe.each(ENGINE_NAMES)('messages of %s reach callers without rows and SQL', (engine) => {
  let own: Bench;
  beforeAll(async () => {
    const database = await createDatabase(engine);
    for (const statement of TABLES[engine]) await database.run(statement);
    own = new Bench(service, await setUpProject(service, [database.entry()]), database);
    await database.run("INSERT INTO t VALUES (1, 'hush', 1)");
  });
  afterAll(async () => {
    await own?.database.drop();
  });

  test('name a violated constraint', async () => {
    await own.deploy({ uri: 'check', method: 'post', logic: [{ sql: "INSERT INTO t (id, secret, n) VALUES (2, 'hush', -1)" }] });
    const response = await own.call('POST', 'check');
    expect([response.status, response.text]).toEqual([422, expect.stringContaining('positive')]);
    expect(response.text).not.toMatch(/hush|Failing row|INSERT INTO/);
    expect(response.text).not.toContain(own.database.name);
  });

  test('name the constraint of a duplicate', async () => {
    await own.deploy({ uri: 'twice', method: 'post', logic: [{ sql: "INSERT INTO t (id, secret, n) VALUES (1, 'hush', 1)" }] });
    const { status, text } = await own.call('POST', 'twice');
    // ClickHouse has no keys that refuse anything.
    expect(status).toBe(engine === 'clickhouse' ? 200 : 422);
    expect(text).not.toMatch(/hush|\(1\)|'1/);
  });

  test('omit the text of an invalid statement', async () => {
    await own.deploy({ uri: 'wrong', logic: [{ sql: "SELECT id FROM t WHERE nope = 'hush' GROUP" }] });
    const { status, text } = await own.get('wrong');
    expect([status, text]).toEqual([500, expect.not.stringMatching(/hush|SELECT/)]);
  });
});

test('a statement that ClickHouse could not parse has no side effects, so the rollback version responds', async () => {
  const database = { ref: `ch/${clickhouse.name}` };
  for (const [uri, sql] of Object.entries({
    syntax: 'INSRT INTO t VALUES (1)',
    table: 'INSERT INTO nowhere VALUES (1)',
    function: 'INSERT INTO nowhere SELECT nofunction(1)',
  })) {
    await bench.deploy({ uri: `ch-${uri}`, method: 'post', logic: [{ expr: 'a', code: '"old"' }] });
    await bench.deploy({
      uri: `ch-${uri}`,
      method: 'post',
      version: '2',
      database,
      logic: [{ sql }],
      config: { rollback_version: '1.0.0' },
    });
    const response = await bench.call('POST', `ch-${uri}`);
    expect([uri, response.status, response.headers['x-rolled-back-from']]).toEqual([uri, 200, '2']);
  }
});
