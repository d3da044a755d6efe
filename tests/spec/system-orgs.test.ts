// Organizations over HTTP, and the check of the server key.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Response, type Service, startService } from '../support/service.ts';
import { abbreviation, type Body, messageOf, SystemClient } from './system-client.ts';

const KEYS = ['the-new-server-key', 'the-old-server-key'];
let service: Service;
let client: SystemClient;

beforeAll(async () => {
  service = await startService({ env: { MILLRACE_SERVER_KEY: KEYS.join(', ') } });
  client = new SystemClient({ ...service, serverKey: KEYS[0] ?? '' });
});
afterAll(() => service?.stop());

const create = (body: unknown, headers = {}) => client.system('POST', 'org', body, headers);

describe('creating an organization', () => {
  test('requires a name and an abbreviation, and generates the rest', async () => {
    const abbr = abbreviation();
    const answer = await create({ name: 'Acme', abbreviation: abbr });
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({
      code: 201,
      status: 'Created',
      message: expect.any(String),
      org_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      abbreviation: abbr,
    });
  });

  test('keeps all given values, under the given id', async () => {
    const given = {
      org_id: ulid(),
      name: 'Ünï "Acme" <&> 东京',
      abbreviation: abbreviation(),
      admin_email: 'ada@example.org',
      admin_name: 'Ada',
      address: '1 Mill Lane\nMilltown',
      state: 'Yorkshire',
      country: 'GB',
      pin_code: '00123',
    };
    expect((await create(given)).json()).toMatchObject({ code: 201, org_id: given.org_id });
    const read = await client.system('GET', `org?org_id=${given.org_id}`);
    expect(read.status).toBe(200);
    expect(read.json()).toMatchObject({ ...given, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
    expect((await client.system('GET', 'org/list')).json()).toContainEqual(read.json());
  });

  test('again, by id or by abbreviation, is reported and has no effect', async () => {
    const given = { org_id: ulid(), name: 'First', abbreviation: abbreviation() };
    await create(given);
    for (const again of [
      { ...given, name: 'Second' },
      { ...given, abbreviation: abbreviation() },
      { ...given, org_id: ulid() },
      { name: 'Third', abbreviation: given.abbreviation },
    ]) {
      const answer = await create(again);
      expect(answer.status).toBe(208);
      expect(answer.json()).toEqual({ code: 208, status: 'Already Reported', message: expect.any(String), org_id: given.org_id });
    }
    expect((await client.system('GET', `org?org_id=${given.org_id}`)).json<Body>()['name']).toBe('First');
  });

  test('concurrently creates one organization', async () => {
    const given = { name: 'Race', abbreviation: abbreviation() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(given)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 208)]);
    expect(new Set(answers.map((answer) => answer.json<Body>()['org_id'])).size).toBe(1);
  });

  const missing: readonly (readonly [string, Body])[] = [
    ['name', { abbreviation: 'ab' }],
    ['abbreviation', { name: 'x' }],
    ['name', { name: null, abbreviation: 'ab' }],
    ['name', { name: 5, abbreviation: 'ab' }],
    ['name', { name: ['x'], abbreviation: 'ab' }],
    ['abbreviation', { name: 'x', abbreviation: 7 }],
    ['org_id', { name: 'x', abbreviation: 'ab', org_id: 12 }],
    ['admin_email', { name: 'x', abbreviation: 'ab', admin_email: {} }],
    ['country', { name: 'x', abbreviation: 'ab', country: true }],
  ];
  test.each(missing)('%s missing or of the wrong type is 400: %j', async (field, body) => {
    expect(messageOf(await create(body), 400)).toContain(field);
  });

  const refused: readonly (readonly [string, Body])[] = [
    ...['', 'A', 'Acme', '1a', '-a', 'a_b', 'a.b', 'a b', 'ä', `a${'b'.repeat(63)}`, 'a/b', 'a\n', "a'b"].map(
      (text): readonly [string, Body] => ['abbreviation', { name: 'x', abbreviation: text }],
    ),
    ...['svc', 'healthz', 'readyz', 'metrics'].map((text): readonly [string, Body] => [text, { name: 'x', abbreviation: text }]),
    ['name', { name: '', abbreviation: 'ab' }],
    ['name', { name: 'a\0b', abbreviation: 'ab' }],
    ['org_id', { name: 'x', abbreviation: 'ab', org_id: 'not-a-ulid' }],
    ['org_id', { name: 'x', abbreviation: 'ab', org_id: '01ARZ3NDEKTSV4RRFFQ69G5FAU' }],
    ['admin_email', { name: 'x', abbreviation: 'ab', admin_email: 'nobody' }],
  ];
  test.each(refused)('%s that is not allowed is 422: %j', async (field, body) => {
    expect(messageOf(await create(body), 422)).toContain(field);
  });

  test('the longest abbreviation is 63 characters', async () => {
    expect((await create({ name: 'x', abbreviation: abbreviation().padEnd(63, '-9') })).status).toBe(201);
  });

  test('reports all problems in one response', async () => {
    const message = messageOf(await create({ name: 5, abbreviation: 'NO', admin_email: 'x' }), 400);
    for (const field of ['name', 'abbreviation', 'admin_email']) expect(message).toContain(field);
  });
});

