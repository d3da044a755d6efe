// Values and names that only one engine has: text in JSON columns, dates beyond ISO 8601, and the
// names of databases behind an alias.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';
import { TableClient } from './users-table.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe('a JSON column of MariaDB with other text', () => {
  const TEXTS = ['{"a": [1]}', 'not json', '1, "admin": true', '', '"}],'];
  const DOCS = [{ a: [1] }, ...TEXTS.slice(1)];
  let database: TestDatabase;
  let bench: Bench;
  let docs: TableClient;
  beforeAll(async () => {
    database = await createDatabase('mariadb');
    const values = TEXTS.map((text, id) => `(${id}, '${text}')`);
    await database.run(`CREATE TABLE docs (id int PRIMARY KEY, doc json);
      SET SESSION check_constraint_checks = 0; INSERT INTO docs VALUES ${values}; SET SESSION check_constraint_checks = 1`);
    const project = await setUpProject(service, [database.entry()]);
    bench = new Bench(service, project, database);
    docs = new TableClient(service, project, database, 'docs');
  });
  afterAll(() => database?.drop());

  it.each([
    ['JSON', 'json', (text: string): unknown => JSON.parse(text)],
    ['YAML', 'yaml', (text: string): unknown => parse(text)],
  ] as const)('is written as strings in %s', async (_, format, read) => {
    const { text } = await docs.get(`pg=0&ps=10&format=${format}`);
    expect((read(text) as { doc: unknown }[]).map(({ doc }) => doc)).toEqual(DOCS);
  });

  it('is written as strings by Custom calls', async () => {
    await bench.deploy({ uri: 'docs', logic: [{ sql: 'SELECT doc FROM docs ORDER BY id' }] });
    await bench.deploy({ uri: 'kept', logic: [{ sql: 'SELECT doc FROM docs ORDER BY id' }, { expr: 'found', code: 'step_0' }] });
    for (const uri of ['docs', 'kept']) expect((await bench.rows<{ doc: unknown }[]>('GET', uri)).map(({ doc }) => doc)).toEqual(DOCS);
  });
});

const BORN: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE people (id int PRIMARY KEY, born date, seen timestamp)',
  mysql: 'CREATE TABLE people (id int PRIMARY KEY, born date, seen datetime)',
  mariadb: 'CREATE TABLE people (id int PRIMARY KEY, born date, seen datetime)',
  clickhouse: "CREATE TABLE people (id Int32, born Date32, seen DateTime64(0, 'UTC')) ENGINE = MergeTree ORDER BY id",
};

describe.each(ENGINE_NAMES)('%s', (engine) => {
  let database: TestDatabase;
  let bench: Bench;
  let people: TableClient;
  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(BORN[engine]);
    const project = await setUpProject(service, [database.entry({ alias: 'people.eu' } as object)]);
    bench = new Bench(service, project, { ...database, name: 'people.eu' });
    people = new TableClient(service, project, { ...database, name: 'people.eu' }, 'people');
  });
  afterAll(() => database?.drop());

  it.each([
    ['infinity', ['postgres']],
    ['-infinity', ['postgres']],
    ['0044-03-15 BC', ['postgres']],
    ['0000-00-00', []],
  ])('compares dates with %s only if it has this date', async (date, engines) => {
    for (const column of ['born', 'seen']) {
      const { status } = await people.get(`pg=0&ps=1&${column}=lt.${encodeURIComponent(date)}`);
      expect(status, column).toBe(engines.includes(engine) ? 200 : 400);
    }
  });

  it('names a database by its alias in messages', async () => {
    const text = bench.document({ uri: 'missing', logic: [{ sql: 'SELECT * FROM nosuch' }] });
    const checked = await bench.send('POST', '', JSON.stringify(text));
    await bench.deploy({ uri: 'missing', logic: [{ sql: 'SELECT * FROM nosuch' }] });
    const called = await bench.get('missing');
    expect([checked.status, called.status]).toEqual([422, 500]);
    for (const response of [checked, called]) {
      expect(response.text).toContain('nosuch');
      expect(response.text).not.toContain(database.name);
    }
  });

  if (engine !== 'mariadb' && engine !== 'mysql') return;
  it('names a database by its alias when a constraint fails', async () => {
    await database.run('CREATE TABLE checked (id int PRIMARY KEY, n int, CONSTRAINT positive CHECK (n > 0))');
    const checked = new TableClient(service, bench.project, { ...database, name: 'people.eu' }, 'checked');
    const response = await checked.post([{ id: 1, n: -1 }]);
    expect([response.status, response.text]).toEqual([422, expect.stringContaining('positive')]);
    expect(response.text).not.toContain(database.name);
  });
});
