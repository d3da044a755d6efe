// Concurrent inserts of single rows into a ClickHouse table: few parts are written, and each caller
// gets its own outcome.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const CALLERS = 120;
let service: Service;
let project: TestProject;
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase('clickhouse');
  for (const name of ['notes', 'strict', 'watched'])
    await database.run(
      `CREATE TABLE ${name} (id UInt32, word String, CONSTRAINT no_sevens CHECK id % 10 != 7) ENGINE = MergeTree ORDER BY id`,
    );
  await database.run('CREATE TABLE plain (id UInt32, word String) ENGINE = Memory');
  await database.run('CREATE TABLE numbers (n UInt32) ENGINE = MergeTree ORDER BY n');
  await database.run('CREATE MATERIALIZED VIEW reading TO numbers AS SELECT toUInt32(word) AS n FROM watched');
  service = await startService({ env: { MILLRACE_LOG_LEVEL: 'warn' } });
  project = await setUpProject(service, [database.entry()]);
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const insert = (table: string, rows: unknown) =>
  service.request('POST', project.autoPath(database.dbType, database.name, table), {
    headers: project.headers,
    body: JSON.stringify(rows),
  });
const idsOf = async (table: string): Promise<readonly number[]> =>
  (await database.run(`SELECT id FROM ${table} ORDER BY id`)).map((row) => Number(row['id']));

/** A table whose inserts have been quick so far. */
async function warmUp(table: string): Promise<void> {
  for (let id = 0; id < 16; id++) expect((await insert(table, [{ id: id * 10, word: '1' }])).status).toBe(201);
  await database.run(`TRUNCATE TABLE ${table}`);
}

describe('single rows of many callers', () => {
  test('are all stored once, in fewer parts', async () => {
    await warmUp('notes');
    const before = await partsOf('notes');
    const answers = await Promise.all(Array.from({ length: CALLERS }, (_, i) => insert('notes', [{ id: i * 10, word: `word ${i}` }])));
    for (const answer of answers) expect([answer.status, answer.json()]).toEqual([201, { rows_affected: 1 }]);
    expect(await idsOf('notes')).toEqual(Array.from({ length: CALLERS }, (_, i) => i * 10));
    expect((await partsOf('notes')) - before).toBeLessThan(CALLERS / 3);
  });

  test('that the table rejects do not affect others', async () => {
    await warmUp('strict');
    for (let round = 0; round < 3; round++) {
      await database.run('TRUNCATE TABLE strict');
      const answers = await Promise.all(
        Array.from({ length: CALLERS }, (_, id) =>
          insert(
            'strict',
            id % 3 === 0
              ? [
                  { id, word: '' },
                  { id: id + 1000, word: '' },
                ]
              : [{ id, word: '' }],
          ),
        ),
      );
      const isRefused = (id: number) => id % 10 === 7;
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: CALLERS }, (_, id) => (isRefused(id) ? 422 : 201)));
      const expected = Array.from({ length: CALLERS }, (_, id) => id).filter((id) => !isRefused(id));
      expect(await idsOf('strict')).toEqual([...expected, ...expected.filter((id) => id % 3 === 0).map((id) => id + 1000)]);
    }
  });

  test('fail together once when a view fails at one of them, and are sent individually from then on', async () => {
    await warmUp('watched');
    await database.run('TRUNCATE TABLE numbers');
    const write = () =>
      Promise.all(Array.from({ length: 60 }, (_, i) => insert('watched', [{ id: i * 10, word: i === 30 ? 'none' : `${i}` }])));
    // An insert that is sent alone fails alone: repeat until a batch has failed.
    for (let failures = 0; failures < 2; ) {
      const refused = (await write()).filter(({ status }) => status !== 201);
      for (const { status, headers } of refused) expect([status, headers['x-outcome']]).toEqual([422, 'unknown']);
      failures = refused.length;
    }
    const answers = await write();
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, (_, i) => (i === 30 ? 422 : 201)));
  });

  test('are sent individually to a table of another engine', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, id) => insert('plain', [{ id, word: '' }])));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await idsOf('plain')).toEqual(Array.from({ length: 30 }, (_, id) => id));
  });
});

/** Number of parts as they were inserted, also those already merged. */
async function partsOf(table: string): Promise<number> {
  const [row] = await database.run(
    `SELECT count() AS n FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND level = 0`,
  );
  return Number(row?.['n']);
}
