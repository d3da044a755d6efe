// Concurrent changes of single rows of a ClickHouse table: each caller gets the outcome of its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const CALLERS = 60;
let service: Service;
let project: TestProject;
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase('clickhouse');
  for (const name of ['people', 'letters', 'leaving', 'rows'])
    await database.run(`CREATE TABLE ${name} (id UInt32, word String, times UInt32 DEFAULT 0) ENGINE = MergeTree ORDER BY id`);
  await database.run('CREATE TABLE derived (id UInt32, word String, n UInt32 MATERIALIZED toUInt32(word)) ENGINE = MergeTree ORDER BY id');
  service = await startService({ env: { MILLRACE_LOG_LEVEL: 'warn' } });
  project = await setUpProject(service, [database.entry()]);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const ids = Array.from({ length: CALLERS }, (_, id) => id);
const path = (table: string, query: string): string => `${project.autoPath(database.dbType, database.name, table)}?${query}`;
const ask = (method: string, table: string, query: string, body?: unknown) =>
  service.request(method, path(table, query), {
    headers: project.headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const fill = (table: string): Promise<unknown> =>
  database.run(`INSERT INTO ${table} (id, word) SELECT number, toString(number) FROM numbers(${CALLERS})`);
const wordsOf = async (table: string): Promise<readonly unknown[]> =>
  (await database.run(`SELECT id, word FROM ${table} ORDER BY id`)).map((row) => row['word']);

describe('single rows of many callers', () => {
  test('are updated, each with the values of its caller', async () => {
    await fill('people');
    const answers = await Promise.all([
      ...ids.map((id) => ask('PUT', 'people', `id=eq.${id}&set=word.new%20${id}`)),
      ask('PUT', 'people', `id=eq.${CALLERS}&set=word.nobody`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map((answer) => answer.json())).toEqual([...ids.map(() => ({ rows_affected: 1 })), { rows_affected: 0 }]);
    expect(await wordsOf('people')).toEqual(ids.map((id) => `new ${id}`));
  });

  test('are updated by large bodies too', async () => {
    await fill('letters');
    const letter = (id: number): string => `${id} ${'%\u00e9 \'"\\\n'.repeat(330)}`;
    const answers = await Promise.all(ids.map((id) => ask('PATCH', 'letters', `id=eq.${id}`, { word: letter(id), times: id })));
    expect(answers.map((answer) => [answer.status, answer.json()])).toEqual(ids.map(() => [200, { rows_affected: 1 }]));
    expect(await wordsOf('letters')).toEqual(ids.map(letter));
  });

  test('are deleted, and no other rows', async () => {
    await fill('leaving');
    const answers = await Promise.all(ids.map((id) => ask('DELETE', 'leaving', `id=eq.${id * 2}`)));
    expect(answers.map((answer) => [answer.status, answer.json()])).toEqual(
      ids.map((id) => [200, { rows_affected: id * 2 < CALLERS ? 1 : 0 }]),
    );
    expect(await wordsOf('leaving')).toEqual(ids.filter((id) => id % 2 === 1).map(String));
  });

  test('are updated and deleted by the path of their key, if it is unique', async () => {
    await fill('rows');
    await database.run("INSERT INTO rows (id, word) VALUES (5, 'another')");
    const row = (method: string, id: number, body?: unknown) =>
      service.request(method, `${project.autoPath(database.dbType, database.name, 'rows')}/${id}`, {
        headers: project.headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const changed = await Promise.all([...ids, CALLERS].map((id) => row('PATCH', id, { word: `new ${id}` })));
    expect(changed.map(({ status }) => status)).toEqual([...ids.map((id) => (id === 5 ? 422 : 200)), 404]);
    const deleted = await Promise.all(ids.map((id) => row('DELETE', id)));
    expect(deleted.map(({ status }) => status)).toEqual(ids.map((id) => (id === 5 ? 422 : 200)));
    expect((await wordsOf('rows')).toSorted()).toEqual(['5', 'another']);
    expect((await ask('DELETE', 'rows', 'id=eq.5&$max_affected=1')).status).toBe(422);
    expect((await ask('DELETE', 'rows', 'id=eq.5&$max_affected=2')).json()).toEqual({ rows_affected: 2 });
  });

  test('fail individually when a mutation fails while it runs', async () => {
    await fill('derived');
    const isBad = (id: number): boolean => id % 20 === 7;
    const answers = await Promise.all(ids.map((id) => ask('PUT', 'derived', `id=eq.${id}&set=word.${isBad(id) ? 'none' : id + 1000}`)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map((id) => (isBad(id) ? 422 : 200)));
    expect(await wordsOf('derived')).toEqual(ids.map((id) => String(isBad(id) ? id : id + 1000)));
    expect((await ask('PUT', 'derived', 'id=eq.7&set=word.8')).json()).toEqual({ rows_affected: 1 });
    const [row] = await database.run('SELECT count() AS n FROM system.mutations WHERE database = currentDatabase() AND NOT is_done');
    expect(Number(row?.['n'])).toBe(0);
  });
});
