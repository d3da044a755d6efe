// The OpenAPI document on all four engines: public validators accept it, it describes the tables,
// and the responses match its schemas.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { PREPARATIONS, VALUE_TYPES } from '../engines/conformance/value-types.ts';
import { createShop } from '../spec/shop-tables.ts';
import { ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { Judge, METHODS, type OpenApi, type Parameter, requestFrom, resolve } from './document.ts';

const PATH = '/svc/rest/openapi/v1';

const quote = (engine: EngineName, name: string): string => (engine === 'postgres' ? `"${name.replaceAll('"', '""')}"` : `\`${name}\``);

/** Adds a table with a column of each type, a table with special names, and a view. */
async function addTables(engine: EngineName, { run }: TestDatabase): Promise<void> {
  for (const statement of PREPARATIONS[engine]) await run(statement);
  const columns = VALUE_TYPES[engine].map(({ declared }, index) => `c${index} ${declared}`);
  const end = engine === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY tuple()' : '';
  await run(`CREATE TABLE all_types (${columns.join(', ')})${end}`);
  const int = engine === 'clickhouse' ? 'Int32' : 'int';
  const names = ['format', '$select', 'a b', 'x.y', 'é"'.replace('"', engine === 'postgres' ? '"' : '')];
  await run(`CREATE TABLE ${quote(engine, 'odd {name}/%')} (${names.map((name) => `${quote(engine, name)} ${int}`).join(', ')})${end}`);
  await run('CREATE VIEW open_orders AS SELECT id, total FROM orders');
}

let service: Service;
const worlds = new Map<EngineName, { readonly database: TestDatabase; readonly project: TestProject; readonly document: OpenApi }>();

beforeAll(async () => {
  service = await sharedService();
  const setUp = async (engine: EngineName): Promise<void> => {
    const { database, entry } = await createShop(engine);
    await addTables(engine, database);
    const project = await setUpProject(service, [entry]);
    const answer = await service.request('GET', PATH, { headers: project.headers });
    expect(answer.status, answer.text).toBe(200);
    worlds.set(engine, { database, project, document: answer.json<OpenApi>() });
  };
  await Promise.all(ENGINE_NAMES.map(setUp));
}, 240_000);

afterAll(async () => {
  await service?.stop();
  for (const { database } of worlds.values()) await database.drop();
});

const world = (engine: EngineName) => worlds.get(engine) ?? expect.unreachable();

describe.each(ENGINE_NAMES)('the OpenAPI document of %s', (engine) => {
  test('is accepted by two public validators', async () => {
    const { document, database, project } = world(engine);
    const judged = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(judged.errors ?? []).toEqual([]);
    const config = await createConfig({ extends: ['recommended'] });
    for (const table of ['all_types', 'item', 'open_orders']) {
      const slice = `${PATH}?db=${database.dbType}/${database.name}&table=${table}`;
      const source = (await service.request('GET', slice, { headers: project.headers })).text;
      const problems = await lintFromString({ source, absoluteRef: 'document.json', config });
      expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
    }
  });

  test('describes keys, columns and rights of the tables', () => {
    const { document, database } = world(engine);
    const schemas = document.components.schemas;
    const name = `${database.dbType}.${database.name}`;
    expect(schemas[`${name}.item`]?.['x-primary-key']).toEqual(['order_id', 'line']);
    expect(schemas[`${name}.item`]?.['x-foreign-keys']).toContainEqual({
      columns: ['order_id'],
      references: { table: 'orders', columns: ['id'] },
    });
    expect(schemas[`${name}.item`]).not.toHaveProperty('additionalProperties');
    expect(schemas[`${name}.item.insert`]).toMatchObject({
      additionalProperties: false,
      required: expect.arrayContaining(['order_id']) as unknown,
    });
    const orders = schemas[`${name}.orders`]?.['properties'] as Record<string, { type: unknown }>;
    expect(orders['id']?.type).toBe('integer');
    expect(orders['customer_id']?.type).toEqual(['integer', 'null']);
    const view = Object.entries(document.paths).find(([path]) => path.endsWith('/open_orders'));
    expect(Object.keys(view?.[1] ?? {})).toEqual(['get']);
    expect(document['x-unreachable']).toEqual([]);
  });

  test('has unique operation ids, and lists the statuses of each operation', () => {
    const operations = Object.values(world(engine).document.paths).flatMap((item) =>
      Object.values(item).filter(({ operationId }) => operationId !== undefined),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '404', '424', '503', '504']));
  });

  test('has working examples: every operation returns a response that matches its schemas', async () => {
    const { document, project } = world(engine);
    const judge = new Judge(document);
    const failures: string[] = [];
    // Writes are slow on ClickHouse, so only some tables are tested there.
    const paths = Object.entries(document.paths).slice(0, engine === 'clickhouse' ? 4 : undefined);
    for (const [path, item] of paths)
      for (const [method, operation] of Object.entries(item)) {
        // Some engine-specific types have no example.
        const sent = METHODS.includes(method) ? requestFrom(document, path, method) : undefined;
        if (sent === undefined) continue;
        const type = sent.type === undefined ? {} : { 'content-type': sent.type };
        const answer = await service.request(method.toUpperCase(), sent.path, {
          headers: { ...project.headers, ...type },
          body: sent.body,
        });
        // The document does not describe existing rows and references to them.
        const unknowable = path.endsWith('{key}') ? [404, 409, 422] : [409];
        const hasNoReferenced = answer.status === 422 && /foreign key/i.test(answer.text);
        const isRefused = answer.status >= 400 && !unknowable.includes(answer.status) && !hasNoReferenced;
        const problem = judge.problem(operation, answer) ?? (isRefused ? 'refused' : undefined);
        if (problem !== undefined)
          failures.push(`${method} ${sent.path} ${sent.body}: ${answer.status} ${answer.text.slice(0, 200)} ${problem}`);
      }
    expect(failures).toEqual([]);
  });

  test('can be limited to a database or a table, and returns 304 when unchanged', async () => {
    const { project, database } = world(engine);
    const get = (query: string, headers = {}) =>
      service.request('GET', `${PATH}?${query}`, { headers: { ...project.headers, ...headers } });
    const orders = project.autoPath(database.dbType, database.name, 'orders');
    const one = await get(`db=${database.dbType}/${database.name}&table=orders`);
    expect(Object.keys(one.json<OpenApi>().paths)).toEqual([orders, `${orders}/query`, `${orders}/{key}`]);
    const etag = String(one.headers.etag);
    const again = await get(`db=${database.dbType}/${database.name}&table=orders`, { 'if-none-match': etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await get(`db=${database.dbType}/nowhere`)).status).toBe(404);
    expect((await get(`db=${database.dbType}/${database.name}&table=nothing`)).status).toBe(404);
    expect((await get('db=zz/nowhere')).status).toBe(404);
    expect((await get('table=orders')).status).toBe(400);
    // The whole database, with every type and the special names.
    const slice = `db=${database.dbType}/${database.name}`;
    const yaml = await get(`${slice}&format=yaml`);
    expect(yaml.headers['content-type']).toContain('yaml');
    expect(parseYaml(yaml.text)).toEqual((await get(slice)).json());
  });
});

