// Findings before a definition is live: prepared SQL, references to other records, and trials.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, DEFINITIONS, type Sketch } from '../custom/definitions.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

interface Problem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly step?: string;
}

interface Answer {
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly status?: number;
  readonly result?: unknown;
  readonly headers?: unknown;
  readonly error?: unknown;
  readonly after?: unknown;
}

let service: Service;
let postgres: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  postgres = await createDatabase('postgres');
  await postgres.run('CREATE TABLE products (id int PRIMARY KEY, name text, stock int)');
  await postgres.run("INSERT INTO products VALUES (1, 'lamp', 3)");
  service = await sharedService();
  bench = new Bench(service, await setUpProject(service, [postgres.entry()]), postgres);
});
afterAll(async () => {
  await service?.stop();
  await postgres?.drop();
});

const SHOWN = [{ expr: 'a', code: '1' }];
const textOf = (sketch: Sketch, own = bench): string => stringify(own.document(sketch), { lineWidth: 0 });
const deploy = (sketch: Sketch, query = '', own = bench): Promise<Response> => own.send('POST', query, textOf(sketch, own));
async function check(text: string, query = ''): Promise<Answer> {
  const response = await bench.send('POST', `/check${query}`, text);
  if (response.status !== 200) throw new Error(`check answered ${response.status}: ${response.text}`);
  return response.json<Answer>();
}
/** The place of a word in a text, both numbers from 1. */
function placeOf(text: string, word: string): { line: number; column: number } {
  const before = text.slice(0, text.indexOf(word)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const TABLES: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE t (id int, name text)',
  mysql: 'CREATE TABLE t (id int, name text)',
  mariadb: 'CREATE TABLE t (id int, name text)',
  clickhouse: 'CREATE TABLE t (id Int32, name String) ENGINE = MergeTree ORDER BY id',
};

describe.each(ENGINE_NAMES)('the SQL of steps is prepared on %s', (engine) => {
  let own: Bench;
  beforeAll(async () => {
    const database = await createDatabase(engine);
    await database.run(TABLES[engine]);
    own = new Bench(service, await setUpProject(service, [database.entry()]), database);
  });
  afterAll(async () => {
    await own?.database.drop();
  });

  test('deploys valid SQL without warnings', async () => {
    const logic = [
      { sql: "SELECT id, count(*) AS n FROM t WHERE id = ?:id AND name LIKE '%?:q%' GROUP BY id LIMIT ?:n" },
      { sql: 'INSERT INTO t (id, name) VALUES (?:id, ?:q)' },
      { sql: 'SELECT name FROM t WHERE id IN (?:ids) AND (?:q IS NULL OR name = ?:q)' },
    ];
    const response = await deploy({ uri: 'right', method: 'post', logic }, '', own);
    expect([response.status, response.json<Answer>().warnings]).toEqual([201, []]);
  });

  test.each<[string, string, string]>([
    ['an unknown table', 'SELECT id\nFROM nowhere', 'nowhere'],
    ['an unknown column', 'SELECT id FROM t\nWHERE ?:a = id AND nope = ?:b', 'nope'],
    ['a syntax error', 'SELECT id FROM t\nWHERE id = ?:a FORM x', 'FORM'],
    ['a first word that is none', 'SELEC id FROM t', 'SELEC'],
    ['a statement of another kind that is wrong', 'DROP TABEL t', 'TABEL'],
    ['an unknown function', 'SELECT nofunction(id) FROM t', 'nofunction'],
  ])('%s is 422 with its step, line and column', async (_, sql, word) => {
    const sketch: Sketch = { uri: 'wrong', logic: [{ expr: 'first', code: '1' }, { sql }] };
    const text = textOf(sketch, own);
    const response = await own.send('POST', '', text);
    expect([response.status, response.text]).toEqual([422, expect.stringContaining('step 1 (sql)')]);
    const { line } = placeOf(text, word);
    expect(response.text).toContain(`line ${line}, column `);
    // Tables that are created later.
    expect((await own.send('POST', '?prepare=false', text)).status).toBe(201);
    expect((await own.send('DELETE', '?uri=wrong&method=get&version=1.0.0', undefined)).status).toBe(200);
  });
});

describe('a write of a step on ClickHouse', () => {
  let own: Bench;
  beforeAll(async () => {
    const database = await createDatabase('clickhouse');
    await database.run('CREATE TABLE t (id Int32, `a b` String, n Nested (x Int32), e Int32 EPHEMERAL) ENGINE = MergeTree ORDER BY id');
    own = new Bench(service, await setUpProject(service, [database.entry()]), database);
  });
  afterAll(async () => {
    await own?.database.drop();
  });

  test.each([
    'INSERT INTO t VALUES (?:id)',
    'INSERT INTO TABLE t (id, `a b`, n.x, e) VALUES (?:id, ?:q, [1], 2)',
    'INSERT INTO t (* EXCEPT(id)) VALUES (?:id)',
    'INSERT INTO t (id) SELECT id + ?:n FROM t WHERE id = ?:id',
    'INSERT INTO t (id) WITH 1 AS one SELECT one',
    'ALTER TABLE t UPDATE `a b` = ?:q, `n.x` = [?:n] WHERE id = ?:id AND `a b` IN (SELECT `a b` FROM t)',
    'ALTER TABLE t UPDATE `a b` = ?:q IN PARTITION tuple() WHERE id = ?:id',
    'ALTER TABLE t DELETE WHERE id IN (?:ids)',
    'DELETE FROM t WHERE id = ?:id AND lower(`a b`) = ?:q',
  ])('deploys without warnings: %s', async (sql) => {
    const response = await deploy({ uri: `insert-${sql.length}`, method: 'post', logic: [{ sql }] }, '', own);
    expect([response.status, response.json<Answer>().warnings]).toEqual([201, []]);
  });

  test.each([
    ['INSERT INTO t (id, nosuch) VALUES (?:id, ?:q)', 'nosuch'],
    ['INSERT INTO t (id, "no such") VALUES (?:id, ?:q)', '"no such"'],
    ['INSERT INTO t (id) SELECT nosuch FROM t WHERE id = ?:id', 'nosuch'],
    ['ALTER TABLE t UPDATE nosuch = ?:q WHERE id = ?:id', 'nosuch'],
    ['ALTER TABLE t DELETE WHERE nosuch = ?:q', 'nosuch'],
    ['DELETE FROM t WHERE nosuch = ?:q', 'nosuch'],
    ['DELETE FROM nosuch WHERE id = ?:id', 'nosuch'],
  ])('is 422 with its line and column: %s', async (sql, word) => {
    const text = textOf({ uri: 'wrong', method: 'post', logic: [{ sql }] }, own);
    const response = await own.send('POST', '', text);
    expect([response.status, response.text]).toEqual([422, expect.stringMatching(/no ?such/)]);
    expect(response.text).toContain(`line ${placeOf(text, word).line}, column `);
  });
});

/** A user who may log in and nothing more. */
const WEAK: Readonly<Partial<Record<EngineName, (user: string, database: string) => readonly string[]>>> = {
  postgres: (user) => [`CREATE ROLE ${user} LOGIN PASSWORD 'weak'`],
  mysql: weakOnMysql,
  mariadb: weakOnMysql,
};

function weakOnMysql(user: string, database: string): readonly string[] {
  return [`CREATE USER '${user}'@'%' IDENTIFIED BY 'weak'`, `GRANT SELECT ON ${database}.seen TO '${user}'@'%'`];
}

test.each(['postgres', 'mysql', 'mariadb'] as const)('a missing privilege on %s is a warning', async (engine) => {
  const database = await createDatabase(engine);
  const user = `weak_${database.name}`.slice(0, 30);
  try {
    await database.run('CREATE TABLE seen (id int)');
    await database.run(TABLES[engine]);
    for (const statement of WEAK[engine]?.(user, database.name) ?? []) await database.run(statement);
    const entry = database.entry({ username: user, password: 'weak' });
    const own = new Bench(service, await setUpProject(service, [entry]), database);
    const logic = [{ sql: 'SELECT name FROM t WHERE id = ?:id' }, { sql: 'INSERT INTO t (id, name) VALUES (?:id, ?:name)' }];
    const response = await deploy({ uri: 'weak', method: 'post', logic }, '', own);
    const warnings = [0, 1].map((step) => expect.stringMatching(`step ${step} .*privilege`));
    expect([response.status, response.json<Answer>().warnings]).toEqual([201, expect.arrayContaining(warnings)]);
    const call = await own.call('POST', 'weak', { body: { id: 1, name: 'x' } });
    expect(call.status).toBe(403);
  } finally {
    await database.run(engine === 'postgres' ? `DROP ROLE ${user}` : `DROP USER '${user}'@'%'`);
    await database.drop();
  }
});

describe('check', () => {
  test('reports every problem with its place', async () => {
    const text = textOf({
      uri: 'many',
      logic: [
        { sql: 'SELECT id,\n  ?:x::int AS x,\n  nam\nFROM products' },
        { sql: 'SELECT 1 FROM products WHERE id = ?:id AND nope' },
        ...SHOWN,
      ],
    });
    const { valid, problems } = await check(text);
    expect(valid).toBe(false);
    expect(problems).toEqual([
      { message: expect.stringContaining('"nam"'), ...placeOf(text, 'nam\n'), step: 'step_0' },
      { message: expect.stringContaining('"nope"'), ...placeOf(text, 'nope'), step: 'step_1' },
    ]);
    expect(await check(text, '?prepare=false')).toMatchObject({ valid: true, problems: [] });
  });

  test.each<[string, () => string, RegExp]>([
    ['broken YAML', () => 'a: [', /\w/],
    [
      'a foreign identifier',
      () => textOf({ uri: 'x', logic: SHOWN }).replace(/org_id: .*/, 'org_id: 01J00000000000000000000000'),
      /org_id/,
    ],
    ['a missing module', () => textOf({ uri: 'x', logic: [{ lark: 'l', code: 'load("nowhere", "f")\nresult = f()' }] }), /nowhere/],
    ['code that does not compile', () => textOf({ uri: 'x', logic: [{ lark: 'l', code: 'result = (' }] }), /step 0/],
    ['no permission', () => textOf({ uri: 'x', permission: [], logic: SHOWN }), /permission/],
    [
      'a rollback version that is not there',
      () => textOf({ uri: 'x', logic: SHOWN, config: { rollback_version: '9' } }),
      /rollback_version/,
    ],
  ])('%s is a problem of a 200', async (_, text, words) => {
    const { valid, problems } = await check(text());
    expect([valid, problems.map(({ message }) => message).join()]).toEqual([false, expect.stringMatching(words)]);
    for (const { line, column } of problems) expect([line >= 1, column >= 1]).toEqual([true, true]);
  });

  test('reports the findings of the database even if other steps do not compile', async () => {
    const logic = [
      { sql: 'SELECT nope FROM products' },
      { lark: 'l', code: 'x = (' },
      { lark: 'm', code: 'load("none", "f")\nresult = f()' },
      { sql: 'SELEC 1' },
    ];
    const { problems } = await check(textOf({ uri: 'all', logic }));
    expect(problems.map(({ step }) => step)).toEqual(['step_0', 'step_1', 'step_2', 'step_3']);
    const missing = await check(textOf({ uri: 'all', logic: logic.filter((_, index) => index !== 1) }));
    expect(missing.problems.map(({ step }) => step)).toEqual(['step_0', 'step_1', 'step_2']);
  });

  test.each<[string, () => string, string, RegExp]>([
    [
      'an expression without quotes',
      () => textOf({ uri: 'x', logic: SHOWN }).replace('code: "1"', 'code: {a: [1, "b": 2}, c}'),
      '[1, "b"',
      /./,
    ],
    [
      'a placeholder that the input does not declare',
      () => textOf({ uri: 'x', input: { limit: { type: 'integer' } }, logic: [{ sql: 'SELECT name FROM products LIMIT ?:limt' }] }),
      '?:limt',
      /limt is not an input; input declares limit/,
    ],
    [
      'a placeholder in place of a column to sort by',
      () => textOf({ uri: 'x', logic: [{ sql: 'SELECT name FROM products ORDER BY name, ?:col DESC' }] }),
      '?:col',
      /the same for every row; to choose a column, write CASE/,
    ],
    [
      'a lark step without a result',
      () => textOf({ uri: 'x', logic: [{ lark: 'l', code: 'rows = [1]' }] }),
      'rows = [1]',
      /never assigns result/,
    ],
    [
      'a status that is true',
      () => textOf({ uri: 'x', logic: SHOWN, response: { status: true } }),
      'true',
      /response.status must be a number/,
    ],
    [
      'a column behind a comment with a placeholder',
      () => textOf({ uri: 'x', logic: [{ sql: 'SELECT /* ?:x */ name, nope FROM products WHERE name = ?:n' }] }),
      'nope',
      /nope/,
    ],
    [
      'a column behind a literal with a placeholder',
      () => textOf({ uri: 'x', logic: [{ sql: "SELECT 'a ?:x b' AS t, nope FROM products" }] }),
      'nope',
      /nope/,
    ],
  ])('reports %s as one problem at its place', async (_, text, word, words) => {
    const { problems } = await check(text());
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringMatching(words), ...placeOf(text(), word) })]);
  });

  test('lists a bad default beside other problems of its declaration', async () => {
    const input = { n: { type: 'integer', default: 'x', unknown: 1 }, m: { type: 'integer', minimum: 5, maximum: 1, default: 7 } };
    const { problems } = await check(textOf({ uri: 'x', input, logic: SHOWN } as Sketch));
    expect(problems.map(({ message }) => /input\.\w\.\w+/.exec(message)?.[0]).sort()).toEqual([
      'input.m.minimum',
      'input.n.default',
      'input.n.unknown',
    ]);
  });

  test('accepts a version that is deployed already as an update, unless another one falls back to it', async () => {
    await bench.deploy({ uri: 'updated', logic: SHOWN });
    const text = textOf({ uri: 'updated', logic: SHOWN });
    const asUpdate = async (): Promise<object> => (await bench.send('POST', '/check?update=true', text)).json<object>();
    expect(await asUpdate()).toMatchObject({ valid: true, problems: [], warnings: [expect.stringContaining('an update replaces it')] });
    await bench.deploy({ uri: 'updated', version: '2.0.0', logic: SHOWN, config: { rollback_version: '1.0.0' } });
    expect(await asUpdate()).toMatchObject({ valid: false, problems: [{ message: expect.stringContaining('rollback_version') }] });
  });

  test('reports a version that is deployed already', async () => {
    await bench.deploy({ uri: 'there', logic: SHOWN });
    const text = textOf({ uri: 'there', logic: SHOWN });
    expect(await check(text)).toMatchObject({
      valid: false,
      problems: [{ message: expect.stringContaining('1.0.0'), ...placeOf(text, '1.0.0') }],
    });
    expect(await check(textOf({ uri: 'there', version: '2', logic: SHOWN, config: { rollback_version: '1.0.0' } }))).toMatchObject({
      valid: true,
      problems: [],
      warnings: [],
    });
  });

  test('warns of tables that an earlier step creates, and of unreachable databases', async () => {
    const later = [{ sql: 'CREATE TABLE later (id int)' }, { sql: 'SELECT id FROM later' }];
    expect(await check(textOf({ uri: 'later', logic: later }))).toMatchObject({
      valid: true,
      warnings: [expect.stringContaining('later')],
    });
    const gone = { type: 'postgres', source_ip: '127.0.0.1', port: '1', username: 'x', name: 'x' };
    expect(await check(textOf({ uri: 'gone', logic: [{ sql: 'SELECT 1' }], database: gone }))).toMatchObject({
      valid: true,
      warnings: [expect.stringContaining('cannot be reached')],
    });
  });
});

