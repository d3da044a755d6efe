// No part of a request is ignored: reserved names that look like filters, unknown fields, read-only
// entries.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { abbreviation, messageOf, SystemClient } from './system-client.ts';
import { TABLE, TableClient, USERS } from './users-table.ts';

const NAMES = ['version', 'pg', 'ps', 'set', 'format'];

const RESERVED: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE notes (id int PRIMARY KEY, "version" int, "pg" int, "ps" int, "set" int, "format" varchar(9))',
  mysql: 'CREATE TABLE notes (id int PRIMARY KEY, `version` int, `pg` int, `ps` int, `set` int, `format` varchar(9))',
  mariadb: 'CREATE TABLE notes (id int PRIMARY KEY, `version` int, `pg` int, `ps` int, `set` int, `format` varchar(9))',
  clickhouse:
    'CREATE TABLE notes (id Int32, `version` Int32, `pg` Int32, `ps` Int32, `set` Int32, `format` String) ENGINE = MergeTree ORDER BY id',
};

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(async () => {
  await service?.stop();
});

describe.each(ENGINE_NAMES)('on %s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;
  let notes: TableClient;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(RESERVED[engine]);
    await database.run("INSERT INTO notes VALUES (1, 1, 1, 1, 1, 'a'), (2, 99, 2, 2, 2, 'b')");
    await database.run(TABLE[engine]);
    project = await setUpProject(service, [database.entry()]);
    notes = new TableClient(service, project, database, 'notes');
    users = new TableClient(service, project, database, 'users');
    expect((await users.post(USERS)).status).toBe(201);
  });
  afterAll(async () => {
    await database?.drop();
  });

  const quoted = (name: string): string => `%22${name}%22`;

  it.each(NAMES)('%s with a filter as its value is rejected by every method, and filters when it is quoted', async (name) => {
    const value = name === 'format' ? 'a' : '1';
    const paging = [name === 'pg' ? '' : 'pg=0', name === 'ps' ? '' : 'ps=9'].filter((part) => part !== '').join('&');
    expect(messageOf(await notes.get(`${paging}&${name}=eq.${value}`), 400)).toContain(`"${name}"=eq`);
    expect(messageOf(await notes.send('DELETE', `id=ge.1&${name}=eq.${value}`), 400)).toContain(`"${name}"=eq`);
    expect(messageOf(await notes.send('PUT', `id=ge.1&${name}=eq.${value}&set=id.5`), 400)).toContain(name);
    expect(await notes.ids(`${quoted(name)}=eq.${value}`)).toEqual([1]);
  });

  it.each([
    ['DELETE', 'id=ge.1&version=2'],
    ['DELETE', 'id=ge.1&pg=0'],
    ['DELETE', 'id=ge.1&ps=1'],
    ['DELETE', 'id=ge.1&set=pg.1'],
    ['PUT', 'id=ge.1&set=pg.1&version=2'],
    ['PUT', 'id=ge.1&set=pg.1&pg=0'],
    ['PUT', 'id=ge.1&set=pg.1&ps=5'],
    ['GET', 'pg=0&ps=9&set=pg.1'],
  ])('%s %s is rejected because the method does not use the name', async (method, query) => {
    expect(messageOf(await notes.send(method, query), 400)).toContain('quote it');
    expect(await notes.ids('')).toEqual([1, 2]);
  });

  it.each([
    ['DELETE', 'version=2', 400],
    ['DELETE', 'pg=0', 400],
    ['DELETE', '', 406],
    ['PUT', 'set=pg.1&version=2', 400],
    ['PUT', 'set=pg.1&ps=5', 400],
    ['PUT', 'set=pg.1', 406],
  ])('%s ?%s is %i: an unused name precedes the missing filter', async (method, query, status) => {
    messageOf(await notes.send(method, query), status);
    expect(await notes.ids('')).toEqual([1, 2]);
  });

  it.each([
    '$order=,id',
    '$order=id,',
    '$order=id,,ps',
    '$select=id,,ps',
    '$select=,id',
    '$select=',
    '$group=ps,&$agg=count',
    '$agg=count,',
  ])('%s has an empty item and is rejected', async (query) => {
    messageOf(await notes.get(`pg=0&ps=9&${query}`), 400);
  });

  it('ends a list inside of a group before the next filter, and rejects empty filters', async () => {
    expect(await notes.ids('$or=(id=in.1,2,$null=version)')).toEqual([1, 2]);
    expect(await notes.ids('$or=(id=in.7,2,version=eq.1)')).toEqual([1, 2]);
    expect(await notes.ids('$or=(format=in.,b,id=eq.7)')).toEqual([2]);
    for (const group of ['(id=eq.1,)', '(,id=eq.1)', '(id=eq.1,,id=eq.2)', '()']) messageOf(await notes.get(`pg=0&ps=9&$or=${group}`), 400);
  });

  it('accepts a version on GET if the table has no such column', async () => {
    expect((await users.get('pg=0&ps=1&version=1.0.0')).status).toBe(200);
    expect(messageOf(await notes.get('pg=0&ps=1&version=1'), 400)).toContain('"version"=eq');
  });

  it('rejects every kind of write on a read_only entry', async () => {
    const readOnly = await setUpProject(service, [database.entry({ read_only: true })]);
    const read = new TableClient(service, readOnly, database, 'users');
    expect((await read.rows('')).length).toBe(USERS.length);
    expect(messageOf(await read.post([{ ...USERS[0], id: 77, email: 'x@example.org' }]), 403)).toContain('read_only');
    expect(messageOf(await read.send('PUT', 'id=eq.1&set=name.x'), 403)).toContain('read_only');
    expect(messageOf(await read.send('DELETE', 'id=eq.1'), 403)).toContain('read_only');

    const bench = new Bench(service, readOnly, database);
    await bench.deploy({ uri: 'wipe', method: 'post', logic: [{ sql: 'DELETE FROM users WHERE id = ?:id' }] });
    await bench.deploy({ uri: 'look', logic: [{ sql: 'SELECT count(*) AS n FROM users' }] });
    expect((await bench.call('POST', 'wipe', { body: { id: 1 } })).status).toBe(403);
    expect((await bench.call('GET', 'look')).json<{ n: number }[]>()[0]?.n).toBe(USERS.length);

    const described = await new SystemClient(service).system('GET', 'project', undefined, { ...readOnly.systemHeaders });
    expect(described.json<{ databases: { read_only: boolean }[] }>().databases[0]?.read_only).toBe(true);
  });
});

