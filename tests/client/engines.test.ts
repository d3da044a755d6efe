// The client on all four engines: hostile values, pages, keys, aggregates, related rows, writes,
// long queries, calls, aborts and exact numbers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MillraceError, type ServiceFacts } from '../../src/client/index.ts';
import { Bench } from '../custom/definitions.ts';
import { createShop, type Shop } from '../spec/shop-tables.ts';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { type LooseApi, type LooseTable, looseClient } from './loose.ts';

let service: Service;
let project: TestProject;
const shops = new Map<EngineName, Shop>();

beforeAll(async () => {
  service = await sharedService();
  await Promise.all(ENGINE_NAMES.map(async (engine) => shops.set(engine, await createShop(engine))));
  project = await setUpProject(
    service,
    ENGINE_NAMES.flatMap((engine) => shops.get(engine)?.entry ?? []),
  );
});

afterAll(async () => {
  await service?.stop();
  for (const { database } of shops.values()) await database.drop();
});

const refOf = (engine: EngineName): string => `${shops.get(engine)?.database.dbType}/${shops.get(engine)?.database.name}`;

function api(more: Partial<ServiceFacts> = {}, exact = false): LooseApi {
  const facts = { org: project.orgAbbr, project: project.projectAbbr, ...more };
  return looseClient({ url: service.url, headers: { ...project.headers }, exact }, facts);
}

const HOSTILE = ['a,b', 'x.y', 'say "hi"', '\\', "'; --", '(a=eq.1)', '%', '_', '"', ' + ', '&x=1;y', '日本 𝄞', '', 'null', '$or', '#?/'];

