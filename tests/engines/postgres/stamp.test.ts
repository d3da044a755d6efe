// The stamp of a table: whatever changes its description changes the stamp too, and nothing else does; else a change would stay unseen.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection } from '../../../src/engines/engine.ts';
import { postgresEngine } from '../../../src/engines/postgres/index.ts';
import { createDatabase, engineAddress, type TestDatabase } from '../../support/engines.ts';

const OPTIONS = { timeoutMs: 10_000 };
const NAME = { schema: undefined, table: 'watched' };

let database: TestDatabase;
let connection: Connection;

beforeAll(async () => {
  database = await createDatabase('postgres');
  const { host, port, user, password } = engineAddress('postgres');
  const at = { host, port };
  connection = await postgresEngine.connect(
    {
      id: 'x',
      type: 'pg',
      database: database.name,
      hosts: [at],
      username: user,
      password,
      tls: 'disable',
      connectTimeoutSecs: 10,
      idleTimeoutSecs: 10,
      maxOpenConnections: 1,
      maxIdleConnections: 1,
      queryTimeoutSecs: 10,
    },
    { host: at, address: host, timeoutMs: 10_000 },
  );
  await database.run('CREATE TABLE watched (id int NOT NULL, word varchar(20), n int DEFAULT 1); CREATE TABLE other (id int)');
});
afterAll(async () => {
  connection?.close();
  await database?.drop();
});

const stamp = (): Promise<string | undefined> | undefined => postgresEngine.catalog.stamp?.(connection, NAME, OPTIONS);
const described = async (): Promise<string> =>
  JSON.stringify(await postgresEngine.catalog.describe(connection, NAME, OPTIONS), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

const CHANGES = [
  'ALTER TABLE watched ADD PRIMARY KEY (id)',
  'ALTER TABLE watched ADD COLUMN extra date',
  'ALTER TABLE watched RENAME COLUMN extra TO other',
  'ALTER TABLE watched ALTER COLUMN word TYPE varchar(40)',
  'ALTER TABLE watched ALTER COLUMN word SET NOT NULL',
  'ALTER TABLE watched ALTER COLUMN word DROP NOT NULL',
  'ALTER TABLE watched ALTER COLUMN n SET DEFAULT 2',
  'ALTER TABLE watched ALTER COLUMN n DROP DEFAULT',
  'ALTER TABLE watched ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY',
  'ALTER TABLE watched DROP COLUMN other',
  'ALTER TABLE watched DROP CONSTRAINT watched_pkey',
  'DROP TABLE watched; CREATE TABLE watched (id int NOT NULL, word varchar(20), n int)',
];

test.each(CHANGES)('%s is seen', async (change) => {
  const before = [await stamp(), await described()];
  expect(before[0]).toMatch(/^\d+ /);
  await database.run(change);
  const after = [await stamp(), await described()];
  expect(after[1]).not.toBe(before[1]);
  expect(after[0]).not.toBe(before[0]);
});

test('rows, other tables and maintenance change nothing', async () => {
  const before = await stamp();
  await database.run("INSERT INTO watched (id, word) VALUES (1, 'a'); ALTER TABLE other ADD COLUMN more int");
  await database.run('ANALYZE watched');
  expect(await stamp()).toBe(before);
});

test('a type of the owner has its own life: such a table has no stamp', async () => {
  await database.run("CREATE TYPE mood AS ENUM ('good'); ALTER TABLE watched ADD COLUMN feeling mood");
  expect(await stamp()).toBeUndefined();
});
