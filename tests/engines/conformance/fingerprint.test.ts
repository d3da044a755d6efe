// Fingerprints of tables and schemas: every change of the description changes the fingerprint, and
// nothing else does. Otherwise a change would go unnoticed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo, type Direct } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../../support/engines.ts';

const OPTIONS = { timeoutMs: 10_000 };
const NAME = { schema: undefined, table: 'watched' };
const CREATE = ['CREATE TABLE watched (id int NOT NULL, word varchar(20), n int DEFAULT 1)', 'CREATE TABLE other (id int)'];
const MERGE_TREE = 'ENGINE = MergeTree ORDER BY id';

const COMMON = [
  ['ALTER TABLE watched ADD PRIMARY KEY (id)'],
  ['ALTER TABLE watched ADD COLUMN extra date'],
  ['ALTER TABLE watched RENAME COLUMN extra TO another'],
  ['ALTER TABLE watched ALTER COLUMN n SET DEFAULT 2'],
  ['ALTER TABLE watched ALTER COLUMN n DROP DEFAULT'],
];
const AT_LAST = [
  ['ALTER TABLE watched DROP COLUMN another'],
  ['DROP TABLE watched', 'CREATE TABLE watched (id int NOT NULL, word varchar(20), m int)'],
];
const OF_SCHEMA = [
  'CREATE TABLE parent (id int PRIMARY KEY)',
  'CREATE TABLE child (id int, parent_id int, spot point)',
  'ALTER TABLE child ADD CONSTRAINT to_parent FOREIGN KEY (parent_id) REFERENCES parent (id)',
  'CREATE VIEW shown AS SELECT id FROM child',
];
const MYSQL_FAMILY = {
  create: CREATE,
  analyze: 'ANALYZE TABLE watched',
  changes: [
    ...COMMON,
    ['ALTER TABLE watched MODIFY word varchar(40)'],
    ['ALTER TABLE watched MODIFY word varchar(40) NOT NULL'],
    ["ALTER TABLE watched ADD COLUMN mood enum('good')"],
    ["ALTER TABLE watched MODIFY mood enum('good', 'bad')"],
    ['ALTER TABLE watched MODIFY n int unsigned'],
    ['ALTER TABLE watched MODIFY id int NOT NULL AUTO_INCREMENT'],
    ['ALTER TABLE watched MODIFY word varchar(40) COLLATE utf8mb4_bin'],
    ['ALTER TABLE watched ENGINE = MyISAM'],
    ['ALTER TABLE watched ADD COLUMN twice int GENERATED ALWAYS AS (n * 2) VIRTUAL'],
    ['ALTER TABLE watched MODIFY id int NOT NULL, DROP PRIMARY KEY'],
    ...AT_LAST,
  ],
  none: ['DROP TABLE watched', 'CREATE VIEW watched AS SELECT * FROM other'],
  ofSchema: [
    ...OF_SCHEMA,
    'ALTER TABLE child MODIFY spot point SRID 4326',
    'ALTER TABLE child ADD UNIQUE (id, parent_id)',
    'ALTER TABLE child DROP FOREIGN KEY to_parent',
  ],
};

const ENGINES = {
  postgres: {
    create: CREATE,
    analyze: 'ANALYZE watched',
    changes: [
      ...COMMON,
      ['ALTER TABLE watched ALTER COLUMN word TYPE varchar(40)'],
      ['ALTER TABLE watched ALTER COLUMN word SET NOT NULL'],
      ['ALTER TABLE watched ALTER COLUMN word DROP NOT NULL'],
      ['ALTER TABLE watched ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY'],
      ['ALTER TABLE watched DROP CONSTRAINT watched_pkey'],
      ...AT_LAST,
    ],
    none: ["CREATE TYPE mood AS ENUM ('good')", 'ALTER TABLE watched ADD COLUMN feeling mood'],
    ofSchema: [
      ...OF_SCHEMA,
      'CREATE UNIQUE INDEX of_child ON child (id)',
      'DROP INDEX of_child',
      "ALTER TYPE mood RENAME VALUE 'good' TO 'fine'",
      'CREATE DOMAIN small AS int',
      'ALTER TABLE child ADD COLUMN size small',
      'ALTER DOMAIN small SET NOT NULL',
      'ALTER DOMAIN small SET DEFAULT 7',
      'ALTER TABLE child ADD COLUMN word text',
      "ALTER TABLE child ADD CONSTRAINT listed CHECK (word IN ('a', 'b'))",
      'ALTER TABLE child DROP CONSTRAINT to_parent',
    ],
  },
  mysql: MYSQL_FAMILY,
  // It has systems of coordinates, but no part of the type is one.
  mariadb: { ...MYSQL_FAMILY, ofSchema: MYSQL_FAMILY.ofSchema.filter((statement) => !statement.includes('SRID')) },
  clickhouse: {
    create: [`CREATE TABLE watched (id Int32, word String, n Int32 DEFAULT 1) ${MERGE_TREE}`, `CREATE TABLE other (id int) ${MERGE_TREE}`],
    analyze: 'OPTIMIZE TABLE watched FINAL',
    changes: [
      ['ALTER TABLE watched ADD COLUMN extra Date'],
      ['ALTER TABLE watched RENAME COLUMN extra TO another'],
      ['ALTER TABLE watched MODIFY COLUMN n DEFAULT 2'],
      ['ALTER TABLE watched MODIFY COLUMN n REMOVE DEFAULT'],
      ['ALTER TABLE watched MODIFY COLUMN n Int64'],
      ['ALTER TABLE watched MODIFY COLUMN word Nullable(String)'],
      ['ALTER TABLE watched ADD COLUMN twice Int64 MATERIALIZED n * 2'],
      ["ALTER TABLE watched ADD COLUMN mood Enum('good')"],
      ["ALTER TABLE watched MODIFY COLUMN mood Enum('good', 'bad')"],
      ['ALTER TABLE watched ADD COLUMN part Int32, MODIFY ORDER BY (id, part)'],
      ['ALTER TABLE watched DROP COLUMN another'],
      ['DROP TABLE watched', 'CREATE TABLE watched (id Int32, word String) ENGINE = Memory'],
      ['DROP TABLE watched', `CREATE TABLE watched (id Int32, word String) ${MERGE_TREE}`],
    ],
    none: ['DROP TABLE watched', 'CREATE VIEW watched AS SELECT * FROM other'],
    ofSchema: [`CREATE TABLE child (id Int32) ${MERGE_TREE}`, 'CREATE VIEW shown AS SELECT id FROM child'],
  },
} as const;

