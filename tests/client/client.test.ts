// The typed client: generated files compile with the last two TypeScript majors and reject
// mistakes, reads are retried, and the runtime stays small.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExact, writeExact } from '../../src/client/exact-json.ts';
import { createShop, type Shop } from '../spec/shop-tables.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { type LooseTable, looseClient } from './loose.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let service: Service;
let project: TestProject;
let folder: string;
let shop: Shop;

/** Tables with two foreign keys to one table, a self-reference, a unique one, and a junction. */
const RELATED = [
  `CREATE TABLE transfer (id int PRIMARY KEY, from_id int REFERENCES customer (id), to_id int NOT NULL REFERENCES customer (id),
    undoes int REFERENCES transfer (id))`,
  'CREATE TABLE receipt (id int PRIMARY KEY, transfer_id int UNIQUE REFERENCES transfer (id))',
  'CREATE TABLE "odd name" (id int PRIMARY KEY, "a b" int REFERENCES transfer (id), c int REFERENCES transfer (id))',
  'CREATE TABLE transfer_tag (transfer_id int REFERENCES transfer (id), tag_id int REFERENCES tag (id), PRIMARY KEY (transfer_id, tag_id))',
  'CREATE TABLE "a/b" (id text PRIMARY KEY, amount numeric, ratio float8, "$x" int)',
  'CREATE TABLE a (id text PRIMARY KEY, secret text)',
  `INSERT INTO "a/b" VALUES ('c', 'NaN', '-Infinity', 1)`,
  `INSERT INTO a VALUES ('b', 'of another table')`,
  'INSERT INTO transfer VALUES (1, 1, 2, NULL), (2, NULL, 1, 1)',
  'INSERT INTO receipt VALUES (10, 1)',
  'INSERT INTO "odd name" VALUES (20, 1, 2)',
];

beforeAll(async () => {
  service = await sharedService();
  shop = await createShop('postgres');
  for (const statement of RELATED) await shop.database.run(statement);
  project = await setUpProject(service, [shop.entry]);
  folder = mkdtempSync(join(tmpdir(), 'millrace-client-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'millrace'));
});

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
  await shop?.database.drop();
});

function generate(...more: readonly string[]): Promise<{ stdout: string }> {
  const ids = ['org-id', 'project-id', 'space-id', 'user-id'].flatMap((id) => [`--${id}`, project.headers[`x-${id}`] ?? '']);
  return run(process.execPath, [join(root, 'dist/main.js'), 'client', 'generate', '--url', service.url, ...ids, ...more], { cwd: folder });
}

