// Declared inputs in the SQL of PostgreSQL, which would infer an integer beside an integer and a
// text elsewhere. Columns, functions and casts still decide where they can.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';

const INPUT = {
  n: { type: 'number' },
  m: { type: 'number' },
  i: { type: 'integer' },
  j: { type: 'integer' },
  b: { type: 'boolean' },
  d: { type: 'date' },
  t: { type: 'timestamp' },
  u: { type: 'uuid' },
  s: { type: 'string' },
  ids: { type: 'array', items: { type: 'integer' } },
  order: { type: 'object', fields: { tax: { type: 'number' } } },
};
const UID = '0192a1b2-0000-7000-8000-000000000001';

let service: Service;
let database: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  [service, database] = await Promise.all([sharedService(), createDatabase('postgres')]);
  await database.run(`
    CREATE TYPE state AS ENUM ('open', 'paid');
    CREATE TABLE items (id int PRIMARY KEY, price numeric(10,2), stock int, weight float8, name varchar(20), state state, uid uuid, doc jsonb, day date, at timestamptz);
    INSERT INTO items VALUES (1, 10.50, 7, 0.5, 'one', 'open', '${UID}', '{"sku": "12", "n": 5}', '2024-01-01', '2024-01-01T10:00:00Z'),
      (2, 20.00, 100, 1.5, '10', 'paid', NULL, NULL, '2024-02-01', '2024-02-01T10:00:00Z')`);
  bench = new Bench(service, await setUpProject(service, [database.entry()]), database);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

let deployed = 0;

/** Deploys the statements with the check of the database, and calls them. */
async function run(sql: string | readonly string[], body: Record<string, unknown>): Promise<string> {
  const uri = `declared-${++deployed}`;
  const logic = [sql].flat().map((text) => ({ sql: text }));
  const document = bench.document({ uri, method: 'post', input: INPUT, logic });
  const response = await bench.send('POST', '', stringify(document));
  expect(response.status, response.text).toBe(201);
  return (await bench.call('POST', uri, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })).text;
}

