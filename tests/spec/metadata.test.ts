// Metadata of tables on each engine, of the System API and the metadata API.
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { type Body, type Headers, messageOf, SystemClient } from './system-client.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary_key: boolean;
  readonly kind: string;
  readonly required: boolean;
  readonly default: string | null;
}

const TABLES: Record<EngineName, readonly string[]> = {
  postgres: [
    "CREATE TABLE items (id int PRIMARY KEY, name varchar(255) NOT NULL, price numeric(10,2), made timestamptz DEFAULT now(), state text NOT NULL DEFAULT 'new')",
    'CREATE VIEW cheap AS SELECT id, name FROM items WHERE price < 10',
    'CREATE SCHEMA other',
    'CREATE TABLE other.hidden (a int, b int, PRIMARY KEY (b, a))',
  ],
  mysql: [
    "CREATE TABLE items (id int PRIMARY KEY, name varchar(255) NOT NULL, price decimal(10,2), made datetime DEFAULT CURRENT_TIMESTAMP, state varchar(20) NOT NULL DEFAULT 'new')",
    'CREATE VIEW cheap AS SELECT id, name FROM items WHERE price < 10',
  ],
  mariadb: [
    "CREATE TABLE items (id int PRIMARY KEY, name varchar(255) NOT NULL, price decimal(10,2), made datetime DEFAULT CURRENT_TIMESTAMP, state varchar(20) NOT NULL DEFAULT 'new')",
    'CREATE VIEW cheap AS SELECT id, name FROM items WHERE price < 10',
  ],
  clickhouse: [
    "CREATE TABLE items (id Int32, name String, price Nullable(Decimal(10, 2)), made DateTime DEFAULT now(), state String DEFAULT 'new') ENGINE = MergeTree PRIMARY KEY id ORDER BY id",
    'CREATE VIEW cheap AS SELECT id, name FROM items WHERE price < 10',
  ],
};

const TYPES: Record<EngineName, readonly (string | RegExp)[]> = {
  postgres: [/^int(eger)?$/, /^(varchar|character varying)\(255\)$/, 'numeric(10,2)', /^timestamp with time zone$|^timestamptz$/, 'text'],
  mysql: ['int', 'varchar(255)', 'decimal(10,2)', 'datetime', 'varchar(20)'],
  mariadb: [/^int(\(11\))?$/, 'varchar(255)', 'decimal(10,2)', 'datetime', 'varchar(20)'],
  clickhouse: ['Int32', 'String', 'Nullable(Decimal(10, 2))', 'DateTime', 'String'],
};

