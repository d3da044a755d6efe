// MCP tools on real engines, with the official client of both protocol generations.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createShop, type Shop } from '../spec/shop-tables.ts';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const PATH = '/svc/mcp/v1';
const GENERATIONS = ['2026-07-28', '2025-11-25'] as const;
type Generation = (typeof GENERATIONS)[number];

let service: Service;
let project: TestProject;
let token: string;
const shops = new Map<EngineName, Shop>();

const tableOf = (engine: EngineName, name: string): string => {
  const database = shops.get(engine)?.database;
  return `${database?.dbType}/${database?.name}/${name}`;
};

async function makeToken(name: string, keyType: string, roles: readonly string[]): Promise<string> {
  const made = await service.request('POST', '/svc/system/api/v1/token', {
    headers: project.systemHeaders,
    body: { name, key_type: keyType, roles },
  });
  return made.json<{ power_token: string }>().power_token;
}

async function connect(generation: Generation, bearer = token): Promise<Client> {
  const mode = generation === '2026-07-28' ? { pin: generation } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}${PATH}`), {
    requestInit: { headers: { authorization: `Bearer ${bearer}` } },
  });
  await client.connect(transport);
  return client;
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as unknown as Result;
}

async function post(body: unknown, headers: Record<string, string> = { 'x-power-token': token }) {
  return service.request('POST', PATH, { headers, body });
}

const rpc = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });

beforeAll(async () => {
  service = await startService();
  await Promise.all(ENGINE_NAMES.map(async (engine) => shops.set(engine, await createShop(engine))));
  project = await setUpProject(
    service,
    ENGINE_NAMES.flatMap((engine) => shops.get(engine)?.entry ?? []),
  );
  token = await makeToken('agent', 'rwd', ['power', 'clerk']);
  const definition = `