describe('declared inputs on PostgreSQL', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['SELECT 200 * (1 + ?:n / 100) AS v', { n: 10 }, '[{"v":220.00000000000000000000}]'],
    ['SELECT trunc(200 * (1 + ?:n / 100)) AS v', { n: 10.5 }, '[{"v":221}]'],
    ['SELECT stock / ?:n > 3.4 AS v FROM items WHERE id = 1', { n: 2 }, '[{"v":true}]'],
    ['SELECT ?:i + 1 AS v', { i: 9_007_199_254_740_991 }, '[{"v":9007199254740992}]'],
    ['SELECT ?:i * ?:j AS v', { i: 100_000, j: 100_000 }, '[{"v":10000000000}]'],
    ['SELECT ?:i AS i, ?:n AS n, ?:b AS b', { i: 5, n: 1.5, b: true }, '[{"i":5,"n":1.5,"b":true}]'],
    ['SELECT ?:d AS d, ?:u AS u, ?:s AS s', { d: '2024-03-01', u: UID, s: 'x' }, `[{"d":"2024-03-01","u":"${UID}","s":"x"}]`],
    ['SELECT ?:d + 1 AS d, ?:d - ?:d AS n', { d: '2024-02-28' }, '[{"d":"2024-02-29","n":0}]'],
    ["SELECT ?:t - INTERVAL '1 hour' AS t", { t: '2024-01-01T00:30:00+02:00' }, '[{"t":"2023-12-31T21:30:00Z"}]'],
    ['SELECT ?:i > ?:j AS v', { i: 9, j: 10 }, '[{"v":false}]'],
    ['SELECT GREATEST(?:i, ?:j) AS v, COALESCE(?:n, 0) / 4 > 0.2 AS w', { i: 9, j: 10, n: 1 }, '[{"v":10,"w":true}]'],
    ['SELECT to_json(ARRAY[?:i, ?:j]) AS v, ?:i = ANY(?:ids) AS w', { i: 1, j: 2, ids: [1] }, '[{"v":[1,2],"w":true}]'],
    ["SELECT jsonb_build_object('n', ?:n, 'b', ?:b) AS v", { n: 1.5, b: false }, '[{"v":{"b": false, "n": 1.5}}]'],
    ['SELECT sum(v) AS v FROM unnest(?:ids) AS v', { ids: [1, 2] }, '[{"v":3}]'],
    ['SELECT (CASE WHEN ?:b THEN ?:n ELSE 1 END) / 4 > 0.2 AS v', { b: true, n: 1 }, '[{"v":true}]'],
    ['SELECT 100 * ?:input.order.tax / 3 > 3.3 AS v', { order: { tax: 0.1 } }, '[{"v":true}]'],
    ['WITH p AS (SELECT ?:n AS rate) SELECT 1 + rate / 2 > 1.4 AS v FROM p', { n: 1 }, '[{"v":true}]'],
  ])('have their declared type: %s', async (sql, body, expected) => {
    expect(await run(sql, body)).toBe(expected);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['SELECT id FROM items WHERE stock > ?:n ORDER BY id LIMIT ?:i OFFSET ?:j', { n: 5, i: 1, j: 1 }, '[{"id":2}]'],
    ['SELECT id FROM items ORDER BY id LIMIT ?:i OFFSET ?:j * ?:i', { i: 1, j: 1 }, '[{"id":2}]'],
    ['SELECT id FROM items WHERE id = ?:i AND weight < ?:n AND price = ?:m', { i: 1, n: 0.75, m: 10.5 }, '[{"id":1}]'],
    ['SELECT id FROM items WHERE uid = ?:u', { u: UID }, '[{"id":1}]'],
    ['SELECT id FROM items WHERE state = ?:s AND name = ?:i', { s: 'paid', i: 10 }, '[{"id":2}]'],
    ["SELECT id FROM items WHERE doc->>'sku' = ?:i AND doc @> ?:s", { i: 12, s: '{"n": 5}' }, '[{"id":1}]'],
    ["SELECT id FROM items WHERE (doc->>'n')::numeric * ?:n > 7", { n: 1.5 }, '[{"id":1}]'],
    ['SELECT id FROM items WHERE day BETWEEN ?:d AND ?:d OR at < ?:t', { d: '2024-02-01', t: '2024-01-01T00:00:00Z' }, '[{"id":2}]'],
    ['SELECT id FROM items WHERE id = COALESCE(?:i, id) AND state = COALESCE(?:s, state) ORDER BY 1', { i: 2 }, '[{"id":2}]'],
    ['SELECT left(name, ?:i) AS v, round(price, ?:j) AS w FROM items WHERE id = 1', { i: 2, j: 1 }, '[{"v":"on","w":10.5}]'],
    ['SELECT left(name, ?:i + 1) AS v FROM items WHERE id = 1', { i: 1 }, '[{"v":"on"}]'],
    ['SELECT day + ?:i * 7 AS v FROM items WHERE id = 1', { i: 1 }, '[{"v":"2024-01-08"}]'],
    ['SELECT day + ?:i::int AS v FROM items WHERE id = 1', { i: 1 }, '[{"v":"2024-01-02"}]'],
    ["SELECT name || ?:i || '%' || ?:s AS v FROM items WHERE id = 1", { i: 5, s: 'x' }, '[{"v":"one5%x"}]'],
    ['SELECT name AS v FROM items WHERE id = 1 UNION ALL SELECT ?:i', { i: 5 }, '[{"v":"one"},{"v":"5"}]'],
    ["SELECT CASE WHEN ?:b THEN ?:i ELSE 'none' END AS v", { b: true, i: 5 }, '[{"v":"5"}]'],
    ["SELECT at > now() - ?:i * INTERVAL '1 day' AS v FROM items WHERE id = 1", { i: 1 }, '[{"v":false}]'],
    [
      'INSERT INTO items (id, price, state, doc) VALUES (?:i, ?:n, ?:s, ?:order) RETURNING price',
      { i: 3, n: 1.25, s: 'open', order: {} },
      '[{"price":1.25}]',
    ],
    [
      'UPDATE items SET stock = stock - ?:i, price = price * ?:n WHERE id = 2 RETURNING stock, price',
      { i: 1, n: 1.5 },
      '[{"stock":99,"price":30.00}]',
    ],
  ])('leave columns, functions and casts their type: %s', async (sql, body, expected) => {
    expect(await run(sql, body)).toBe(expected);
  });

  it('are not bound as such where an earlier result has the name', async () => {
    expect(await run(["SELECT 'text' AS i", 'SELECT ?:i AS v, ?:input.i AS w'], { i: 5 })).toBe('[{"v":"text","w":5}]');
    expect(await run(['SELECT 1 AS other', 'SELECT ?:i AS v'], { i: 5 })).toBe('[{"v":5}]');
  });

  it('are inferred inside a transaction too when a function takes a smaller integer', async () => {
    const steps = ['UPDATE items SET weight = 2 WHERE id = 1', 'SELECT left(name, ?:i + 1) AS v, 1 + ?:n / 2 AS w FROM items WHERE id = 1'];
    expect(await run(steps, { i: 1, n: 1 })).toBe('[{"v":"on","w":1.50000000000000000000}]');
    const late = ['UPDATE items SET name = left(name, ?:i + 1) WHERE id = 1', 'SELECT name FROM items WHERE id = 1'];
    expect(await run(late, { i: 2 })).toBe('[{"name":"one"}]');
    expect(await run('UPDATE items SET name = left(name, ?:i * 3) WHERE id = 1', { i: 1 })).toBe('{"rows_affected":1}');
  });
});