describe('authorization', () => {
  const endpoints: readonly (readonly [string, string, unknown])[] = [
    ['POST', 'org', { name: 'x', abbreviation: 'never-made' }],
    ['GET', 'org?org_id=01ARZ3NDEKTSV4RRFFQ69G5FAV', undefined],
    ['GET', 'org/list', undefined],
    ['POST', 'project', { name: 'x', abbreviation: 'never-made', database: [] }],
    ['GET', 'project?project_id=01ARZ3NDEKTSV4RRFFQ69G5FAV', undefined],
    ['GET', 'project/list', undefined],
    ['DELETE', 'project?project_id=01ARZ3NDEKTSV4RRFFQ69G5FAV', undefined],
    ['POST', 'project/database', {}],
    ['PUT', 'project/database', {}],
    ['DELETE', 'project/database?type=pg&name=x', undefined],
    ['POST', 'token', {}],
    ['GET', 'token/list', undefined],
    ['DELETE', 'token?token_id=01ARZ3NDEKTSV4RRFFQ69G5FAV', undefined],
    ['GET', 'db/meta?type=pg&schema=x&table=y', undefined],
  ];
  const context = { 'x-org-id': ulid(), 'x-project-id': ulid(), 'x-space-id': ulid(), 'x-user-roles': 'admin' };
  const wrong = [undefined, '', 'wrong', `${KEYS[0]}x`, KEYS[0]?.slice(1), KEYS[0]?.toUpperCase(), KEYS.join(','), 'é'.repeat(8)];

  test.each(endpoints)('%s %s requires the server key', async (method, path, body) => {
    for (const key of wrong)
      expect(
        messageOf(await client.system(method, path, body, { ...context, 'x-server-key': key && Buffer.from(key).toString('latin1') }), 403),
      ).toContain('X-Server-Key');
  });

  test.each(endpoints)('%s %s requires a user', async (method, path, body) => {
    for (const user of [undefined, '', ' ']) {
      expect(messageOf(await client.system(method, path, body, { ...context, 'x-user-id': user }), 401)).toContain('X-User-Id');
    }
    expect(messageOf(await client.system(method, path, body, { ...context, 'x-user-id': 'admin' }), 400)).toContain('X-User-Id');
  });

  test.each(endpoints.filter(([, path]) => !path.startsWith('org')))('%s %s requires the organization', async (method, path, body) => {
    expect(messageOf(await client.system(method, path, body, { ...context, 'x-org-id': undefined }), 400)).toContain('X-Org-Id');
    expect(messageOf(await client.system(method, path, body, { ...context, 'x-org-id': "1' OR 1=1" }), 400)).toContain('X-Org-Id');
  });

  test('accepts either of two keys during a rotation', async () => {
    for (const key of KEYS) expect((await create({ name: 'x', abbreviation: abbreviation() }, { 'x-server-key': key })).status).toBe(201);
  });

  test('rejected requests have created nothing', async () => {
    const orgs = (await client.system('GET', 'org/list')).json<Body[]>();
    expect(orgs.filter((org) => org['abbreviation'] === 'never-made')).toEqual([]);
  });
});

describe('reading an organization', () => {
  test('returns 404 for a missing one, and 400 for an invalid or absent id', async () => {
    messageOf(await client.system('GET', `org?org_id=${ulid()}`), 404);
    messageOf(await client.system('GET', 'org?org_id=x'), 400);
    expect(messageOf(await client.system('GET', 'org'), 400)).toContain('org_id');
  });

  test('finds an id in lower case', async () => {
    const orgId = await client.createOrg();
    expect((await client.system('GET', `org?org_id=${orgId.toLowerCase()}`)).json<Body>()['org_id']).toBe(orgId);
  });
});

