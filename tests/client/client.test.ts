// The typed client: what the command writes compiles with the last two TypeScript majors and refuses what is wrong; what it sends arrives as it
// was meant, on all four engines; the runtime stays small.
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
import { parseExact } from '../../src/client/exact-json.ts';
import { createClient, MillraceError, type TableShape } from '../../src/client/index.ts';
import { createShop, type Shop } from '../spec/shop-tables.ts';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

interface Loose extends TableShape {
  row: Record<string, unknown>;
  insert: Record<string, unknown>;
  update: Record<string, unknown>;
  where: Record<string, unknown>;
  key: unknown;
  relations: Record<string, unknown>;
}

let service: Service;
let project: TestProject;
let folder: string;
const shops = new Map<EngineName, Shop>();

beforeAll(async () => {
  service = await startService();
  await Promise.all(ENGINE_NAMES.map(async (engine) => shops.set(engine, await createShop(engine))));
  project = await setUpProject(
    service,
    ENGINE_NAMES.flatMap((engine) => shops.get(engine)?.entry ?? []),
  );
  folder = mkdtempSync(join(tmpdir(), 'millrace-client-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'millrace'));
}, 120_000);

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
  for (const { database } of shops.values()) await database.drop();
});

function generate(...more: readonly string[]): Promise<{ stdout: string }> {
  const ids = ['org-id', 'project-id', 'space-id', 'user-id'].flatMap((id) => [`--${id}`, project.headers[`x-${id}`] ?? '']);
  return run(process.execPath, [join(root, 'dist/main.js'), 'client', 'generate', '--url', service.url, ...ids, ...more], { cwd: folder });
}

