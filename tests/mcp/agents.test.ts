// MCP tools beyond rows of one table: the documented session, relations, aggregates, definitions,
// personas and read-only transactions. Uses the official client of both protocol generations.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { documentOf } from '../custom/definitions.ts';
import { createShop, type Shop } from '../spec/shop-tables.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const GENERATIONS = ['2026-07-28', '2025-11-25'] as const;
type Generation = (typeof GENERATIONS)[number];

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

let service: Service;
let shop: Shop;
let project: TestProject;
const databases: TestDatabase[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  service = await sharedService();
  shop = await createShop('postgres');
  project = await setUpProject(service, [{ ...shop.entry, alias: 'shop' } as typeof shop.entry]);
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await service?.stop();
  for (const database of [shop?.database, ...databases]) await database?.drop();
});

async function connect(headers: Record<string, string>, generation: Generation = '2026-07-28'): Promise<Client> {
  const mode = generation === '2026-07-28' ? { pin: generation } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const url = new URL(`${service.url}/svc/mcp/v1`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, args: object): Promise<Result> {
  return (await client.callTool({ name, arguments: args as Record<string, unknown> })) as unknown as Result;
}

const toolNames = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name).sort();

async function makeToken(owner: TestProject, keyType: string, roles: readonly string[]): Promise<string> {
  const made = await service.request('POST', '/svc/system/api/v1/token', {
    headers: owner.systemHeaders,
    body: { name: `${keyType} ${roles.join()}`, key_type: keyType, roles },
  });
  return made.json<{ power_token: string }>().power_token;
}

test('the session in docs/reference/mcp.md is reproduced word by word', async () => {
  const database = await createDatabase('postgres');
  databases.push(database);
  await database.run(
    "CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL, status text NOT NULL DEFAULT 'new', total numeric(10,2))",
  );
  await database.run("INSERT INTO orders VALUES (6, 'Ada', 'shipped', 12.50), (7, 'Bob', 'new', 99.90)");
  const own = await setUpProject(service, [{ ...database.entry(), alias: 'shop' } as ReturnType<TestDatabase['entry']>]);
  const client = await connect({ ...own.headers });
  const page = readFileSync(fileURLToPath(new URL('../../docs/reference/mcp.md', import.meta.url)), 'utf8');
  const [, session = ''] = /## A session.*?```mcp\n(.*?)```/s.exec(page) ?? [];
  const steps = [...session.matchAll(/^(\w+) (\{.*\})\n {2}(.*)$/gm)];
  expect(steps.map(([, tool]) => tool)).toEqual([
    'list_tables',
    'describe_table',
    'read_rows',
    'update_rows',
    'read_rows',
    'update_rows',
    'read_rows',
  ]);
  for (const [, tool = '', args = '', said = ''] of steps) {
    const { structuredContent } = await call(client, tool, JSON.parse(args) as object);
    expect({ tool, result: structuredContent }).toEqual({ tool, result: JSON.parse(said) });
  }
});

describe.each(GENERATIONS)('by the client of %s', (generation) => {
  test('read related rows and aggregates', async () => {
    const client = await connect({ ...project.headers }, generation);
    const expanded = await call(client, 'read_rows', {
      table: 'pg/shop/orders',
      filter: { id: { le: 2 } },
      select: ['id'],
      order: ['id.desc'],
      expand: ['customer($select=name)', 'item($select=line,quantity;$order=line.desc;$ps=1)'],
    });
    expect(expanded.structuredContent, expanded.content[0]?.text).toMatchObject({
      rows: [
        { id: 2, customer: { name: 'Ada' }, item: [{ line: 1, quantity: 2 }] },
        { id: 1, customer: { name: 'Ada' }, item: [{ line: 3, quantity: 7 }] },
      ],
      truncated: false,
    });
    const aggregate = { agg: 'n:count,sum.total', group: 'status', having: '(n=ge.1)' };
    const summed = await call(client, 'read_rows', { table: 'pg/shop/orders', aggregate, order: ['status.desc'] });
    expect(summed.structuredContent, summed.content[0]?.text).toMatchObject({
      rows: [
        { status: 'paid', n: 1, sum_total: null },
        { status: 'open', n: 2, sum_total: 10.1 },
        { status: 'lost', n: 1, sum_total: 99.9999 },
      ],
    });
    const cut = await call(client, 'read_rows', { table: 'pg/shop/orders', aggregate, limit: 1 });
    expect(cut.structuredContent).toMatchObject({ truncated: true, next_cursor: null });
    const wrong = await call(client, 'read_rows', { table: 'pg/shop/orders', expand: ['nowhere'] });
    expect([wrong.isError, wrong.content[0]?.text]).toEqual([true, expect.stringContaining('it has relations to')]);
    const many = await call(client, 'read_rows', {
      table: 'pg/shop/orders',
      filter: { id: { in: Array.from({ length: 3000 }, (_, i) => i + 3) } },
    });
    expect((many.structuredContent?.['rows'] as object[] | undefined)?.length, many.content[0]?.text).toBe(2);
  });

  test('check, deploy and call a definition, in the dev space only', async () => {
    const client = await connect({ ...project.headers }, generation);
    const sketch = {
      uri: `agents/${generation}`,
      input: { id: { type: 'integer', required: true } },
      logic: [{ sql: 'SELECT name FROM customer WHERE id = ?:id' }],
      database: { ref: 'pg/shop' },
    };
    const definition = stringify(documentOf(project, shop.database, sketch));
    const checked = await call(client, 'check_definition', { definition });
    expect(checked.structuredContent, checked.content[0]?.text).toMatchObject({ valid: true, problems: [] });
    const deployed = await call(client, 'deploy_definition', { definition });
    expect(deployed.structuredContent, deployed.content[0]?.text).toEqual({ definition_id: expect.any(String) as unknown, warnings: [] });
    const called = await call(client, 'call_endpoint', { uri: sketch.uri, input: { id: 3 } });
    expect(called.structuredContent).toEqual({ status: 200, version: '1.0.0', body: [{ name: 'Cy' }], truncated: false });
    const again = await call(client, 'deploy_definition', { definition });
    expect([again.isError, again.content[0]?.text]).toEqual([true, expect.stringContaining('has a version')]);
    const id = String(deployed.structuredContent?.['definition_id']);
    expect((await call(client, 'get_definition', { definition_id: id })).structuredContent).toMatchObject({ uri: sketch.uri });

    const staging = await connect({ ...project.headers, 'x-space-id': project.spaces.staging }, generation);
    const names = await toolNames(staging);
    expect(names).toContain('check_definition');
    expect(names).not.toContain('deploy_definition');
    await expect(staging.callTool({ name: 'deploy_definition', arguments: { definition } })).rejects.toMatchObject({ code: -32602 });
  });
});

