// Results of MCP tools on real engines: at most 16 KB with an explicit continuation, keys in their
// own order, and aggregates as the typed client or REST writes them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Databases } from '../support/databases.ts';
import { ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const MAX_BYTES = 16 * 1024;
const TABLES = 150;

let service: Service;
let project: TestProject;
let client: Client;
const databases = new Databases();

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

interface Types {
  readonly text: string;
  readonly int: string;
  readonly moment: string;
  /** Ends a table with this key. */
  end(key: string): string;
}

const key = (columns: string): string => `, PRIMARY KEY (${columns}))`;
const mysql: Types = { text: 'varchar(4000) CHARACTER SET utf8mb4', int: 'int', moment: 'datetime', end: key };
const TYPES: Readonly<Record<EngineName, Types>> = {
  postgres: { text: 'text', int: 'int', moment: 'timestamp', end: key },
  mysql,
  mariadb: mysql,
  clickhouse: { text: 'String', int: 'Int32', moment: 'DateTime', end: (columns) => `) ENGINE = MergeTree ORDER BY (${columns})` },
};

/** `lengthy` has rows of 3 KB beyond ASCII; the key of `pairs` is not in the order of the table. */
async function fill({ engine, run }: TestDatabase): Promise<void> {
  const { text, int, moment, end } = TYPES[engine];
  await run(`CREATE TABLE lengthy (id ${int} NOT NULL, body ${text} NOT NULL${end('id')}`);
  for (let id = 1; id <= 30; id++) await run(`INSERT INTO lengthy VALUES (${id}, '${'é日'.repeat(600)}')`);
  await run(`CREATE TABLE pairs (low ${int} NOT NULL, high ${int} NOT NULL, at ${moment} NOT NULL${end('high, low')}`);
  const odd = engine === 'postgres' ? '"$x"' : '`$x`';
  await run(`CREATE TABLE odd (id ${int} NOT NULL, ${odd} ${int} NOT NULL${end('id')}`);
  await run('INSERT INTO odd VALUES (1, 5), (2, 7)');
  await run("INSERT INTO pairs VALUES (1, 1, '2026-01-05 00:00:00'), (2, 1, '2026-01-06 00:00:00'), (3, 2, '2026-02-01 00:00:00')");
}

beforeAll(async () => {
  service = await sharedService();
  await databases.create(ENGINE_NAMES, fill);
  const names = Array.from({ length: TABLES }, (_, index) => `table_with_a_rather_long_name_${String(index).padStart(3, '0')}`);
  await databases.on('postgres').run(names.map((name) => `CREATE TABLE ${name} (id int PRIMARY KEY)`).join(';'));
  project = await setUpProject(service, databases.entries());
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const url = new URL(`${service.url}/svc/mcp/v1`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...project.headers } } }));
});

afterAll(async () => {
  await client?.close();
  await databases.drop();
});

async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, content, structuredContent = {} } = (await client.callTool({ name, arguments: args })) as unknown as Result;
  const text = content[0]?.text ?? '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
  return isError === true ? { error: text } : structuredContent;
}

const refOf = (engine: EngineName, table: string): string => `${databases.on(engine).dbType}/${databases.on(engine).name}/${table}`;

/** Follows the cursors of a tool and returns all items. */
async function follow(name: string, args: Record<string, unknown>, list: string): Promise<{ items: unknown[]; pages: number }> {
  const items: unknown[] = [];
  let cursor: unknown;
  let pages = 0;
  do {
    const page = await call(name, { ...args, ...(cursor === undefined ? {} : { cursor }) });
    expect(page['error']).toBeUndefined();
    expect(page['truncated']).toBe(page['next_cursor'] !== null);
    items.push(...(page[list] as unknown[]));
    cursor = page['next_cursor'];
    pages++;
  } while (cursor !== null);
  return { items, pages };
}

describe('list_tables', () => {
  it('lists every table once, in pages of at most 16 KB', async () => {
    const db = refOf('postgres', '').slice(0, -1);
    const { items, pages } = await follow('list_tables', { db }, 'tables');
    const names = (items as { table: string }[]).map(({ table }) => table);
    expect(names).toHaveLength(TABLES + 3);
    expect(names).toEqual([...new Set(names)].sort());
    expect(pages).toBeGreaterThan(1);
  });

  it('refuses a cursor that is not of an earlier list', async () => {
    for (const cursor of ['nonsense', 'pg/a/b', Buffer.from('["other","pg/a/b"]').toString('base64url')])
      expect(await call('list_tables', { cursor })).toEqual({ error: expect.stringContaining('cursor') as unknown });
  });
});

