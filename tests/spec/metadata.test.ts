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
    for (const column of body.columns)
      expect(Object.keys(column).filter((name) => !['max_length', 'key_position'].includes(name))).toEqual(fields);
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
    const detail = (await ask(DETAIL, {}, { 'x-server-key': undefined })).json<typeof body>();
    expect(detail).toMatchObject(body);
    expect(Object.keys(detail)).toEqual([...Object.keys(body), 'operations']);
    for (const column of detail.columns) expect(Object.keys(column)).toEqual(expect.arrayContaining([...fields, 'operations', 'masked']));
    expect((await ask(LIST, { table: undefined }, { 'x-server-key': undefined })).json()).toEqual([
      { table: 'cheap', schema: database.name, type: 'view', operations: ['read'] },
      { table: 'items', schema: database.name, type: 'table', operations: ['read', 'insert', 'update', 'delete'] },
    ]);
  });

  describe('rights', () => {
    interface Rights {
      readonly operations: string[];
      readonly columns: { readonly name: string; readonly operations: string[]; readonly masked: boolean }[];
    }
    const rights = async (headers: Headers, table = 'items', schema = database.name): Promise<Rights> =>
      (await ask(DETAIL, { table, schema }, { 'x-server-key': undefined, ...headers })).json<Rights>();
    const listed = async (headers: Headers, schema = database.name): Promise<Record<string, string[]>> => {
      const answer = await ask(LIST, { table: undefined, schema }, { 'x-server-key': undefined, ...headers });
      return Object.fromEntries(
        answer.json<{ table: string; operations: string[] }[]>().map(({ table, operations }) => [table, operations]),
      );
    };
    const ofColumns = ({ columns }: Rights): Record<string, string[]> =>
      Object.fromEntries(columns.map(({ name, operations, masked }) => [name, masked ? [...operations, 'masked'] : operations]));

    test('are complete without persona and token; a view and generated columns are not written', async () => {
      const key = engine === 'clickhouse' ? ['read', 'insert'] : ['read', 'insert', 'update'];
      const all = await rights({});
      expect(all.operations).toEqual(['read', 'insert', 'update', 'delete']);
      expect(ofColumns(all)).toMatchObject({ id: key, name: ['read', 'insert', 'update'], price: ['read', 'insert', 'update'] });
      const view = await rights({}, 'cheap');
      expect([view.operations, ofColumns(view)]).toEqual([['read'], { id: ['read'], name: ['read'] }]);
      const generated = {
        postgres: 'a int GENERATED ALWAYS AS (id + 1) STORED)',
        mysql: 'a int AS (id + 1))',
        mariadb: 'a int AS (id + 1))',
        clickhouse: 'a Int32 MATERIALIZED id + 1) ENGINE = MergeTree ORDER BY id',
      }[engine];
      await database.run(`CREATE TABLE made (id ${engine === 'clickhouse' ? 'Int32' : 'int PRIMARY KEY'}, ${generated}`);
      expect(ofColumns(await rights({}, 'made'))['a']).toEqual(['read']);
      await database.run('DROP TABLE made');
    });

    test('are those of the token', async () => {
      for (const [key_type, expected] of [
        ['r--', ['read']],
        ['-w-', ['insert', 'update']],
        ['r-d', ['read', 'delete']],
      ] as const) {
        const body = { name: `rights ${key_type}`, key_type, roles: ['viewer'] };
        const made = await client.system('POST', 'token', body, project.headers);
        // A token that may not GET learns nothing.
        const headers = { authorization: `Bearer ${made.json<{ power_token: string }>().power_token}` };
        if (!key_type.startsWith('r')) messageOf(await ask(DETAIL, {}, headers), 403);
        else {
          expect((await rights(headers)).operations).toEqual(expected);
          expect((await listed(headers))['items']).toEqual(expected);
          expect(ofColumns(await rights(headers))['name']).toEqual(['read']);
        }
      }
    });

    test('are those of the entry', async () => {
      const kept = await setUpProject(service, [database.entry({ read_only: true })]);
      expect((await rights(kept.headers)).operations).toEqual(['read']);
      expect(await listed(kept.headers)).toEqual({ cheap: ['read'], items: ['read'] });
    });

    test('are those of the persona', async () => {
      const own = await setUpProject(service, [database.entry()]);
      const grants = {
        read: { columns: ['id', 'name', 'price'], mask: { price: null } },
        insert: { columns: ['id', 'name', 'state'] },
        update: { columns: ['name'], rows: ['id=gt.0'] },
      };
      const tables = { [`${database.dbType}/${database.name}/items`]: grants };
      const put = await client.send('POST', 'persona/v1', { persona: 'clerk', roles: ['clerk'], tables }, own.headers);
      expect(put.status).toBe(201);
      const clerk = { ...own.headers, 'x-user-roles': 'clerk' };
      const seen = await rights(clerk);
      expect(seen.operations).toEqual(['read', 'insert', 'update']);
      expect(ofColumns(seen)).toEqual({
        id: ['read', 'insert'],
        name: ['read', 'insert', 'update'],
        price: ['read', 'masked'],
        state: ['insert'],
      });
      expect(await listed(clerk)).toEqual({ items: ['read', 'insert', 'update'] });
      expect((await rights({ ...own.headers, 'x-persona': 'clerk' })).operations).toEqual(['read', 'insert', 'update']);
      expect((await rights(own.headers)).operations).toEqual(['read', 'insert', 'update', 'delete']);
      expect(await listed({ ...own.headers, 'x-user-roles': 'none' })).toEqual({});
    });
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
    expect((await ask(`list?type=pg&schema=${schema}`)).json()).toEqual([
      { table: 'hidden', schema, type: 'table', operations: expect.any(Array) },
    ]);
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
