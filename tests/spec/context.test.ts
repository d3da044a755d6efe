// Context headers of the Auto API, and isolation of tenants. On a real PostgreSQL.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, sharedService } from '../support/service.ts';
import { abbreviation, type Body, messageOf, SystemClient } from './system-client.ts';

/**
 * A project of one tenant: its ids, its spaces, and a database whose rows carry the tenant's mark.
 */
interface Tenant {
  readonly mark: string;
  readonly orgId: string;
  readonly orgAbbr: string;
  readonly projectId: string;
  readonly projectAbbr: string;
  readonly spaces: readonly string[];
  readonly database: TestDatabase;
}

let service: Service;
let client: SystemClient;
const tenants: Tenant[] = [];

beforeAll(async () => {
  service = await sharedService();
  client = new SystemClient(service);
  for (const org of ['one', 'two']) {
    const orgAbbr = abbreviation();
    const orgId = await client.createOrg({ abbreviation: orgAbbr });
    for (const name of ['a', 'b']) tenants.push(await makeTenant(`${org}-${name}`, orgId, orgAbbr));
  }
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(tenants.map(({ database }) => database.drop()));
});

async function makeTenant(mark: string, orgId: string, orgAbbr: string): Promise<Tenant> {
  const database = await createDatabase('postgres');
  await database.run('CREATE TABLE notes (id int PRIMARY KEY, mark text)');
  await database.run('INSERT INTO notes VALUES (1, $1)', [mark]);
  const projectAbbr = abbreviation();
  const body = { name: mark, abbreviation: projectAbbr, database: [database.entry()] };
  const answer = (await client.system('POST', 'project', body, { 'x-org-id': orgId })).json<Body>();
  const spaces = (answer['spaces'] as { space_id: string }[]).map(({ space_id }) => space_id);
  return { mark, orgId, orgAbbr, projectId: String(answer['project_id']), projectAbbr, spaces, database };
}

const tenant = (index: number): Tenant => {
  const found = tenants[index];
  if (found === undefined) throw new Error('no such tenant');
  return found;
};
const headersOf = ({ orgId, projectId, spaces }: Tenant, space = 0): Record<string, string> => ({
  'x-org-id': orgId,
  'x-project-id': projectId,
  'x-space-id': spaces[space] ?? '',
  'x-user-id': client.userId,
  'x-user-roles': 'viewer',
});
const auto = ({ orgAbbr, projectAbbr, database }: Tenant, form: 'short' | 'long' = 'long'): string =>
  `/svc/api/rest/auto/v1/${form === 'long' ? `${orgAbbr}/${projectAbbr}/` : ''}pg/${database.name}/notes`;
const read = (headers: Record<string, string | string[]>, path: string): Promise<Response> =>
  service.request('GET', `${path}?pg=0&ps=9`, { headers });