describe.each(ENGINE_NAMES)('read_rows on %s', (engine) => {
  it('returns every row once, in pages of at most 16 KB', async () => {
    const { items, pages } = await follow('read_rows', { table: refOf(engine, 'lengthy'), limit: 200 }, 'rows');
    expect((items as { id: number }[]).map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(pages).toBeGreaterThan(1);
  });

  it('refuses a wrong cursor, and a cursor beside an aggregate', async () => {
    const table = refOf(engine, 'pairs');
    expect(await call('read_rows', { table, cursor: 'nonsense' })).toEqual({ error: expect.stringContaining('cursor') as unknown });
    expect(await call('read_rows', { table, cursor: 'x', aggregate: { agg: 'count' } })).toHaveProperty('error');
  });

  it('takes aggregates as objects and lists, or as the texts of REST', async () => {
    const table = refOf(engine, 'pairs');
    const asObject = { agg: { n: 'count', top: 'max.low' }, group: ['high', 'at.month'], having: { n: { ge: 2 } } };
    const asText = { agg: 'n:count,top:max.low', group: 'high,at.month', having: '(n=ge.2)' };
    for (const aggregate of [asObject, asText]) {
      const { rows } = await call('read_rows', { table, aggregate, order: ['n.desc'] });
      expect((rows as Record<string, unknown>[]).map(({ high, n, top }) => [high, Number(n), top])).toEqual([[1, 2, 2]]);
    }
    expect(await call('read_rows', { table, aggregate: { agg: { all: 'count' } } })).toMatchObject({ truncated: false });
  });

  it('takes a column whose name begins with $ in quotes', async () => {
    const table = refOf(engine, 'odd');
    const args = { table, filter: { '"$x"': { gt: 5 } }, select: ['"$x"'], order: ['"$x".desc'] };
    expect(await call('read_rows', args)).toMatchObject({ rows: [{ $x: 7 }] });
    expect(await call('read_rows', { table, filter: { '"$x"': { null: false }, id: 1 } })).toMatchObject({ rows: [{ id: 1, $x: 5 }] });
    const sums = await call('read_rows', { table, aggregate: { agg: { top: 'max."$x"' }, having: { top: { ge: 7 } } } });
    expect(sums).toMatchObject({ rows: [{ top: 7 }] });
    expect(await call('read_rows', { table, filter: { $x: 5 } })).toEqual({ error: expect.stringContaining('$x') as unknown });
  });

  it('reports the primary key in the order of the key', async () => {
    expect(await call('describe_table', { table: refOf(engine, 'pairs') })).toMatchObject({ primary_key: ['high', 'low'] });
  });
});

it('read_rows refuses an aggregate that it would have to ignore', async () => {
  const table = refOf('postgres', 'pairs');
  for (const aggregate of [
    {},
    { agg: { n: 1 } },
    { agg: 7 },
    { agg: 'count', group: [1] },
    { agg: 'count', other: 1 },
    { having: { n: { is: 1 } } },
  ])
    expect(await call('read_rows', { table, aggregate }), JSON.stringify(aggregate)).toHaveProperty('error');
});

it('call_endpoint shortens a long list and a long text', async () => {
  const { projectId, orgId, userId, spaces } = project;
  for (const [uri, step] of [
    ['long/list', { lark: 'made', code: 'result = [{"n": n, "text": "é" * 200} for n in range(200)]' }],
    ['long/text', { lark: 'made', code: 'result = "\\"é" * 20000' }],
  ] as const) {
    const definition = {
      identifiers: { org_id: orgId, project_id: projectId, feature_id: userId, space_id: spaces.dev, user_id: userId },
      permission: ['admin'],
      http: { uri, method: 'get', version: '1.0.0' },
      logic: [step],
      database: { ref: `pg/${databases.on('postgres').name}` },
    };
    const made = await service.request('POST', '/svc/rest/definition/v1', {
      headers: { ...project.headers, 'content-type': 'application/x-yaml' },
      body: JSON.stringify(definition),
    });
    expect(made.status, made.text).toBe(201);
    const result = await call('call_endpoint', { uri });
    expect([uri, result['status'], result['truncated']]).toEqual([uri, 200, true]);
    expect((result['body'] as string | unknown[]).length).toBeGreaterThan(30);
  }
});
