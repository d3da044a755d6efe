// Projects and their databases over HTTP: forms of entries, rejections, and immediate effect.
// On a real PostgreSQL.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type DatabaseEntry, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';
import { abbreviation, type Body, messageOf, SystemClient } from './system-client.ts';

const PASSWORD = 'marker-of-a-password';
let service: Service;
let client: SystemClient;
let orgId: string;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  service = await startService();
  client = new SystemClient(service);
  orgId = await client.createOrg();
  for (const text of ['one', 'two']) {
    const database = await createDatabase('postgres');
    await database.run('CREATE TABLE t (id int PRIMARY KEY, word text)');
    await database.run('INSERT INTO t VALUES (1, $1)', [text]);
    databases.push(database);
  }
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(databases.map((database) => database.drop()));
});

const entry = (changes: Body = {}): Body => ({
  host_details: [{ host: '127.0.0.1', port: '5999' }],
  username: 'someone',
  password: PASSWORD,
  db_name: 'shop',
  db_type: 'pg',
  ...changes,
});
const without = (name: string): Body => Object.fromEntries(Object.entries(entry()).filter(([key]) => key !== name));
const create = (changes: Body = {}, headers = {}) =>
  client.system(
    'POST',
    'project',
    { name: 'Shop', abbreviation: abbreviation(), database: [], ...changes },
    { 'x-org-id': orgId, ...headers },
  );
const created = async (database: readonly unknown[]): Promise<string> => {
  const answer = await create({ database });
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.json<Body>()['project_id']);
};
const read = async (projectId: string): Promise<Body> =>
  (await client.system('GET', `project?project_id=${projectId}`, undefined, { 'x-org-id': orgId })).json<Body>();

describe('creating a project', () => {
  test('returns its id and three spaces', async () => {
    const abbr = abbreviation();
    const answer = await create({ abbreviation: abbr, database: [entry()], description: 'What it is.' });
    expect(answer.status).toBe(201);
    const body = answer.json<Body>();
    expect(body).toEqual({
      code: 201,
      status: 'Created',
      message: expect.any(String),
      project_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      abbreviation: abbr,
      spaces: ['dev', 'staging', 'prod'].map((name) => ({ space_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/), name })),
    });
    expect(await read(String(body['project_id']))).toEqual({
      project_id: body['project_id'],
      org_id: orgId,
      name: 'Shop',
      abbreviation: abbr,
      description: 'What it is.',
      spaces: body['spaces'],
      databases: [expect.objectContaining({ db_type: 'pg', db_name: 'shop' })],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test('with an abbreviation of the organization returns the existing project', async () => {
    const abbr = abbreviation();
    const first = (await create({ abbreviation: abbr })).json<Body>();
    const again = await create({ abbreviation: abbr, name: 'Another', database: [entry()] });
    expect(again.status).toBe(208);
    expect(again.json()).toMatchObject({ code: 208, status: 'Already Reported', project_id: first['project_id'], spaces: first['spaces'] });
    expect((await read(String(first['project_id'])))['databases']).toEqual([]);
  });

  test('may use an abbreviation of another organization', async () => {
    const abbr = abbreviation();
    const other = await client.createOrg();
    const [one, two] = [await create({ abbreviation: abbr }), await create({ abbreviation: abbr }, { 'x-org-id': other })];
    expect([one.status, two.status]).toEqual([201, 201]);
  });

  test('accepts an id once, and reveals nothing of it to another organization', async () => {
    const project_id = ulid();
    expect((await create({ project_id })).json()).toMatchObject({ code: 201, project_id });
    expect((await create({ project_id })).json()).toMatchObject({ code: 208, project_id });
    const other = await client.createOrg();
    const foreign = await create({ project_id }, { 'x-org-id': other });
    expect(foreign.status).toBe(422);
    expect(foreign.text).not.toContain('spaces');
  });

  test('in a missing organization returns 404', async () => {
    messageOf(await create({}, { 'x-org-id': ulid() }), 404);
  });

  test('concurrently creates one project', async () => {
    const abbr = abbreviation();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ abbreviation: abbr, database: [entry()] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 208)]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.json<Body>()['spaces']))).size).toBe(1);
  });
});

