// Cached and coalesced responses: keys, invalidation, authorization, and disconnecting callers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, DEFINITIONS } from '../custom/definitions.ts';
import { createDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';

let service: Service;
let bench: Bench;
beforeAll(async () => {
  const database = await createDatabase('postgres');
  await database.run('CREATE SEQUENCE runs');
  service = await startService();
  bench = new Bench(service, await setUpProject(service, [database.entry({ max_open_connections: 20 })]), database);
});
afterAll(async () => {
  await service?.stop();
  await bench?.database.drop();
});

/** Each run gives another number, so that the same number is the same run. */
const RUN = { sql: "SELECT nextval('runs') AS run" };
const CACHED = { cache_result: true };
const cacheOf = (response: Response): unknown => response.headers['x-cache'];

async function run(uri: string, options: Parameters<Bench['get']>[1] = {}, on = bench): Promise<[unknown, unknown]> {
  const response = await on.get(uri, options);
  expect(response.status).toBe(200);
  return [cacheOf(response), response.text];
}

describe('cache_result', () => {
  test('serves the same request from the cache, but no other', async () => {
    await bench.deploy({ uri: 'c', logic: [RUN], config: CACHED });
    const [first, body] = await run('c?a=1&b=2');
    expect(first).toBe('MISS');
    expect(await run('c?b=2&a=1')).toEqual(['HIT', body]);
    expect((await run('c?a=1&b=3'))[0]).toBe('MISS');
    expect((await run('c?a=1'))[0]).toBe('MISS');
    expect((await run('c?a=1&b=2&format=csv'))[0]).toBe('MISS');
    expect((await run('c?a=1&b=2&version=1.0.0'))[0]).toBe('MISS');
    const hit = await bench.get('c?a=1&b=2');
    expect([hit.headers['x-served-version'], hit.headers['content-type']]).toEqual(['1.0.0', 'application/json; charset=utf-8']);
  });

  test('preserves the bytes of every format', async () => {
    await bench.deploy({ uri: 'formats', logic: [{ sql: "SELECT n, 'x' AS t FROM generate_series(1, 3) AS n" }], config: CACHED });
    for (const format of ['json', 'xml', 'yaml', 'csv', 'bson']) {
      const [miss, hit] = [await bench.get(`formats?format=${format}`), await bench.get(`formats?format=${format}`)];
      expect([cacheOf(miss), cacheOf(hit)]).toEqual(['MISS', 'HIT']);
      expect(hit.body.equals(miss.body)).toBe(true);
      expect(hit.body.length).toBeGreaterThan(15);
    }
  });

  test('compares bodies by their fields', async () => {
    await bench.deploy({ uri: 'post', method: 'post', logic: [RUN], config: CACHED });
    const post = async (body: unknown): Promise<unknown> => cacheOf(await bench.call('POST', 'post', { body }));
    expect([
      await post({ a: 1, b: { c: 1, d: 2 } }),
      await post({ b: { d: 2, c: 1 }, a: 1 }),
      await post({ a: '1', b: { d: 2, c: 1 } }),
    ]).toEqual(['MISS', 'HIT', 'MISS']);
  });

  test('checks permission before the cache', async () => {
    await bench.deploy({ uri: 'secret', permission: ['boss'], logic: [RUN], config: CACHED });
    await run('secret', { headers: { 'x-user-roles': 'boss' } });
    expect((await bench.get('secret', { headers: { 'x-user-roles': 'clerk' } })).status).toBe(403);
  });

  test('includes the caller in the key if a step reads the context', async () => {
    const user = (id: string): object => ({ headers: { 'x-user-id': id } });
    await bench.deploy({ uri: 'blind', logic: [RUN], config: CACHED });
    await bench.deploy({ uri: 'looks', logic: [{ sql: "SELECT nextval('runs') AS run, ?:context.user_id AS me" }], config: CACHED });
    const other = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    await run('blind');
    expect((await run('blind', user(other)))[0]).toBe('HIT');
    await run('looks');
    const [cache, body] = await run('looks', user(other));
    expect([cache, body]).toEqual(['MISS', expect.stringContaining(other)]);
    expect((await run('looks', { headers: { 'x-user-roles': 'admin' } }))[0]).toBe('MISS');
  });

  test('is invalidated at once by deploy, update and deletion of definitions and modules', async () => {
    await bench.deploy({ uri: 'dropped', logic: [RUN], config: CACHED });
    await run('dropped?version=1.0.0');
    await bench.deploy({ uri: 'dropped', version: '2', logic: [RUN], config: CACHED });
    expect((await run('dropped?version=1.0.0'))[0]).toBe('MISS');
    expect((await run('dropped?version=1.0.0'))[0]).toBe('HIT');
    await bench.send('PUT', '', stringify(bench.document({ uri: 'dropped', logic: [RUN], config: CACHED })));
    expect((await run('dropped?version=1.0.0'))[0]).toBe('MISS');
    expect((await bench.send('DELETE', '?uri=dropped&method=get&version=1.0.0', undefined)).status).toBe(200);
    expect((await bench.get('dropped?version=1.0.0')).status).toBe(404);

    const put = (n: number): Promise<Response> => {
      const { orgId, projectId, userId, spaces } = bench.project;
      const body = stringify({
        org_id: orgId,
        project_id: projectId,
        space_id: spaces.dev,
        user_id: userId,
        module: 'm',
        code: `n = ${n}\n`,
      });
      return service.request('POST', '/svc/code/v1/lark/', {
        headers: { ...bench.project.headers, 'content-type': 'application/x-yaml' },
        body,
      });
    };
    await put(1);
    await bench.deploy({ uri: 'moduled', logic: [{ lark: 'a', code: 'result = m.n' }], config: CACHED });
    expect(await run('moduled')).toEqual(['MISS', '1']);
    await put(2);
    expect(await run('moduled')).toEqual(['MISS', '2']);
  });

  test('expires after cache_ttl_secs', async () => {
    await bench.deploy({ uri: 'short', logic: [RUN], config: { cache_result: true, cache_ttl_secs: 3 } });
    await run('short');
    expect((await run('short'))[0]).toBe('HIT');
    await expect.poll(async () => (await run('short'))[0], { timeout: 15_000, interval: 250 }).toBe('MISS');
  });

  test('rejects a response that exceeds the memory limit', async () => {
    const sql = "SELECT repeat('x', 1000) AS t FROM generate_series(1, 3000)";
    const config = { ...CACHED, limits: { memory_mb: 1 } };
    await bench.deploy({ uri: 'large', logic: [{ sql }], config });
    await bench.deploy({
      uri: 'large-value',
      logic: [{ lark: 'a', code: 'result = [n * 1000000007 for n in range(150000)]' }],
      config: { ...CACHED, limits: { memory_mb: 1, time_ms: 5000 } },
    });
    for (const uri of ['large', 'large-value']) {
      const response = await bench.get(uri);
      expect([response.status, response.json<{ message: string }>().message]).toEqual([422, expect.stringMatching(/1 MiB/)]);
    }
  });

  test('does not cache failures', async () => {
    await bench.deploy({ uri: 'fails', logic: [{ sql: 'SELECT * FROM later' }], config: CACHED });
    expect((await bench.get('fails')).status).toBe(500);
    await bench.database.run('CREATE TABLE later (n int)');
    expect(await run('fails')).toEqual(['MISS', '[]']);
  });

  test('never shares entries between tenants or spaces', async () => {
    const other = new Bench(service, await setUpProject(service, [bench.database.entry()]), bench.database);
    const staging = new Bench(
      service,
      { ...bench.project, headers: { ...bench.project.headers, 'x-space-id': bench.project.spaces.staging } },
      bench.database,
    );
    const all = [bench, other, staging];
    for (const [index, one] of all.entries())
      await one.deploy({
        uri: 'tenant',
        logic: [{ sql: `SELECT ${index} AS tenant` }],
        config: { cache_result: true, coalesce: true, cache_ttl_secs: 1 },
      });
    const calls = Array.from({ length: 600 }, async (_, i) => {
      const index = i % 3;
      const abort = i % 7 === 0 ? AbortSignal.timeout(i % 5) : undefined;
      const response = await all[index]?.get(`tenant?n=${i % 4}`, abort && { signal: abort }).catch(() => undefined);
      if (response !== undefined) expect(response.text).toBe(`[{"tenant":${index}}]`);
    });
    await Promise.all(calls);
  });
});

describe('cache and coalesce with a step that may write', () => {
  beforeAll(() => bench.database.run('CREATE TABLE written (id int, note text)'));
  const CONFIGS = [{ cache_result: true }, { coalesce: true }];

  test.each([
    'INSERT INTO written VALUES (1)',
    'UPDATE written SET id = 2',
    'DELETE FROM written RETURNING id',
    'WITH gone AS (DELETE FROM written RETURNING id) SELECT count(*) FROM gone',
    '(WITH gone AS (DELETE FROM written RETURNING id) SELECT count(*) FROM gone)',
    'WITH one AS (SELECT 1 AS id) INSERT INTO written (id) SELECT id FROM one',
    'SELECT id FROM written FOR UPDATE',
    'SELECT id FROM written FOR SHARE',
    'SELECT 1 AS id INTO made',
    'EXPLAIN ANALYZE DELETE FROM written',
    'CALL something()',
    'TRUNCATE written',
    'CREATE TABLE made (id int)',
    'REFRESH MATERIALIZED VIEW some_view',
    'DO $$ BEGIN NULL; END $$',
  ])('%s', async (sql) => {
    for (const config of CONFIGS)
      for (const method of ['get', 'post'] as const) {
        const text = stringify(bench.document({ uri: 'writes', method, logic: [{ sql: 'SELECT 1' }, { sql }], config }));
        const response = await bench.deployText(text);
        const wanted = expect.stringMatching(
          new RegExp(`line \\d+, column \\d+: config\\.${Object.keys(config)[0]}.* step 1 \\(sql\\) writes`),
        );
        expect([response.status, response.json<{ message: string }>().message]).toEqual([400, wanted]);
      }
  });

  test.each([
    "SELECT replace(note, 'a', 'b') AS note, w.id FROM written AS w",
    'WITH few AS (SELECT id FROM written) SELECT count(*) FROM few',
    '(SELECT 1 AS n) UNION (SELECT 2)',
    'VALUES (1), (2)',
    'TABLE written',
    'SHOW server_version',
    'EXPLAIN SELECT 1',
  ])('%s only reads', async (sql) => {
    const uri = `reads-${sql.replace(/\W+/g, '-').slice(0, 12).toLowerCase()}x`;
    await bench.deploy({ uri, logic: [{ sql }], config: CACHED });
    expect([(await run(uri))[0], (await run(uri))[0]]).toEqual(['MISS', 'HIT']);
  });

  test('rejects an update as well', async () => {
    await bench.deploy({ uri: 'becomes', logic: [RUN], config: CACHED });
    const sketch = { uri: 'becomes', logic: [{ sql: 'DELETE FROM written' }], config: CACHED };
    expect((await bench.send('PUT', '', stringify(bench.document(sketch)))).status).toBe(400);
    expect((await run('becomes'))[0]).toBe('MISS');
  });
});

test('a stored definition that caches writes runs every time, and is not copied', async () => {
  await bench.database.run('CREATE TABLE kept (id int)');
  const store = await createDatabase('postgres');
  const { address, name } = store;
  const env = { MILLRACE_STORE_URL: `postgres://${address.user}:${address.password}@${address.host}:${address.port}/${name}` };
  const before = await startService({ env });
  const project = await setUpProject(before, [bench.database.entry()]);
  const old = new Bench(before, project, bench.database);
  const config = { cache_result: true, coalesce: true };
  const id = await old.deploy({ uri: 'old', method: 'post', logic: [{ sql: 'SELECT 4711 AS id' }], config });
  await before.stop();
  await store.run("UPDATE millrace.definitions SET document = replace(document, 'SELECT 4711 AS id', 'INSERT INTO kept VALUES (4711)')");
  const after = await startService({
    env: { ...env, MILLRACE_SERVER_KEY: before.serverKey, MILLRACE_ENCRYPTION_KEY: before.encryptionKey },
  });
  const stored = new Bench(after, project, bench.database);
  const calls = await Promise.all([1, 2, 3].map(() => stored.call('POST', 'old', { body: {} })));
  expect(calls.map(({ status, headers }) => [status, headers['x-cache']])).toEqual([1, 2, 3].map(() => [200, undefined]));
  expect(await bench.database.run('SELECT id FROM kept')).toHaveLength(3);
  const { orgId: org_id, projectId: project_id, userId: user_id, spaces } = project;
  const body = {
    ...{ org_id, project_id, user_id, space_id: project.headers['x-space-id'] },
    ...{ target_version: '1.0.0', target_space_id: spaces.staging, definition_list: [id] },
  };
  const copied = await after.request('PUT', `${DEFINITIONS}/space/copy`, { headers: project.headers, body });
  expect([copied.status, copied.json<{ message: string }>().message]).toEqual([400, expect.stringContaining('config.cache_result')]);
  await after.stop();
  await store.drop();
});

describe('coalesce', () => {
  const SLOW = { sql: "SELECT nextval('runs') AS run, pg_sleep(1.5) IS NULL AS slept" };

  test('lets identical concurrent requests share one execution, but not later ones', async () => {
    await bench.deploy({ uri: 'shared', logic: [SLOW], config: { coalesce: true } });
    const answers = await Promise.all([1, 1, 1, 1, 2].map((n) => bench.get(`shared?n=${n}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(2);
    expect(answers.map(cacheOf)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    const later = await bench.get('shared?n=1');
    expect(answers.map(({ text }) => text)).not.toContain(later.text);
  });

  test('continues for the other callers if the first disconnects', async () => {
    await bench.deploy({ uri: 'left', logic: [SLOW], config: { coalesce: true } });
    const abort = new AbortController();
    const leader = bench.get('left', { signal: abort.signal }).catch(() => 'gone');
    const running = async (): Promise<number> =>
      Number(
        (
          await bench.database.run(
            "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%AS slept%' AND state = 'active' AND pid <> pg_backend_pid()",
          )
        )[0]?.['n'],
      );
    await expect.poll(running, PATIENCE).toBe(1);
    const followers = [bench.get('left'), bench.get('left')];
    // The followers have joined when nothing more is started for them.
    await new Promise((resolve) => setTimeout(resolve, 100));
    abort.abort();
    expect(await leader).toBe('gone');
    const [a, b] = await Promise.all(followers);
    expect([a?.status, a?.text]).toEqual([200, b?.text]);
  });

  test('cancels the execution once all callers have disconnected', async () => {
    await bench.deploy({ uri: 'abandoned', logic: [{ sql: "SELECT pg_sleep(60), 'abandoned-canary'" }], config: { coalesce: true } });
    const abort = new AbortController();
    const waiting = [1, 2].map(() => bench.get('abandoned', { signal: abort.signal }).catch(() => 'gone'));
    const running = async (): Promise<number> =>
      Number(
        (
          await bench.database.run(
            "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%abandoned-canary%' AND state = 'active' AND pid <> pg_backend_pid()",
          )
        )[0]?.['n'],
      );
    await expect.poll(running, PATIENCE).toBe(1);
    abort.abort();
    expect(await Promise.all(waiting)).toEqual(['gone', 'gone']);
    await expect.poll(running, PATIENCE).toBe(0);
  });

  test('shares a failure with the waiting callers only', async () => {
    await bench.deploy({ uri: 'both-fail', logic: [{ sql: 'SELECT pg_sleep(0.2), 1 / (?:n::int)' }], config: { coalesce: true } });
    const answers = await Promise.all([0, 0].map((n) => bench.get(`both-fail?n=${n}`)));
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect((await bench.get('both-fail?n=1')).status).toBe(200);
  });
});
