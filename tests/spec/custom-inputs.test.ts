// Declared inputs on every engine: checks, conversions, defaults, and invalid declarations.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, type Sketch } from '../custom/definitions.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
let postgres: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  postgres = await createDatabase('postgres');
  service = await sharedService();
  bench = new Bench(service, await setUpProject(service, [postgres.entry()]), postgres);
});
afterAll(async () => {
  await service?.stop();
  await postgres?.drop();
});

/** Gives the input back, as a step sees it. */
const ECHO = [{ expr: 'echo', code: 'input' }];
const errorsOf = (response: Response): unknown[] => [response.status, response.json<{ errors: unknown }>().errors];
const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

const ALL = {
  category: { type: 'string', required: true, max_length: 6, enum: ['home', 'garden'] },
  limit: { type: 'integer', default: 10, minimum: 1, maximum: 100 },
  price: { type: 'number', minimum: 0 },
  open: { type: 'boolean' },
  since: { type: 'date' },
  at: { type: 'timestamp' },
  id: { type: 'uuid' },
  code: { type: 'string', pattern: '[A-Z]{2}\\d+', min_length: 3 },
  ids: { type: 'array', items: { type: 'integer' }, max_items: 3 },
};

describe('strings of a query', () => {
  beforeAll(async () => {
    await bench.deploy({ uri: 'all', input: ALL, logic: ECHO });
  });

  test('become the declared types exactly; absent ones are their default or null', async () => {
    expect((await bench.get('all?category=garden')).json()).toEqual({
      category: 'garden',
      limit: 10,
      price: null,
      open: null,
      since: null,
      at: null,
      id: null,
      code: null,
      ids: null,
    });
    const sent =
      'category=home&limit=7&price=0.10&open=true&since=2024-02-29&at=2024-01-01T00:00:00.5Z&id=0192a1b2-0000-7000-8000-000000000000&code=AB12&ids=1&ids=9007199254740993';
    const { text } = await bench.get(`all?${sent}`);
    expect(text).toContain('"price":0.10');
    expect(text).toContain('"ids":[1,9007199254740993]');
    expect(text).toContain('"limit":7');
    expect(text).toContain('"open":true');
    expect((await bench.get('all?category=home&ids=5')).json()).toMatchObject({ ids: [5] });
  });

  test('that are invalid are reported together, by field', async () => {
    const response = await bench.get(
      'all?category=x&limit=0&price=-1&open=yes&since=2023-02-29&at=2024-01-01&id=1&code=ab1&ids=1&ids=x&other=1&limit=3',
    );
    expect(response.json()).toMatchObject({ code: 400, status: 'Bad Request', message: expect.stringContaining('limit') });
    const errors = response.json<{ errors: { field: string; message: string }[] }>().errors;
    expect(errors.map(({ field }) => field).sort()).toEqual(
      ['at', 'category', 'code', 'id', 'ids[1]', 'limit', 'open', 'other', 'price', 'since'].sort(),
    );
    for (const { message } of errors) expect(message).toMatch(/\w/);
  });

  test('that are missing or unexpected are rejected', async () => {
    expect(errorsOf(await bench.get('all'))).toEqual([400, [{ field: 'category', message: 'is required' }]]);
    expect(errorsOf(await bench.get('all?category=home&ids=1&ids=2&ids=3&ids=4'))).toEqual([
      400,
      [{ field: 'ids', message: 'must have at most 3 items' }],
    ]);
  });

  test('need a declaration, except version, format and pwt', async () => {
    expect((await bench.get('all?category=home&version=1.0.0&format=json')).status).toBe(200);
    await bench.deploy({ uri: 'nothing', input: {}, logic: [{ expr: 'single', code: '1' }] });
    expect((await bench.get('nothing?version=1.0.0')).status).toBe(200);
    expect(errorsOf(await bench.get('nothing?a=1'))).toEqual([400, [{ field: 'a', message: 'is not declared' }]]);
  });
});

