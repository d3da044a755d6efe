// A schema that is read whole has the same tables and keys as one that is read table by table.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo, type Direct } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../../support/engines.ts';

const OPTIONS = { timeoutMs: 10_000, owner: 'tests' };

const MYSQL_FAMILY = [
  `CREATE TABLE goods (z int unsigned NOT NULL, name varchar(50) UNIQUE, size enum('s', 'it''s') NOT NULL DEFAULT 's', tags set('x', 'y'), price decimal(8,2),
    made datetime(3) DEFAULT CURRENT_TIMESTAMP(3), extra json, bits bit(5), words text COLLATE utf8mb4_bin, twice int GENERATED ALWAYS AS (z * 2) STORED,
    a int AUTO_INCREMENT, spot point NOT NULL, PRIMARY KEY (a, z), UNIQUE KEY both_of (size, price), UNIQUE KEY some (words(10)))`,
  'CREATE TABLE `of goods` (id bigint PRIMARY KEY, `w``q` int, a int, z int unsigned, UNIQUE (a, z), FOREIGN KEY (a, z) REFERENCES goods (a, z))',
  'CREATE VIEW shown AS SELECT name, extra FROM goods',
  'CREATE TABLE plain (b json, a int)',
];

const ENGINES: Readonly<Record<(typeof ENGINE_NAMES)[number], readonly string[]>> = {
  postgres: [
    "CREATE TYPE size AS ENUM ('s', 'it''s')",
    "CREATE DOMAIN short AS varchar(10) NOT NULL DEFAULT 'x'",
    'CREATE TYPE pair AS (a int, b text)',
    `CREATE TABLE goods (z int, gone int, name text UNIQUE, size size NOT NULL, code short, two pair, list int[], price numeric(8,-2), at timestamptz(3), twice int GENERATED
      ALWAYS AS (z * 2) STORED, a int GENERATED ALWAYS AS IDENTITY, day date DEFAULT now(), ch char(3), PRIMARY KEY (a, z))`,
    'ALTER TABLE goods DROP COLUMN gone',
    'CREATE UNIQUE INDEX both_of ON goods (size, ch)',
    'CREATE UNIQUE INDEX some_rows ON goods (ch) WHERE z > 2',
    'CREATE UNIQUE INDEX beside ON goods (z) INCLUDE (code)',
    'CREATE TABLE "of goods" (id bigserial, "w""q" text, a int, z int, PRIMARY KEY (id) INCLUDE (a), UNIQUE (a, z), FOREIGN KEY (a, z) REFERENCES goods (a, z))',
    'CREATE VIEW shown AS SELECT * FROM goods',
    'CREATE TABLE parted (id int, k int, PRIMARY KEY (id, k), good text REFERENCES goods (name)) PARTITION BY RANGE (k)',
    'CREATE TABLE part_of PARTITION OF parted FOR VALUES FROM (0) TO (10)',
    'CREATE TABLE plain (b json, a int)',
  ],
  mysql: MYSQL_FAMILY,
  mariadb: MYSQL_FAMILY,
  clickhouse: [
    "CREATE TABLE goods (z Int32, a UInt64 DEFAULT 1, name Nullable(String), twice Int32 MATERIALIZED z * 2, size Enum('s', 'm'), list Array(Int8)) ENGINE = MergeTree ORDER BY (a, z)",
    'CREATE TABLE `of goods` (a UInt64 DEFAULT 1, z Int32) ENGINE = MergeTree ORDER BY a',
    'CREATE VIEW shown AS SELECT name FROM goods',
  ],
};

describe.each(ENGINE_NAMES)('on %s', (name) => {
  let database: TestDatabase;
  let direct: Direct;

  beforeAll(async () => {
    database = await createDatabase(name);
    for (const statement of ENGINES[name]) await database.run(statement);
    direct = await connectTo(database);
  });
  afterAll(async () => {
    direct?.connection.close();
    await database?.drop();
  });

  test('describeSchema returns the same tables and keys as describe', async () => {
    const { catalog } = direct.engine;
    const schema = await catalog.describeSchema?.(direct.connection, undefined, OPTIONS);
    const names = (await catalog.list(direct.connection, undefined, OPTIONS)) ?? [];
    expect(schema?.tables.map((table) => table.name)).toEqual(names.map(({ table }) => table));
    for (const table of schema?.tables ?? [])
      expect(table).toEqual(await catalog.describe(direct.connection, { schema: undefined, table: table.name }, OPTIONS));
    expect(schema?.keys).toEqual((await catalog.foreignKeys?.(direct.connection, undefined, OPTIONS)) ?? []);
  });

  test('a missing schema has no tables, and the connection stays usable', async () => {
    const { catalog } = direct.engine;
    expect(await catalog.describeSchema?.(direct.connection, 'never', OPTIONS)).toBeUndefined();
    expect(await catalog.describe(direct.connection, { schema: undefined, table: 'goods' }, OPTIONS)).toBeDefined();
  });
});

test('columns that an index only includes are not part of its key', async () => {
  const database = await createDatabase('postgres');
  const { engine, connection } = await connectTo(database);
  try {
    await database.run('CREATE TABLE t (a int, b int, c int, PRIMARY KEY (b) INCLUDE (a))');
    const table = await engine.catalog.describe(connection, { schema: undefined, table: 't' }, OPTIONS);
    expect(table?.primaryKey.map((column) => column.name)).toEqual(['b']);
    expect(table?.columns.filter((column) => column.primaryKey).map((column) => column.name)).toEqual(['b']);
  } finally {
    connection.close();
    await database.drop();
  }
});