describe('a trial', () => {
  const trial = async (sketch: Sketch, body: object): Promise<Answer> => {
    const headers = { ...bench.project.headers, 'content-type': 'application/json' };
    const response = await service.request('POST', `${DEFINITIONS}/check`, {
      headers,
      body: JSON.stringify({ definition: textOf(sketch), ...body }),
    });
    if (response.status !== 200) throw new Error(`check answered ${response.status}: ${response.text}`);
    return response.json<Answer>();
  };
  const ORDER: Sketch = {
    uri: 'take/{id}',
    method: 'post',
    permission: ['clerk'],
    input: { id: { type: 'integer' }, quantity: { type: 'integer', required: true } },
    logic: [
      { sql: 'UPDATE products SET stock = stock - ?:quantity WHERE id = ?:id RETURNING stock' },
      { expr: 'left', code: 'len(step_0) == 0 ? refuse(404, "no such product") : {"left": step_0[0].stock}' },
    ],
    response: { status: 201, headers: { 'X-Left': 'left.left' } },
  };

  test('treats input, path and query as a call does', async () => {
    expect(await trial(ORDER, { input: { id: 1, quantity: 1 }, roles: ['clerk'] })).toMatchObject({
      valid: true,
      status: 201,
      headers: { 'X-Left': '2' },
      result: { left: 2 },
    });
    expect(await trial(ORDER, { query: 'id=1', input: { quantity: '1' }, roles: ['clerk'] })).toMatchObject({
      status: 400,
      error: { errors: [{ field: 'quantity' }] },
    });
    expect(await trial(ORDER, { input: { id: 9, quantity: 1 }, roles: ['clerk'] })).toMatchObject({
      status: 404,
      error: { message: 'no such product', place: expect.stringContaining('step 1') },
    });
    expect(await trial(ORDER, { input: { id: 1, quantity: 1 }, roles: ['guest'] })).toMatchObject({ status: 403 });
    expect(await postgres.run('SELECT stock FROM products')).toEqual([{ stock: 3 }]);
  });

  test('runs SQL before and after the call in the same transaction, and rolls it back', async () => {
    const before = ["INSERT INTO products VALUES (2, 'desk', 10)"];
    const answer = await trial(ORDER, {
      input: { id: 2, quantity: 4 },
      roles: ['clerk'],
      before,
      after: ['SELECT stock FROM products WHERE id = 2'],
    });
    expect(answer).toMatchObject({ result: { left: 6 }, after: [[{ stock: 6 }]] });
    expect(await postgres.run('SELECT id FROM products')).toEqual([{ id: 1 }]);
  });

  test('reads the input of a GET from the query', async () => {
    const sketch: Sketch = { uri: 'get', input: { n: { type: 'integer' } }, logic: [{ expr: 'a', code: 'input.n' }] };
    expect(await check(textOf(sketch), '?execute=true&query=n%3D5')).toMatchObject({ result: 5 });
    expect(await check(textOf(sketch), `?execute=true&input=${encodeURIComponent('{"n": 7}')}`)).toMatchObject({ result: 7 });
  });
});

