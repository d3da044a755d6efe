// Audit records over HTTP: what leaves one, what it contains, who sees it, and how it is searched.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import type { DatabaseEntry } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { type Body, type Headers, messageOf, SystemClient } from './system-client.ts';

const ENTRY: DatabaseEntry = {
  db_type: 'pg',
  db_name: 'shop',
  host_details: [{ host: '127.0.0.1', port: '1' }],
  username: 'reader',
  password: 'never-recorded',
};

let service: Service;
let client: SystemClient;
let project: TestProject;
let other: TestProject;
beforeAll(async () => {
  service = await startService();
  client = new SystemClient(service);
  project = await setUpProject(service, [ENTRY]);
  other = await setUpProject(service, []);
});
afterAll(() => service?.stop());

const audit = (query = '', headers: Headers = project.systemHeaders) => client.system('GET', `audit${query}`, undefined, headers);
const recordsOf = async (query = '', headers: Headers = project.systemHeaders): Promise<Body[]> => {
  const answer = await audit(query, headers);
  expect(answer.status).toBe(200);
  return answer.json<Body[]>();
};
const shown = (records: readonly Body[]): string[] => records.map(({ action, object, status }) => `${action} ${object} ${status}`);
const system = (method: string, path: string, body?: unknown) => client.system(method, path, body, project.headers);
const tokenOf = async (body: Body, of = project): Promise<{ id: string; headers: Headers }> => {
  const all = { name: `audit ${Math.random()}`, key_type: 'rwd', roles: ['admin'], ...body };
  const made = (await client.system('POST', 'token', all, of.headers)).json<Record<string, string>>();
  return { id: made['token_id'] ?? '', headers: { 'x-server-key': undefined, authorization: `Bearer ${made['power_token']}` } };
};

