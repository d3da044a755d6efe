// Promotion to another space: the diff as a preview, and an atomic copy.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench, DEFINITIONS, type Sketch } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService } from '../support/service.ts';

let service: Service;
let dev: TestDatabase;
let prod: TestDatabase;
let bench: Bench<{ readonly dbType: string; readonly name: string }>;
beforeAll(async () => {
  [dev, prod] = await Promise.all([createDatabase('postgres'), createDatabase('postgres')]);
  await dev.run("CREATE TABLE place (id int PRIMARY KEY, name text, extra int); INSERT INTO place VALUES (1, 'dev', 0)");
  await prod.run("CREATE TABLE place (id int PRIMARY KEY, name text); INSERT INTO place VALUES (1, 'prod')");
  service = await sharedService();
  const entries = [
    { ...dev.entry(), alias: 'shop', spaces: ['dev', 'staging'] },
    { ...prod.entry(), alias: 'shop', spaces: ['prod'] },
    { ...dev.entry(), alias: 'only_dev', spaces: ['dev'] },
    { ...dev.entry(), alias: 'gone', spaces: ['dev'] },
    { ...prod.entry(), alias: 'gone', spaces: ['prod'], host_details: [{ host: '127.0.0.1', port: '1' }] },
  ];
  bench = new Bench(service, await setUpProject(service, entries), { dbType: 'pg', name: 'shop' });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([dev?.drop(), prod?.drop()]);
});

type Space = 'dev' | 'staging' | 'prod';

const bodyOf = (more: object): object => {
  const { orgId, projectId, userId, spaces } = bench.project;
  const ids = { org_id: orgId, project_id: projectId, space_id: spaces.dev, user_id: userId };
  return { ...ids, target_space_id: spaces.prod, target_version: '1.0.0', ...more };
};
const send = (method: string, path: string, more: object): Promise<Response> =>
  service.request(method, `${DEFINITIONS}/space/${path}`, { headers: bench.project.headers, body: bodyOf(more) });
const copy = (more: object): Promise<Response> => send('PUT', 'copy', more);
const diff = async (more: object): Promise<Diff> => {
  const response = await send('POST', 'diff', more);
  expect([response.status, response.text]).toEqual([200, response.text]);
  return response.json<Diff>();
};

interface Diff {
  definitions: { uri: string; method: string; version: string; state: string; diff: string }[];
  modules: { module: string; state: string; diff: string }[];
  databases: { ref: string; ok: boolean; reason?: string }[];
  problems: { message: string }[];
}

const inSpace = (space: Space): Record<string, string> => ({ 'x-space-id': bench.project.spaces[space] });
const get = (uri: string, space: Space): Promise<Response> => bench.get(uri, { headers: inSpace(space) });
const where = (uri: string, sql = 'SELECT name FROM place'): Sketch => ({ uri, logic: [{ sql }] });
const update = async (sketch: Sketch): Promise<void> => {
  const response = await bench.send('PUT', '?prepare=false', stringify(bench.document(sketch)));
  expect(response.status).toBe(200);
};

async function put(module: string, code: string, space: Space = 'dev'): Promise<Response> {
  const { orgId, projectId, userId, headers, spaces } = bench.project;
  const ids = { org_id: orgId, project_id: projectId, space_id: spaces[space], user_id: userId };
  const response = await service.request('POST', '/svc/code/v1/lark/', {
    headers: { ...headers, ...inSpace(space), 'content-type': 'application/x-yaml' },
    body: stringify({ ...ids, module, code }),
  });
  expect(response.status).toBe(201);
  return response;
}
const modulesIn = async (space: Space): Promise<string[]> => {
  const response = await service.request('GET', '/svc/code/v1/lark/list', { headers: { ...bench.project.headers, ...inSpace(space) } });
  return response.json<{ module: string }[]>().map(({ module }) => module);
};
const loads = (module: string, uri: string): Sketch => ({
  uri,
  logic: [{ lark: 'l', code: `load("${module}", "f")\nresult = f()` }],
});

