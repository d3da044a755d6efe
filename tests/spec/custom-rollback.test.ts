// Rollback versions: whose fault a failure is, whose permission applies, and side effects.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench, type Sketch } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';

let service: Service;
let postgres: TestDatabase;
let clickhouse: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  postgres = await createDatabase('postgres');
  clickhouse = await createDatabase('clickhouse');
  await postgres.run('CREATE TABLE log (v text, n int CHECK (n > 0))');
  await clickhouse.run('CREATE TABLE log (v String) ENGINE = MergeTree ORDER BY v');
  service = await startService();
  bench = new Bench(service, await setUpProject(service, [postgres.entry(), clickhouse.entry()]), postgres);
});
afterAll(async () => {
  await service?.stop();
  await postgres?.drop();
  await clickhouse?.drop();
});

const BROKEN = { sql: 'SELECT * FROM no_such_table' };
const write = (v: string): object => ({ sql: `INSERT INTO log (v, n) VALUES ('${v}', ?:n)` });

/** Deploys two versions: the older one works, the newer one is defined by the test. */
async function versions(uri: string, newer: Partial<Sketch>, older: Partial<Sketch> = {}): Promise<string> {
  await bench.deploy({ uri, logic: [{ expr: 'a', code: '"old"' }], ...older });
  return bench.deploy({ uri, version: '2.0.0', logic: [BROKEN], ...newer, config: { rollback_version: '1.0.0', ...newer.config } });
}

const served = (response: Response): unknown[] => [
  response.status,
  response.headers['x-served-version'],
  response.headers['x-rolled-back-from'],
];

describe('a rollback version takes over', () => {
  test.each<[string, Partial<Sketch>]>([
    ['a table that is not there', { logic: [BROKEN] }],
    ['a type error in lark', { logic: [{ lark: 'a', code: 'result = 1 + "a"' }] }],
    ['an expression that fails', { logic: [{ expr: 'a', code: 'input.x.y' }] }],
    ['a division by zero that no input causes', { logic: [{ sql: 'SELECT 1 / (n - n) FROM (SELECT 1 AS n) t' }] }],
    ['values of its own that cannot be converted', { logic: [{ expr: 'a', code: '{v: "x"}' }, { sql: 'SELECT ?:a.v::text::int' }] }],
    ['an overrun budget', { logic: [{ lark: 'a', code: 'result = [x for x in range(10000000)]' }], config: { limits: { steps: 1000 } } }],
    ['a timeout', { logic: [{ sql: 'SELECT pg_sleep(10)' }] }],
    ['a database that cannot be reached', { database: { type: 'postgres', source_ip: '127.0.0.1', port: '1', username: 'x', name: 'x' } }],
  ])('after %s', async (name, newer) => {
    const uri = `falls-${name.replaceAll(' ', '-')}`;
    const slow = name === 'a timeout' ? { database: { ref: `pg/${postgres.name}`, timeout_secs: 1 } } : {};
    const id = await versions(uri, { ...newer, ...slow });
    const response = await bench.get(uri);
    expect([response.json(), ...served(response)]).toEqual(['old', 200, '1.0.0', '2.0.0']);
    await expect
      .poll(
        async () => (await bench.send('GET', `?definition_id=${id}`, undefined)).json<{ last_failure: unknown }>().last_failure,
        PATIENCE,
      )
      .toEqual({ time: expect.stringMatching(/^\d{4}-/), message: expect.stringMatching(/^Step \d/) });
    expect((await bench.get(`${uri}?version=1.0.0`)).headers['x-rolled-back-from']).toBeUndefined();
  });

  test('and the log and the metrics report it', async () => {
    await versions('told', {});
    await bench.get('told');
    await expect
      .poll(() => service.logs().filter((line) => line['msg'] === 'rolled back' && line['uri'] === 'told'), PATIENCE)
      .toHaveLength(1);
    expect(service.logs().find((line) => line['uri'] === 'told')).toMatchObject({
      from: '2.0.0',
      to: '1.0.0',
      reason: 'step_failed step 0 (sql): missing_table 42P01',
    });
    expect((await service.request('GET', '/metrics')).text).toMatch(/millrace_rollbacks_total\{[^}]*uri="told"[^}]*\} 1/);
  });

  test('over several versions, each at most once', async () => {
    await versions('chain', {});
    await bench.deploy({ uri: 'chain', version: '3.0.0', logic: [BROKEN], config: { rollback_version: '2.0.0' } });
    expect(served(await bench.get('chain'))).toEqual([200, '1.0.0', '3.0.0']);
    // 1 → 2 → 1 cannot be deployed in this order, but an update can create the cycle. The call
    // still ends.
    await bench.deploy({ uri: 'circle', logic: [BROKEN] });
    await bench.deploy({ uri: 'circle', version: '2', logic: [BROKEN], config: { rollback_version: '1.0.0' } });
    expect(served(await bench.get('circle'))).toEqual([500, undefined, undefined]);
  });

  test('over at most ten versions in one call', async () => {
    for (let i = 1; i <= 12; i++)
      await bench.deploy({
        uri: 'long-chain',
        version: `${i}.0.0`,
        logic: i === 1 ? [{ expr: 'a', code: '"old"' }] : [BROKEN],
        config: i === 1 ? {} : { rollback_version: `${i - 1}.0.0` },
      });
    expect(served(await bench.get('long-chain?version=10.0.0'))).toEqual([200, '1.0.0', '10.0.0']);
    expect(served(await bench.get('long-chain'))).toEqual([500, undefined, undefined]);
  });

  test('after the writes of the failed version are rolled back', async () => {
    await versions('twice', { method: 'post', logic: [write('new'), BROKEN] }, { method: 'post', logic: [write('old')] });
    const response = await bench.call('POST', 'twice', { body: { n: 1 } });
    expect([response.json(), ...served(response)]).toEqual([{ rows_affected: 1 }, 200, '1.0.0', '2.0.0']);
    expect(await postgres.run('SELECT v FROM log')).toEqual([{ v: 'old' }]);
  });
});