describe.each(ENGINE_NAMES)('on %s', (name) => {
  let database: TestDatabase;
  let direct: Direct;

  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await database.run(statement);
  };

  beforeAll(async () => {
    database = await createDatabase(name);
    direct = await connectTo(database);
    await run(ENGINES[name].create);
  });
  afterAll(async () => {
    direct?.connection.close();
    await database?.drop();
  });

  const fingerprint = (): Promise<string | undefined> | undefined => direct.engine.catalog.fingerprint?.(direct.connection, NAME, OPTIONS);
  const schemaFingerprint = async (): Promise<unknown> => direct.engine.catalog.schemaFingerprint?.(direct.connection, undefined, OPTIONS);
  const described = async (): Promise<string> =>
    JSON.stringify(await direct.engine.catalog.describe(direct.connection, NAME, OPTIONS), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );

  test.each(ENGINES[name].changes.map((change) => ({ change })))('the fingerprint changes: $change', async ({ change }) => {
    const before = [await fingerprint(), await described(), await schemaFingerprint()];
    expect(before[0]).toBeTypeOf('string');
    await run(change);
    const after = [await fingerprint(), await described(), await schemaFingerprint()];
    expect(after[1]).not.toBe(before[1]);
    expect(after[0]).not.toBe(before[0]);
    expect(after[2]).not.toBe(before[2]);
  });

  test('the fingerprint is not changed by rows, other tables or maintenance', async () => {
    const before = await fingerprint();
    const ofAll = await schemaFingerprint();
    await run(["INSERT INTO watched (id, word) VALUES (1, 'a')", ENGINES[name].analyze]);
    expect(await schemaFingerprint()).toBe(ofAll);
    await run(['ALTER TABLE other ADD COLUMN more int']);
    expect(await fingerprint()).toBe(before);
  });

  test('a view and a table with a custom type have no fingerprint', async () => {
    await run(ENGINES[name].none);
    expect(await described()).toContain('watched');
    expect(await fingerprint()).toBeUndefined();
  });

  test.each(ENGINES[name].ofSchema)('the fingerprint of the schema changes: %s', async (change) => {
    const before = await schemaFingerprint();
    expect(before).toBeTypeOf('string');
    await run([change]);
    expect(await schemaFingerprint()).not.toBe(before);
  });

  test('describeSchema returns the fingerprint of the schema that it read', async () => {
    const schema = await direct.engine.catalog.describeSchema?.(direct.connection, undefined, {
      ...OPTIONS,
      owner: 'tests',
      withFingerprint: true,
    });
    expect(schema?.tables.map((table) => table.name)).toContain('watched');
    expect(schema?.fingerprint).toBeTypeOf('string');
    expect(await schemaFingerprint()).toBe(schema?.fingerprint);
  });

  test('a dropped table has no fingerprint', async () => {
    expect(await direct.engine.catalog.fingerprint?.(direct.connection, { ...NAME, table: 'never' }, OPTIONS)).toBeUndefined();
    expect(direct.connection.usable).toBe(true);
  });
});

test('on clickhouse describeSchema returns no fingerprint when the schema changed while it was read', async () => {
  const database = await createDatabase('clickhouse');
  const { engine, connection } = await connectTo(database);
  try {
    await database.run(`CREATE TABLE watched (id Int32, a Int32) ${MERGE_TREE}`);
    let statements = 0;
    const interrupted = new Proxy(connection, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'run') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<typeof connection.run>) => {
          // Behind the two of the fingerprint.
          if (++statements === 3) await database.run('ALTER TABLE watched RENAME COLUMN a TO b');
          return target.run(...given);
        };
      },
    });
    const schema = await engine.catalog.describeSchema?.(interrupted, undefined, {
      ...OPTIONS,
      owner: 'tests',
      withFingerprint: true,
    });
    expect([schema?.tables[0]?.columns[1]?.name, schema?.fingerprint]).toEqual(['b', undefined]);
  } finally {
    connection.close();
    await database.drop();
  }
});

describe.each(['mysql', 'mariadb'] as const)('on %s', (name) => {
  test('the fingerprint is not changed by AUTO_INCREMENT values', async () => {
    const database = await createDatabase(name);
    const { engine, connection } = await connectTo(database);
    try {
      await database.run('CREATE TABLE watched (id int AUTO_INCREMENT PRIMARY KEY)');
      const before = await engine.catalog.fingerprint?.(connection, NAME, OPTIONS);
      await database.run('INSERT INTO watched VALUES (NULL), (NULL)');
      expect(await engine.catalog.fingerprint?.(connection, NAME, OPTIONS)).toBe(before);
    } finally {
      connection.close();
      await database.drop();
    }
  });
});
