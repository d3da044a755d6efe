// `millrace test` on a service with real databases: passing and failing cases leave nothing behind.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../../src/cli/commands/index.ts';
import { Databases } from '../support/databases.ts';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'));

let service: Service;
let project: TestProject;
const databases = new Databases();

const TABLE: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE products (id int PRIMARY KEY, name varchar(20), price numeric(10,2), stock int CHECK (stock >= 0))',
  mysql: 'CREATE TABLE products (id int PRIMARY KEY, name varchar(20), price numeric(10,2), stock int CHECK (stock >= 0))',
  mariadb: 'CREATE TABLE products (id int PRIMARY KEY, name varchar(20), price numeric(10,2), stock int CHECK (stock >= 0))',
  clickhouse: 'CREATE TABLE products (id Int32, name String, price Decimal(10,2), stock Int32) ENGINE = MergeTree ORDER BY id',
};

beforeAll(async () => {
  await databases.create(ENGINE_NAMES, async (database) => {
    await database.run(TABLE[database.engine]);
  });
  service = await sharedService();
  project = await setUpProject(service, databases.entries());
  setEnvironment();
});
afterAll(async () => {
  await service?.stop();
  await databases.drop();
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true, force: true });
});

/** Files of one test. */
let here: string;
beforeEach(() => {
  here = mkdtempSync(join(folder, 'case-'));
});

function write(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(here, name), typeof content === 'string' ? content : stringify(content, { lineWidth: 0 }));
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without a space, so dev is used. */
function setEnvironment(): void {
  Object.assign(process.env, {
    MILLRACE_URL: service.url,
    MILLRACE_SERVER_KEY: service.serverKey,
    MILLRACE_ORG_ID: project.orgId,
    MILLRACE_PROJECT_ID: project.projectId,
    MILLRACE_USER_ID: project.userId,
    MILLRACE_CONTEXT_FILE: join(folder, 'none.json'),
  });
}

/** Runs the command in this process, which is faster. */
async function run(...args: string[]): Promise<Ran> {
  const told = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      told[name] += String(text);
      return true;
    }),
  );
  process.chdir(here);
  try {
    return { code: (await runCommand(['test', ...args])) ?? 0, ...told };
  } finally {
    process.chdir(folder);
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs the command as a separate process. */
async function runProgram(...args: string[]): Promise<Ran> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [MAIN, 'test', ...args], { cwd: here })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** Takes items of a product; fails by its own check or by a constraint. */
function taking(engine: EngineName): object {
  const { dbType, name } = databases.on(engine);
  return {
    permission: ['clerk', 'admin'],
    http: { uri: 'products/{id}/take', method: 'post', version: '1.0', input_type: 'json' },
    input: { id: { type: 'integer' }, pieces: { type: 'integer', default: 1 } },
    logic: [
      { sql: 'UPDATE products SET stock = stock - ?:pieces WHERE id = ?:id' },
      { sql: 'SELECT name, price, stock FROM products WHERE id = ?:id' },
      {
        lark: 'taken',
        code: 'if not step_1:\n    refuse(404, "no such product")\nif step_1[0]["stock"] == 0:\n    refuse(409, "the last one stays")\nresult = step_1[0]',
      },
    ],
    response: { status: 201, headers: { 'X-Left': 'taken.stock' } },
    database: { ref: `${dbType}/${name}` },
  };
}

const LAMP = "INSERT INTO products (id, name, price, stock) VALUES (1, 'lamp', 8.50, 5)";
const STOCK = 'SELECT stock FROM products WHERE id = 1';

describe.each(ENGINE_NAMES.filter((engine) => engine !== 'clickhouse'))('on %s', (engine) => {
  test('cases pass on the rows of their own transaction', async () => {
    const cases = [
      {
        name: 'takes two',
        before: [LAMP],
        roles: ['clerk'],
        input: { id: 1, pieces: 2 },
        expect: {
          status: 201,
          headers: { 'x-left': 3, 'X-Served-Version': '1.0', 'X-Nothing': null },
          exactly: { name: 'lamp', price: 8.5, stock: 3 },
          matches: { name: '^l', price: String.raw`^8\.50?$` },
        },
        after: { [STOCK]: [{ stock: 3 }], 'SELECT id FROM products': [{ id: 1 }] },
      },
      { name: 'a part is enough', before: [LAMP], input: { id: 1 }, expect: { body: { stock: 4 } } },
      {
        name: 'what is refused is taken back, what came before is not',
        before: [LAMP],
        input: { id: 1, pieces: 5 },
        expect: { status: 409, exactly: { code: 409, status: 'Conflict', message: 'the last one stays' } },
        after: { [STOCK]: [{ stock: 5 }] },
      },
      {
        name: 'so is what the database refuses',
        before: [LAMP],
        input: { id: 1, pieces: 6 },
        expect: { status: 422 },
        after: { [STOCK]: [{ stock: 5 }] },
      },
      { name: 'nobody there', query: 'id=9', expect: { status: 404, body: { message: 'no such product' } }, after: { [STOCK]: [] } },
      { name: 'no number', input: { id: 'one' }, expect: { status: 400, body: { errors: [{ field: 'id' }] } } },
      { name: 'a guest', roles: ['guest'], input: { id: 1 }, expect: { status: 403 } },
    ];
    write({ 'take.yaml': taking(engine), 'take.test.yaml': { definition: 'take.yaml', cases } });
    const ran = await run();
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^7 passed, 0 failed/m) });
    expect(ran.stdout).not.toContain('no case reached');
    expect(await databases.on(engine).run('SELECT id FROM products')).toEqual([]);
  });
});