describe('numbers on ClickHouse', () => {
  let clickhouse: TestDatabase;
  beforeAll(async () => {
    clickhouse = await createDatabase('clickhouse');
    await clickhouse.run('CREATE TABLE items (id Int32, price Decimal(10, 2), weight Float64) ENGINE = MergeTree ORDER BY id');
    await clickhouse.run('INSERT INTO items VALUES (1, 10.50, 0.5)');
  });
  afterAll(() => clickhouse?.drop());

  it.each<[string, object, object]>([
    ['SELECT 200 * (1 + ?:n / 100) AS v', { n: 10 }, { v: 220 }],
    ['SELECT 200 * (1 + ?:n / 100) AS v', { n: 10.5 }, { v: 221 }],
    ['SELECT (1 + ?:n) / 8 AS v, ?:n * ?:m / 2 AS w', { n: 0.5, m: 0.1 }, { v: 0.1875, w: 0.025 }],
    ['SELECT price * ?:n AS v, price / ?:n AS w FROM items WHERE price = ?:m', { n: 0.5, m: 10.5 }, { v: 5.25, w: 21 }],
    ['SELECT weight / ?:n AS v, ?:n AS w FROM items WHERE weight < ?:n', { n: 1 }, { v: 0.5, w: 1 }],
    ['SELECT price * ?:n AS v FROM items', { n: 0.1 }, { v: 1.05 }],
    ['SELECT price / (1 + ?:n) AS v, price / -?:m AS w FROM items', { n: 0.5, m: 2 }, { v: 7, w: -5.25 }],
    ['SELECT round(price / abs(?:n), 1) AS v FROM items', { n: 0.5 }, { v: 21 }],
  ])('keep their digits in a division: %s', async (sql, body, expected) => {
    const own = new Bench(service, await setUpProject(service, [clickhouse.entry()]), clickhouse);
    await own.deploy({ uri: 'divide', method: 'post', input: { n: { type: 'number' }, m: { type: 'number' } }, logic: [{ sql }] });
    const answer = await own.call('POST', 'divide', { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    expect(answer.json()).toEqual([expected]);
  });
});