identifiers: {org_id: ${project.orgId}, project_id: ${project.projectId}, feature_id: ${project.userId}, space_id: ${project.spaces.dev}, user_id: ${project.userId}}
about: {summary: Orders of a customer}
permission: [clerk]
http: {uri: 'customers/{id}/orders', method: get, version: 1.0.0}
input: {id: {type: integer, required: true}}
logic: [{sql: 'SELECT id, total FROM orders WHERE customer_id = ?:id ORDER BY id'}]
config: {tool: true}
database: {ref: pg/${shops.get('postgres')?.database.name}}
`;
  const made = await service.request('POST', '/svc/rest/definition/v1', {
    headers: { ...project.headers, 'content-type': 'application/x-yaml' },
    body: definition,
  });
  expect(made.status, made.text).toBe(201);
});

afterAll(async () => {
  await service?.stop();
  for (const { database } of shops.values()) await database.drop();
});

describe.each(GENERATIONS)('the official client of %s', (generation) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(generation);
  });
  afterAll(() => client.close());

  test('lists few tools with schemas and annotations', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        'call_endpoint',
        'check_app',
        'check_definition',
        'delete_rows',
        'deploy_app',
        'deploy_definition',
        'describe_table',
        'get_app',
        'get_customers_id_orders',
        'get_definition',
        'insert_rows',
        'list_apps',
        'list_definitions',
        'list_tables',
        'read_rows',
        'update_rows',
      ].sort(),
    );
    for (const tool of tools) {
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema).toBeDefined();
      expect(tool.annotations).toHaveProperty('readOnlyHint');
    }
  });

  test.each(ENGINE_NAMES)(
    'finds a table of %s, reads it, tries a write, and does it',
    async (engine) => {
      const product = tableOf(engine, 'product');
      const listed = await call(client, 'list_tables', { search: 'product', db: product.slice(0, product.lastIndexOf('/')) });
      expect(listed.structuredContent?.['tables']).toContainEqual({
        table: product,
        type: 'table',
        operations: ['read', 'insert', 'update', 'delete'],
      });
      const described = await call(client, 'describe_table', { table: product });
      expect(described.structuredContent).toMatchObject({ table: product, type: 'table', primary_key: ['id'] });
      const read = await call(client, 'read_rows', { table: product, filter: { name: 'ink' }, select: ['id', 'price'] });
      expect(read.structuredContent).toMatchObject({
        rows: [{ id: 2, price: '1234567890123456.7891' }],
        truncated: false,
        next_cursor: null,
      });
      const page = await call(client, 'read_rows', { table: product, limit: 2, order: ['id.asc'] });
      expect(page.structuredContent).toMatchObject({ truncated: true });
      const rest = await call(client, 'read_rows', {
        table: product,
        limit: 2,
        order: ['id.asc'],
        cursor: page.structuredContent?.['next_cursor'],
      });
      expect(rest.structuredContent).toMatchObject({ rows: [{ id: 3 }], truncated: false });

      const rows = [{ id: 50, name: 'say "hi", \\ or not', price: 1.5 }];
      const tried = await call(client, 'insert_rows', { table: product, rows });
      expect(tried.structuredContent).toEqual({ rows_affected: 1, dry_run: true });
      const none = await call(client, 'read_rows', { table: product, filter: { id: 50 } });
      expect(none.structuredContent).toMatchObject({ rows: [] });
      expect((await call(client, 'insert_rows', { table: product, rows, dry_run: false })).structuredContent).toEqual({
        rows_affected: 1,
        dry_run: false,
      });
      const filter = { name: 'say "hi", \\ or not', $or: [{ id: 50 }, { price: { gt: 1000 }, name: null }], $not: { id: { in: [1, 2] } } };
      expect((await call(client, 'update_rows', { table: product, filter, set: { name: 'x' } })).structuredContent).toEqual({
        rows_affected: 1,
        dry_run: true,
      });
      const changed = await call(client, 'update_rows', { table: product, filter, set: { name: 'x' }, dry_run: false });
      expect(changed.structuredContent, changed.content[0]?.text).toEqual({ rows_affected: 1, dry_run: false });
      const all = { id: { gt: 0 } };
      const many = await call(client, 'update_rows', { table: product, filter: all, set: { name: 'x' }, max_affected: 1, dry_run: false });
      expect([many.isError, many.content[0]?.text]).toEqual([true, expect.stringMatching(/rows would be affected/)]);
      const gone = await call(client, 'delete_rows', { table: product, filter: { id: 50 }, dry_run: false });
      expect(gone.structuredContent).toEqual({ rows_affected: 1, dry_run: false });
    },
    60_000,
  );

  test.each(ENGINE_NAMES)('a dry run on %s rejects what the write rejects', async (engine) => {
    const table = tableOf(engine, 'product');
    const rejected = async (name: string, args: object): Promise<string | undefined> => {
      const texts = [];
      for (const dry_run of [true, false]) {
        const { isError, content } = await call(client, name, { table, dry_run, ...args });
        expect([name, args, isError]).toEqual([name, args, true]);
        texts.push(content[0]?.text);
      }
      expect(texts[0]).toBe(texts[1]);
      return texts[0];
    };
    const filter = { id: 1 };
    expect(await rejected('update_rows', { filter, set: { nosuch: 1 } })).toContain('nosuch');
    expect(await rejected('update_rows', { filter, set: { price: 'dear' } })).toContain('price');
    expect(await rejected('update_rows', { filter, set: {} })).toContain('at least one column');
    expect(await rejected('update_rows', { filter: { nosuch: 1 }, set: { name: 'x' } })).toContain('nosuch');
    const all = { id: { gt: 0 } };
    expect(await rejected('update_rows', { filter: all, set: { name: 'x' }, max_affected: 1 })).toContain('3 rows would be affected');
    expect(await rejected('delete_rows', { filter: { nosuch: 1 } })).toContain('nosuch');
    expect(await rejected('insert_rows', { rows: [{ id: 9, name: 'x', price: 1, nosuch: 1 }] })).toContain('nosuch');
    expect(await rejected('insert_rows', { rows: [{ id: 9, name: 'x', price: 'dear' }] })).toContain('price');
    const rows = [9, 10].map((id) => ({ id, name: 'x', price: 1 }));
    expect(await rejected('insert_rows', { rows, max_affected: 1 })).toContain('2 rows would be affected');
    const left = await call(client, 'read_rows', { table, select: ['id'] });
    expect(left.structuredContent).toMatchObject({ rows: [{ id: 1 }, { id: 2 }, { id: 3 }] });
  });

  test('calls endpoints by uri and as tools of their own', async () => {
    const called = await call(client, 'call_endpoint', { uri: 'customers/1/orders' });
    expect(called.structuredContent).toMatchObject({ status: 200, version: '1.0.0', truncated: false });
    expect(called.structuredContent?.['body']).toHaveLength(2);
    const own = await call(client, 'get_customers_id_orders', { id: 1 });
    expect(own.structuredContent?.['body']).toEqual(called.structuredContent?.['body']);
    expect((await call(client, 'call_endpoint', { uri: 'nowhere' })).isError).toBe(true);
  });

  test('lets authors check and list definitions', async () => {
    const checked = await call(client, 'check_definition', { definition: 'permission: []' });
    expect(checked.structuredContent).toMatchObject({ valid: false, problems: expect.anything() });
    const listed = await call(client, 'list_definitions', { method: 'get' });
    const [first] = (listed.structuredContent?.['definitions'] ?? []) as { definition_id: string }[];
    expect((await call(client, 'get_definition', { definition_id: first?.definition_id })).structuredContent).toMatchObject({
      uri: 'customers/{id}/orders',
    });
  });

  test('reports mistakes as tool errors with the messages of the service', async () => {
    const table = tableOf('postgres', 'orders');
    const wrong = async (name: string, args: object): Promise<string | undefined> => {
      const { isError, content } = await call(client, name, args as Record<string, unknown>);
      expect(isError).toBe(true);
      return content[0]?.text;
    };
    expect(await wrong('read_rows', { table, nonsense: 1 })).toContain('nonsense is unknown');
    expect(await wrong('read_rows', { table, limit: 201 })).toContain('at most 200');
    expect(await wrong('read_rows', { table: 'pg/nowhere/orders' })).toContain('nowhere');
    for (const name of ['orders', 'shop/orders', '']) expect(await wrong('describe_table', { table: name })).toContain('pg/shop/orders');
    expect(await wrong('read_rows', { table, filter: { nothing: 1 } })).toContain('nothing');
    expect(await wrong('delete_rows', { table, filter: {}, dry_run: false })).toContain('empty');
    expect(await wrong('update_rows', { table, filter: { id: 1 }, set: {} })).toBeDefined();
  });
});

test('a reader has no tools that write, and cannot call a tool that is not listed', async () => {
  const reader = await makeToken('reader', 'r--', ['clerk']);
  const client = await connect('2026-07-28', reader);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.sort()).toEqual([
    'call_endpoint',
    'describe_table',
    'get_app',
    'get_customers_id_orders',
    'list_apps',
    'list_tables',
    'read_rows',
  ]);
  await client.close();
  const answer = await post(rpc('tools/call', { name: 'delete_rows', arguments: {} }), { authorization: `Bearer ${reader}` });
  expect(answer.json()).toMatchObject({ error: { code: -32602 } });
});

test('a token without r has no tools that read rows', async () => {
  const writer = await makeToken('writer', '-w-', ['clerk']);
  const client = await connect('2026-07-28', writer);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['call_endpoint', 'insert_rows', 'list_tables', 'update_rows']));
  expect(names.filter((name) => /^(?:read_rows|describe_table|delete_rows|get_customers.*)$/.test(name))).toEqual([]);
  await client.close();
});

test('the list does not depend on reachable databases, but on the rights of persona, token and entry', async () => {
  const entry = { ...(shops.get('postgres')?.entry ?? expect.unreachable()), host_details: [{ host: '127.0.0.1', port: '1' }] };
  const away = await setUpProject(service, [entry, { ...entry, db_name: 'other', read_only: true }]);
  const names = async (headers: Record<string, string>, path = away): Promise<string[]> => {
    const answer = await post(rpc('tools/list'), { ...path.headers, ...headers });
    const { tools } = answer.json<{ result: { tools: { name: string }[] } }>().result;
    return tools.flatMap(({ name }) => (name.endsWith('_rows') ? [name] : [])).sort();
  };
  const all = ['delete_rows', 'insert_rows', 'read_rows', 'update_rows'];
  expect(await names({})).toEqual(all);
  const persona = { persona: 'clerk', roles: ['clerk'], tables: { [`pg/${entry.db_name}.archive/orders`]: { insert: {} } } };
  expect((await service.request('POST', '/svc/persona/v1', { headers: away.headers, body: persona })).status).toBe(201);
  expect(await names({ 'x-user-roles': 'clerk' })).toEqual(['insert_rows', 'read_rows']);
  const kept = await setUpProject(service, [{ ...entry, read_only: true }]);
  expect(await names({}, kept)).toEqual(['read_rows']);
});

test('numbers are exact: integers beyond 2^53 are strings in both directions', async () => {
  const { database } = shops.get('postgres') ?? expect.unreachable();
  await database.run('CREATE TABLE big (id bigint PRIMARY KEY); INSERT INTO big VALUES (9007199254740993)');
  const table = tableOf('postgres', 'big');
  const read = (filter: object) => post(rpc('tools/call', { name: 'read_rows', arguments: { table, filter } }));
  expect((await read({ id: '9007199254740993' })).json()).toMatchObject({
    result: { structuredContent: { rows: [{ id: '9007199254740993' }] } },
  });
  const unsafe = await service.request('POST', PATH, {
    headers: { 'x-power-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(rpc('tools/call', { name: 'read_rows', arguments: { table, filter: { id: 1 } } })).replace(
      '"id":1}',
      '"id":9007199254740993}',
    ),
  });
  expect(unsafe.text).toContain('send it as a string');
});

test('unauthenticated callers learn how to authenticate, and cross-origin requests are rejected', async () => {
  const nobody = await post(rpc('tools/list'), {});
  expect([nobody.status, nobody.headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
  const unknown = await post(rpc('tools/list'), { authorization: `Bearer mr_${'x'.repeat(43)}` });
  expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
  expect((await post(rpc('tools/list'), { 'x-power-token': token, origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(rpc('tools/list'), { 'x-power-token': token, origin: service.url })).status).toBe(200);
  expect((await post(rpc('tools/list'), project.headers)).status).toBe(200);
  expect((await service.request('GET', PATH, { headers: project.headers })).status).toBe(405);
});

test('the protocol handles unknown methods, versions, notifications and invalid messages', async () => {
  const meta = (version: string): object => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': version } });
  expect((await post(rpc('nothing/known'))).json()).toMatchObject({ error: { code: -32601 } });
  const old = await post(rpc('tools/list', meta('1999-01-01')));
  expect([old.status, old.json()]).toEqual([400, expect.objectContaining({ error: expect.objectContaining({ code: -32022 }) as unknown })]);
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  expect((await post([rpc('ping')])).status).toBe(400);
  const mismatch = await post(rpc('tools/list', meta('2026-07-28')), { 'x-power-token': token, 'mcp-method': 'tools/call' });
  expect([mismatch.status, mismatch.json()]).toEqual([
    400,
    expect.objectContaining({ error: expect.objectContaining({ code: -32020 }) as unknown }),
  ]);
});

test('every call is in the audit log with the name of the tool', async () => {
  const actions = (): unknown[] => service.logs().flatMap((line) => (typeof line['action'] === 'string' ? [line['action']] : []));
  await expect.poll(actions, PATIENCE).toEqual(expect.arrayContaining(['mcp.read_rows', 'mcp.insert_rows', 'mcp.call_endpoint']));
});

test('MILLRACE_MCP_ORIGINS allows other origins', async () => {
  const open = await startService({ env: { MILLRACE_MCP_ORIGINS: 'https://agents.example' } });
  const { headers } = await setUpProject(open, [shops.get('postgres')?.entry ?? expect.unreachable()]);
  const from = async (origin: string): Promise<number> =>
    (await open.request('POST', PATH, { headers: { ...headers, origin }, body: rpc('tools/list') })).status;
  expect([await from('https://agents.example'), await from('https://evil.example')]).toEqual([200, 403]);
  await open.stop();
});

test('MILLRACE_MCP=off disables the endpoint', async () => {
  const silent = await startService({ env: { MILLRACE_MCP: 'off' } });
  expect((await silent.request('POST', PATH, { body: rpc('ping') })).status).toBe(404);
  await silent.stop();
});