describe('the proof of a server key', () => {
  const path = 'proof/v1/validate/server/key';
  const context = { 'x-org-id': ulid(), 'x-project-id': ulid(), 'x-user-roles': 'viewer', 'content-type': 'application/json' };
  const prove = (method: string, body: string | undefined, headers = {}) =>
    client.send(method, path, body, { 'x-server-key': undefined, ...context, ...headers });

  describe.each(['GET', 'POST'])('%s', (method) => {
    test.each(KEYS)('accepts %s', async (key) => {
      for (const body of [key, `${key}\n`]) {
        const answer = await prove(method, body);
        expect(answer.status).toBe(200);
        expect(answer.json()).toEqual({ code: 200, status: 'OK', message: expect.any(String) });
      }
    });

    test.each(['wrong', `"${KEYS[0]}"`, `${KEYS[0]}x`, KEYS.join(','), '{}', '\0', 'x'.repeat(4000)])('rejects %j', async (key) => {
      const answer = await prove(method, key);
      expect(answer.json()).toEqual({ code: 403, status: 'Forbidden', message: expect.any(String) });
      expect(answer.text).not.toContain(KEYS[0]);
    });

    test('requires a body', async () => {
      for (const body of [undefined, '', ' \n']) messageOf(await prove(method, body), 400);
    });

    test('requires the headers', async () => {
      const key = KEYS[0] ?? '';
      messageOf(await prove(method, key, { 'x-user-id': undefined }), 401);
      for (const name of ['x-org-id', 'x-project-id', 'x-user-roles'])
        expect(messageOf(await prove(method, key, { [name]: undefined }), 400).toLowerCase()).toContain(name);
    });

    test('accepts the body in chunks, and of any type', async () => {
      const key = KEYS[0] ?? '';
      expect((await prove(method, key, { 'transfer-encoding': 'chunked' })).status).toBe(200);
      for (const type of ['text/plain', 'application/octet-stream', undefined])
        expect((await prove(method, key, { 'content-type': type })).status).toBe(200);
    });

    test('rejects a body that cannot be a key, and keeps working', async () => {
      messageOf(await prove(method, 'x'.repeat(17_000_000)), 413);
      expect((await prove(method, KEYS[0])).status).toBe(200);
    });
  });
});

describe('changing and deleting', () => {
  test('an organization is renamed at once, and keeps absent fields', async () => {
    const before = { name: 'Old', abbreviation: abbreviation(), country: 'GB', admin_email: 'a@b.c' };
    const orgId = await client.createOrg(before);
    const next = abbreviation();
    expect((await client.system('PUT', `org?org_id=${orgId}`, { name: 'New', abbreviation: next, country: 'FR' })).json()).toMatchObject({
      code: 200,
      org_id: orgId,
      abbreviation: next,
    });
    expect((await client.system('GET', `org?org_id=${orgId}`)).json()).toMatchObject({
      ...before,
      name: 'New',
      abbreviation: next,
      country: 'FR',
    });
    const other = await client.createOrg({ abbreviation: before.abbreviation });
    expect(messageOf(await client.system('PUT', `org?org_id=${other}`, { abbreviation: next }), 409)).toContain(next);
    messageOf(await client.system('PUT', `org?org_id=${orgId}`, { abbreviation: 'svc' }), 422);
    messageOf(await client.system('PUT', `org?org_id=${orgId}`, { name: '' }), 422);
    messageOf(await client.system('PUT', `org?org_id=${orgId}`, { nmae: 'x' }), 400);
    messageOf(await client.system('PUT', 'org', { name: 'x' }), 400);
    messageOf(await client.system('PUT', `org?org_id=${ulid()}`, { name: 'x' }), 404);
    messageOf(await client.system('PUT', `org?org_id=${orgId}`, { name: 'x' }, { 'x-server-key': undefined }), 403);
  });

  test('a project gets its new paths at once; an organization with projects is not deleted', async () => {
    const orgId = await client.createOrg();
    const org = { 'x-org-id': orgId };
    const make = async (): Promise<string> =>
      (await client.system('POST', 'project', { name: 'P', abbreviation: abbreviation(), database: [] }, org)).json<Body>()[
        'project_id'
      ] as string;
    const [one, two] = [await make(), await make()];
    const orgAbbr = abbreviation();
    const projectAbbr = abbreviation();
    const space = async (): Promise<string> => {
      const { spaces } = (await client.system('GET', `project?project_id=${one}`, undefined, org)).json<{
        spaces: { space_id: string }[];
      }>();
      return spaces[0]?.space_id ?? '';
    };
    const headers = { ...org, 'x-project-id': one, 'x-space-id': await space(), 'x-user-roles': 'admin', 'x-user-id': client.userId };
    const call = (): Promise<Response> => service.request('GET', `/${orgAbbr}/${projectAbbr}/nothing`, { headers });
    messageOf(await call(), 403);
    expect((await client.system('PUT', `project?project_id=${one}`, { abbreviation: projectAbbr, description: 'd' }, org)).status).toBe(
      200,
    );
    expect((await client.system('PUT', `org?org_id=${orgId}`, { abbreviation: orgAbbr })).status).toBe(200);
    // The path is known now: it is the endpoint that is not.
    messageOf(await call(), 404);
    expect((await client.system('GET', `project?project_id=${one}`, undefined, org)).json()).toMatchObject({ name: 'P', description: 'd' });
    messageOf(await client.system('PUT', `project?project_id=${two}`, { abbreviation: projectAbbr }, org), 409);
    messageOf(await client.system('PUT', 'project', { name: 'x' }, org), 400);
    messageOf(await client.system('DELETE', `org?org_id=${orgId}`), 409);
    for (const id of [one, two]) expect((await client.system('DELETE', `project?project_id=${id}`, undefined, org)).status).toBe(200);
    expect((await client.system('DELETE', `org?org_id=${orgId}`)).status).toBe(200);
    messageOf(await client.system('GET', `org?org_id=${orgId}`), 404);
    messageOf(await client.system('DELETE', `org?org_id=${orgId}`), 404);
    messageOf(await client.system('DELETE', 'org', undefined, org), 400);
  });
});
