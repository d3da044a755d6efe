// Unplanned result columns: equal columns yield the same object, so that formats can reuse what
// they derived from it. Changed columns yield a new object.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResultColumn } from '../../../src/model/cells.ts';
import { connectTo, type Direct } from '../../support/connection.ts';
import { createDatabase, type TestDatabase } from '../../support/engines.ts';

async function columnsOf({ connection }: Direct, text: string): Promise<readonly ResultColumn[] | undefined> {
  let found: readonly ResultColumn[] | undefined;
  const sink = { start: (given: readonly ResultColumn[]) => (found = given), row: () => undefined };
  await connection.run({ text, types: [] }, [], { timeoutMs: 10_000 }, sink);
  return found;
}

describe.each(['postgres', 'mysql', 'mariadb'] as const)('%s', (name) => {
  let database: TestDatabase;
  let direct: Direct;
  beforeAll(async () => {
    database = await createDatabase(name);
    await database.run('CREATE TABLE things (id int PRIMARY KEY, name varchar(10))');
    direct = await connectTo(database);
  });
  afterAll(async () => {
    direct?.connection.close();
    await database?.drop();
  });

  const columns = (): Promise<readonly ResultColumn[] | undefined> => columnsOf(direct, 'SELECT * FROM things');

  test('the columns of a result are the same object until they change', async () => {
    const first = await columns();
    expect(first).toEqual([
      { name: 'id', kind: 'int' },
      { name: 'name', kind: 'text' },
    ]);
    expect(await columns()).toBe(first);
    await database.run('ALTER TABLE things DROP COLUMN name');
    await database.run('ALTER TABLE things ADD COLUMN name int');
    const second = await columns();
    expect(second?.map(({ kind }) => kind)).toEqual(['int', 'int']);
    expect(await columns()).toBe(second);
  });
});

test('on PostgreSQL databases share the objects of equal columns', async () => {
  const of = async (): Promise<readonly ResultColumn[] | undefined> => {
    const database = await createDatabase('postgres');
    const direct = await connectTo(database);
    try {
      await database.run('CREATE TABLE others (id int PRIMARY KEY, at timestamptz)');
      return await columnsOf(direct, 'SELECT * FROM others');
    } finally {
      direct.connection.close();
      await database.drop();
    }
  };
  const first = await of();
  expect(first).toEqual([
    { name: 'id', kind: 'int' },
    { name: 'at', kind: 'timestamptz' },
  ]);
  expect(await of()).toBe(first);
});