test('a schema change of a case is rolled back, or rejected where the engine cannot roll it back', async () => {
  const made = (engine: EngineName) => ({
    permission: ['admin'],
    http: { uri: 'made', method: 'get', version: '1' },
    logic: [{ sql: 'SELECT id FROM made' }],
    database: { ref: `${databases.on(engine).dbType}/${databases.on(engine).name}` },
  });
  const cases = [
    { name: 'made for it', before: ['CREATE TABLE made (id int)', 'INSERT INTO made VALUES (3)'], expect: { body: [{ id: 3 }] } },
  ];
  write({ 'pg.yaml': made('postgres'), 'pg.test.yaml': { cases }, 'ms.yaml': made('mysql'), 'ms.test.yaml': { cases } });
  expect(await run('pg.yaml')).toMatchObject({ code: 0 });
  expect(await run('ms.yaml')).toMatchObject({ code: 1, stdout: expect.stringContaining('ends the transaction is not possible on MySQL') });
  expect(await databases.on('mysql').run("SHOW TABLES LIKE 'made'")).toEqual([]);
});

test('on ClickHouse every case is rejected unless it is allowed to keep its effects', async () => {
  const { dbType, name } = databases.on('clickhouse');
  write({
    'add.yaml': {
      permission: ['admin'],
      http: { uri: 'add', method: 'post', version: '1', input_type: 'json' },
      logic: [{ sql: "INSERT INTO products VALUES (?:id, 'kept', 1, 1)" }, { sql: 'SELECT id, name FROM products WHERE id = ?:id' }],
      database: { ref: `${dbType}/${name}` },
    },
    'add.test.yaml': {
      cases: [
        { name: 'refused', input: { id: 7 }, expect: { status: 200 } },
        { name: 'kept', keep: true, input: { id: 8 }, expect: { body: [{ id: 8, name: 'kept' }] } },
      ],
    },
  });
  const ran = await run();
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/failed {2}refused.*\n.*keep: true.*not possible on ClickHouse/) });
  expect(ran.stdout).toMatch(/ok {6}kept/);
  expect(await databases.on('clickhouse').run('SELECT id FROM products')).toEqual([{ id: 8 }]);
});

