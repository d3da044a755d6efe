// The file of `millrace client generate`, made from a document without a service: what compiles
// with both TypeScript majors, and what does not.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, writeClientTypes } from '../../src/cli/client/client-types.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
let folder: string;

const column = (kind: string, more: object = {}): object => ({ 'x-kind': kind, 'x-type': kind, ...more });
const SMALL = { maximum: 2147483647 };
const ORDERS = {
  id: column('int', SMALL),
  customer_id: column('int', SMALL),
  big: column('int'),
  total: column('decimal', { type: ['number', 'null'] }),
  price: column('decimal'),
  ratio: column('float'),
  status: column('text'),
  placed_at: column('timestamptz'),
  day: column('date'),
  notes: column('json'),
  point: column('other', { 'x-sortable': false }),
  $x: column('int', SMALL),
  'a.b': column('decimal'),
  'a b': column('int', SMALL),
  secret: { type: ['string', 'null'], description: 'Not shown to you' },
};

function table(ref: string, properties: object, keys: readonly object[] = []): object {
  const patternProperties = { '^\\$ref$': column('text') };
  return { patternProperties, 'x-table': ref, 'x-primary-key': ['id'], 'x-unique-keys': [], 'x-foreign-keys': keys, properties };
}

const references = (columns: readonly string[], other: string): object => ({ columns, references: { table: other, columns: ['id'] } });

/** Texts of authors, each of which tries to leave its comment or to be a directive. */
const directive = (name: string): string => `@ts-${name}`;
const HOSTILE = [
  directive('expect-error'),
  directive('ignore'),
  '*/ export const stolen = 1; /*',
  `a\n * ${directive('nocheck')}\n */ let b;`,
  '@deprecated',
];

const call = (summary: string, name: string): object => ({
  get: {
    operationId: `call.get.${name}`,
    summary,
    parameters: [
      { name: 'from', in: 'query', required: true, description: summary, schema: { type: 'string' } },
      { name: 'more', in: 'query', schema: { type: 'object', properties: { at: { type: 'integer', description: summary } } } },
    ],
    responses: { 200: { content: { 'application/json': { schema: { type: 'array' } } } } },
  },
});

const DOCUMENT = {
  info: { title: 't' },
  paths: Object.fromEntries(HOSTILE.map((text, index) => [`/o/p/calls/${index}`, call(text, `calls.${index}`)])),
  components: {
    schemas: {
      orders: table('pg/shop/orders', ORDERS, [references(['customer_id'], 'customer')]),
      customer: table('pg/shop/customer', { id: column('int', SMALL), name: column('text') }),
      slash: table('pg/shop/a/b', { id: column('int', SMALL), order_id: column('int', SMALL) }, [references(['order_id'], 'orders')]),
    },
  },
} as unknown as ApiDocument;

const START = `import { createClient, type Tables } from './api.js';
const db = createClient({ url: 'http://localhost' }).db('pg/shop');
const exact = createClient({ url: 'http://localhost', exact: true }).db('pg/shop');
export const used = [db, exact];
export type Order = Tables['pg/shop/orders']['row'];
`;

const GOOD = `
export async function use(): Promise<unknown> {
  const [order] = await db.orders.read({ where: { total: { gt: 1 }, '"$x"': 1 }, select: ['id', 'price', 'big', 'ratio', '$x'] });
  const odd: string | undefined = (await db.orders.row(1)).$ref;
  const doubled: number[] = order === undefined ? [] : [order.price * 2, order.big * 2, order.ratio * 2, order.$x * 2];
  const [digits] = await exact.orders.read();
  const price: string | undefined = digits?.price;
  const big: number | bigint | undefined = digits?.big;
  const row: Order = { ...(await db.orders.row(1)), price: 2 };
  const sums = await db.orders.aggregate({
    group: ['status', 'placed_at.hour', 'day.month', '"a.b"'],
    agg: { n: 'count', s: 'sum.total', a: 'avg.id', low: 'min.placed_at', d: 'countd.status', any: 'count.notes', spaced: 'sum.a b' },
    having: { n: { gt: 1 }, status: 'new', $or: [{ s: { gt: 2 } }] },
    order: { s: 'desc', placed_at_hour: 'asc' },
  });
  const counted: number[] = sums.map(({ n, s, a, d }) => n * 2 + (s ?? 0) * 2 + (a ?? 0) + d);
  const texts: (string | null)[] = sums.flatMap((sum) => [sum.low, sum.placed_at_hour, sum.day_month, sum.status]);
  const [kept] = await exact.orders.aggregate({ agg: { s: 'sum.total', i: 'sum.id', f: 'sum.ratio' } });
  const total: string | null | undefined = kept?.s;
  const ids: number | bigint | null | undefined = kept?.i;
  const ratios: number | null | undefined = kept?.f;
  const [line] = await db['a/b'].read({
    expand: { orders: { select: ['id'], order: { id: 'asc' }, where: { status: 'new' }, expand: { customer: { select: ['name'] }, 'again:customer': true } } },
  });
  const id: number | undefined = line?.orders?.id;
  const nested: string | undefined = line?.orders?.customer?.name;
  return [nested, odd, doubled, price, big, row, counted, texts, total, ids, ratios, id];
}`;

