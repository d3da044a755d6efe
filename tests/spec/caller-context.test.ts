// The context of a caller over HTTP: who it is, where it is, and what it may do there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseEntry } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { type Body, type Headers, messageOf, SystemClient } from './system-client.ts';

const ENTRY: DatabaseEntry = {
  db_type: 'pg',
  db_name: 'shop',
  host_details: [{ host: '127.0.0.1', port: '1' }],
  username: 'reader',
  password: 'never-shown',
};

let service: Service;
let client: SystemClient;
let project: TestProject;
beforeAll(async () => {
  service = await sharedService();
  client = new SystemClient(service);
  project = await setUpProject(service, [
    ENTRY,
    { ...ENTRY, db_type: 'ch', alias: 'log', read_only: true },
    { ...ENTRY, alias: 'later', spaces: ['prod'] },
  ]);
});
afterAll(() => service?.stop());

const ask = (headers: Headers) => client.send('GET', 'rest/meta/v1/context', undefined, { 'x-server-key': undefined, ...headers });
const contextOf = async (headers: Headers, own = project): Promise<Body> => {
  const answer = await ask({ ...own.headers, ...headers });
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain('never-shown');
  expect(answer.text).not.toContain('127.0.0.1');
  return answer.json<Body>();
};
const tokenOf = async (body: Body, headers: Headers = {}): Promise<Headers> => {
  const all = { name: `context ${Math.random()}`, key_type: 'rwd', roles: ['admin'], ...body };
  const made = await client.system('POST', 'token', all, { ...project.headers, ...headers });
  return { authorization: `Bearer ${made.json<{ power_token: string }>().power_token}` };
};

describe('GET …/meta/v1/context', () => {
  it('says who and where the caller is', async () => {
    const { dev, staging, prod } = project.spaces;
    expect(await contextOf({})).toEqual({
      version: expect.stringMatching(/^\d+\.\d+/),
      max_page_size: 10_000,
      user_id: project.userId,
      roles: ['admin', 'power'],
      claims: {},
      persona: null,
      personas: [],
      unrestricted: true,
      org: { org_id: project.orgId, name: expect.any(String), abbreviation: project.orgAbbr },
      project: { project_id: project.projectId, name: expect.any(String), abbreviation: project.projectAbbr },
      space: { space_id: dev, name: 'dev' },
      spaces: [
        { space_id: dev, name: 'dev' },
        { space_id: staging, name: 'staging' },
        { space_id: prod, name: 'prod' },
      ],
      databases: [
        { ref: 'pg/shop', db_type: 'pg', name: 'shop', engine: 'PostgreSQL', read_only: false },
        { ref: 'ch/log', db_type: 'ch', name: 'log', engine: 'ClickHouse', read_only: true },
      ],
      token: null,
      may: { read: true, write: true, delete: true, author: true, admin: true, system: false },
    });
  });

  it('lists the databases of the space', async () => {
    const { databases, space } = await contextOf({ 'x-space-id': project.spaces.prod });
    expect([space, (databases as Body[]).map(({ ref }) => ref)]).toEqual([
      { space_id: project.spaces.prod, name: 'prod' },
      ['pg/shop', 'ch/log', 'pg/later'],
    ]);
  });

  it.each([
    [
      { key_type: 'r--', roles: ['viewer'] },
      { read: true, write: false, delete: false, author: false, admin: false, system: false },
    ],
    [
      { key_type: 'r-d', roles: ['power'] },
      { read: true, write: false, delete: true, author: false, admin: false, system: false },
    ],
    [
      { key_type: 'rw-', roles: ['power'] },
      { read: true, write: true, delete: false, author: true, admin: false, system: false },
    ],
    [
      { key_type: 'rwd', roles: ['admin'] },
      { read: true, write: true, delete: true, author: true, admin: true, system: true },
    ],
  ])('derives the rights of the token %j', async (body, may) => {
    const claims = { region: 'eu', id: 9 };
    const headers = await tokenOf({ ...body, name: `shown ${body.key_type}`, claims, expires_at: '2099-01-01T00:00:00Z' });
    expect(await contextOf(headers)).toMatchObject({
      claims,
      token: { token_id: expect.any(String), name: `shown ${body.key_type}`, key_type: body.key_type, expires_at: '2099-01-01T00:00:00Z' },
      may,
    });
  });

  it('shows what the persona leaves, and its claims exactly', async () => {
    const own = await setUpProject(service, [ENTRY, { ...ENTRY, alias: 'hidden' }]);
    const persona = { persona: 'clerk', roles: ['clerk'], tables: { 'pg/shop/orders': { read: {}, insert: {} } } };
    expect((await client.send('POST', 'persona/v1', persona, own.headers)).status).toBe(201);
    const clerk = await contextOf({ 'x-user-roles': 'clerk', 'x-user-claims': '{"region":"eu"}' }, own);
    expect(clerk).toMatchObject({
      persona: 'clerk',
      personas: ['clerk'],
      unrestricted: false,
      claims: { region: 'eu' },
      databases: [{ ref: 'pg/shop' }],
      may: { read: true, write: true, delete: false, author: false, admin: false, system: false },
    });
    expect(clerk['databases']).toHaveLength(1);
    expect(await contextOf({ 'x-user-roles': 'other' }, own)).toMatchObject({
      persona: null,
      unrestricted: false,
      databases: [],
      may: { read: false, write: false, delete: false },
    });
    expect(await contextOf({ 'x-persona': 'clerk' }, own)).toMatchObject({ persona: 'clerk', unrestricted: false });
  });

  it('needs a context', async () => {
    messageOf(await ask({ ...project.headers, 'x-user-id': undefined }), 401);
    messageOf(await ask({ ...project.headers, 'x-user-roles': undefined }), 400);
    messageOf(await ask({ ...project.headers, 'x-space-id': project.orgId }), 404);
    expect((await ask({ ...project.headers, 'x-space-id': undefined })).json()).toMatchObject({ space: { name: 'dev' } });
  });
});