describe('the five headers of the Auto API', () => {
  test('are accepted in any space, on both paths', async () => {
    for (const one of tenants)
      for (const space of [0, 1, 2])
        for (const form of ['short', 'long'] as const)
          expect((await read(headersOf(one, space), auto(one, form))).json()).toEqual([{ id: 1, mark: one.mark }]);
  });

  const names = ['x-org-id', 'x-project-id', 'x-space-id', 'x-user-id', 'x-user-roles'];
  test.each(names)('%s missing is 400, on every method', async (name) => {
    const { [name]: _, ...rest } = headersOf(tenant(0));
    for (const [method, query, body] of [
      ['GET', 'pg=0&ps=1', undefined],
      ['POST', '', [{ id: 2 }]],
      ['PUT', 'id=eq.1&set=mark.x', undefined],
      ['DELETE', 'id=eq.1', undefined],
    ] as const) {
      const answer = await service.request(method, `${auto(tenant(0))}?${query}`, { headers: rest, ...(body && { body }) });
      expect(messageOf(answer, 400).toLowerCase()).toContain(name);
    }
    if (name !== 'x-user-roles') messageOf(await read({ ...rest, [name]: '' }, auto(tenant(0))), 400);
  });

  test.each(names)('%s sent twice is 400, whatever its values', async (name) => {
    const headers = headersOf(tenant(0));
    const value = headers[name] ?? '';
    for (const values of [
      [value, value],
      [value, 'admin'],
      ['', value],
    ])
      expect(messageOf(await read({ ...headers, [name]: values }, auto(tenant(0))), 400).toLowerCase()).toContain(name);
  });

  test.each(names.slice(0, 4))('%s that is not a ULID is 400', async (name) => {
    for (const wrong of [
      'x',
      '1',
      "' OR 1=1--",
      `${ulid()}0`,
      ulid().slice(1),
      ulid().replace(/.$/, 'U'),
      '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      '../../x',
      '%00',
      'null',
    ])
      messageOf(await read({ ...headersOf(tenant(0)), [name]: wrong }, auto(tenant(0))), 400);
  });

  test('may have ids in lower case', async () => {
    const lower = Object.fromEntries(Object.entries(headersOf(tenant(0))).map(([name, value]) => [name, value.toLowerCase()]));
    expect((await read(lower, auto(tenant(0)))).status).toBe(200);
  });

  test.each(['x_org_id', 'x.org.id', 'x-org_id', 'x_user_roles', 'X.User.Roles', 'x~server~key'])(
    'do not accept the look-alike %s',
    async (name) => {
      const text = messageOf(await read({ ...headersOf(tenant(0)), [name]: tenant(2).orgId }, auto(tenant(0))), 400);
      expect(text).toContain(name.toLowerCase());
    },
  );

  test('are distinguished from similar headers, which are ignored', async () => {
    const answer = await read({ ...headersOf(tenant(0)), 'x-user_agent': 'a', x_org: 'b', 'x-org-id-2': 'c' }, auto(tenant(0)));
    expect(answer.json()).toEqual([{ id: 1, mark: tenant(0).mark }]);
  });

  test('may have empty roles, up to a maximum length', async () => {
    expect((await read({ ...headersOf(tenant(0)), 'x-user-roles': '' }, auto(tenant(0)))).status).toBe(200);
    expect((await read({ ...headersOf(tenant(0)), 'x-user-roles': ' a ,, b,' }, auto(tenant(0)))).status).toBe(200);
    const many = Array.from({ length: 65 }, (_, index) => `role${index}`).join(',');
    for (const roles of [many, 'r'.repeat(129)])
      messageOf(await read({ ...headersOf(tenant(0)), 'x-user-roles': roles }, auto(tenant(0))), 400);
  });

  test('of a missing tenant return 404', async () => {
    for (const name of ['x-org-id', 'x-project-id', 'x-space-id'])
      messageOf(await read({ ...headersOf(tenant(0)), [name]: ulid() }, auto(tenant(0), 'short')), 404);
  });
});