const BAD: Readonly<Record<string, string>> = {
  'a sum of a text': "void db.orders.aggregate({ agg: { x: 'sum.status' } });",
  'an average of a date': "void db.orders.aggregate({ agg: { x: 'avg.day' } });",
  'a sum of an unknown column': "void db.orders.aggregate({ agg: { x: 'sum.nothing' } });",
  'a minimum of JSON': "void db.orders.aggregate({ agg: { x: 'min.notes' } });",
  'a minimum of an unsortable column': "void db.orders.aggregate({ agg: { x: 'max.point' } });",
  'an aggregate of a masked column': "void db.orders.aggregate({ agg: { x: 'count.secret' } });",
  'an unknown function': "void db.orders.aggregate({ agg: { x: 'median.id' } });",
  'a month of a text': "void db.orders.aggregate({ group: ['status.month'], agg: { n: 'count' } });",
  'an hour of a date': "void db.orders.aggregate({ group: ['day.hour'], agg: { n: 'count' } });",
  'a group of an unknown column': "void db.orders.aggregate({ group: ['nothing'], agg: { n: 'count' } });",
  'a group of JSON': "void db.orders.aggregate({ group: ['notes'], agg: { n: 'count' } });",
  'an unknown name in having': "void db.orders.aggregate({ agg: { n: 'count' }, having: { m: 1 } });",
  'an unknown name in the order of groups': "void db.orders.aggregate({ agg: { n: 'count' }, order: { m: 'asc' } });",
  'a result of another name': "void db.orders.aggregate({ agg: { n: 'count' } }).then(([row]) => row?.m);",
  'an unknown column in a nested select': "void db['a/b'].read({ expand: { orders: { select: ['nothing'] } } });",
  'an unknown column in a nested filter': "void db['a/b'].read({ expand: { orders: { where: { id: 1, nothing: 1 } } } });",
  'a wrong operator in a nested filter': "void db['a/b'].read({ expand: { orders: { where: { id: { li: 'x' } } } } });",
  'an unknown column in a nested order': "void db['a/b'].read({ expand: { orders: { order: { nothing: 'asc' } } } });",
  'an unknown relation in a nested expand': "void db['a/b'].read({ expand: { orders: { expand: { nothing: true } } } });",
  'an unknown column two levels down':
    "void db['a/b'].read({ expand: { orders: { expand: { customer: { select: ['id', 'nothing'] } } } } });",
  'an unknown member of a related row': "void db['a/b'].row(1, { expand: { orders: true } }).then((row) => row.orders?.nothing);",
  'a misspelt option of a nested expand': "void db['a/b'].read({ expand: { orders: { selct: ['id'] } } });",
  'a filter on a masked column': "void db.orders.read({ where: { secret: 'x' } });",
  'a reserved name as a column': 'void db.orders.read({ where: { $x: 1 } });',
  'arithmetic with exact decimals': 'void exact.orders.row(1).then((row) => row.price * 2);',
  'arithmetic with what may be a bigint': 'void exact.orders.row(1).then((row) => row.big * 2);',
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-generated-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'api.ts'), writeClientTypes(DOCUMENT, { prefix: 'svc', org: 'o', project: 'p' }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the compiler's errors in all files. */
async function compile(compiler: string): Promise<string> {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022', 'dom'] },
    ...{ allowImportingTsExtensions: true, types: [], paths: { 'millrace/client': [join(root, 'src/client/index.ts')] } },
  };
  writeFileSync(join(folder, 'good.ts'), START + GOOD);
  writeFileSync(join(folder, 'bad.ts'), START + Object.values(BAD).join('\n'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['api.ts', 'good.ts', 'bad.ts'] }));
  return run(process.execPath, [join(root, 'node_modules', compiler), '-p', '.'], { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

describe.each(['typescript/bin/tsc', 'typescript5/bin/tsc'])('a generated file under %s', (compiler) => {
  it('compiles with numbers to compute with, or exact ones, and rejects each mistake', async () => {
    const first = START.split('\n').length;
    const said = await compile(compiler);
    expect(said.split('\n').filter((line) => /^\S/.test(line) && !line.startsWith('bad.ts('))).toEqual([]);
    const lines = new Set([...said.matchAll(/bad\.ts\((\d+),/g)].map(([, line]) => Number(line)));
    expect(Object.keys(BAD).filter((_, index) => !lines.has(first + index))).toEqual([]);
    expect(lines.size, said).toBe(Object.keys(BAD).length);
  });
});

describe('texts of authors in a generated file', () => {
  const text = writeClientTypes(DOCUMENT, { prefix: 'svc', org: 'o', project: 'p' });

  it('document endpoints, their inputs and nested fields', () => {
    expect(text.match(/stolen = 1/g)).toHaveLength(3);
  });

  it('stay comments of one line without tags', () => {
    const comments = text.split('\n').filter((line) => HOSTILE.some((hostile) => line.includes(hostile.slice(-9))));
    for (const line of comments) expect(line).not.toMatch(/(?<!\\)@ts-|\*\/.*(?:export|let)/);
    expect(text).not.toMatch(/^(?:export const stolen|let b)/m);
  });
});