describe('values of JSON', () => {
  beforeAll(async () => {
    const line = {
      type: 'object',
      required: true,
      fields: { price: { type: 'number', required: true }, note: { type: 'string', default: '-' } },
    };
    await bench.deploy({
      uri: 'order',
      method: 'post',
      input: {
        items: { type: 'array', items: line, min_items: 1 },
        name: { type: 'string', max_length: 2 },
        on: { type: 'boolean', nullable: true, default: true },
        n: { type: 'integer' },
        extra: { type: 'any' },
      },
      logic: ECHO,
    });
  });

  test('are used unchanged; fields of objects get defaults too', async () => {
    const response = await bench.call('POST', 'order', json({ items: [{ price: 1.5 }], name: '😀😀', on: null, n: 5, extra: { a: [1] } }));
    expect(response.json()).toEqual({ items: [{ price: 1.5, note: '-' }], name: '😀😀', on: null, n: 5, extra: { a: [1] } });
    expect((await bench.call('POST', 'order?version=1.0.0', json({}))).json()).toEqual({
      items: null,
      name: null,
      on: true,
      n: null,
      extra: null,
    });
  });

  test('must have their type at any depth', async () => {
    const body = { items: [{ price: 1 }, { price: 2, x: 1 }, { price: '3' }, {}, null], name: '😀😀😀', n: '5' };
    expect(errorsOf(await bench.call('POST', 'order', json(body)))).toEqual([
      400,
      [
        { field: 'items[1].x', message: 'is not declared' },
        { field: 'items[2].price', message: 'must be a number' },
        { field: 'items[3].price', message: 'is required' },
        { field: 'items[4]', message: 'must not be null' },
        { field: 'name', message: 'must have at most 2 characters' },
        { field: 'n', message: 'must be a whole number' },
      ],
    ]);
    expect(errorsOf(await bench.call('POST', 'order', json({ n: 1.5 })))).toEqual([
      400,
      [{ field: 'n', message: 'must be a whole number' }],
    ]);
    expect(errorsOf(await bench.call('POST', 'order', json({ name: null })))).toEqual([
      400,
      [{ field: 'name', message: 'must not be null' }],
    ]);
    expect((await bench.call('POST', 'order', json({ n: 5 }))).json()).toMatchObject({ n: 5 });
    // The query supplies the inputs that the body lacks, as strings.
    expect((await bench.call('POST', 'order?n=6', json({}))).json()).toMatchObject({ n: 6 });
  });
});