describe('millrace test', () => {
  const cases = [
    { name: 'right', before: [LAMP], input: { id: 1 }, expect: { status: 201 } },
    {
      name: 'wrong <in> #many ways',
      before: [LAMP],
      input: { id: 1 },
      expect: {
        status: 200,
        headers: { 'X-Left': 9, 'X-Other': 'x' },
        body: { stock: '4', colour: 'red' },
        exactly: { name: 'lamp', stock: 4 },
        matches: { name: '^z', 'sizes[0]': '.' },
      },
      after: { [STOCK]: [{ stock: 5 }, { stock: 6 }] },
    },
  ];

  test('reports every difference as text, TAP and JUnit', async () => {
    write({ 'take.yaml': taking('postgres'), 'take.test.yaml': { cases } });
    const plain = await run();
    expect(plain.code).toBe(1);
    const lines = plain.stdout.split('\n').map((line) => line.trim().replace(/\(\d+ ms\)/, '(N ms)'));
    expect(lines).toEqual([
      'take.test.yaml',
      'ok      right (N ms)',
      'failed  wrong <in> #many ways (N ms)',
      'status: expected 200, got 201',
      'headers.X-Left: expected "9", got "4"',
      'headers.X-Other: expected "x", but it is not there',
      'body.stock: expected "4", got 4',
      'body.colour: expected "red", but it is not there',
      'body.price: nothing was expected, got 8.50',
      'body.name: expected what matches ^z, got "lamp"',
      'body.sizes[0]: expected what matches ., but it is not there',
      'the answer was 201 {"name":"lamp","price":8.50,"stock":4}',
      `after "${STOCK}": expected 2 items, got 1 item: [{"stock":4}]`,
      `after "${STOCK}"[0].stock: expected 5, got 4`,
      expect.stringMatching(/^1 passed, 1 failed/),
      '',
    ]);
    const tap = await runProgram('--tap', '--junit', 'report.xml', '.');
    expect(tap.code).toBe(1);
    expect(tap.stdout.split('\n').filter((line) => !line.startsWith(' '))).toEqual([
      'TAP version 13',
      'ok 1 - take.test.yaml: right',
      String.raw`not ok 2 - take.test.yaml: wrong <in> \#many ways`,
      '1..2',
      '# tests 2',
      '# pass 1',
      '# fail 1',
      '',
    ]);
    expect(tap.stdout).toContain('    - "status: expected 200, got 201"');
    const junit = readFileSync(join(here, 'report.xml'), 'utf8');
    expect(junit).toMatch(/^<\?xml.*\n<testsuites name="millrace" tests="2" failures="1" errors="0" time="[\d.]+">/);
    expect(junit).toMatch(/<testcase classname="take.test.yaml" name="right" time="[\d.]+"\/>/);
    expect(junit).toContain('name="wrong &lt;in&gt; #many ways"');
    expect(junit).toContain('<failure message="status: expected 200, got 201">');
  });

  test('lists a step that no case reached without failing', async () => {
    write({ 'take.yaml': taking('postgres'), 'take.test.yaml': { cases: [{ name: 'no', input: { id: 'x' }, expect: { status: 400 } }] } });
    const ran = await run('--junit', 'report.xml');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('no case reached step_0 (sql)\n  no case reached step_1 (sql)\n  no case reached step_2 (lark taken)\n');
    expect(readFileSync(join(here, 'report.xml'), 'utf8')).toContain('<system-out>no case reached step_0 (sql)');
    expect((await run('--tap')).stdout).toContain('# take.test.yaml: no case reached step_2 (lark taken)');
  });

  test('selects cases by names, files and folders', async () => {
    mkdirSync(join(here, 'inside'));
    write({
      'take.yaml': taking('postgres'),
      'take.test.yaml': { cases },
      'inside/other.test.yaml': { definition: '../take.yaml', cases },
    });
    expect(await run('--only', 'right')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 passed, 0 failed') });
    expect(await run('--only', 'right', 'inside')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed, 0 failed') });
    expect(await run('--only', 'right', 'take.yaml', 'take.test.yaml')).toMatchObject({
      stdout: expect.stringContaining('1 passed, 0 failed'),
    });
    expect(await run('--only', 'nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining('"nothing"') });
    expect(await run('nowhere')).toMatchObject({ code: 2, stderr: expect.stringContaining('"nowhere"') });
    expect(await run('--nope')).toMatchObject({ code: 2 });
    mkdirSync(join(here, 'empty'));
    expect(await run('empty')).toMatchObject({ code: 2, stderr: expect.stringContaining('*.test.yaml') });
    expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--junit FILE') });
  });

  test('reports the position in an invalid definition, invalid SQL of a test, or an invalid file', async () => {
    const wrong = { ...taking('postgres'), permission: [], response: { status: 'nope' } };
    const bad = [
      'definition: take.yaml',
      'cases:',
      '  - name: a',
      '    expects: {}',
      '    before: x',
      '  - expect: {status: 99, matches: {a: "("}}',
      '',
    ];
    const sql = [
      { name: 'no table', before: ['INSERT INTO nowhere VALUES (1)'] },
      { name: 'a commit', before: ['COMMIT'] },
    ];
    write({
      'take.yaml': taking('postgres'),
      'wrong.yaml': wrong,
      'wrong.test.yaml': { cases: [{ name: 'any' }] },
      'sql.test.yaml': { definition: 'take.yaml', cases: sql },
      'bad.test.yaml': bad.join('\n'),
      'far.yaml': { ...taking('postgres'), database: { type: 'postgres', source_ip: '127.0.0.1', port: '1', username: 'x', name: 'x' } },
      'far.test.yaml': { cases: [{ name: 'nobody there', input: { id: 1 }, after: { 'SELECT 1': [] } }] },
      'lost.test.yaml': { definition: 'gone.yaml', cases: [{ name: 'any' }] },
      'broken.test.yaml': 'cases: [',
    });
    const { code, stdout } = await run();
    expect(code).toBe(1);
    expect(stdout).toMatch(/the definition is not valid:\n +line \d+, column \d+: permission/);
    expect(stdout).toMatch(/failed {2}no table.*\n +Step before\[0\] of the test failed: .*nowhere/);
    expect(stdout).toMatch(/failed {2}a commit.*\n +.*COMMIT/);
    expect(stdout).toMatch(/failed {2}nobody there.*\n +Step of the trial failed: the database cannot be reached/);
    expect(stdout).toContain('bad.test.yaml:4:14: cases[0] has no field "expects"; use one of name, before');
    expect(stdout).toContain('bad.test.yaml:5:13: cases[0].before must be a list');
    expect(stdout).toContain('bad.test.yaml:6:5: cases[1] needs a name');
    expect(stdout).toContain('cases[1].expect.status must be a number from 200 to 599');
    expect(stdout).toMatch(/cases\[1\]\.expect\.matches\.a is no regular expression/);
    expect(stdout).toMatch(/gone\.yaml: it cannot be read \(ENOENT\)/);
    expect(stdout).toMatch(/broken\.test\.yaml:1:\d+: /);
  });
});