/** Returns the compiler's errors for a file beside the generated one. */
async function compile(compiler: string, name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const args = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--moduleResolution',
    'nodenext',
    '--lib',
    'es2022,dom',
    name,
  ];
  return run(process.execPath, [join(root, 'node_modules', compiler), ...args], { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

describe('the generated file', () => {
  const pg = (): string => `pg/${shop.database.name}`;
  const program = (line: string): string =>
    `import { createClient, MillraceError, type Tables } from './api.js';
const api = createClient({ url: 'http://localhost' });
export const db = api.db('${pg()}');
export type Order = Tables['${pg()}/orders']['row'];
export const failure = (error: unknown): string | undefined => (error instanceof MillraceError ? error.requestId : undefined);
${line}
`;
  const GOOD = `
export async function use(): Promise<string> {
  const [order] = await db.orders.read({ where: { status: 'new', total: { gt: 100 }, $or: [{ id: { in: [1, 2] } }] }, expand: { customer: true }, order: { id: 'desc' }, page: 0, size: 20 });
  const name: string | undefined = order?.customer?.name;
  const one = await db.item.row([1, 2], { select: ['quantity'] });
  const quantity: number = one.quantity;
  const count: number = await db.customer.insert([{ id: 1, code: 'a', name: 'A' }]);
  const rows = await db.customer.update({ where: { id: 1 }, set: { name: 'B' }, return: 'rows' });
  for await (const row of db.orders.rows({ where: { status: { rli: 'n' } } })) void row.status.length;
  const sums = await db.orders.aggregate({ group: ['placed_at.month'], agg: { n: 'count', s: 'sum.total' } });
  return String([name, quantity, count, rows[0]?.name, sums[0]?.n]);
}
export async function related(): Promise<unknown> {
  const [transfer] = await db.transfer.read({
    select: ['id'],
    expand: { 'giver:customer!from_id': true, 'taker:customer!to_id': { select: ['id', 'name'] }, receipt: true, 'later:transfer!undoes.many': true },
    order: { id: 'asc' },
  });
  const giver: string | undefined = transfer?.giver?.name;
  const receipt: number | undefined = transfer?.receipt?.id;
  const later: (number | undefined)[] | undefined = transfer?.later.map(({ id }) => id);
  const customer = await db.customer.row(1, { expand: { 'transfer!from_id': true } });
  const given: number[] = customer.transfer.map(({ id }) => id);
  const one = await db.transfer.row(1, { expand: { '"odd name"!"a b"': true, 'tags:tag!transfer_tag': true } });
  const odd: number[] = one['odd name'].map(({ id }) => id);
  return [giver, transfer?.taker?.name, receipt, later, given, odd, one.tags.map(({ label }) => label)];
}`;
  const BAD: Readonly<Record<string, string>> = {
    'an unknown column': 'void db.orders.read({ where: { nothing: 1 } });',
    'a wrong operator for a number': "void db.orders.read({ where: { id: { li: 'x' } } });",
    'a text search in a moment': "void db.orders.read({ where: { placed_at: { il: 'x' } } });",
    'a wrong type': 'void db.orders.read({ where: { id: true } });',
    'a missing column': "void db.customer.insert([{ id: 1, code: 'a' }]);",
    'an unknown table': 'void db.nowhere.read();',
    'a key of another size': 'void db.item.row([1]);',
    'an update without a condition': "void db.customer.update({ set: { name: 'B' } });",
    'an unknown relation': 'void db.orders.read({ expand: { nothing: true } });',
    'an unknown relation under a name': "void db.orders.read({ expand: { 'who:nothing': true } });",
    'a relation that needs a hint': 'void db.transfer.read({ expand: { customer: true } });',
    'a hint that is none': "void db.transfer.read({ expand: { 'customer!undoes': true } });",
    'the table of a relation with a name of its own':
      "void db.transfer.row(1, { expand: { 'giver:customer!from_id': true } }).then((row) => row.customer);",
    'one row for a list': "void db.customer.row(1, { expand: { 'transfer!to_id': true } }).then((row) => row.transfer.id);",
    'a list for one row': 'void db.transfer.row(1, { expand: { receipt: true } }).then((row) => row.receipt?.map(String));',
  };

  test('is written, and reported as current or outdated', async () => {
    await generate('--out', 'api.ts');
    expect((await generate('--out', 'api.ts', '--check')).stdout).toContain('up to date');
    const text = readFileSync(join(folder, 'api.ts'), 'utf8');
    writeFileSync(join(folder, 'old.ts'), text.replace('status', 'state'));
    await expect(generate('--out', 'old.ts', '--check')).rejects.toMatchObject({ code: 1 });
  });

  test.each(['typescript/bin/tsc', 'typescript5/bin/tsc'])('compiles strictly with %s', async (compiler) => {
    expect(await compile(compiler, 'good.ts', program(GOOD))).toBe('');
  });

  test('causes a type error for each mistake', async () => {
    const start = program('').split('\n').length - 1;
    const said = await compile('typescript/bin/tsc', 'bad.ts', program(Object.values(BAD).join('\n')));
    const lines = new Set([...said.matchAll(/bad\.ts\((\d+),/g)].map(([, line]) => Number(line)));
    expect(Object.keys(BAD).filter((_, index) => !lines.has(start + index))).toEqual([]);
    expect(lines.size).toBe(Object.keys(BAD).length);
  });
});

test('exact reading keeps all digits of numbers in any context', () => {
  expect(
    parseExact(
      '{"a":[9007199254740993,-9007199254740993,0.10,1e3,7],"b":"9007199254740993 0.5","c":"\\\\u0000b1","d":"x\\\\"1.5"}'.replaceAll(
        '\\\\',
        '\\',
      ),
    ),
  ).toEqual({
    a: [9007199254740993n, -9007199254740993n, '0.10', '1e3', 7],
    b: '9007199254740993 0.5',
    c: '\0b1',
    d: 'x"1.5',
  });
});

test('exact writing turns bigints into numbers in any context', () => {
  const value = { big: [9007199254740993n, -1n, 7], text: 'x"\0b1', marked: '\0b1', '\0b2': '\0s', quoted: '"\\', none: null };
  const text = writeExact(value);
  expect(text).toContain('"big":[9007199254740993,-1,7]');
  expect(parseExact(text)).toEqual({ ...value, big: [9007199254740993n, -1, 7] });
  expect(writeExact({ a: 1, b: 'x' })).toBe('{"a":1,"b":"x"}');
});

test('related rows are in the members that the types declare', async () => {
  const facts = { org: project.orgAbbr, project: project.projectAbbr };
  const db = looseClient({ url: service.url, headers: { ...project.headers } }, facts).db(`pg/${shop.database.name}`);
  const expand = {
    'giver:customer!from_id': { select: ['id'] },
    'taker:customer!to_id': { select: ['id'] },
    receipt: { select: ['id'] },
    'later:transfer!undoes.many': { select: ['id'] },
    '"odd name"!"a b"': { select: ['id'] },
    'tags:tag!transfer_tag': true,
    'others:"odd name"!c': { select: ['id'] },
  } as const;
  expect(await db['transfer']?.row(1, { select: ['id'], expand })).toEqual({
    id: 1,
    giver: { id: 1 },
    taker: { id: 2 },
    receipt: { id: 10 },
    later: [{ id: 2 }],
    'odd name': [{ id: 20 }],
    tags: [],
    others: [],
  });
  expect(await db['odd name']?.row(20, { select: ['id'], expand: { 'first:transfer!"a b"': { select: ['id'] } } })).toEqual({
    id: 20,
    first: { id: 1 },
  });
});

describe('a table with a slash in its name', () => {
  const table = (exact: boolean): LooseTable => {
    const ref = `pg/${shop.database.name}/a/b`;
    const facts = { org: project.orgAbbr, project: project.projectAbbr, floats: { [ref]: ['ratio'] }, decimals: { [ref]: ['amount'] } };
    const client = looseClient({ url: service.url, headers: { ...project.headers }, exact }, facts);
    return client.db(`pg/${shop.database.name}`)['a/b'] ?? expect.unreachable();
  };

  test('is not a row of another table', async () => {
    expect(await table(false).row('c', { select: ['id'] })).toEqual({ id: 'c' });
    await expect(table(false).row('b')).rejects.toMatchObject({ code: 404 });
  });

  test('has NaN and infinities as numbers, or as strings of decimals with `exact`', async () => {
    expect(await table(false).read()).toEqual([{ id: 'c', amount: Number.NaN, ratio: Number.NEGATIVE_INFINITY, $x: 1 }]);
    expect(await table(true).read()).toEqual([{ id: 'c', amount: 'NaN', ratio: Number.NEGATIVE_INFINITY, $x: 1 }]);
    const sums = await table(false).aggregate({ agg: { a: 'max.amount', r: 'min.ratio', n: 'count' } });
    expect(sums).toEqual([{ a: Number.NaN, r: Number.NEGATIVE_INFINITY, n: 1 }]);
    const rows = await table(false).read({ where: { '"$x"': 1 } });
    expect(await table(false).insert(rows, { upsert: true })).toBe(1);
    expect(await table(true).read({ select: ['amount', 'ratio'] })).toEqual([{ amount: 'NaN', ratio: Number.NEGATIVE_INFINITY }]);
  });
});

describe('a broken connection', () => {
  let server: Server;
  let answers: (number | 'break' | 'silence')[] = [];
  let asked = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked++;
      const next = answers.shift();
      if (next === 'break') {
        request.socket.destroy();
        return;
      }
      if (next === 'silence') return;
      response.writeHead(next ?? 200, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(next === undefined ? '[]' : JSON.stringify({ code: next, status: 'Busy', message: 'later' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const client = (): LooseTable => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return looseClient({ url, token: 'mr_x' }).db('pg/x')['t'] ?? expect.unreachable();
  };

  test('causes retries of reads, never of writes', async () => {
    answers = [503, 'break'];
    asked = 0;
    expect(await client().read()).toEqual([]);
    expect(asked).toBe(3);
    answers = [503];
    asked = 0;
    await expect(client().delete({ where: { id: 1 } })).rejects.toMatchObject({ code: 503 });
    expect(asked).toBe(1);
  });

  test('ends a request at its timeout when nothing arrives', async () => {
    answers = ['silence'];
    await expect(client().read({ timeout: 20 })).rejects.toMatchObject({ name: 'MillraceError', code: 0, status: 'Timeout' });
  });
});

test('the runtime has at most 8 KB gzipped and no dependency', () => {
  const texts = ['index', 'transport', 'where', 'exact-json', 'types'].map((name) =>
    readFileSync(join(root, `dist/client/${name}.js`), 'utf8'),
  );
  expect(gzipSync(texts.join('\n')).length).toBeLessThanOrEqual(8 * 1024);
  for (const [, from = ''] of texts.join('\n').matchAll(/from '([^']+)'/g)) expect(from).toMatch(/^\.\//);
});