let service: Service;
let client: SystemClient;
beforeAll(async () => {
  service = await sharedService();
  client = new SystemClient(service);
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('on %s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;
  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const statement of TABLES[engine]) await database.run(statement);
    project = await setUpProject(service, [database.entry()]);
  });
  afterAll(() => database?.drop());

  const SYSTEM = 'system/api/v1/db/meta';
  const DETAIL = 'rest/meta/v1/table/detail';
  const LIST = 'rest/meta/v1/table/list';
  const query = (changes: Headers = {}): string => {
    const all: Headers = { type: database.dbType, schema: database.name, table: 'items', ...changes };
    return new URLSearchParams(Object.entries(all).filter((item): item is [string, string] => item[1] !== undefined)).toString();
  };
  const ask = (path: string, changes: Headers = {}, headers: Headers = {}) =>
    client.send('GET', `${path}?${query(changes)}`, undefined, { ...project.headers, ...headers });

  test('the three endpoints agree on a table', async () => {
    const answer = await ask(SYSTEM);
    expect(answer.status).toBe(200);
    const body = answer.json<{ table: string; schema: string; columns: Column[] }>();
    expect(Object.keys(body)).toEqual(['table', 'schema', 'columns', 'unique', 'relations']);
    expect([body.table, body.schema]).toEqual(['items', database.name]);
    const fields = ['name', 'type', 'nullable', 'primary_key', 'default', 'generated', 'kind', 'required', 'sortable'];
    for (const column of body.columns) expect(Object.keys(column).filter((name) => name !== 'max_length')).toEqual(fields);
    expect(body.columns.map(({ kind }) => kind)).toEqual(['int', 'text', 'decimal', expect.stringMatching(/^timestamp(?:tz)?$/), 'text']);
    expect(body.columns.map(({ required }) => required)).toEqual([true, true, false, false, false]);
    expect(body.columns.map(({ name }) => name)).toEqual(['id', 'name', 'price', 'made', 'state']);
    for (const [index, type] of TYPES[engine].entries())
      expect(body.columns[index]?.type).toMatch(typeof type === 'string' ? new RegExp(`^${type.replace(/[()]/g, '\\$&')}$`) : type);
    const nullable = engine === 'clickhouse' ? [false, false, true, false, false] : [false, false, true, true, false];
    expect(body.columns.map((column) => column.nullable)).toEqual(nullable);
    expect(body.columns.map((column) => column.primary_key)).toEqual([true, false, false, false, false]);
    expect(body.columns.slice(0, 3).map((column) => column.default)).toEqual([null, null, null]);
    expect(body.columns[3]?.default).toMatch(/now\(\)|current_timestamp/i);
    expect(body.columns[4]?.default).toMatch(/new/);
    expect((await ask(DETAIL, {}, { 'x-server-key': undefined })).json()).toEqual(body);
    expect((await ask(LIST, { table: undefined }, { 'x-server-key': undefined })).json()).toEqual([
      { table: 'cheap', schema: database.name, type: 'view' },
      { table: 'items', schema: database.name, type: 'table' },
    ]);
  });

  test('a view has columns too', async () => {
    expect((await ask(DETAIL, { table: 'cheap' })).json<{ columns: Column[] }>().columns.map(({ name }) => name)).toEqual(['id', 'name']);
  });

  test('a change of the schema is visible at once', async () => {
    const storage = engine === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY id' : '';
    messageOf(await ask(DETAIL, { table: 'late' }), 404);
    await database.run(`CREATE TABLE late (id int)${storage}`);
    expect((await ask(DETAIL, { table: 'late' })).json<{ columns: Column[] }>().columns).toHaveLength(1);
    await database.run('ALTER TABLE late ADD COLUMN more int');
    expect((await ask(SYSTEM, { table: 'late' })).json<{ columns: Column[] }>().columns).toHaveLength(2);
    await database.run('DROP TABLE late');
    messageOf(await ask(DETAIL, { table: 'late' }), 404);
  });

  test('the response is available in every format', async () => {
    const types = {
      json: 'application/json',
      xml: 'application/xml',
      yaml: 'application/x-yaml',
      csv: 'text/csv',
      bson: 'application/bson',
    };
    for (const path of [DETAIL, LIST])
      for (const [format, type] of Object.entries(types)) {
        const answer = await ask(path, { format });
        expect(answer.status).toBe(200);
        expect(answer.headers['content-type']?.split(';')[0]).toBe(type);
      }
    messageOf(await ask(LIST, { format: 'html' }), 406);
  });

  test.each([SYSTEM, DETAIL, LIST])('%s reports missing and invalid parameters', async (path) => {
    for (const name of path === LIST ? ['type', 'schema'] : ['type', 'schema', 'table']) {
      expect(messageOf(await ask(path, { [name]: undefined }), 400)).toContain(name);
      expect(messageOf(await ask(path, { [name]: '' }), 400)).toContain(name);
    }
    for (const type of ['or', 'ss', 'md', 'xx', 'PG', 'postgres', '__proto__']) messageOf(await ask(path, { type }), 406);
    for (const schema of ['nowhere', `${database.name}'--`, `${database.name}"`, '../x', `${database.name} `])
      messageOf(await ask(path, { schema }), 404);
    if (path !== LIST)
      for (const table of [
        'nothing',
        'items;DROP TABLE items',
        "items' OR '1'='1",
        'items"',
        'items`',
        '%',
        'pg_class',
        'information_schema.tables',
        'ITEMS ',
      ])
        messageOf(await ask(path, { table }), 404);
  });

  test.each([SYSTEM, DETAIL, LIST])('%s reports missing headers', async (path) => {
    messageOf(await ask(path, {}, { 'x-user-id': undefined }), 401);
    const names = ['x-org-id', 'x-project-id', 'x-user-roles', ...(path === SYSTEM ? ['x-space-id'] : [])];
    for (const name of names) expect(messageOf(await ask(path, {}, { [name]: undefined }), 400).toLowerCase()).toContain(name);
    if (path === SYSTEM) messageOf(await ask(path, {}, { 'x-server-key': 'wrong-server-key' }), 403);
    else expect((await ask(path, {}, { 'x-space-id': undefined, 'x-server-key': undefined })).status).toBe(200);
    messageOf(await ask(path, {}, { 'x-org-id': ulid() }), 404);
    messageOf(await ask(path, {}, { 'x-project-id': ulid() }), 404);
    messageOf(await ask(path, {}, { 'x-space-id': ulid() }), 404);
  });
});

describe('PostgreSQL only', () => {
  test('another schema is written after the database', async () => {
    const database = await createDatabase('postgres');
    for (const statement of TABLES.postgres) await database.run(statement);
    const project = await setUpProject(service, [database.entry()]);
    const ask = (path: string) => client.send('GET', `rest/meta/v1/table/${path}`, undefined, project.headers);
    const schema = `${database.name}.other`;
    expect((await ask(`list?type=pg&schema=${schema}`)).json()).toEqual([{ table: 'hidden', schema, type: 'table' }]);
    const detail = (await ask(`detail?type=pg&schema=${schema}&table=hidden`)).json<Body & { columns: Column[] }>();
    expect(detail['schema']).toBe(schema);
    expect(detail.columns.map((column) => column.primary_key)).toEqual([true, true]);
    for (const name of ['none', 'pg_catalog', 'information_schema', 'pg_toast'])
      messageOf(await ask(`list?type=pg&schema=${database.name}.${name}`), 404);
    messageOf(await ask(`detail?type=pg&schema=${database.name}.pg_catalog&table=pg_authid`), 404);
    await database.drop();
  });

  test('a missing, an unreachable and a forbidden database have different errors', async () => {
    const database = await createDatabase('postgres');
    const { name: role } = database;
    await database.run(`CREATE ROLE ${role} LOGIN PASSWORD 'right'; REVOKE CONNECT ON DATABASE ${database.name} FROM PUBLIC`);
    const entries = [database.entry({ db_name: 'not-there' }), database.entry({ host_details: [{ host: '127.0.0.1', port: '1' }] })];
    const project = await setUpProject(service, entries);
    const ask = (name: string, headers = project.headers) =>
      client.send('GET', `rest/meta/v1/table/list?type=pg&schema=${name}`, undefined, headers);
    messageOf(await ask('not-there'), 404);
    messageOf(await ask(database.name), 424);
    const denied = await setUpProject(service, [database.entry({ username: role, password: 'right' })]);
    messageOf(await ask(database.name, denied.headers), 403);
    await database.run(`DROP ROLE ${role}`);
    await database.drop();
  });
});