describe('forms', () => {
  test('have their strings converted, and files of a multipart form are checked', async () => {
    await bench.deploy({ uri: 'form', method: 'post', input_type: 'form', input: { n: { type: 'integer' } }, logic: ECHO });
    const form = { body: 'n=12', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await bench.call('POST', 'form', form)).json()).toEqual({ n: 12 });

    const input = { n: { type: 'integer' }, doc: { type: 'file', required: true, max_bytes: 3 } };
    await bench.deploy({
      uri: 'upload',
      method: 'post',
      input_type: 'multipart',
      input,
      logic: [{ expr: 'a', code: '[input.n, input.doc.size]' }],
    });
    const upload = (data: string) => ({
      body: `--x\r\nContent-Disposition: form-data; name="n"\r\n\r\n4\r\n--x\r\nContent-Disposition: form-data; name="doc"; filename="a"\r\n\r\n${data}\r\n--x--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect((await bench.call('POST', 'upload', upload('abc'))).json()).toEqual([4, 3]);
    expect(errorsOf(await bench.call('POST', 'upload', upload('abcd')))).toEqual([
      400,
      [{ field: 'doc', message: 'must have at most 3 bytes' }],
    ]);
  });
});

test('without a declaration, the version of a query is input of a GET, but not of a request with a body', async () => {
  await bench.deploy({ uri: 'free', logic: ECHO });
  await bench.deploy({ uri: 'free', method: 'post', logic: ECHO });
  expect((await bench.get('free?version=1.0.0&a=1')).json()).toEqual({ version: '1.0.0', a: '1' });
  expect((await bench.call('POST', 'free?version=1.0.0&a=1', json({ b: 2 }))).json()).toEqual({ a: '1', b: 2 });
});

test('inputs are converted before cache keys are made: 5 and 05 are one request', async () => {
  await bench.deploy({
    uri: 'kept',
    input: { n: { type: 'integer' } },
    logic: [{ sql: 'SELECT ?:n::int AS n' }],
    config: { cache_result: true },
  });
  expect((await bench.get('kept?n=5')).headers['x-cache']).toBe('MISS');
  expect((await bench.get('kept?n=05')).headers['x-cache']).toBe('HIT');
  expect((await bench.get('kept?n=x')).status).toBe(400);
});

describe('a bad declaration is 400 with its place', () => {
  const text = (input: object, more: Partial<Sketch> = {}): string =>
    stringify(bench.document({ uri: 'bad', input, logic: ECHO, ...more }));
  test.each<[string, object]>([
    ['an unknown type', { a: { type: 'text' } }],
    ['no type', { a: { required: true } }],
    ['an unknown field', { a: { type: 'string', maximum: 4 } }],
    ['a pattern that is none', { a: { type: 'string', pattern: '(' } }],
    ['a pattern that RE2 does not have', { a: { type: 'string', pattern: '(?=a)b' } }],
    ['a default of another type', { a: { type: 'integer', default: 'x' } }],
    ['a default outside of its bounds', { a: { type: 'integer', default: 5, maximum: 4 } }],
    ['bounds that cross', { a: { type: 'string', min_length: 5, max_length: 4 } }],
    ['an enum that is none', { a: { type: 'string', enum: [] } }],
    ['a file without multipart', { a: { type: 'file' } }],
    ['no mapping', { a: 'string' }],
    ['nine levels', { a: Array.from({ length: 9 }).reduce<object>((inner) => ({ type: 'array', items: inner }), { type: 'integer' }) }],
  ])('%s', async (_, input) => {
    const response = await bench.deployText(text(input));
    expect([response.status, response.text]).toEqual([400, expect.stringMatching(/line \d+, column \d+: input\.a/)]);
  });

  test('eight levels are allowed', async () => {
    const nested = Array.from({ length: 8 }).reduce<object>((inner) => ({ type: 'object', fields: { a: inner } }), { type: 'integer' });
    await bench.deploy({ uri: 'levels', method: 'post', logic: ECHO, input: { a: nested } });
  });

  test('an empty input_type, and a reference to an unknown engine', async () => {
    expect((await bench.deployText(text({}, { input_type: '' }))).status).toBe(400);
    expect((await bench.deployText(text({}, { database: { ref: 'xx/shop' } }))).status).toBe(400);
  });
});

test('deploy and update warn of undeclared names and unused results', async () => {
  const sketch: Sketch = {
    uri: 'warned',
    about: { summary: 'Warned', tags: ['a'], deprecated: false },
    input: { a: { type: 'string', description: 'the first', example: 'x' } },
    logic: [
      { sql: 'SELECT ?:a::text AS a, ?:input.b::text AS b' },
      { lark: 'l', code: 'result = [input.c, input["d"], input.get("e"), input.a]' },
      { expr: 'x', code: '[input.f, input.a]' },
    ],
  };
  const deployed = await bench.deployText(stringify(bench.document(sketch)));
  const { warnings } = deployed.json<{ warnings: string[] }>();
  expect(deployed.status).toBe(201);
  expect(warnings.map((warning) => /input\.\w|result of step 0/.exec(warning)?.[0])).toEqual([
    'input.b',
    'input.c',
    'input.d',
    'input.e',
    'input.f',
    'result of step 0',
  ]);
  const updated = await bench.send('PUT', '', stringify(bench.document({ ...sketch, logic: ECHO })));
  expect(updated.json()).toMatchObject({ definition_id: expect.any(String), warnings: [] });
});

const TABLES: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE orders (id int PRIMARY KEY, name varchar(20), placed_at timestamp)',
  mysql: 'CREATE TABLE orders (id int PRIMARY KEY, name varchar(20), placed_at datetime)',
  mariadb: 'CREATE TABLE orders (id int PRIMARY KEY, name varchar(20), placed_at datetime)',
  clickhouse: 'CREATE TABLE orders (id Int32, name String, placed_at DateTime) ENGINE = MergeTree ORDER BY id',
};

describe.each(ENGINE_NAMES)('absent inputs are NULL in either order on %s', (engine) => {
  let own: Bench;
  beforeAll(async () => {
    const database = await createDatabase(engine);
    await database.run(TABLES[engine]);
    await database.run("INSERT INTO orders VALUES (1, 'a', '2024-01-01 10:00:00'), (2, 'b', '2024-02-01 10:00:00')");
    own = new Bench(service, await setUpProject(service, [database.entry()]), database);
    const input = {
      since: { type: 'date' },
      id: { type: 'integer' },
      name: { type: 'string' },
      ids: { type: 'array', items: { type: 'integer' } },
    };
    const first = [
      'since IS NULL OR placed_at >= ?:since',
      'id IS NULL OR id = ?:id',
      'name IS NULL OR name = ?:name',
      'ids IS NULL OR id IN (?:ids)',
    ];
    const last = [
      'placed_at >= ?:since OR ?:since IS NULL',
      'id = ?:id OR ?:id IS NULL',
      'name = ?:name OR ?:name IS NULL',
      'id IN (?:ids) OR ?:ids IS NULL',
    ];
    const select = (tests: readonly string[]): string => `SELECT id FROM orders WHERE (${tests.join(') AND (')}) ORDER BY id`;
    await own.deploy({ uri: 'first', input, logic: [{ sql: select(first.map((test) => `?:${test}`)) }] });
    await own.deploy({ uri: 'last', input, logic: [{ sql: select(last) }] });
  });
  afterAll(async () => {
    await own?.database.drop();
  });

  test.each(['first', 'last'])('the test is %s', async (uri) => {
    const ids = async (query: string): Promise<number[]> => (await own.rows<{ id: number }[]>('GET', `${uri}${query}`)).map(({ id }) => id);
    expect(await ids('')).toEqual([1, 2]);
    expect(await ids('?since=2024-01-15')).toEqual([2]);
    expect(await ids('?id=1')).toEqual([1]);
    expect(await ids('?name=b')).toEqual([2]);
    expect(await ids('?ids=1&ids=7')).toEqual([1]);
    expect(await ids('?since=2024-01-15&id=1')).toEqual([]);
  });
});