describe('paths', () => {
  test('of another organization or project are 403', async () => {
    const [one, sister, stranger] = [tenant(0), tenant(1), tenant(2)];
    for (const path of [
      auto({ ...one, projectAbbr: sister.projectAbbr }),
      auto({ ...one, orgAbbr: stranger.orgAbbr }),
      auto({ ...one, orgAbbr: 'nobody' }),
      auto({ ...one, orgAbbr: one.orgId }),
      auto(sister),
      auto(stranger),
    ])
      messageOf(await read(headersOf(one), path), 403);
  });

  test.each(['xx', 'PG', 'postgres', 'or', 'ss', 'md', '__proto__', 'constructor', ''])('the type %j is 404', async (type) => {
    const answer = await read(headersOf(tenant(0)), auto(tenant(0)).replace('/pg/', `/${type}/`));
    expect(messageOf(answer, 404)).toMatch(['or', 'ss', 'md'].includes(type) ? /unavailable/ : /./);
  });

  const strange = [
    "'",
    '"',
    '`',
    ';',
    '--',
    '/*',
    '..',
    '.',
    '*',
    '%',
    '_',
    '\\',
    ' ',
    '\t',
    'é',
    '😀',
    'null',
    'true',
    '0',
    'pg_class',
    'a'.repeat(300),
  ];
  const hostile = [
    "x'; DROP TABLE notes; --",
    'x" OR "1"="1',
    'notes" --',
    'notes;',
    'pg_catalog.pg_authid',
    'information_schema.tables',
    'public.notes',
    'NOTES',
    ...strange,
  ];
  test.each(hostile)('%j matches no database and no table', async (text) => {
    const one = tenant(0);
    const name = encodeURIComponent(text);
    for (const path of [
      `pg/${name}/notes`,
      `pg/${one.database.name}/${name}`,
      `pg/${one.database.name}.${name}/notes`,
      `pg/${name}.public/notes`,
    ])
      for (const method of ['GET', 'DELETE', 'PUT', 'POST']) {
        const query = { GET: 'pg=0&ps=1', DELETE: 'id=eq.1', PUT: 'id=eq.1&set=mark.x', POST: '' }[method];
        const options = { headers: headersOf(one), ...(method === 'POST' ? { body: [{ id: 5 }] } : {}) };
        const answer = await service.request(method, `/svc/api/rest/auto/v1/${path}?${query}`, options);
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`);
      }
    expect(await one.database.run('SELECT * FROM notes')).toEqual([{ id: 1, mark: one.mark }]);
  });

  test.each(hostile)('%j in a header gives no access', async (text) => {
    const value = Buffer.from(text).toString('latin1').replaceAll('\0', '');
    for (const name of ['x-org-id', 'x-project-id', 'x-space-id', 'x-user-id']) {
      const { status } = await read({ ...headersOf(tenant(0)), [name]: value }, auto(tenant(0)));
      expect(`${name} ${status}`).toBe(`${name} 400`);
    }
    expect((await read({ ...headersOf(tenant(0)), 'x-user-roles': value, 'x-feature-id': value }, auto(tenant(0)))).status).toBeLessThan(
      500,
    );
  });
});

describe('two organizations with two projects of three spaces each', () => {
  test('allow no row to be read or written with mixed ids in headers and paths', async () => {
    let refused = 0;
    for (const org of tenants)
      for (const project of tenants)
        for (const space of tenants)
          for (const path of tenants) {
            if (org.orgId === project.orgId && project === space && space === path) continue;
            for (const form of ['short', 'long'] as const) {
              const headers = { ...headersOf(project, 0), 'x-org-id': org.orgId, 'x-space-id': space.spaces[refused % 3] ?? '' };
              const answer = await read(headers, auto(path, form));
              expect([403, 404], `${answer.status} ${answer.text}`).toContain(answer.status);
              expect(answer.text).not.toContain(path.mark);
              refused++;
            }
          }
    expect(refused).toBe(2 * (4 ** 4 - 8));
  });

  test('allow no row to be changed with mixed ids either', async () => {
    const [one, sister, stranger] = [tenant(0), tenant(1), tenant(2)];
    for (const headers of [
      headersOf(sister),
      headersOf(stranger),
      { ...headersOf(one), 'x-org-id': stranger.orgId },
      { ...headersOf(one), 'x-space-id': stranger.spaces[0] ?? '' },
    ])
      for (const form of ['short', 'long'] as const) {
        const send = (method: string, query: string, body?: unknown) =>
          service.request(method, `${auto(one, form)}?${query}`, { headers, ...(body === undefined ? {} : { body }) });
        for (const answer of [
          await send('DELETE', 'id=ge.0'),
          await send('PUT', 'id=ge.0&set=mark.stolen'),
          await send('POST', '', [{ id: 9, mark: 'stolen' }]),
        ])
          expect([403, 404]).toContain(answer.status);
      }
    expect(await one.database.run('SELECT * FROM notes')).toEqual([{ id: 1, mark: one.mark }]);
  });

  test('are invisible to System APIs with the ids of another tenant', async () => {
    const [one, sister, stranger] = [tenant(0), tenant(1), tenant(2)];
    const token = (await client.system('POST', 'token', { name: 'mine', key_type: 'r--', roles: 'x' }, headersOf(one))).json<Body>();
    for (const foreign of [sister, stranger])
      messageOf(await client.system('DELETE', `token?token_id=${String(token['token_id'])}`, undefined, headersOf(foreign)), 404);
    const wrongOrg = { 'x-org-id': stranger.orgId };
    for (const path of [`project?project_id=${one.projectId}`]) {
      messageOf(await client.system('GET', path, undefined, wrongOrg), 404);
      messageOf(await client.system('DELETE', path, undefined, wrongOrg), 404);
    }
    const entry = { ...one.database.entry(), db_name: 'planted' };
    for (const query of [`?project_id=${one.projectId}`, '']) {
      messageOf(await client.system('POST', `project/database${query}`, { ...entry, project_id: one.projectId }, wrongOrg), 404);
      messageOf(
        await client.system('PUT', `project/database${query}`, { ...one.database.entry(), project_id: one.projectId }, wrongOrg),
        404,
      );
    }
    messageOf(
      await client.system('DELETE', `project/database?project_id=${one.projectId}&type=pg&name=${one.database.name}`, undefined, wrongOrg),
      404,
    );
    const meta = `type=pg&schema=${one.database.name}&table=notes`;
    for (const foreign of [sister, stranger]) {
      messageOf(await client.system('GET', `db/meta?${meta}`, undefined, headersOf(foreign)), 404);
      for (const path of ['list', 'detail'])
        messageOf(await client.send('GET', `rest/meta/v1/table/${path}?${meta}`, undefined, headersOf(foreign)), 404);
    }
    for (const one of tenants) expect((await read(headersOf(one), auto(one))).json()).toEqual([{ id: 1, mark: one.mark }]);
  });
});
