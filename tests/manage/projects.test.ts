// Management of projects and their databases without HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../src/engines/index.ts';
import { apiError } from '../../src/errors.ts';
import {
  addDatabase,
  changeDatabase,
  createProject,
  deleteProject,
  getProject,
  listProjects,
  removeDatabase,
} from '../../src/manage/projects.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Store } from '../../src/store/store.ts';
import { anOrg, makePlace, type Place } from '../store/stores.ts';
import { aCaller, body, bodyOf, refusal } from './support.ts';

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdDCCARmgAwIBAgIUQjIGrS1mZkxKHlYhUB06hGkrXdcwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAeFw0yNjAxMDEwMDAwMDBaFw0zNjAxMDEwMDAwMDBa
-----END CERTIFICATE-----`;

const rules = {
  engines: ENGINES,
  checkHost: async (host: string) => {
    if (host === '169.254.169.254') throw apiError('host_denied', host);
  },
};

const minimal = { host_details: [{ host: 'db', port: '5433' }], username: 'u', password: 'p', db_name: 'shop', db_type: 'pg' };

describe('projects', () => {
  let place: Place;
  let store: Store;
  const org = anOrg();
  const caller = aCaller({ orgId: org.orgId });
  beforeAll(async () => {
    place = await makePlace('embedded');
    store = await place.open();
    await store.createOrganization(org);
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  let counter = 0;
  const create = (value: object = {}, by: Parameters<typeof createProject>[1] = caller) =>
    createProject(store, by, body({ name: 'Shop', abbreviation: `shop-${++counter}`, database: [], ...value }), rules);
  const created = async (value: object = {}) => ((await bodyOf(create(value))) as { project_id: string }).project_id;
  const entriesOf = async (projectId: string) => [...((await store.projectContext(org.orgId, projectId))?.entries.values() ?? [])];

  test('are created with three spaces, and reported with 208 if they exist', async () => {
    const first = await create({ abbreviation: 'same', database: [minimal], description: 'what it is' });
    expect(first).toEqual({
      status: 201,
      body: {
        code: 201,
        status: 'Created',
        message: expect.any(String),
        project_id: expect.any(String),
        abbreviation: 'same',
        spaces: ['dev', 'staging', 'prod'].map((name) => ({ space_id: expect.any(String), name })),
      },
    });
    const { project_id, spaces } = first.body as { project_id: string; spaces: unknown };
    expect(await create({ abbreviation: 'same', name: 'Other' })).toEqual({
      status: 208,
      body: { code: 208, status: 'Already Reported', message: expect.any(String), project_id, abbreviation: 'same', spaces },
    });
    expect(await create({ project_id })).toMatchObject({ status: 208, body: { project_id, spaces } });
    expect(await bodyOf(getProject(store, caller, project_id))).toEqual({
      project_id,
      org_id: org.orgId,
      name: 'Shop',
      abbreviation: 'same',
      description: 'what it is',
      spaces,
      created_at: expect.any(String),
      databases: [
        {
          db_type: 'pg',
          db_name: 'shop',
          alias: 'shop',
          spaces: ['dev', 'staging', 'prod'],
          host_details: [{ host: 'db', port: '5433' }],
          username: 'u',
          connect_timeout_secs: 60,
          idle_timeout_secs: 900,
          max_open_connections: 50,
          max_idle_connections: 25,
          timeout_secs: 30,
          tls: 'prefer',
          read_only: false,
        },
      ],
    });
    expect((await listProjects(store, caller)).body).toMatchObject([{ project_id, spaces }]);
  });

  test('accept entries in every documented spelling', async () => {
    const id = await created({
      database: [
        { ...minimal, host_details: undefined, host: '[::1]', port: 5434, db_type: 'postgres', db_name: 'a' },
        { ...minimal, host_details: [{ host: 'one', port: 1 }, { host: 'two' }], db_type: 'clickhouse' },
        { ...minimal, db_type: 'mysql', password: '', tls: 'require', max_idle_connections: 0, timeout_secs: 5 },
        {
          ...minimal,
          host_details: undefined,
          host: 'h',
          db_type: 'mariadb',
          connect_timeout_secs: 1,
          idle_timeout_secs: 2,
          max_open_connections: 3,
        },
      ],
    });
    expect(await entriesOf(id)).toMatchObject([
      { type: 'pg', database: 'a', hosts: [{ host: '::1', port: 5434 }], password: 'p' },
      {
        type: 'ch',
        database: 'shop',
        hosts: [
          { host: 'one', port: 1 },
          { host: 'two', port: 9000 },
        ],
      },
      { type: 'ms', password: '', tls: 'require', maxIdleConnections: 0, queryTimeoutSecs: 5, hosts: [{ host: 'db', port: 5433 }] },
      { type: 'ma', hosts: [{ host: 'h', port: 3306 }], connectTimeoutSecs: 1, idleTimeoutSecs: 2, maxOpenConnections: 3 },
    ]);
  });

  test.each([
    [{ database: undefined }, '400 The body is invalid: database is missing.'],
    [{ database: {} }, '400 The body is invalid: database must be an array.'],
    [{ database: ['x'] }, '400 The body is invalid: database[0] must be an object.'],
    [
      { name: 1, database: [{}] },
      '400 The body is invalid: name must be a string; database[0].db_type is missing; database[0].db_name is missing; ' +
        'database[0].host_details is missing; database[0].username is missing; database[0].password is missing.',
    ],
    [{ abbreviation: 'Shop' }, '422'],
    [{ project_id: 'x' }, '422'],
    [{ description: 4 }, '400'],
    [
      { database: [{ ...minimal, db_type: 'xx' }] },
      '400 The body is invalid: database[0].db_type "xx" is not valid: use ms, ma, pg or ch.',
    ],
    [{ database: [{ ...minimal, db_type: 'or' }] }, 'database[0].db_type "or" is announced but unavailable: use ms, ma, pg or ch.'],
    [{ database: [{ ...minimal, db_type: 'PG' }] }, '400'],
    [{ database: [{ ...minimal, db_type: 7 }] }, '400'],
    [{ database: [{ ...minimal, password: 7 }] }, '400'],
    [{ database: [{ ...minimal, username: '' }] }, '422'],
    [{ database: [{ ...minimal, db_name: '' }] }, '422'],
    [{ database: [{ ...minimal, host_details: [] }] }, '422'],
    [{ database: [{ ...minimal, host_details: 'db' }] }, '400'],
    [
      { database: [{ ...minimal, host_details: [{ port: '1' }] }] },
      '400 The body is invalid: database[0].host_details[0].host is missing.',
    ],
    [{ database: [{ ...minimal, host_details: [{ host: 'db', port: '0' }] }] }, '422'],
    [{ database: [{ ...minimal, host_details: [{ host: 'db', port: 'x' }] }] }, '422'],
    [{ database: [{ ...minimal, host_details: [{ host: 'db', port: 65536 }] }] }, '422'],
    [{ database: [{ ...minimal, host_details: [{ host: 'db', port: 1.5 }] }] }, '400'],
    [{ database: [{ ...minimal, host_details: [{ host: 'db', port: true }] }] }, '400'],
    [{ database: [{ ...minimal, host_details: [{ host: '/var/run/postgresql', port: '1' }] }] }, '400'],
    [{ database: [{ ...minimal, host_details: [{ host: '@abstract', port: '1' }] }] }, '400'],
    [{ database: [{ ...minimal, host_details: [{ host: 'a b', port: '1' }] }] }, '422'],
    [{ database: [{ ...minimal, host: 'db' }] }, '422'],
    [{ database: [{ ...minimal, max_open_connections: 0 }] }, '422'],
    [{ database: [{ ...minimal, max_open_connections: '5' }] }, '400'],
    [{ database: [{ ...minimal, connect_timeout_secs: 1e30 }] }, '4'],
    [{ database: [{ ...minimal, tls: 'maybe' }] }, '422'],
    [{ database: [{ ...minimal, tls: 1 }] }, '400'],
    [
      { database: [{ ...minimal, ca: CERTIFICATE }] },
      '422 The body has a value that is not allowed: database[0].ca is not a certificate in PEM form.',
    ],
    [{ database: [minimal, { ...minimal, db_type: 'postgres' }] }, '422 The project would have the database pg/"shop" twice'],
    [{ database: [{ ...minimal, host_details: [{ host: '169.254.169.254', port: '1' }] }] }, '400 The database host'],
  ])('reject %j', async (value, expected) => {
    const before = await store.listProjects(org);
    expect(await refusal(create(value))).toContain(expected);
    expect(await store.listProjects(org)).toEqual(before);
  });

  test('require an existing organization', async () => {
    const stranger = aCaller({ orgId: newUlid() });
    expect(await refusal(create({}, stranger))).toMatch(/^404 The organization does not exist/);
    expect(await refusal(listProjects(store, stranger))).toMatch(/^404/);
    const id = await created();
    expect(await refusal(getProject(store, stranger, id))).toMatch(/^404/);
    expect(await refusal(getProject(store, caller, newUlid()))).toMatch(/^404 The project does not exist/);
    expect(await refusal(getProject(store, caller, 'x'))).toMatch(/^400/);
    expect(await refusal(getProject(store, caller, undefined))).toMatch(/^400/);
    const other = anOrg();
    await store.createOrganization(other);
    expect(await refusal(create({ project_id: id }, aCaller({ orgId: other.orgId })))).toMatch(/^422.*project_id is in use/);
  });

  test('add, change and remove databases with immediate effect', async () => {
    const projectId = await created({ database: [minimal] });
    const inProject = aCaller({ orgId: org.orgId, projectId });
    const second = { ...minimal, db_name: 'second' };
    expect(await addDatabase(store, caller, projectId, body(second), rules)).toEqual({
      status: 201,
      body: { code: 201, status: 'Created', message: expect.any(String), project_id: projectId, db_type: 'pg', db_name: 'second' },
    });
    expect(await refusal(addDatabase(store, inProject, undefined, body(second), rules))).toMatch(/^422/);
    expect(await refusal(addDatabase(store, inProject, undefined, body({ ...second, password: undefined }), rules))).toMatch(
      /^400.*password is missing/,
    );
    expect((await addDatabase(store, caller, undefined, body({ ...minimal, db_name: 'third', project_id: projectId }), rules)).status).toBe(
      201,
    );
    const masked = { ...second, password: '***' };
    expect(await refusal(changeDatabase(store, inProject, undefined, body({ ...masked, username: 'new' }), rules))).toMatch(
      /^422.*send the password/,
    );
    expect(await changeDatabase(store, inProject, undefined, body({ ...masked, timeout_secs: 7 }), rules)).toMatchObject({ status: 200 });
    expect(await entriesOf(projectId)).toMatchObject([
      { database: 'shop' },
      { database: 'second', queryTimeoutSecs: 7, password: 'p' },
      { database: 'third' },
    ]);
    await changeDatabase(store, inProject, undefined, body({ ...second, password: 'changed' }), rules);
    expect((await entriesOf(projectId))[1]).toMatchObject({ username: 'u', password: 'changed' });
    await changeDatabase(store, inProject, undefined, body({ ...second, password: undefined }), rules);
    expect((await entriesOf(projectId))[1]?.password).toBe('changed');
    expect(await refusal(changeDatabase(store, inProject, undefined, body({ ...minimal, db_name: 'none' }), rules))).toMatch(/^404/);
    expect(await refusal(removeDatabase(store, inProject, undefined, 'pg', 'none', ENGINES))).toMatch(/^404/);
    expect(await refusal(removeDatabase(store, inProject, undefined, 'or', 'none', ENGINES))).toMatch(/^400.*announced/);
    expect(await refusal(removeDatabase(store, inProject, undefined, 'zz', 'none', ENGINES))).toMatch(/^400/);
    expect(await refusal(removeDatabase(store, inProject, undefined, undefined, 'none', ENGINES))).toMatch(/^400.*"type"/);
    expect(await refusal(removeDatabase(store, inProject, undefined, 'pg', undefined, ENGINES))).toMatch(/^400.*"name"/);
    expect(await removeDatabase(store, inProject, undefined, 'postgres', 'second', ENGINES)).toMatchObject({ status: 200 });
    expect((await entriesOf(projectId)).map(({ database }) => database)).toEqual(['shop', 'third']);
  });

  test('are deleted by explicit id only', async () => {
    const projectId = await created();
    expect(await refusal(deleteProject(store, aCaller({ orgId: org.orgId, projectId }), undefined))).toMatch(/^400/);
    expect(await deleteProject(store, caller, projectId)).toMatchObject({ status: 200, body: { code: 200, status: 'OK' } });
    expect(await refusal(deleteProject(store, caller, projectId))).toMatch(/^404/);
    expect(await refusal(getProject(store, caller, projectId))).toMatch(/^404/);
  });

  test('are out of reach of a Power Token, except its own', async () => {
    const projectId = await created({ database: [minimal] });
    const other = await created({ database: [minimal] });
    const token = aCaller({ orgId: org.orgId, projectId, tokenId: newUlid(), serverKey: false });
    expect(await refusal(create({}, token))).toMatch(/^403/);
    expect(await refusal(getProject(store, token, other))).toMatch(/^403/);
    expect(await refusal(deleteProject(store, token, other))).toMatch(/^403/);
    expect(await refusal(addDatabase(store, token, other, body({ ...minimal, db_name: 'x' }), rules))).toMatch(/^403/);
    expect(await refusal(addDatabase(store, token, undefined, body({ ...minimal, db_name: 'x', project_id: other }), rules))).toMatch(
      /^403/,
    );
    expect(await refusal(changeDatabase(store, token, other, body(minimal), rules))).toMatch(/^403/);
    expect(await refusal(removeDatabase(store, token, other, 'pg', 'shop', ENGINES))).toMatch(/^403/);
    expect((await listProjects(store, token)).body).toMatchObject([{ project_id: projectId }]);
    expect((await getProject(store, token, undefined)).status).toBe(200);
  });

  test('never return a password', async () => {
    const projectId = await created({ database: [{ ...minimal, password: 'clear-text-marker' }] });
    for (const answer of [await getProject(store, caller, projectId), await listProjects(store, caller)])
      expect(JSON.stringify(answer)).not.toContain('clear-text-marker');
  });
});