describe('a diff', () => {
  test('reports new, unchanged and changed definitions, ignoring identifiers', async () => {
    const id = await bench.deploy(where('states'));
    const list = { definition_list: [id] };
    const before = await diff(list);
    expect(before).toEqual({
      definitions: [{ uri: 'states', method: 'get', version: '1.0.0', state: 'new', diff: expect.any(String) }],
      modules: [],
      databases: [{ ref: 'pg/shop', ok: true }],
      problems: [],
    });
    const lines = (before.definitions[0]?.diff ?? '').split('\n').slice(3, -1);
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.every((line) => line.startsWith('+'))).toBe(true);
    expect(before.definitions[0]?.diff).not.toMatch(/identifiers|_id/);

    expect((await copy(list)).json()).toMatchObject({ copied: [{ source_definition_id: id, version: '1.0.0' }], warnings: [] });
    expect((await get('states', 'prod')).json()).toEqual([{ name: 'prod' }]);
    expect((await diff(list)).definitions).toEqual([{ uri: 'states', method: 'get', version: '1.0.0', state: 'same', diff: '' }]);

    await update(where('states', 'SELECT name, id FROM place'));
    const after = (await diff(list)).definitions[0];
    expect(after?.state).toBe('changed');
    expect(after?.diff.split('\n').filter((line) => /^[-+] /.test(line))).toEqual([
      '-  - sql: SELECT name FROM place',
      '+  - sql: SELECT name, id FROM place',
    ]);
    // A version that the target does not have is compared with the highest that it has.
    const next = (await diff({ ...list, target_version: '1.1.0' })).definitions[0];
    expect(next).toMatchObject({ version: '1.1.0', state: 'changed' });
    expect(next?.diff).toMatch(/^--- prod: get states 1\.0\.0\n\+\+\+ dev: get states 1\.0\.0\n/);
    expect(next?.diff).toContain('-  version: "1.0.0"\n+  version: "1.1.0"\n');
  });

  test('handles documents in other layouts, and differing passwords', async () => {
    const database = { type: 'postgres', name: dev.name, ...ownServer() };
    const sketch = { ...where('own'), database };
    const text = JSON.stringify(bench.document(sketch));
    const deployed = await bench.deployText(text);
    const list = { definition_list: [deployed.json<{ definition_id: string }>().definition_id] };
    expect((await copy(list)).status).toBe(200);
    expect(await diff(list)).toMatchObject({ definitions: [{ state: 'same', diff: '' }], databases: [] });
    expect((await bench.send('PUT', '?prepare=false', text.replace(/"password":"[^"]*"/, '"password":"hidden-one"'))).status).toBe(200);
    const [one] = (await diff(list)).definitions;
    expect(one).toMatchObject({ state: 'changed', diff: expect.stringContaining('another one') });
    expect(one?.diff).not.toContain('hidden-one');
  });

  test('accepts the target by name, changes nothing, and requires a role', async () => {
    const id = await bench.deploy(where('by-name'));
    expect(await diff({ definition_list: [id], target_space_id: 'staging' })).toMatchObject({ definitions: [{ state: 'new' }] });
    expect((await get('by-name', 'staging')).status).toBe(404);
    expect((await send('POST', 'diff', { definition_list: [id], target_space_id: 'nowhere' })).status).toBe(404);
    expect((await send('POST', 'diff', { definition_list: [ulid()] })).status).toBe(404);
    expect((await send('POST', 'diff', { definition_list: [id], modules: 'yes' })).status).toBe(400);
    const headers = { ...bench.project.headers, 'x-user-roles': 'viewer' };
    expect((await service.request('POST', `${DEFINITIONS}/space/diff`, { headers, body: bodyOf({ definition_list: [id] }) })).status).toBe(
      403,
    );
    expect((await copy({ definition_list: [id], target_space_id: 'staging' })).status).toBe(200);
    expect((await get('by-name', 'staging')).json()).toEqual([{ name: 'dev' }]);
  });
});

function ownServer(): object {
  const { host_details, username, password } = dev.entry() as {
    host_details: { host: string; port: string }[];
    username: string;
    password: string;
  };
  return { machine: host_details, username, password: password === '' ? 'none' : password };
}

describe('a copy is rejected as a whole', () => {
  const refused = async (more: object): Promise<Response> => {
    const response = await copy(more);
    expect([response.status, response.text]).toEqual([409, response.text]);
    return response;
  };

  test('when the target lacks the database', async () => {
    const good = await bench.deploy(where('database-good'));
    const bad = await bench.deploy({ ...where('database-bad'), database: { ref: 'pg/only_dev' } });
    const list = { definition_list: [good, bad] };
    const told = await diff(list);
    expect(told.databases).toEqual([
      { ref: 'pg/only_dev', ok: false, reason: expect.stringContaining('prod') },
      { ref: 'pg/shop', ok: true },
    ]);
    expect(told.problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining('pg/only_dev'), uri: 'database-bad', method: 'get', version: '1.0.0' }),
    ]);
    const response = await refused(list);
    expect(response.json()).toMatchObject({ code: 409, status: 'Conflict', problems: told.problems });
    expect((await get('database-good', 'prod')).status).toBe(404);
    const forced = await copy({ ...list, force: true });
    expect(forced.json()).toMatchObject({ copied: [{}, {}], warnings: [expect.stringContaining('pg/only_dev')] });
    expect((await get('database-good', 'prod')).status).toBe(200);
    expect((await get('database-bad', 'prod')).status).toBe(424);
  });

  test('when the database of the target rejects the SQL, unless prepare=false', async () => {
    const id = await bench.deploy(where('column', 'SELECT name,\n  extra FROM place'));
    const list = { definition_list: [id] };
    expect((await diff({ ...list, target_space_id: 'staging' })).problems).toEqual([]);
    const { problems, databases } = await diff(list);
    expect(databases).toEqual([{ ref: 'pg/shop', ok: true }]);
    expect(problems).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/extra/),
        step: 'step_0',
        line: expect.any(Number),
        column: expect.any(Number),
      }),
    ]);
    expect((await refused(list)).json()).toMatchObject({ problems });
    expect((await get('column', 'prod')).status).toBe(404);
    // An author who adds the column later can skip the check.
    const unasked = await service.request('PUT', `${DEFINITIONS}/space/copy?prepare=false`, {
      headers: bench.project.headers,
      body: bodyOf(list),
    });
    expect(unasked.json()).toMatchObject({ copied: [{ uri: 'column' }], warnings: [] });
  });

  test.each(['mysql', 'mariadb', 'clickhouse'] as const)('when %s rejects the SQL', async (engine) => {
    const [here, there] = await Promise.all([createDatabase(engine), createDatabase(engine)]);
    const end = engine === 'clickhouse' ? 'ENGINE = MergeTree ORDER BY id' : '';
    await Promise.all([here.run(`CREATE TABLE t (id int, extra int) ${end}`), there.run(`CREATE TABLE t (id int) ${end}`)]);
    try {
      const entries = [
        { ...here.entry(), alias: 'both', spaces: ['dev'] },
        { ...there.entry(), alias: 'both', spaces: ['prod'] },
      ];
      for (const body of entries) {
        const headers = { ...bench.project.headers, 'x-server-key': service.serverKey };
        expect((await service.request('POST', '/svc/system/api/v1/project/database', { headers, body })).status).toBe(201);
      }
      const sketch = { ...where(`on-${engine}`, 'SELECT id,\n  extra FROM t WHERE id = ?:id'), database: { ref: `${here.dbType}/both` } };
      const list = { definition_list: [await bench.deploy(sketch)] };
      const { problems } = await diff(list);
      expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('extra'), step: 'step_0' })]);
      expect((await refused(list)).json()).toMatchObject({ problems });
      await there.run('ALTER TABLE t ADD COLUMN extra int');
      expect((await copy(list)).json()).toMatchObject({ copied: [{}], warnings: [] });
    } finally {
      await Promise.all([here.drop(), there.drop()]);
    }
  });

  test('but not when the database of the target is unreachable', async () => {
    const id = await bench.deploy({ ...where('silent'), database: { ref: 'pg/gone' } });
    const told = await diff({ definition_list: [id] });
    expect(told).toMatchObject({ databases: [{ ref: 'pg/gone', ok: false, reason: expect.stringContaining('reached') }], problems: [] });
    expect((await copy({ definition_list: [id] })).json()).toMatchObject({ warnings: [expect.stringContaining('cannot be reached')] });
  });

  test('when a module is missing', async () => {
    await put('deep', 'def g():\n    return 1\n');
    await put('direct', 'load("deep", "g")\ndef f():\n    return g()\n');
    const id = await bench.deploy(loads('direct', 'module'));
    const list = { definition_list: [id], target_space_id: bench.project.spaces.staging };
    const told = await diff(list);
    expect(told.modules).toEqual([
      { module: 'deep', state: 'new', diff: expect.stringContaining('+def g():') },
      { module: 'direct', state: 'new', diff: expect.stringContaining('+def f():') },
    ]);
    expect(told.problems).toEqual([expect.objectContaining({ message: expect.stringContaining('"direct"'), module: 'direct' })]);
    expect((await refused(list)).json()).toMatchObject({ problems: told.problems });
    expect((await diff({ ...list, modules: true })).problems).toEqual([]);
    // Modules that a module of the target loads are required too.
    await put('direct', 'load("deep", "g")\ndef f():\n    return g() + 1\n', 'staging');
    expect((await diff(list)).problems).toEqual([expect.objectContaining({ module: 'deep' })]);
  });
});