test('the document lists exactly the parameters that each method accepts', async () => {
  const { document, project, database } = world('postgres');
  const path = project.autoPath('pg', database.name, 'orders');
  const all = Object.entries(document.components.parameters).flatMap(([name, parameter]) =>
    name.startsWith('query.') ? [parameter.name] : [],
  );
  const wrong: string[] = [];
  for (const [method, operation] of Object.entries(document.paths[path] ?? {})) {
    const taken = operation.parameters.map((parameter) => resolve<Parameter>(document, parameter).name);
    for (const name of all.filter((candidate) => candidate.startsWith('$'))) {
      const answer = await service.request(method.toUpperCase(), `${path}?${method === 'get' ? 'pg=0&ps=1&' : ''}${name}=`, {
        headers: project.headers,
        body: { post: [], patch: {} }[method],
      });
      if (/is unknown, or not for this method|Filters are not supported here/.test(answer.text) === taken.includes(name))
        wrong.push(`${method} ${name}: ${answer.text}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('an unknown parameter is rejected with a list of the known ones', async () => {
  const { project } = world('postgres');
  const ask = (path: string) => service.request('GET', `/svc/rest/${path}`, { headers: project.headers });
  const refused = await ask('openapi/v1?tabel=orders');
  expect([refused.status, refused.json<{ message: string }>().message]).toEqual([400, expect.stringMatching(/"tabel".*db, table, format/)]);
  expect((await ask('llms.txt?format=yaml')).status).toBe(400);
  expect((await ask('openapi/v1?format=yaml')).status).toBe(200);
});

test('the document is limited to the rights of the token', async () => {
  const { project, database } = world('postgres');
  const makeToken = async (keyType: string): Promise<string> => {
    const made = await service.request('POST', '/svc/system/api/v1/token', {
      headers: project.systemHeaders,
      body: { name: keyType, key_type: keyType, roles: ['clerk'] },
    });
    return made.json<{ power_token: string }>().power_token;
  };
  const reader = await makeToken('r--');
  const shown = await service.request('GET', `${PATH}?pwt=${reader}`, { headers: { 'x-power-token': reader } });
  const orders = shown.json<OpenApi>().paths[project.autoPath('pg', database.name, 'orders')];
  expect(Object.keys(orders ?? {})).toEqual(['get']);
  const writer = await makeToken('-w-');
  expect((await service.request('GET', `${PATH}?pwt=${writer}`, { headers: { 'x-power-token': writer } })).status).toBe(403);
  expect((await service.request('GET', PATH)).status).toBe(401);
});

test('the document is limited to the grants of the persona', async () => {
  const { database } = world('postgres');
  const project = await setUpProject(service, [database.entry()]);
  const table = (name: string): string => `pg/${database.name}/${name}`;
  const made = await service.request('POST', '/svc/persona/v1', {
    headers: project.headers,
    body: {
      persona: 'clerk',
      roles: ['clerk'],
      tables: {
        [table('orders')]: {
          read: { columns: ['id', 'status', 'total'], mask: { total: '***' }, max_page_size: 7 },
          update: { columns: ['status'] },
        },
        [table('tag')]: { read: true },
      },
    },
  });
  expect(made.status, made.text).toBe(201);
  const document = (await service.request('GET', PATH, { headers: { ...project.headers, 'x-user-roles': 'clerk' } })).json<OpenApi>();
  const orders = project.autoPath('pg', database.name, 'orders');
  const tag = project.autoPath('pg', database.name, 'tag');
  expect(Object.keys(document.paths).sort()).toEqual([orders, tag].flatMap((path) => [path, `${path}/query`, `${path}/{key}`]).sort());
  expect(Object.keys(document.paths[orders] ?? {})).toEqual(['get', 'put', 'patch']);
  const row = document.components.schemas[`pg.${database.name}.orders`];
  expect(Object.keys(row?.['properties'] as object)).toEqual(['id', 'status', 'total']);
  expect(row?.['x-foreign-keys']).toEqual([]);
  const names = document.paths[orders]?.['get']?.parameters.map((parameter) => resolve<Parameter>(document, parameter).name);
  expect(names).toEqual(expect.arrayContaining(['id', 'status']));
  expect(names).not.toContain('total');
  const stranger = await service.request('GET', PATH, { headers: { ...project.headers, 'x-user-roles': 'stranger' } });
  expect(stranger.json<OpenApi>().paths).toEqual({});
  const all = (await service.request('GET', PATH, { headers: project.headers })).json<OpenApi>();
  expect(Object.keys(all.paths)).toContain(project.autoPath('pg', database.name, 'item'));
});

test('an unreachable database is omitted and named', async () => {
  const { database } = world('postgres');
  const away = { ...database.entry(), db_name: 'away', host_details: [{ host: '127.0.0.1', port: '1' }] };
  const project = await setUpProject(service, [database.entry(), away]);
  const document = (await service.request('GET', PATH, { headers: project.headers })).json<OpenApi>();
  expect(document['x-unreachable']).toEqual(['pg/away']);
  expect(Object.keys(document.paths)).toContain(project.autoPath('pg', database.name, 'orders'));
});

test('a changed table appears within five seconds, with another ETag', async () => {
  const { project, database } = world('postgres');
  const ask = () => service.request('GET', `${PATH}?db=pg/${database.name}`, { headers: project.headers });
  const before = await ask();
  await database.run('CREATE TABLE newcomer (id int PRIMARY KEY)');
  await expect.poll(async () => (await ask()).text.includes('/newcomer'), { timeout: 8000 }).toBe(true);
  expect((await ask()).headers.etag).not.toBe(before.headers.etag);
});

test('the document has the Custom endpoints that the caller may call, with their other versions', async () => {
  const { project, database } = world('postgres');
  const definition = (version: string, permission: string): string => `
identifiers: {org_id: ${project.orgId}, project_id: ${project.projectId}, feature_id: ${project.userId}, space_id: ${project.spaces.dev}, user_id: ${project.userId}}
about: {summary: Orders of a customer, tags: [reports]}
permission: [${permission}]
http: {uri: 'customers/{id}/orders', method: get, version: ${version}}
input:
  id: {type: integer, example: 1}
  status: {type: string, enum: [open, paid], max_length: 10}
logic: [{sql: 'SELECT * FROM orders WHERE customer_id = ?:id'}]
database: {ref: pg/${database.name}}
`;
  for (const version of ['1.0.0', '1.1.0']) {
    const made = await service.request('POST', '/svc/rest/definition/v1', {
      headers: { ...project.headers, 'content-type': 'application/x-yaml' },
      body: definition(version, 'clerk'),
    });
    expect(made.status, made.text).toBe(201);
  }
  const ask = async (roles: string): Promise<OpenApi> =>
    (await service.request('GET', PATH, { headers: { ...project.headers, 'x-user-roles': roles } })).json<OpenApi>();
  const path = `/${project.orgAbbr}/${project.projectAbbr}/customers/{id}/orders`;
  expect((await ask('stranger')).paths[path]).toBeUndefined();
  const document = await ask('clerk');
  expect(document.paths[path]?.['get']).toMatchObject({
    operationId: 'call.get.customers..id.orders',
    summary: 'Orders of a customer',
    tags: ['reports'],
    parameters: expect.arrayContaining([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', examples: [1] } },
      expect.objectContaining({ name: 'version', in: 'query', schema: { type: 'string', enum: ['1.0.0'] } }),
      expect.objectContaining({ name: 'status', schema: { type: 'string', enum: ['open', 'paid'], maxLength: 10 } }),
    ]) as unknown,
  });
  expect((await new Validator().validate(document as unknown as Record<string, unknown>)).valid).toBe(true);
});

test('the viewer needs no authentication, and loads only its own files', async () => {
  const page = await service.request('GET', `${PATH}/ui`);
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  for (const [, link = ''] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect(link).not.toMatch(/^[a-z]+:|^\/\//);
    expect((await service.request('GET', `${PATH}/${link}`)).status, link).toBe(200);
  }
  expect(page.text).not.toMatch(/<script>|style="|onclick/);
});

test('llms.txt describes 60 tables in less than 16 KB', async () => {
  const { project, database } = world('mysql');
  for (let i = 0; i < 60; i++) {
    const columns = Array.from({ length: 20 }, (_, index) => `a_rather_long_column_${index} varchar(100)`);
    await database.run(`CREATE TABLE wide_${i} (id int PRIMARY KEY, ${columns.join(', ')})`);
  }
  const other = await setUpProject(service, [database.entry()]);
  const text = await service.request('GET', '/svc/rest/llms.txt', { headers: other.headers });
  expect(text.headers['content-type']).toContain('text/plain');
  expect(text.body.length).toBeLessThan(16 * 1024);
  for (const word of [`ms/${database.name}/orders`, `ms/${database.name}/wide_59`, 'X-Power-Token', '$or=', 'bw.low.high'])
    expect(text.text).toContain(word);
  expect((await service.request('GET', '/svc/rest/llms.txt')).status).toBe(401);
  expect(project.projectId).not.toBe(other.projectId);
});