test('get and list report the tables and modules that a definition uses', async () => {
  const lark = { headers: { ...bench.project.headers, 'content-type': 'application/x-yaml' } };
  const { orgId, projectId, userId } = bench.project;
  const module = stringify({
    org_id: orgId,
    project_id: projectId,
    space_id: bench.project.headers['x-space-id'],
    user_id: userId,
    module: 'money',
    code: 'def f():\n    return 1\n',
  });
  expect((await service.request('POST', '/svc/code/v1/lark/', { ...lark, body: module })).status).toBe(201);
  const sql =
    'WITH w AS (SELECT id FROM products) SELECT * FROM w, public.third AS x JOIN "Other" o ON o.id = extract(year FROM w.id) WHERE name = \'FROM nothing\'';
  const id = await bench.deploy({ uri: 'uses', logic: [{ sql }, { lark: 'l', code: 'load("money", "f")\nresult = f()' }] });
  const uses = { tables: ['Other', 'products', 'public.third'].sort(), modules: ['money'] };
  expect((await bench.send('GET', `?definition_id=${id}`, undefined)).json()).toMatchObject({ uses });
  const list = (await bench.send('GET', '/list', undefined)).json<{ uri: string }[]>();
  expect(list.find(({ uri }) => uri === 'uses')).toMatchObject({ uses });
  // A changed module reports the definitions that load it.
  const changed = await service.request('POST', '/svc/code/v1/lark/', { ...lark, body: module });
  expect([changed.status, changed.json()]).toMatchObject([201, { loaded_by: [{ uri: 'uses', method: 'get', version: '1.0.0' }] }]);
});