describe('the modules of a copy', () => {
  test('are copied on request with the definitions that load them, directly or not', async () => {
    await put('inner', 'def g():\n    return "dev"\n');
    await put('outer', 'load("inner", "g")\ndef f():\n    return json.encode(g())\n');
    await put('unused', 'x = 1\n');
    const id = await bench.deploy(loads('outer', 'brought'));
    const list = { definition_list: [id], target_space_id: bench.project.spaces.staging };
    const answer = await copy({ ...list, modules: true });
    expect(answer.json()).toMatchObject({ copied: [{ uri: 'brought' }], modules: ['inner', 'outer'], warnings: [] });
    expect((await get('brought', 'staging')).json()).toBe('"dev"');
    expect(await modulesIn('staging')).toEqual(expect.arrayContaining(['inner', 'outer']));
    expect(await modulesIn('staging')).not.toContain('unused');
    expect((await diff({ ...list, modules: true })).modules).toEqual([
      { module: 'inner', state: 'same', diff: '' },
      { module: 'outer', state: 'same', diff: '' },
    ]);
  });

  test('are replaced only on request if they differ, with a warning per affected definition', async () => {
    await put('shared', 'def f():\n    return 1\n');
    const first = await bench.deploy(loads('shared', 'first'));
    const second = await bench.deploy(loads('shared', 'second'));
    const third = await bench.deploy(loads('shared', 'third'));
    expect((await copy({ definition_list: [first], modules: true })).status).toBe(200);
    const changed = await put('shared', 'def f():\n    return 2\n');
    expect(changed.json()).toMatchObject({
      loaded_by: ['first', 'second', 'third'].map((uri) => ({ uri, method: 'get', version: '1.0.0' })),
    });
    const told = await diff({ definition_list: [second], modules: true });
    expect(told.modules).toEqual([{ module: 'shared', state: 'changed', diff: expect.stringContaining('-    return 1\n+    return 2\n') }]);
    expect(told.problems).toEqual([]);
    for (const force of [false, true]) {
      const response = await copy({ definition_list: [second], modules: true, force });
      expect([response.status, response.json()]).toEqual([
        409,
        expect.objectContaining({ problems: [expect.objectContaining({ module: 'shared' })] }),
      ]);
    }
    expect((await get('second', 'prod')).status).toBe(404);
    // Without modules the target's own is used.
    expect((await copy({ definition_list: [second] })).status).toBe(200);
    expect((await get('second', 'prod')).json()).toBe(1);
    const done = await copy({ definition_list: [third], modules: true, overwrite: true });
    expect(done.json()).toMatchObject({ modules: ['shared'], warnings: [expect.stringContaining('get first 1.0.0, get second 1.0.0')] });
    expect((await get('first', 'prod')).json()).toBe(2);
  });

  test('are not compared if no copy can do what is asked', async () => {
    const id = await bench.deploy(where('impossible'));
    const same = { target_space_id: bench.project.spaces.dev };
    for (const more of [{ definition_list: [id, id] }, { definition_list: [id], ...same }]) {
      const statuses = [(await send('POST', 'diff', more)).status, (await copy(more)).status];
      expect(statuses).toEqual([409, 409]);
    }
  });

  test('are not copied if a definition cannot be copied', async () => {
    await put('alone', 'def f():\n    return 1\n');
    const id = await bench.deploy(loads('alone', 'twice'));
    expect((await copy({ definition_list: [id, id], modules: true })).status).toBe(409);
    expect(await modulesIn('prod')).not.toContain('alone');
    const bad = await bench.deploy({ ...where('bad-beside', 'SELECT extra FROM place') });
    expect((await copy({ definition_list: [id, bad], modules: true })).status).toBe(409);
    expect(await modulesIn('prod')).not.toContain('alone');
    expect((await get('twice', 'prod')).status).toBe(404);
  });

  test('are a problem if they no longer compile', async () => {
    await put('base', 'def g():\n    return 1\n');
    await put('upon', 'def f():\n    return base.g()\n');
    const id = await bench.deploy(loads('upon', 'upon'));
    expect((await service.request('DELETE', '/svc/code/v1/lark?module=base', { headers: bench.project.headers })).status).toBe(200);
    expect((await diff({ definition_list: [id], modules: true })).problems).toEqual([
      expect.objectContaining({ module: 'upon', message: expect.stringContaining('base') }),
    ]);
  });
});
