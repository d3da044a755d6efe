// Definitions over HTTP: deploy, get, list, update, delete, copy, roles, ids and rejections.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Bench, DEFINITIONS, type Sketch } from '../custom/definitions.ts';
import { createDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';

let service: Service;
let bench: Bench;
beforeAll(async () => {
  const database = await createDatabase('postgres');
  service = await startService();
  bench = new Bench(service, await setUpProject(service, [database.entry()]), database);
});
afterAll(async () => {
  await service?.stop();
  await bench?.database.drop();
});

const ONE: Sketch = { uri: 'one', logic: [{ sql: 'SELECT 1 AS n' }] };
const message = (response: Response): string => response.json<{ message: string }>().message;
const inSpace = (space: 'staging' | 'prod'): Bench =>
  new Bench(
    service,
    { ...bench.project, headers: { ...bench.project.headers, 'x-space-id': bench.project.spaces[space] } },
    bench.database,
  );

describe('deploy', () => {
  test('returns an id and takes effect at once, under both paths', async () => {
    const id = await bench.deploy({ ...ONE, uri: 'reports/daily' });
    expect(id).toMatch(/^[0-9A-Z]{26}$/);
    const response = await bench.get('reports/daily');
    expect(response.json()).toEqual([{ n: 1 }]);
    expect(response.headers['x-served-version']).toBe('1.0.0');
    expect(response.headers['server-timing']).toMatch(/^step_0;dur=[\d.]+$/);
    const long = await service.request('GET', `/svc/api/rest/v1${bench.path('reports/daily')}`, { headers: bench.project.headers });
    expect(long.json()).toEqual([{ n: 1 }]);
  });

  test.each(['application/x-yaml', 'application/yaml', 'text/yaml', 'text/plain'])('accepts %s', async (type) => {
    const text = stringify(bench.document({ ...ONE, uri: `type-${type.replace('/', '-')}` }));
    expect((await bench.deployText(text, { 'content-type': type })).status).toBe(201);
  });

  test('rejects other types, roles, and a wrong server key', async () => {
    const text = stringify(bench.document({ ...ONE, uri: 'refused' }));
    expect((await bench.deployText(text, { 'content-type': 'application/json' })).status).toBe(415);
    expect((await bench.deployText(text, { 'x-user-roles': 'viewer' })).status).toBe(403);
    expect((await bench.deployText(text, { 'x-server-key': 'wrong' })).status).toBe(403);
    expect((await bench.deployText(text, { 'x-server-key': service.serverKey, 'x-user-roles': 'power' })).status).toBe(201);
    const { 'x-user-id': _, ...headers } = bench.project.headers;
    expect((await service.request('POST', DEFINITIONS, { headers, body: text })).status).toBe(401);
  });

  test('lists every problem with its line', async () => {
    const text = `identifiers:
  org_id: nope
  project_id: ${bench.project.projectId}
permission: []
http:
  uri: /slash
  method: fetch
  version: one
  input_type: xml
logic:
  - sql: SELECT 1; SELECT 2
  - lark: input
    code: result = 1
  - expr: a
    sql: b
config:
  cache_result: maybe
  rolback_version: 1.0
`;
    const response = await bench.deployText(text);
    expect(response.status).toBe(400);
    const problems = message(response);
    for (const part of [
      'line 2, column 11: identifiers.org_id is not a ULID',
      'identifiers.feature_id is missing',
      'identifiers.space_id is missing',
      'line 4, column 13: permission must not be empty',
      'line 6, column 8: http.uri',
      'line 7, column 11: http.method',
      'line 8, column 12: http.version',
      'line 9, column 15: http.input_type',
      'line 11, column 20: step 0 (sql): a step is one statement',
      'line 12, column 11: logic[1].lark must not be input',
      'line 14, column 5: logic[2] must have exactly one',
      'line 17, column 17: config.cache_result must be true or false',
      'line 18, column 20: config.rolback_version is unknown',
      'database is missing',
    ])
      expect(problems).toContain(part);
  });

  test.each<[string, Partial<Sketch>, number, RegExp]>([
    ['a uri with a prefix', { uri: 'a//b' }, 400, /http\.uri/],
    ['a version in words', { version: 'v1' }, 400, /http\.version/],
    ['no step', { logic: [] }, 400, /logic/],
    ['a step name that hides a builtin', { logic: [{ lark: 'len', code: 'result = 1' }] }, 400, /len/],
    ['a step name that is one', { logic: [{ expr: 'step_7', code: '1' }] }, 400, /step_7/],
    [
      'a step name twice',
      {
        logic: [
          { expr: 'a', code: '1' },
          { expr: 'a', code: '2' },
        ],
      },
      400,
      /taken/,
    ],
    ['a step that reads a later one', { logic: [{ sql: 'SELECT ?:step_1.x' }, { sql: 'SELECT 1' }] }, 400, /has not run yet/],
    ['lark that does not compile', { logic: [{ lark: 'a', code: 'result = = 1' }] }, 422, /line 1, column \d+/],
    ['lark with an unknown name', { logic: [{ lark: 'a', code: '\nresult = nothing' }] }, 422, /line 2, column 10.*nothing/],
    ['expr that does not compile', { logic: [{ expr: 'a', code: '1 +' }] }, 422, /line 1, column \d+/],
    ['a rollback version that is not there', { config: { rollback_version: '0.1' } }, 400, /0\.1/],
    ['a registered database that is not there', { database: { ref: 'pg/nowhere' } }, 400, /pg\/nowhere/],
    [
      'a host that may not be dialled',
      { database: { type: 'postgres', source_ip: '169.254.169.254', username: 'a', password: 'b', name: 'c' } },
      400,
      /169\.254/,
    ],
    [
      'a socket as host',
      { database: { type: 'postgres', source_ip: '/var/run', username: 'a', password: 'b', name: 'c' } },
      400,
      /is not allowed/,
    ],
    ['an unknown database type', { database: { type: 'oracle', source_ip: 'x', username: 'a', name: 'c' } }, 400, /database\.type/],
  ])('rejects %s', async (_, sketch, status, why) => {
    const response = await bench.deployText(stringify(bench.document({ ...ONE, uri: 'refused-thing', ...sketch })));
    expect([response.status, message(response)]).toEqual([status, expect.stringMatching(why)]);
  });

  test('accepts aliases of earlier values', async () => {
    const text = stringify(
      bench.document({ ...ONE, uri: 'aliased', about: { summary: 'SUMMARY' }, response: { headers: { 'X-A': 'ALIAS' } } }),
    );
    const aliased = (alias: string): string => text.replace('SUMMARY', '&text "1"').replace('ALIAS', alias);
    const response = await bench.deployText(aliased('*text'));
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    expect((await bench.get('aliased')).headers['x-a']).toBe('1');
    expect(message(await bench.deployText(aliased('*none')))).toMatch(/alias \*none has no anchor/);
  });

  test.each<[string, string]>([
    ['no YAML', 'a: [1'],
    ['nothing', ''],
    ['a list', '- 1'],
    ['tags', 'a: !!js/function x'],
    ['keys given twice', 'a: 1\na: 2'],
    [
      'aliases that explode',
      `a: &a [x]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [*${'abcdefghi'[i]}, *${'abcdefghi'[i]}]`).join('\n')}`,
    ],
    ['great depth', `${'['.repeat(20_000)}`],
    ['great size', `a: ${'x'.repeat(400_000)}`],
  ])('rejects %s quickly', async (_, text) => {
    const began = performance.now();
    expect((await bench.deployText(text)).status).toBe(400);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('requires the identifiers of the caller', async () => {
    for (const name of ['org_id', 'project_id', 'space_id', 'user_id']) {
      const document = bench.document({ ...ONE, uri: 'foreign' });
      const identifiers = { ...(document['identifiers'] as object), [name]: ulid() };
      const response = await bench.deployText(stringify({ ...document, identifiers }));
      expect([response.status, message(response)]).toEqual([403, expect.stringContaining(name)]);
    }
    const foreign = stringify(bench.document({ ...ONE, uri: 'foreign' }));
    expect((await bench.deployText(foreign, { 'x-feature-id': ulid() })).status).toBe(403);
  });

  test('rejects the same version again with 409, but not another one', async () => {
    await bench.deploy({ ...ONE, uri: 'again' });
    const text = stringify(bench.document({ ...ONE, uri: 'again' }));
    expect((await bench.deployText(text)).status).toBe(409);
    await bench.deploy({ ...ONE, uri: 'again', version: '1.0.1' });
  });
});

describe('get, list, update, delete', () => {
  test('get returns the document, versions as written, and no password', async () => {
    const { address, name } = bench.database;
    const text = stringify(
      bench.document({
        uri: 'shown',
        version: '1',
        logic: [{ sql: 'SELECT 1 AS n' }, { expr: 'more', code: 'step_0[0].n + 1', omit: true }],
        config: { cache_result: true, cache_ttl_secs: 5 },
        database: {
          type: 'postgres',
          source_ip: address.host,
          port: '5432',
          username: 'u',
          password: 'top:secret#1',
          name,
          timeout_secs: 7,
        },
      }),
    ).replace('version: "1"', 'version: 1.10');
    const { definition_id: id } = (await bench.deployText(text)).json<{ definition_id: string }>();
    const response = await bench.send('GET', `?definition_id=${id}`, undefined);
    expect(response.text).not.toContain('top:secret');
    expect(response.json()).toMatchObject({
      definition_id: id,
      uri: 'shown',
      method: 'get',
      version: '1.10',
      definition: {
        http: { version: '1.10' },
        logic: [{ sql: 'SELECT 1 AS n' }, { expr: 'more', omit: true }],
        config: { cache_result: true, cache_ttl_secs: 5 },
        database: { password: '***', port: '5432', timeout_secs: 7 },
      },
      created_at: expect.stringMatching(/^\d{4}-/),
      updated_at: expect.stringMatching(/^\d{4}-/),
      last_failure: null,
    });
    const yaml = await bench.send('GET', `?definition_id=${id}&format=yaml`, undefined);
    expect(yaml.headers['content-type']).toContain('application/x-yaml');
    expect((parse(yaml.text, { schema: 'failsafe' }) as { database: object }).database).toMatchObject({ password: '***' });
    expect(JSON.stringify(service.output())).not.toContain('top:secret');

    // Sent back as it came, it keeps its password; to another server it does not go.
    expect((await bench.send('PUT', '', yaml.text)).status).toBe(200);
    const elsewhere = await bench.send('PUT', '', yaml.text.replace(`source_ip: ${address.host}`, 'source_ip: 10.0.0.1'));
    expect([elsewhere.status, message(elsewhere)]).toEqual([400, expect.stringContaining('password')]);
    const next = yaml.text.replace('version: 1.10', 'version: 1.11');
    expect((await bench.deployText(next)).status).toBe(201);
  });

  test('the stored password is used for connections', async () => {
    const { address, name } = bench.database;
    const database = { type: 'postgres', source_ip: address.host, port: String(address.port), username: 'keeper', password: 'right', name };
    await bench.database.run("CREATE ROLE keeper LOGIN PASSWORD 'right'").catch(() => undefined);
    const id = await bench.deploy({ uri: 'kept', logic: [{ sql: 'SELECT current_user AS me' }], database });
    expect(await bench.rows('GET', 'kept')).toEqual([{ me: 'keeper' }]);
    const shown = await bench.send('GET', `?definition_id=${id}&format=yaml`, undefined);
    const changed = await bench.send('PUT', '', shown.text.replace('AS me', 'AS still_me'));
    expect(changed.json()).toEqual({ definition_id: id, warnings: [] });
    expect(await bench.rows('GET', 'kept')).toEqual([{ still_me: 'keeper' }]);
    await bench.database.run('DROP ROLE keeper').catch(() => undefined);
  });

  test('a list names the version that answers by default, and what the documents say of themselves', async () => {
    const about = { summary: 'A list of one' };
    for (const [version, config] of [
      ['1.9', {}],
      ['1.10', { rollback_version: '1.9' }],
      ['1.10-beta', {}],
    ] as const)
      await bench.deploy({ ...ONE, uri: 'ranked', version, config, about, permission: ['viewer', 'admin'] });
    await bench.deploy({ ...ONE, uri: 'ranked', method: 'post', version: '0.1' });
    const all = (await bench.send('GET', '/list', undefined)).json<Record<string, unknown>[]>().filter(({ uri }) => uri === 'ranked');
    const shown = all.map(({ method, version, default: isDefault, rollback_version }) => [method, version, isDefault, rollback_version]);
    expect(shown).toEqual([
      ['get', '1.9', false, null],
      ['get', '1.10-beta', false, null],
      ['get', '1.10', true, '1.9'],
      ['post', '0.1', true, null],
    ]);
    const database = `${bench.database.dbType}/${bench.database.name}`;
    expect(all[0]).toMatchObject({ permission: ['viewer', 'admin'], summary: 'A list of one', database });
    expect(all[3]).toMatchObject({ permission: ['admin'], summary: null, database });
  });

  test('get and list require any role, and return only their own space', async () => {
    const id = await bench.deploy({ ...ONE, uri: 'listed', method: 'patch' });
    const viewer = { 'x-user-roles': 'viewer' };
    expect((await bench.send('GET', `?definition_id=${id}`, undefined, viewer)).status).toBe(200);
    expect((await bench.send('GET', `?definition_id=${ulid()}`, undefined)).status).toBe(404);
    expect((await bench.send('GET', '', undefined)).status).toBe(400);
    expect((await inSpace('prod').send('GET', `?definition_id=${id}`, undefined)).status).toBe(404);
    const all = (await bench.send('GET', '/list', undefined, viewer)).json<{ uri: string; definition?: unknown }[]>();
    expect(all.find(({ uri }) => uri === 'listed')).toMatchObject({ definition_id: id, method: 'patch', version: '1.0.0' });
    expect(all.every((item) => item.definition === undefined)).toBe(true);
    const patches = (await bench.send('GET', '/list?method=patch', undefined)).json<{ method: string }[]>();
    expect(new Set(patches.map(({ method }) => method))).toEqual(new Set(['patch']));
    expect((await bench.send('GET', '/list?method=fetch', undefined)).status).toBe(400);
    expect((await inSpace('prod').send('GET', '/list', undefined)).json()).toEqual([]);
  });

  test('update replaces an existing definition only', async () => {
    const id = await bench.deploy({ ...ONE, uri: 'changed' });
    const next = stringify(bench.document({ ...ONE, uri: 'changed', logic: [{ sql: 'SELECT 2 AS n' }] }));
    expect((await bench.send('PUT', '', next, { 'x-user-roles': 'viewer' })).status).toBe(403);
    const response = await bench.send('PUT', '', next);
    expect([response.status, response.json()]).toEqual([200, { definition_id: id, warnings: [] }]);
    expect(await bench.rows('GET', 'changed')).toEqual([{ n: 2 }]);
    expect((await bench.send('PUT', '', next.replace('uri: changed', 'uri: changed-not'))).status).toBe(404);
  });

  test('delete removes one version', async () => {
    await bench.deploy({ ...ONE, uri: 'gone/now' });
    await bench.deploy({ ...ONE, uri: 'gone/now', version: '2' });
    const path = `?uri=${encodeURIComponent('gone/now')}&method=get&version=2`;
    expect((await bench.send('DELETE', path, undefined, { 'x-user-roles': 'viewer' })).status).toBe(403);
    const response = await bench.send('DELETE', path, undefined);
    expect([response.status, response.json()]).toEqual([200, { code: 200, status: 'OK', message: expect.any(String) }]);
    expect((await bench.get('gone/now')).headers['x-served-version']).toBe('1.0.0');
    expect((await bench.send('DELETE', path, undefined)).status).toBe(404);
    expect((await bench.send('DELETE', '?uri=x&method=get', undefined)).status).toBe(400);
  });

  test('a version that is a rollback version cannot be changed', async () => {
    await bench.deploy({ ...ONE, uri: 'base' });
    await bench.deploy({ ...ONE, uri: 'base', version: '2.0.0', config: { rollback_version: '1.0.0' } });
    expect((await bench.send('PUT', '', stringify(bench.document({ ...ONE, uri: 'base' })))).status).toBe(409);
    expect((await bench.send('DELETE', '?uri=base&method=get&version=1.0.0', undefined)).status).toBe(409);
    expect((await bench.send('DELETE', '?uri=base&method=get&version=2.0.0', undefined)).status).toBe(200);
    expect((await bench.send('DELETE', '?uri=base&method=get&version=1.0.0', undefined)).status).toBe(200);
  });

  test('other methods and paths are rejected', async () => {
    const patch = await bench.send('PATCH', '', '');
    expect([patch.status, patch.headers['allow']]).toEqual([405, 'GET, POST, PUT, DELETE']);
    expect((await bench.send('GET', '/nothing', undefined)).status).toBe(404);
  });
});

describe('copy', () => {
  const copyBody = (more: object): object => ({
    org_id: bench.project.orgId,
    project_id: bench.project.projectId,
    space_id: bench.project.spaces.dev,
    target_version: '1.0.0',
    target_space_id: bench.project.spaces.staging,
    user_id: bench.project.userId,
    ...more,
  });
  const copy = (more: object, headers: Record<string, string> = {}): Promise<Response> =>
    service.request('PUT', `${DEFINITIONS}/space/copy`, { headers: { ...bench.project.headers, ...headers }, body: copyBody(more) });

  test('creates definitions of the target with new ids and the requested version', async () => {
    await bench.deploy({ ...ONE, uri: 'moved', version: '3.1' });
    const id = await bench.deploy({ ...ONE, uri: 'moved', version: '3.2', config: { rollback_version: '3.1', cache_result: true } });
    const response = await copy({ definition_list: [id], target_version: '1.0' });
    expect(response.status).toBe(200);
    const { copied } = response.json<{ copied: { definition_id: string }[] }>();
    expect(copied).toEqual([{ definition_id: expect.any(String), source_definition_id: id, uri: 'moved', method: 'get', version: '1.0' }]);
    expect(copied[0]?.definition_id).not.toBe(id);
    const staging = inSpace('staging');
    const called = await staging.get('moved');
    expect([called.json(), called.headers['x-served-version']]).toEqual([[{ n: 1 }], '1.0']);
    const shown = await staging.send('GET', `?definition_id=${copied[0]?.definition_id}`, undefined);
    expect(shown.json<{ definition: object }>().definition).toMatchObject({
      http: { version: '1.0' },
      identifiers: { space_id: bench.project.spaces.staging },
      config: { rollback_version: null, cache_result: true },
    });
    // Where the rollback version is there, it stays.
    const first = (await bench.send('GET', '/list', undefined)).json<{ uri: string; version: string; definition_id: string }[]>();
    const older = first.find(({ uri, version }) => uri === 'moved' && version === '3.1')?.definition_id;
    expect((await copy({ definition_list: [older], target_version: '3.1' })).status).toBe(200);
    const again = (await copy({ definition_list: [id], target_version: '3.2' })).json<{ copied: { definition_id: string }[] }>();
    const kept = await staging.send('GET', `?definition_id=${again.copied[0]?.definition_id}`, undefined);
    expect(kept.json<{ definition: object }>().definition).toMatchObject({ config: { rollback_version: '3.1' } });
  });

  test('copies all definitions or none', async () => {
    const a = await bench.deploy({ ...ONE, uri: 'copy-a' });
    const b = await bench.deploy({ ...ONE, uri: 'copy-b' });
    const prod = { target_space_id: bench.project.spaces.prod };
    expect((await copy({ ...prod, definition_list: [a, ulid()] })).status).toBe(404);
    expect((await inSpace('prod').get('copy-a')).status).toBe(404);
    expect((await copy({ ...prod, definition_list: [a] })).status).toBe(200);
    expect((await copy({ ...prod, definition_list: [b, a] })).status).toBe(409);
    expect((await inSpace('prod').get('copy-b')).status).toBe(404);
    expect((await copy({ ...prod, definition_list: [b, b] })).status).toBe(409);
  });

  test('rejects identifiers of other tenants', async () => {
    const id = await bench.deploy({ ...ONE, uri: 'copy-c' });
    expect((await copy({ definition_list: [id] }, { 'x-user-roles': 'viewer' })).status).toBe(403);
    for (const name of ['org_id', 'project_id', 'space_id', 'user_id'])
      expect((await copy({ definition_list: [id], [name]: ulid() })).status).toBe(403);
    expect((await copy({ definition_list: [id], target_space_id: ulid() })).status).toBe(404);
    expect((await copy({ definition_list: [id], target_version: 'x' })).status).toBe(422);
    expect((await copy({ definition_list: 'x' })).status).toBe(400);
    expect((await copy({})).status).toBe(400);
  });
});
