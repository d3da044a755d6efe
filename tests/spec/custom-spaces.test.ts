// Spaces as environments: databases per space, deploy history, and shared modules.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
let dev: TestDatabase;
let prod: TestDatabase;
let bench: Bench;
const SHOP = { dbType: 'pg', name: 'shop' } as const;
beforeAll(async () => {
  dev = await createDatabase('postgres');
  prod = await createDatabase('postgres');
  for (const [database, where] of [
    [dev, 'dev'],
    [prod, 'prod'],
  ] as const)
    await database.run(`CREATE TABLE place (id int PRIMARY KEY, name text); INSERT INTO place VALUES (1, '${where}')`);
  service = await sharedService();
  const entries = [
    { ...dev.entry(), alias: 'shop', spaces: ['dev', 'staging'] },
    { ...prod.entry(), alias: 'shop', spaces: ['prod'] },
  ];
  bench = new Bench(service, await setUpProject(service, entries), dev);
});
afterAll(async () => {
  await service?.stop();
  await dev?.drop();
  await prod?.drop();
});

const system = (method: string, path: string, body?: object): Promise<Response> =>
  service.request(method, `/svc/system/api/v1/project/database${path}`, {
    headers: { ...bench.project.headers, 'x-server-key': service.serverKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

async function spaces(): Promise<Record<string, string>> {
  const headers = { ...bench.project.headers, 'x-server-key': service.serverKey };
  const response = await service.request('GET', `/svc/system/api/v1/project?project_id=${bench.project.projectId}`, { headers });
  return Object.fromEntries(
    response.json<{ spaces: { name: string; space_id: string }[] }>().spaces.map(({ name, space_id }) => [name, space_id]),
  );
}

describe('an alias', () => {
  test('means a different database per space, for Auto, metadata and definitions', async () => {
    const ids = await spaces();
    const { orgAbbr, projectAbbr, headers } = bench.project;
    for (const [space, where] of Object.entries({ dev: 'dev', staging: 'dev', prod: 'prod' })) {
      const inSpace = { ...headers, 'x-space-id': ids[space] ?? '' };
      const rows = await service.request('GET', `/svc/api/rest/auto/v1/${orgAbbr}/${projectAbbr}/pg/shop/place?pg=0&ps=5`, {
        headers: inSpace,
      });
      expect([space, rows.status, rows.json()]).toEqual([space, 200, [{ id: 1, name: where }]]);
      const document = { ...bench.document({ uri: 'where', logic: [{ sql: 'SELECT name FROM place' }], database: { ref: 'pg/shop' } }) };
      const identifiers = { ...(document['identifiers'] as object), space_id: ids[space] };
      const deployed = await bench.send('POST', '', stringify({ ...document, identifiers }), { 'x-space-id': ids[space] ?? '' });
      expect([space, deployed.status]).toEqual([space, 201]);
      expect((await bench.get('where', { headers: { 'x-space-id': ids[space] ?? '' } })).json()).toEqual([{ name: where }]);
      const list = await service.request('GET', '/svc/rest/meta/v1/table/list?type=pg&schema=shop', { headers: inSpace });
      expect(list.json()).toMatchObject([{ table: 'place' }]);
    }
    // The databases' own names are not names here.
    const own = await service.request('GET', `/svc/api/rest/auto/v1/pg/${prod.name}/place?pg=0&ps=5`, { headers });
    expect(own.status).toBe(404);
  });

  test('is tested by its name in the space of the caller', async () => {
    const ids = await spaces();
    for (const [space, database] of Object.entries({ dev, prod })) {
      const headers = { ...bench.project.headers, 'x-server-key': service.serverKey, 'x-space-id': ids[space] ?? '' };
      const path = '/svc/system/api/v1/project/database/test?type=pg&name=shop';
      const response = await service.request('GET', path, { headers });
      expect([space, response.status, response.json()]).toEqual([
        space,
        200,
        expect.objectContaining({ ok: true, db_name: database.name }),
      ]);
    }
    const { password: _, ...entry } = prod.entry();
    expect((await system('POST', '/test', { ...entry, alias: 'shop', spaces: ['prod'] })).status).toBe(200);
  });

  test('is unique in each space, and identifies entries to change and remove', async () => {
    expect((await system('POST', '', { ...prod.entry(), alias: 'shop', spaces: ['staging', 'prod'] })).status).toBe(422);
    expect((await system('POST', '', { ...prod.entry(), alias: 'other', spaces: ['nowhere'] })).status).toBe(422);
    for (const alias of [' ', '-a', '.a', 'a b', 'a/b', 'ä', 'a'.repeat(64)])
      expect([alias, (await system('POST', '', { ...prod.entry(), alias })).status]).toEqual([alias, 422]);
    expect((await system('POST', '', { ...dev.entry(), alias: 'twice', spaces: ['dev'] })).status).toBe(201);
    expect((await system('POST', '', { ...prod.entry(), alias: 'twice', spaces: ['prod'] })).status).toBe(201);
    expect((await system('PUT', '', { ...dev.entry(), alias: 'twice', spaces: ['prod'] })).status).toBe(200);
    expect((await system('PUT', '', { ...dev.entry(), alias: 'twice', spaces: ['staging'] })).status).toBe(404);
    expect((await system('DELETE', '?type=pg&name=twice')).status).toBe(400);
    expect((await system('DELETE', '?type=pg&name=twice&space=prod')).status).toBe(200);
    expect((await system('DELETE', '?type=pg&name=twice')).status).toBe(200);
    expect((await system('DELETE', '?type=pg&name=twice')).status).toBe(404);
  });
});

test('the history has every deployed document, even of deleted definitions', async () => {
  const shop = new Bench(service, bench.project, SHOP);
  const sketch = { uri: 'told/{id}', logic: [{ expr: 'a', code: '1' }] };
  const id = await shop.deploy(sketch);
  expect((await shop.send('PUT', '', stringify(shop.document({ ...sketch, logic: [{ expr: 'a', code: '2' }] })))).status).toBe(200);
  expect((await shop.send('DELETE', '?uri=told/{id}&method=get&version=1.0.0', undefined)).status).toBe(200);
  const list = (await shop.send('GET', '/history?uri=told/{id}&method=get', undefined)).json<Record<string, string>[]>();
  const one = {
    revision_id: expect.any(String),
    definition_id: id,
    version: '1.0.0',
    user_id: bench.project.userId,
    at: expect.stringMatching(/^\d{4}-/),
  };
  expect(list).toEqual(['delete', 'update', 'deploy'].map((action) => ({ ...one, action })));
  const first = (await shop.send('GET', `/history?revision_id=${list[2]?.['revision_id']}`, undefined)).json();
  expect(first).toMatchObject({ action: 'deploy', definition: { http: { uri: 'told/{id}' }, logic: [{ expr: 'a', code: '1' }] } });
  expect((await shop.send('GET', '/history?revision_id=01J00000000000000000000000', undefined)).status).toBe(404);
  expect((await shop.send('GET', '/history?uri=told/{id}', undefined)).status).toBe(400);
});

test('deleting a module reports its loaders, and keeps it on request', async () => {
  const { orgId, projectId, userId, headers } = bench.project;
  const ids = { org_id: orgId, project_id: projectId, space_id: headers['x-space-id'], user_id: userId };
  const put = (module: string, code: string): Promise<Response> =>
    service.request('POST', '/svc/code/v1/lark/', {
      headers: { ...headers, 'content-type': 'application/x-yaml' },
      body: stringify({ ...ids, module, code }),
    });
  const remove = (query: string): Promise<Response> => service.request('DELETE', `/svc/code/v1/lark?${query}`, { headers });
  expect((await put('inner', 'def f():\n    return 1\n')).status).toBe(201);
  expect((await put('outer', 'load("inner", "f")\ndef g():\n    return f()\n')).status).toBe(201);
  const shop = new Bench(service, bench.project, SHOP);
  await shop.deploy({ uri: 'loads', logic: [{ lark: 'l', code: 'load("outer", "g")\nresult = g()' }] });
  const broken = [{ uri: 'loads', method: 'get', version: '1.0.0' }];
  const spared = await remove('module=inner&safe=true');
  expect([spared.status, spared.json()]).toEqual([409, expect.objectContaining({ message: expect.stringContaining('loads'), broken })]);
  expect((await shop.get('loads')).json()).toBe(1);
  expect((await remove('module=inner')).json()).toMatchObject({ code: 200, broken });
  expect((await shop.get('loads')).status).toBe(424);
  expect((await put('alone', 'x = 1\n')).status).toBe(201);
  expect((await remove('module=alone&safe=true')).json()).toMatchObject({ code: 200, broken: [] });
});