describe.each(ENGINE_NAMES)('the client on %s', (engine) => {
  const table = (name: string, exact = false): LooseTable => {
    const decimals = { [`${refOf(engine)}/product`]: ['price'], [`${refOf(engine)}/orders`]: ['total'] };
    return api({ decimals }, exact).db(refOf(engine))[name] ?? expect.unreachable();
  };
  // Statements are slow on this engine, so only some values are tested.
  const hostile = HOSTILE.slice(0, engine === 'clickhouse' ? 4 : undefined);

  test('stores hostile values unchanged', async () => {
    const tag = table('tag');
    await tag.insert(hostile.map((label, index) => ({ id: 100 + index, label })));
    for (const [index, label] of hostile.entries()) {
      expect(await tag.read({ where: { label, id: { ge: 100 } } }), label).toEqual([{ id: 100 + index, label }]);
      expect(await tag.read({ where: { $or: [{ label }, { id: -1 }], id: { ge: 100 } } }), label).toHaveLength(1);
    }
    expect(await tag.read({ where: { label: { in: hostile }, id: { ge: 100 } }, size: 50 })).toHaveLength(hostile.length);
    expect(await tag.delete({ where: { id: { bw: [100, 200] } } })).toBe(hostile.length);
  });

  test('reads rows, pages and keys; rejects with the message of the service', async () => {
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

  test('reads exact decimals with `exact`', async () => {
    expect(await table('product', true).read({ where: { id: 2 }, select: ['price'] })).toEqual([{ price: '1234567890123456.7891' }]);
  });

  test('aggregates and groups hostile values', async () => {
    const tag = table('tag');
    await tag.insert(hostile.map((label, index) => ({ id: 500 + index, label })));
    const sums = await tag.aggregate({
      where: { id: { ge: 500 } },
      group: ['label'],
      agg: { n: 'count', top: 'max.id' },
      having: { label: { in: hostile }, n: { ge: 1 } },
      order: { top: 'asc' },
    });
    expect(sums.map(({ label, n, top }) => [label, Number(n), top])).toEqual(hostile.map((label, index) => [label, 1, 500 + index]));
    expect(await tag.delete({ where: { id: { ge: 500 }, label: { in: hostile } } })).toBe(hostile.length);
    const months = await table('orders').aggregate({ group: ['placed_at.month'], agg: { n: 'count', s: 'sum.total' }, size: 2 });
    expect(months.map(({ n, s }) => [Number(n), s])).toEqual([
      [1, 10],
      [1, null],
    ]);
    expect(months[0]).toHaveProperty('placed_at_month');
  });

  test('reads decimals as strings with `exact`, in aggregates and related rows as well', async () => {
    const [row] = await table('orders', true).read({
      where: { id: 1 },
      select: ['id', 'total'],
      expand: { item: { expand: { product: true } } },
    });
    expect(Number(row?.['total'])).toBe(10);
    expect([typeof row?.['id'], typeof row?.['total']]).toEqual(['number', 'string']);
    const items = row?.['item'] as unknown as { quantity: number; product: { price: string } }[];
    expect(items.map(({ quantity, product }) => [quantity, typeof product.price])).toEqual([
      [5, 'string'],
      [1, 'string'],
      [7, 'string'],
    ]);
    expect(items[1]?.product.price).toBe('1234567890123456.7891');
    const [sum] = await table('orders', true).aggregate({ where: { id: 1 }, agg: { s: 'sum.total', a: 'avg.id', n: 'count' } });
    expect([typeof sum?.s, Number(sum?.s), typeof sum?.a, typeof sum?.n]).toEqual(['string', 10, 'string', 'number']);
  });

  test('sends long queries in a body, stops on abort, and reports messages of errors', async () => {
    const orders = table('orders');
    const ids = Array.from({ length: 2500 }, (_, index) => index + 2);
    expect((await orders.read({ where: { id: { in: ids } }, select: ['id'], order: { id: 'asc' } })).map(({ id }) => id)).toEqual([
      2, 3, 4,
    ]);
    await expect(orders.read({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    const refused = await orders.read({ where: { nothing: 1 } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MillraceError);
    expect(refused).toMatchObject({ code: 400, status: 'Bad Request', message: expect.stringContaining('nothing') as unknown });
    await expect(orders.read({ where: { id: { is: 1 } } })).rejects.toThrow('is no operator');
  });

  test('calls endpoints with hostile values in path, query and body', async () => {
    const { database } = shops.get(engine) ?? expect.unreachable();
    const text = engine === 'clickhouse' ? 'toString(?:text)' : engine === 'postgres' ? '?:text::text' : '?:text';
    const sql = `SELECT ${text} AS said`;
    const bench = new Bench(service, project, database);
    const input = { text: { type: 'string', required: true } };
    await bench.deploy({ uri: `said/${engine}/{text}`, input, logic: [{ sql }] });
    await bench.deploy({ uri: `said/${engine}`, input, logic: [{ sql }] });
    for (const input_type of ['json', 'form', 'multipart'])
      await bench.deploy({ uri: `said/${engine}-${input_type}`, method: 'post', input_type, input, logic: [{ sql }] });
    const calls = Object.fromEntries(
      (['json', 'form', 'multipart'] as const).map((kind) => [`said/${engine}-${kind}`, { post: kind } as Record<string, typeof kind>]),
    );
    const client = api({ calls });
    for (const value of hostile.filter((one) => one !== '')) {
      expect(await client.call(`said/${engine}/{text}`, { text: value })).toEqual([{ said: value }]);
      expect(await client.call(`said/${engine}`, { text: value }, { method: 'get', version: '1.0.0' })).toEqual([{ said: value }]);
      for (const uri of Object.keys(calls)) expect(await client.call(uri, { text: value }), uri).toEqual([{ said: value }]);
    }
    await expect(client.call('nowhere')).rejects.toMatchObject({ code: 404 });
    await expect(client.call(`said/${engine}`, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe.each(ENGINE_NAMES.filter((engine) => engine !== 'clickhouse'))('a table of the client on %s', (engine) => {
  test('returns rows or counts from writes, upserts, dry-runs, and limits affected rows', async () => {
    const tag = api().db(refOf(engine))['tag'] ?? expect.unreachable();
    const rows = HOSTILE.map((label, index) => ({ id: 700 + index, label }));
    expect(await tag.insert(rows, { dryRun: true })).toBe(rows.length);
    expect(await tag.insert(rows, { return: 'rows' })).toEqual(rows);
    await expect(tag.insert(rows)).rejects.toMatchObject({ code: 409 });
    const renamed = rows.map(({ id, label }) => ({ id, label: `${label}!` }));
    await tag.insert(renamed, { upsert: true });
    expect(await tag.read({ where: { id: { ge: 700 } }, order: { id: 'asc' } })).toEqual(renamed);
    const where = { label: { in: renamed.map(({ label }) => label) } };
    await expect(tag.update({ where, set: { label: 'x' }, maxAffected: 1 })).rejects.toMatchObject({ code: 422 });
    expect(await tag.update({ where: { id: 700 }, set: { label: '"' }, return: 'rows' })).toEqual([{ id: 700, label: '"' }]);
    await expect(tag.delete({ where: {} })).rejects.toMatchObject({ code: 406 });
    expect(await tag.delete({ where: { id: { ge: 700 } }, return: 'rows' })).toHaveLength(rows.length);
  });
});