describe('an entry', () => {
  const shown = async (given: Body): Promise<Body> => ((await read(await created([given])))['databases'] as Body[])[0] ?? {};

  test('has the defaults of the specification, and no password when it is read', async () => {
    const body = await shown(entry());
    expect(body).toMatchObject({
      db_type: 'pg',
      db_name: 'shop',
      host_details: [{ host: '127.0.0.1', port: '5999' }],
      username: 'someone',
      connect_timeout_secs: 60,
      idle_timeout_secs: 900,
      max_open_connections: 50,
      max_idle_connections: 25,
    });
    expect(Object.keys(body)).not.toContain('password');
  });

  test('keeps the given values', async () => {
    const limits = {
      connect_timeout_secs: 7,
      idle_timeout_secs: 8,
      max_open_connections: 9,
      max_idle_connections: 0,
      tls: 'require',
      timeout_secs: 5,
    };
    expect(await shown(entry(limits))).toMatchObject(limits);
  });

  const spellings: readonly (readonly [string, Body, string, string])[] = [
    ['a port that is a number', { host_details: [{ host: 'db', port: 5001 }] }, 'pg', '5001'],
    ['a port that is text', { host_details: [{ host: 'db', port: '5001' }] }, 'pg', '5001'],
    ['host and port', { host_details: undefined, host: 'db', port: '5002' }, 'pg', '5002'],
    ['host and port as a number', { host_details: undefined, host: 'db', port: 5002 }, 'pg', '5002'],
    ['a host alone', { host_details: undefined, host: 'db' }, 'pg', '5432'],
    ['no port', { host_details: [{ host: 'db' }] }, 'pg', '5432'],
    ['no port of ms', { host_details: [{ host: 'db' }], db_type: 'ms' }, 'ms', '3306'],
    ['no port of ma', { host_details: [{ host: 'db' }], db_type: 'ma' }, 'ma', '3306'],
    ['no port of ch', { host_details: [{ host: 'db' }], db_type: 'ch' }, 'ch', '9000'],
    ['mysql', { host_details: [{ host: 'db' }], db_type: 'mysql' }, 'ms', '3306'],
    ['mariadb', { host_details: [{ host: 'db' }], db_type: 'mariadb' }, 'ma', '3306'],
    ['postgres', { host_details: [{ host: 'db' }], db_type: 'postgres' }, 'pg', '5432'],
    ['clickhouse', { host_details: [{ host: 'db' }], db_type: 'clickhouse' }, 'ch', '9000'],
  ];
  test.each(spellings)('may be written with %s', async (_, changes, type, port) => {
    expect(await shown(entry(changes))).toMatchObject({ db_type: type, host_details: [{ host: 'db', port }] });
  });

  test('may have several hosts, in order', async () => {
    const host_details = [1, 2, 3].map((number) => ({ host: `db${number}`, port: String(5000 + number) }));
    expect((await shown(entry({ host_details })))['host_details']).toEqual(host_details);
  });

  const malformed: readonly (readonly [string, unknown])[] = [
    ['database[0]', 'pg'],
    ['host_details', without('host_details')],
    ['username', without('username')],
    ['password', without('password')],
    ['db_name', without('db_name')],
    ['db_type', without('db_type')],
    ['host_details', entry({ host_details: 'localhost' })],
    ['host_details', entry({ host_details: ['localhost'] })],
    ['host', entry({ host_details: [{ port: 1 }] })],
    ['host', entry({ host_details: [{ host: 5 }] })],
    ['port', entry({ host_details: [{ host: 'db', port: true }] })],
    ['port', entry({ host_details: [{ host: 'db', port: 5.5 }] })],
    ['username', entry({ username: 5 })],
    ['password', entry({ password: 5 })],
    ['db_name', entry({ db_name: [] })],
    ['connect_timeout_secs', entry({ connect_timeout_secs: '60' })],
    ['max_open_connections', entry({ max_open_connections: 1.5 })],
    ...['or', 'ss', 'md', 'oracle', 'mongodb'].map((type) => ['unavailable', entry({ db_type: type })] as const),
    ...['xx', '', 'PG', 'pg ', 'sqlite', '__proto__', 'constructor'].map((type) => ['db_type', entry({ db_type: type })] as const),
  ];
  test.each(malformed)('without a right %s is 400: %j', async (field, given) => {
    const answer = await create({ database: [given] });
    // An empty text is well-formed.
    const status = (given as Body)['db_type'] === '' ? 422 : 400;
    expect(messageOf(answer, status)).toContain(field);
    expect(answer.text).not.toContain(PASSWORD);
  });

  const refused: readonly (readonly [string, Body])[] = [
    ['port', { host_details: [{ host: 'db', port: '0' }] }],
    ['port', { host_details: [{ host: 'db', port: '65536' }] }],
    ['port', { host_details: [{ host: 'db', port: 70000 }] }],
    ['port', { host_details: [{ host: 'db', port: 'http' }] }],
    ['port', { host_details: [{ host: 'db', port: '-1' }] }],
    ['host', { host_details: [{ host: '' }] }],
    ['host', { host_details: [{ host: 'a b' }] }],
    ['host', { host_details: [{ host: 'a?x=1' }] }],
    ['host_details', { host_details: [] }],
    ['host', { host: 'also' }],
    ['username', { username: '' }],
    ['db_name', { db_name: '' }],
    ['db_name', { db_name: 'a\0b' }],
    ['connect_timeout_secs', { connect_timeout_secs: 0 }],
    ['idle_timeout_secs', { idle_timeout_secs: -1 }],
    ['max_open_connections', { max_open_connections: 0 }],
    ['max_open_connections', { max_open_connections: 100_000 }],
    ['max_idle_connections', { max_idle_connections: -1 }],
    ['tls', { tls: 'maybe' }],
    ['ca', { tls: 'verify-full', ca: 'no certificate' }],
  ];
  test.each(refused)('with a %s that is not allowed is 422: %j', async (field, changes) => {
    const answer = await create({ database: [entry(changes)] });
    expect(messageOf(answer, 422)).toContain(field);
    expect(answer.text).not.toContain(PASSWORD);
  });

  test('that exists in the project is 422, unless its type differs', async () => {
    expect(messageOf(await create({ database: [entry(), entry({ username: 'else' })] }), 422)).toContain('shop');
    expect(messageOf(await create({ database: [entry(), entry({ db_type: 'postgres' })] }), 422)).toContain('shop');
    expect((await create({ database: ['pg', 'ms', 'ma', 'ch'].map((db_type) => entry({ db_type })) })).status).toBe(201);
  });

  test('is not connected to when it is registered', async () => {
    const began = performance.now();
    await created([entry({ host_details: [{ host: '192.0.2.1', port: '5432' }] })]);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe('reading projects', () => {
  test('lists those of the organization, without secrets', async () => {
    const [mine, other] = [await created([entry()]), await client.createOrg()];
    const list = await client.system('GET', 'project/list', undefined, { 'x-org-id': orgId });
    expect(list.json<Body[]>().map((project) => project['project_id'])).toContain(mine);
    expect((await client.system('GET', 'project/list', undefined, { 'x-org-id': other })).json()).toEqual([]);
    expect(list.text).not.toContain(PASSWORD);
    messageOf(await client.system('GET', 'project/list', undefined, { 'x-org-id': ulid() }), 404);
  });

  test('of another organization returns 404', async () => {
    const [mine, other] = [await created([]), await client.createOrg()];
    messageOf(await client.system('GET', `project?project_id=${mine}`, undefined, { 'x-org-id': other }), 404);
    messageOf(await client.system('DELETE', `project?project_id=${mine}`, undefined, { 'x-org-id': other }), 404);
    messageOf(await client.system('GET', `project?project_id=${ulid()}`, undefined, { 'x-org-id': orgId }), 404);
    messageOf(await client.system('GET', 'project?project_id=x', undefined, { 'x-org-id': orgId }), 400);
    messageOf(await client.system('GET', 'project', undefined, { 'x-org-id': orgId }), 400);
    expect((await read(mine))['project_id']).toBe(mine);
  });
});

describe('changes take effect at once', () => {
  const at = (index: number): DatabaseEntry => {
    const database = databases[index];
    if (database === undefined) throw new Error('no such database');
    return database.entry();
  };
  const project = async (list: readonly unknown[]) => {
    const projectId = await created(list);
    const spaces = (await read(projectId))['spaces'] as { space_id: string }[];
    const context = { 'x-org-id': orgId, 'x-project-id': projectId, 'x-space-id': spaces[0]?.space_id ?? '', 'x-user-roles': 'viewer' };
    const words = async (name: string) => {
      const answer = await client.send('GET', `api/rest/auto/v1/pg/${name}/t?pg=0&ps=9`, undefined, context);
      return answer.status === 200 ? answer.json<Body[]>().map((row) => row['word']) : answer.status;
    };
    const manage = (method: string, path: string, body?: unknown) => client.system(method, `project/${path}`, body, context);
    return { projectId, words, manage, context };
  };

  test('when a database is added, changed or removed', async () => {
    const { words, manage, projectId } = await project([]);
    const { db_name: name } = at(0);
    expect(await words(name)).toBe(404);

    const added = await manage('POST', 'database', at(0));
    expect(added.status).toBe(201);
    expect(added.text).not.toContain('password');
    expect(await words(name)).toEqual(['one']);
    expect(messageOf(await manage('POST', 'database', at(0)), 422)).toContain(name);

    expect((await manage('PUT', 'database', { ...at(0), host_details: [{ host: '127.0.0.1', port: '1' }] })).status).toBe(200);
    expect(await words(name)).toBe(424);
    const masked = { ...at(0), db_type: 'postgres', password: '***' };
    expect(messageOf(await manage('PUT', 'database', masked), 422)).toContain('send the password');
    expect((await manage('PUT', 'database', { ...at(0), db_type: 'postgres' })).status).toBe(200);
    expect((await manage('PUT', 'database', { ...masked, timeout_secs: 9 })).status).toBe(200);
    expect(await words(name)).toEqual(['one']);

    expect((await manage('DELETE', `database?type=pg&name=${name}`)).status).toBe(200);
    expect(await words(name)).toBe(404);
    messageOf(await manage('DELETE', `database?type=pg&name=${name}`), 404);
    messageOf(await manage('PUT', 'database', at(0)), 404);
    expect((await read(projectId))['databases']).toEqual([]);
  });

  test('and close the connections of a changed or removed database', async () => {
    const { words, manage, projectId } = await project([at(1)]);
    const { db_name: name } = at(1);
    const pids = async () => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'millrace' ORDER BY pid";
      return (await databases[1]?.run(sql))?.map((row) => row['pid']) ?? [];
    };
    const before = await pids();
    const own = async () => (await pids()).filter((pid) => !before.includes(pid));
    expect(await words(name)).toEqual(['two']);
    const [first] = await own();
    expect(first).toBeDefined();
    await manage('PUT', 'database', { ...at(1), max_open_connections: 3 });
    await expect.poll(own, PATIENCE).toEqual([]);
    expect(await words(name)).toEqual(['two']);
    await manage('DELETE', `database?type=pg&name=${name}`);
    await expect.poll(own, PATIENCE).toEqual([]);
    await manage('POST', 'database', at(1));
    expect(await words(name)).toEqual(['two']);
    await client.system('DELETE', `project?project_id=${projectId}`, undefined, { 'x-org-id': orgId });
    await expect.poll(own, PATIENCE).toEqual([]);
  });

  test('without mixing the rows of two databases of a project', async () => {
    const { words } = await project([at(0), at(1)]);
    expect([await words(at(0).db_name), await words(at(1).db_name)]).toEqual([['one'], ['two']]);
  });

  test('unless they are invalid, which is reported', async () => {
    const { words, manage } = await project([at(0)]);
    const { db_name: name } = at(0);
    messageOf(await manage('PUT', 'database', { ...at(0), username: undefined }), 400);
    messageOf(await manage('PUT', 'database', { ...at(0), host_details: [{ host: '169.254.169.254' }] }), 400);
    messageOf(await manage('PUT', 'database', { ...at(0), db_type: 'or' }), 400);
    messageOf(await manage('POST', 'database', entry({ max_open_connections: 0 })), 422);
    messageOf(await manage('POST', 'database', [entry()]), 400);
    messageOf(await manage('DELETE', 'database?type=pg'), 400);
    messageOf(await manage('DELETE', `database?name=${name}`), 400);
    messageOf(await manage('DELETE', `database?type=xx&name=${name}`), 400);
    messageOf(await manage('DELETE', `database?type=or&name=${name}`), 400);
    messageOf(await manage('DELETE', `database?type=ms&name=${name}`), 404);
    messageOf(await manage('DELETE', `database?type=pg&name=${name}'--`), 404);
    expect(await words(name)).toEqual(['one']);
  });

  test('when a project is deleted', async () => {
    const { words, manage, projectId, context } = await project([at(0)]);
    const token = await client.system('POST', 'token', { name: 't', key_type: 'r--', roles: 'x' }, context);
    expect(await words(at(0).db_name)).toEqual(['one']);
    messageOf(await client.system('DELETE', 'project', undefined, context), 400);
    const gone = await client.system('DELETE', `project?project_id=${projectId}`, undefined, { 'x-org-id': orgId });
    expect(gone.json()).toMatchObject({ code: 200, status: 'OK' });
    expect(await words(at(0).db_name)).toBe(404);
    messageOf(await manage('POST', 'database', at(1)), 404);
    messageOf(await client.system('GET', `project?project_id=${projectId}`, undefined, { 'x-org-id': orgId }), 404);
    const secret = String(token.json<Body>()['power_token']);
    const used = await service.request('GET', `/svc/api/rest/auto/v1/pg/x/t?pg=0&ps=1&pwt=${secret}`, {
      headers: { 'x-power-token': secret },
    });
    expect(used.status).toBe(404);
  });
});

test('no password is printed, or stored in clear text', async () => {
  expect(service.output()).not.toContain(PASSWORD);
  const { readdirSync, readFileSync } = await import('node:fs');
  for (const file of readdirSync(service.dataDir, { recursive: true, withFileTypes: true }).filter((item) => item.isFile()))
    expect(readFileSync(`${file.parentPath}/${file.name}`).includes(PASSWORD), file.name).toBe(false);
});