describe('an audit record', () => {
  it('is left by every change, newest first, with its author and request', async () => {
    const bench = new Bench(service, project, { dbType: 'pg', name: 'shop' });
    const yaml = { ...project.headers, 'content-type': 'application/x-yaml', 'x-request-id': 'deploy-1' };
    const text = stringify(bench.document({ uri: 'reports/sales', version: '1.0', logic: [{ expr: 'x', code: '1' }] }));
    const deployed = await service.request('POST', '/svc/rest/definition/v1?prepare=false', { headers: yaml, body: text });
    expect(deployed.status).toBe(201);
    expect((await service.request('PUT', '/svc/rest/definition/v1?prepare=false', { headers: yaml, body: text })).status).toBe(200);
    const ids = { org_id: project.orgId, project_id: project.projectId, space_id: project.spaces.dev, user_id: project.userId };
    const list = [deployed.json<{ definition_id: string }>().definition_id];
    const copy = { ...ids, target_space_id: project.spaces.prod, target_version: '2.0', definition_list: list };
    expect((await client.send('PUT', 'rest/definition/v1/space/copy?prepare=false', copy, project.headers)).status).toBe(200);
    await client.send('DELETE', 'rest/definition/v1?uri=reports/sales&method=get&version=1.0', undefined, project.headers);
    const module = Object.entries({ ...ids, module: 'prices', code: 'x = 1' }).map(([name, value]) => `${name}: ${value}\n`);
    await service.request('POST', '/svc/code/v1/lark', { headers: yaml, body: module.join('') });
    await client.send('DELETE', 'code/v1/lark?module=prices', undefined, project.headers);
    const persona = { persona: 'clerk', roles: ['clerk'], tables: {} };
    for (const _ of [1, 2]) await client.send('POST', 'persona/v1', persona, project.headers);
    const personas = { target_space_id: project.spaces.prod, personas: ['clerk'] };
    await client.send('PUT', 'persona/v1/space/copy', personas, project.headers);
    await client.send('DELETE', 'persona/v1?persona=clerk', undefined, project.headers);
    const { id } = await tokenOf({ name: 'robot' });
    await system('DELETE', `token?token_id=${id}`);
    await system('POST', 'project/database', { ...ENTRY, alias: 'two' });
    await system('PUT', 'project/database', { ...ENTRY, alias: 'two', read_only: true, password: 'never-recorded either' });
    await system('DELETE', 'project/database?type=pg&name=two');
    await system('PUT', `project?project_id=${project.projectId}`, { description: 'never-recorded' });

    const records = await recordsOf();
    expect(shown(records)).toEqual([
      `project.change project_id=${project.projectId} 200`,
      'database.delete pg/two 200',
      'database.change pg/two 200',
      'database.create pg/two 201',
      `token.delete token_id=${id} 200`,
      `token.create token_id=${id} name=robot 201`,
      'persona.delete clerk 200',
      'persona.copy clerk 200',
      'persona.put clerk 200',
      'persona.put clerk 201',
      'module.delete prices 200',
      'module.put prices 201',
      'definition.delete get reports/sales 1.0 200',
      `definition.copy get reports/sales 2.0 to space ${project.spaces.prod} 200`,
      'definition.update get reports/sales 1.0 200',
      'definition.deploy get reports/sales 1.0 201',
      `project.create project_id=${project.projectId} abbreviation=${project.projectAbbr} 201`,
    ]);
    expect(records.map(({ at }) => at)).toEqual(
      records
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(records[2]?.['changed']).toEqual(['read_only', 'password']);
    expect(records.at(-2)).toEqual({
      audit_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      action: 'definition.deploy',
      object: 'get reports/sales 1.0',
      changed: null,
      status: 201,
      user_id: project.userId,
      token_id: null,
      roles: ['admin', 'power'],
      org_id: project.orgId,
      project_id: project.projectId,
      space_id: project.spaces.dev,
      request_id: 'deploy-1',
      instance: expect.stringMatching(/\S/),
    });
    expect(JSON.stringify(records)).not.toMatch(/never-recorded|mr_/);
  });

  it('is not left by what changes nothing', async () => {
    const before = (await audit('', { 'x-org-id': project.orgId })).headers['x-total-count'];
    const again = { name: 'p', abbreviation: project.projectAbbr, database: [] };
    expect((await system('POST', 'project', again)).status).toBe(208);
    expect((await system('PUT', 'project/database', ENTRY)).status).toBe(200);
    messageOf(await system('DELETE', 'project/database?type=pg&name=nothing'), 404);
    messageOf(await client.send('POST', 'persona/v1', { persona: 'X' }, project.headers), 400);
    messageOf(await client.send('DELETE', 'persona/v1?persona=nobody', undefined, project.headers), 404);
    expect((await client.send('POST', 'persona/v1/check', { persona: 'x', roles: ['x'], tables: {} }, project.headers)).status).toBe(200);
    expect((await audit('', { 'x-org-id': project.orgId })).headers['x-total-count']).toBe(before);
  });

  it('names the token that made the change, and outlives the project', async () => {
    const gone = await setUpProject(service, []);
    const { id, headers } = await tokenOf({}, gone);
    await client.send('POST', 'persona/v1', { persona: 'late', roles: ['late'], tables: {} }, headers);
    await client.system('DELETE', `project?project_id=${gone.projectId}`, undefined, gone.headers);
    const records = await recordsOf('', { 'x-org-id': gone.orgId });
    expect(shown(records).slice(0, 2)).toEqual([`project.delete project_id=${gone.projectId} 200`, 'persona.put late 201']);
    expect(records[1]).toMatchObject({ token_id: id, user_id: gone.userId, roles: ['admin'] });
    expect(shown(records).at(-1)).toBe(`org.create org_id=${gone.orgId} abbreviation=${gone.orgAbbr} 201`);
  });
});

describe('GET …/audit', () => {
  it('shows a token its own project, and the server key what the context narrows', async () => {
    const { headers } = await tokenOf({ key_type: 'r--' }, other);
    const own = await recordsOf('', { ...headers, 'x-project-id': project.projectId });
    expect(new Set(own.map(({ project_id }) => project_id))).toEqual(new Set([other.projectId]));
    const all = await recordsOf('?ps=1000', { 'x-org-id': undefined });
    expect(new Set(all.map(({ org_id }) => org_id)).size).toBeGreaterThanOrEqual(3);
    expect(new Set((await recordsOf('', { 'x-org-id': other.orgId })).map(({ org_id }) => org_id))).toEqual(new Set([other.orgId]));
    const viewer = await tokenOf({ roles: ['viewer'] });
    messageOf(await audit('', viewer.headers), 403);
    messageOf(await audit('', { ...project.headers, 'x-server-key': undefined }), 403);
    messageOf(await client.system('POST', 'audit', {}, project.headers), 405);
    messageOf(await client.system('DELETE', 'audit', undefined, project.headers), 405);
  });

  it('searches by time, user, action and object, in pages', async () => {
    const all = await recordsOf('?ps=1000');
    const at = String(all[3]?.['at']);
    const ids = (records: readonly Body[]): unknown[] => records.map(({ audit_id }) => audit_id);
    expect(ids(await recordsOf(`?from=${at}&ps=1000`))).toEqual(ids(all.filter((record) => String(record['at']) >= at)));
    expect(ids(await recordsOf(`?to=${at}&ps=1000`))).toEqual(ids(all.filter((record) => String(record['at']) < at)));
    expect(await recordsOf('?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00%2B02:00')).toEqual([]);
    const ofNoun = await recordsOf('?action=definition.*');
    expect(ofNoun.length).toBeGreaterThan(3);
    for (const { action } of ofNoun) expect(action).toMatch(/^definition\./);
    expect(shown(await recordsOf('?action=module.put'))).toEqual(['module.put prices 201']);
    expect(await recordsOf('?action=module')).toEqual([]);
    expect((await recordsOf('?object=reports/sales')).length).toBe(4);
    expect(await recordsOf("?object=REPORTS%25' OR 1=1 --".replaceAll(' ', '%20'))).toEqual([]);
    expect((await recordsOf(`?user_id=${project.userId}&ps=1000`)).length).toBe(
      all.length - (await recordsOf(`?user_id=${client.userId}&ps=1000`)).length,
    );
    const page = await audit('?pg=1&ps=2');
    expect([ids(page.json<Body[]>()), page.headers['x-total-count']]).toEqual([ids(all.slice(2, 4)), String(all.length)]);
    for (const query of ['from=yesterday', 'to=2024-01-01', 'from=2024-13-01T00:00:00Z', 'ps=0', 'pg=-1', 'ps=x'])
      messageOf(await audit(`?${query}`), 400);
  });
});

it('writes no records when MILLRACE_AUDIT_DAYS is 0', async () => {
  const silent = await startService({ env: { MILLRACE_AUDIT_DAYS: '0' } });
  try {
    const { systemHeaders } = await setUpProject(silent, []);
    const answer = await silent.request('GET', '/svc/system/api/v1/audit', { headers: systemHeaders });
    expect([answer.status, answer.json(), answer.headers['x-total-count']]).toEqual([200, [], '0']);
  } finally {
    await silent.stop();
  }
});