describe('no rollback version takes over', () => {
  test.each<[string, Partial<Sketch>, object, number]>([
    ['the caller’s missing input', { logic: [{ sql: 'SELECT ?:absent' }] }, {}, 400],
    ['the caller’s bad data', { logic: [write('x')] }, { n: -5 }, 422],
    ['a wrong type of the caller', { logic: [{ sql: 'SELECT ?:n::int' }] }, { n: 'abc' }, 422],
    ['a division by zero with the caller’s value', { logic: [{ sql: 'SELECT 1 / ?:n::int' }] }, { n: 0 }, 422],
    [
      'a value of the caller that went through another step',
      { logic: [{ expr: 'a', code: '{v: input.n}' }, { sql: 'SELECT ?:a.v::text::int' }] },
      { n: 'x' },
      422,
    ],
    ['fail', { logic: [{ lark: 'a', code: 'fail("no")\nresult = 1' }] }, {}, 422],
  ])('for %s', async (name, newer, body, status) => {
    const uri = `stays-${status}-${name.length}`;
    await versions(uri, { method: 'post', ...newer }, { method: 'post' });
    expect(served(await bench.call('POST', uri, { body }))).toEqual([status, undefined, undefined]);
  });

  test('without the permission of both versions', async () => {
    await versions('tight', { permission: ['boss'] }, { permission: ['clerk'] });
    expect((await bench.get('tight', { headers: { 'x-user-roles': 'clerk' } })).status).toBe(403);
    expect((await bench.get('tight', { headers: { 'x-user-roles': 'boss' } })).status).toBe(500);
    expect(served(await bench.get('tight', { headers: { 'x-user-roles': 'boss,clerk' } }))).toEqual([200, '1.0.0', '2.0.0']);
  });

  test('after committed writes: without transactions, and on ClickHouse', async () => {
    await postgres.run('DELETE FROM log');
    await versions(
      'loose',
      { method: 'post', logic: [write('new'), BROKEN], config: { transaction: false } },
      { method: 'post', logic: [write('old')] },
    );
    expect((await bench.call('POST', 'loose', { body: { n: 1 } })).status).toBe(500);
    expect(await postgres.run('SELECT v FROM log')).toEqual([{ v: 'new' }]);

    const database = { ref: `ch/${clickhouse.name}` };
    const insert = (v: string): object => ({ sql: `INSERT INTO log VALUES ('${v}')` });
    await versions(
      'ch',
      { method: 'post', logic: [insert('new'), BROKEN], database },
      { method: 'post', logic: [insert('old')], database },
    );
    expect((await bench.call('POST', 'ch')).status).toBe(500);
    expect(await clickhouse.run('SELECT v FROM log')).toEqual([{ v: 'new' }]);
    await versions('ch-read', { logic: [BROKEN], database }, { database });
    expect(served(await bench.get('ch-read'))).toEqual([200, '1.0.0', '2.0.0']);
  });

  test('once the response has begun: the connection is closed', async () => {
    await versions('begun', {
      logic: [{ sql: "SELECT n, repeat('x', 1000) AS t, 1 / (n - 100000) AS z FROM generate_series(1, 100001) AS n" }],
    });
    await expect(bench.get('begun')).rejects.toThrow();
  });
});