/** Errors of a file beside the generated one, as the compiler says them. */
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
  const pg = (): string => `pg/${shops.get('postgres')?.database.name}`;
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
  const [order] = await db.orders.read({ where: { status: 'new', total: { gt: 100 }, $or: [{ id: { in: [1, 2] } }, { note: undefined }].slice(0, 1) as [] }, expand: { customer: true }, order: { id: 'desc' }, page: 0, size: 20 });
  const name: string | undefined = order?.customer?.name;
  const one = await db.item.row([1, 2], { select: ['quantity'] });
  const quantity: number = one.quantity;
  const count: number = await db.customer.insert([{ id: 1, code: 'a', name: 'A' }]);
  const rows = await db.customer.update({ where: { id: 1 }, set: { name: 'B' }, return: 'rows' });
  for await (const row of db.orders.rows({ where: { status: { rli: 'n' } } })) void row.status.length;
  const sums = await db.orders.aggregate({ group: ['placed_at.month'], agg: { n: 'count', s: 'sum.total' } });
  return String([name, quantity, count, rows[0]?.name, sums[0]?.n]);
}`.replace(', $or: [{ id: { in: [1, 2] } }, { note: undefined }].slice(0, 1) as []', ', $or: [{ id: { in: [1, 2] } }]');
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
  };

  test('is written, found to be current, and found to be old', async () => {
    await generate('--out', 'api.ts');
    expect((await generate('--out', 'api.ts', '--check')).stdout).toContain('up to date');
    const text = readFileSync(join(folder, 'api.ts'), 'utf8');
    writeFileSync(join(folder, 'old.ts'), text.replace('status', 'state'));
    await expect(generate('--out', 'old.ts', '--check')).rejects.toMatchObject({ code: 1 });
  });

  test.each(['typescript/bin/tsc', 'typescript5/bin/tsc'])(
    'compiles strictly with %s',
    async (compiler) => {
      expect(await compile(compiler, 'good.ts', program(GOOD))).toBe('');
    },
    60_000,
  );

  test('refuses what is wrong, each on its own line', async () => {
    const start = program('').split('\n').length - 1;
    const said = await compile('typescript/bin/tsc', 'bad.ts', program(Object.values(BAD).join('\n')));
    const lines = new Set([...said.matchAll(/bad\.ts\((\d+),/g)].map(([, line]) => Number(line)));
    expect(Object.keys(BAD).filter((_, index) => !lines.has(start + index))).toEqual([]);
    expect(lines.size).toBe(Object.keys(BAD).length);
  }, 60_000);
});

describe.each(ENGINE_NAMES)('on %s', (engine) => {
  const facts = () => ({ prefix: 'svc', org: project.orgAbbr, project: project.projectAbbr, floats: {} });
  const tables = (exact = false) => {
    const api = createClient({ url: service.url, headers: { ...project.headers }, exact }, facts());
    const database = shops.get(engine)?.database;
    return (api.db as (name: string) => Record<string, import('../../src/client/index.ts').TableClient<Loose>>)(
      `${database?.dbType}/${database?.name}`,
    );
  };
  const table = (name: string, exact?: boolean) => tables(exact)[name] ?? expect.unreachable();

  test('hostile values arrive as they are', async () => {
    const values = ['a,b', 'x.y', 'say "hi"', '\\', '"', "'; --", '(a=eq.1)', '%', '_', ' + ', '&x=1', '日本', '', 'null', '$or'];
    const tag = table('tag');
    await tag.insert(values.map((label, index) => ({ id: 100 + index, label })));
    // Where a statement takes long, some of them stand for all.
    for (const [index, label] of [...values.entries()].slice(0, engine === 'clickhouse' ? 5 : undefined)) {
      expect(await tag.read({ where: { label, id: { ge: 100 } } }), label).toEqual([{ id: 100 + index, label }]);
      expect(await tag.read({ where: { $or: [{ label }, { id: -1 }], id: { ge: 100 } } }), label).toHaveLength(1);
    }
    expect(await tag.read({ where: { label: { in: values }, id: { ge: 100 } }, size: 50 })).toHaveLength(values.length);
    expect(await tag.delete({ where: { id: { bw: [100, 200] } } })).toBe(values.length);
  }, 60_000);

  test('reads rows, pages and keys; rejects with the words of the service', async () => {
    const orders = table('orders');
    expect(await orders.read({ where: { customer_id: null }, select: ['id'] })).toEqual([{ id: 4 }]);
    expect(await orders.read({ where: { customer_id: { null: false }, $not: { id: 1 } }, select: ['id'], order: { id: 'desc' } })).toEqual([
      { id: 3 },
      { id: 2 },
    ]);
    const ids: unknown[] = [];
    for await (const row of orders.rows({ size: 2, order: { id: 'asc' } })) ids.push(row['id']);
    expect(ids).toEqual([1, 2, 3, 4]);
    expect(await table('item').row([1, 2])).toMatchObject({ product_id: 2 });
    const missing = await orders.row(999).catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(MillraceError);
    expect(missing).toMatchObject({ code: 404, status: 'Not Found', requestId: expect.any(String) as unknown });
  });

  test('decimals are exact where that is asked for', async () => {
    expect(await table('product', true).read({ where: { id: 2 }, select: ['price'] })).toEqual([{ price: '1234567890123456.7891' }]);
  });
});

test('numbers of a text are exact, whatever stands around them', () => {
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

describe('broken connections', () => {
  let server: Server;
  let answers: (number | 'break')[] = [];
  let asked = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked++;
      const next = answers.shift();
      if (next === 'break') {
        request.socket.destroy();
        return;
      }
      response.writeHead(next ?? 200, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(next === undefined ? '[]' : JSON.stringify({ code: next, status: 'Busy', message: 'later' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const client = () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = createClient({ url, token: 'mr_x' }, { prefix: 'svc', org: 'o', project: 'p', floats: {} });
    return (
      (api.db as (name: string) => Record<string, import('../../src/client/index.ts').TableClient<Loose>>)('pg/x')['t'] ??
      expect.unreachable()
    );
  };

  test('reads are tried again, writes never', async () => {
    answers = [503, 'break'];
    asked = 0;
    expect(await client().read()).toEqual([]);
    expect(asked).toBe(3);
    answers = [503];
    asked = 0;
    await expect(client().delete({ where: { id: 1 } })).rejects.toMatchObject({ code: 503 });
    expect(asked).toBe(1);
  });
});

test('the runtime has at most 8 KB gzipped and no dependency', () => {
  const texts = ['index', 'transport', 'where', 'exact-json', 'types'].map((name) =>
    readFileSync(join(root, `dist/client/${name}.js`), 'utf8'),
  );
  expect(gzipSync(texts.join('\n')).length).toBeLessThanOrEqual(8 * 1024);
  for (const [, from = ''] of texts.join('\n').matchAll(/from '([^']+)'/g)) expect(from).toMatch(/^\.\//);
});