test('authors with a read-only token see only tools that read', async () => {
  const client = await connect({ authorization: `Bearer ${await makeToken(project, 'r--', ['power'])}` });
  const names = await toolNames(client);
  expect(names).toEqual(expect.arrayContaining(['get_definition', 'list_definitions', 'read_rows']));
  expect(names.filter((name) => /deploy|check|insert|update|delete/.test(name))).toEqual([]);
});

test('a persona sees the tools, tables and columns that it is granted', async () => {
  const own = await setUpProject(service, [shop.database.entry()]);
  const orders = `pg/${shop.database.name}/orders`;
  const made = await service.request('POST', '/svc/persona/v1', {
    headers: own.headers,
    body: {
      persona: 'clerk',
      roles: ['clerk'],
      tables: { [orders]: { read: { columns: ['id', 'status'], rows: ['status=eq.open'] }, update: { columns: ['status'] } } },
    },
  });
  expect(made.status, made.text).toBe(201);
  const client = await connect({ ...own.headers, 'x-user-roles': 'clerk' });
  expect(await toolNames(client)).toEqual([
    'call_endpoint',
    'describe_table',
    'get_app',
    'list_apps',
    'list_tables',
    'read_rows',
    'update_rows',
  ]);
  expect((await call(client, 'list_tables', {})).structuredContent?.['tables']).toEqual([
    { table: orders, type: 'table', operations: ['read', 'update'] },
  ]);
  const described = await call(client, 'describe_table', { table: orders });
  const columns = (described.structuredContent?.['columns'] ?? []) as { name: string }[];
  expect(columns.map(({ name }) => name)).toEqual(['id', 'status']);
  expect((await call(client, 'read_rows', { table: orders })).structuredContent).toMatchObject({
    rows: [
      { id: 1, status: 'open' },
      { id: 3, status: 'open' },
    ],
  });
  const refused = async (tool: string, args: object): Promise<boolean | undefined> =>
    (await call(client, tool, { table: orders, ...args })).isError;
  expect(await refused('read_rows', { select: ['total'] })).toBe(true);
  expect(await refused('update_rows', { filter: { id: 1 }, set: { total: 1 } })).toBe(true);
  expect(await refused('update_rows', { filter: { total: 1 }, set: { status: 'x' } })).toBe(true);
  expect(await refused('read_rows', { table: orders.replace('orders', 'customer') })).toBe(true);
  // The project has no endpoint yet.
  const { isError, content } = await call(client, 'call_endpoint', { uri: 'nowhere' });
  expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('nowhere')]);
});

/** A view that writes when it is read. */
const WRITING: Readonly<Partial<Record<EngineName, readonly string[]>>> = {
  postgres: [
    'CREATE TABLE seen (id int)',
    'CREATE FUNCTION note() RETURNS int LANGUAGE sql VOLATILE AS $$ INSERT INTO seen VALUES (1) RETURNING id $$',
    'CREATE VIEW watched AS SELECT note() AS id',
  ],
  mysql: [
    'CREATE TABLE seen (id int)',
    'CREATE FUNCTION note() RETURNS int NOT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO seen VALUES (1); RETURN 1; END',
    'CREATE VIEW watched AS SELECT note() AS id',
  ],
  mariadb: [
    'CREATE TABLE seen (id int)',
    'CREATE FUNCTION note() RETURNS int NOT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO seen VALUES (1); RETURN 1; END',
    'CREATE VIEW watched AS SELECT note() AS id',
  ],
};

test.each(Object.keys(WRITING) as EngineName[])('reads of %s run in read-only transactions', async (engine) => {
  const database = await createDatabase(engine);
  databases.push(database);
  if (engine === 'mysql') await database.run('SET GLOBAL log_bin_trust_function_creators = 1');
  for (const statement of WRITING[engine] ?? []) await database.run(statement);
  const own = await setUpProject(service, [database.entry()]);
  const path = (table: string): string => `${own.autoPath(database.dbType, database.name, table)}?pg=0&ps=10`;
  const seen = async (): Promise<number> => (await service.request('GET', path('seen'), { headers: own.headers })).json<unknown[]>().length;
  const plain = await service.request('GET', path('watched'), { headers: own.headers });
  expect(plain.status, plain.text).toBe(200);
  const before = await seen();
  expect(before).toBeGreaterThan(0);
  const client = await connect({ ...own.headers });
  const table = `${database.dbType}/${database.name}/watched`;
  for (const args of [{ table }, { table, aggregate: { agg: 'sum.id' } }]) {
    const { isError, content } = await call(client, 'read_rows', args);
    expect([isError, content[0]?.text]).toEqual([true, expect.stringMatching(/read[- ]only/i)]);
  }
  expect(await seen()).toBe(before);
});