test('the session of a read-only entry rejects a function that writes', async () => {
  const database = await createDatabase('postgres');
  await database.run('CREATE TABLE hits (n int)');
  await database.run('CREATE FUNCTION hit() RETURNS int LANGUAGE sql AS $$ INSERT INTO hits VALUES (1) RETURNING n $$');
  const bench = new Bench(service, await setUpProject(service, [database.entry({ read_only: true })]), database);
  await bench.deploy({ uri: 'hit', logic: [{ sql: 'SELECT hit() AS n' }] });
  // More than once: the session is reset between calls, and stays read-only.
  for (let i = 0; i < 3; i++) expect((await bench.call('GET', 'hit')).status).toBe(403);
  expect(await database.run('SELECT * FROM hits')).toEqual([]);
  await database.drop();
});

describe('unknown fields of bodies', () => {
  const entry = { host: 'db', username: 'u', password: 'p', db_name: 'shop', db_type: 'pg' };

  test('are rejected for an organization, a project, an entry, a host and a token', async () => {
    const client = new SystemClient(service);
    const org = { name: 'o', abbreviation: abbreviation() };
    expect(messageOf(await client.system('POST', 'org', { ...org, colour: 'red' }), 400)).toContain('"colour"');
    const orgId = await client.createOrg();
    const headers = { 'x-org-id': orgId };
    const project = { name: 'p', abbreviation: abbreviation(), database: [entry] };
    expect(messageOf(await client.system('POST', 'project', { ...project, databases: [] }, headers), 400)).toContain('"databases"');
    const withEntry = (changes: object): object => ({ ...project, database: [{ ...entry, ...changes }] });
    const refusal = messageOf(await client.system('POST', 'project', withEntry({ ssl: true, readonly: true }), headers), 400);
    expect(refusal).toContain('database[0]."ssl"');
    expect(refusal).toContain('database[0]."readonly"');
    const hosts = withEntry({ host: undefined, host_details: [{ host: 'db', prot: 1 }] });
    expect(messageOf(await client.system('POST', 'project', hosts, headers), 400)).toContain('host_details[0]."prot"');
    const wrongFlag = await client.system('POST', 'project', withEntry({ read_only: 'yes' }), headers);
    expect(messageOf(wrongFlag, 400)).toContain('read_only must be true or false');

    const created = await client.system('POST', 'project', project, headers);
    expect(created.status).toBe(201);
    const { project_id: projectId, spaces } = created.json<{ project_id: string; spaces: { space_id: string }[] }>();
    const context = { ...headers, 'x-project-id': projectId, 'x-space-id': spaces[0]?.space_id ?? '', 'x-user-roles': 'admin' };
    const found = await client.system('GET', 'project', undefined, context);
    expect(found.json<{ databases: object[] }>().databases[0]).toMatchObject({ tls: 'prefer', read_only: false });
    const token = { name: 't', key_type: 'r--', roles: ['a'], scope: 'all' };
    expect(messageOf(await client.system('POST', 'token', token, context), 400)).toContain('"scope"');
    expect(messageOf(await client.system('PUT', 'project/database', { ...entry, ssl: 1 }, context), 400)).toContain('"ssl"');
  });
});
