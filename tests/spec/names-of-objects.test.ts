// Property names of JavaScript objects as operators, values, columns and keys: they have no special
// meaning.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../support/service.ts';
import { TableClient } from './users-table.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype'];
const TABLES = {
  postgres: 'CREATE TABLE kinds (id int PRIMARY KEY, flag boolean, f float8, d date, u uuid, n numeric(10,2), word text, doc jsonb)',
  mysql: 'CREATE TABLE kinds (id int PRIMARY KEY, flag bool, f double, d date, u char(36), n decimal(10,2), word text, doc json)',
  mariadb: 'CREATE TABLE kinds (id int PRIMARY KEY, flag bool, f double, d date, u uuid, n decimal(10,2), word text, doc json)',
  clickhouse:
    'CREATE TABLE kinds (id Int32, flag Nullable(Bool), f Nullable(Float64), d Nullable(Date), u Nullable(UUID), n Nullable(Decimal(10,2)), word Nullable(String), doc Nullable(String)) ENGINE = MergeTree ORDER BY id',
} as const;

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('on %s', (engine) => {
  let database: TestDatabase;
  let kinds: TableClient;
  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLES[engine]);
    const project = await setUpProject(service, [database.entry()]);
    kinds = new TableClient(service, project, database, 'kinds');
    expect((await kinds.post([{ id: 1, word: 'x' }])).status).toBe(201);
  });
  afterAll(() => database?.drop());

  test.each(NAMES)('%s', async (name) => {
    const statuses: Record<string, number> = {};
    const note = async (what: string, answer: Promise<{ status: number }>): Promise<void> => {
      statuses[what] = (await answer).status;
    };
    for (const column of ['flag', 'f', 'd', 'n', 'id']) {
      await note(`GET ${column}`, kinds.get(`pg=0&ps=1&${column}=eq.${name}`));
      await note(`GET in ${column}`, kinds.get(`pg=0&ps=1&${column}=in.${name}`));
      await note(`GET bw ${column}`, kinds.get(`pg=0&ps=1&${column}=bw.${name}.${name}`));
      await note(`DELETE ${column}`, kinds.send('DELETE', `${column}=eq.${name}`));
    }
    for (const query of [
      `${name}=eq.1`,
      `$order=${name}`,
      `$order=id.${name}`,
      `$select=${name}`,
      `$count=${name}`,
      `$null=${name}`,
      `$after=${name}`,
      `$${name}=1`,
      `$or=(${name}=eq.1)`,
      `$or=${name}`,
    ])
      await note(`GET ${query}`, kinds.get(`pg=0&ps=1&${query}`));
    for (const query of [`pg=${name}&ps=1`, `pg=0&ps=${name}`]) await note(`GET ${query}`, kinds.get(query));
    expect(Object.entries(statuses).filter(([, status]) => status !== 400)).toEqual([]);
    expect((await kinds.get(`pg=0&ps=1&id=${name}.1`)).status).toBe(417);
    expect((await kinds.get(`pg=0&ps=1&format=${name}`)).status).toBe(406);
    expect((await kinds.send('PUT', `id=eq.1&set=${name}.1`)).status).toBe(400);
    for (const column of ['flag', 'f', 'd', 'n']) {
      expect(`${column} ${(await kinds.send('PUT', `id=eq.1&set=${column}.${name}`)).status}`).toBe(`${column} 422`);
      expect(`${column} ${(await kinds.post([{ id: 2, [column]: name }])).status}`).toBe(`${column} 422`);
    }
    expect((await kinds.send('POST', '', { body: `[{"id":2,"${name}":1}]`, headers: { 'content-type': 'application/json' } })).status).toBe(
      422,
    );
    expect((await kinds.get(`pg=0&ps=1&word=eq.${name}`)).text).toBe('[]');
    expect(await kinds.rows<{ id: number }>()).toMatchObject([{ id: 1, word: 'x' }]);
  });
});
