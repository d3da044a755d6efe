/** The catalog describes tables and views in the same way on both servers. */
import { afterAll, beforeAll, expect, describe as suite, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Column } from '../../../src/model/table.ts';
import { describe, freshDatabase, OPTIONS, SERVERS, type Server, sql } from './support.ts';

suite.each(SERVERS)('%s: catalogue', (label, at: Server) => {
  const database = 'millrace_catalog';
  let connection: Connection;
  let columns: ReadonlyMap<string, Column>;

  beforeAll(async () => {
    connection = await freshDatabase(at, database);
    await sql(
      connection,
      `CREATE TABLE \`Odd \`\`Name\` (
        b int NOT NULL, a bigint unsigned NOT NULL, id int NOT NULL AUTO_INCREMENT UNIQUE,
        plain varchar(20) NOT NULL, named varchar(20) NOT NULL DEFAULT 'it''s', blank varchar(20) DEFAULT '', nothing varchar(20) DEFAULT NULL, word varchar(20) DEFAULT 'NULL',
        number int DEFAULT 42, amount decimal(12,3) DEFAULT 1.5, moment datetime(3) DEFAULT CURRENT_TIMESTAMP(3), stamp timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
        twice int AS (b * 2) VIRTUAL, kept int AS (b * 3) STORED, color enum('red','it''s','a,b','c\\\\d') NOT NULL DEFAULT 'red', flags set('x','y'), doc json,
        bits bit(12), tiny tinyint(1) NOT NULL DEFAULT 0, since year, shape point, raw varbinary(16), long_text text, PRIMARY KEY (a, b))`,
    );
    await sql(connection, 'CREATE TABLE old (id int) ENGINE=MyISAM');
    await sql(connection, 'CREATE TABLE fast (id int) ENGINE=MEMORY');
    await sql(connection, 'CREATE VIEW seen AS SELECT a, plain, twice FROM `Odd ``Name`');
    columns = (await describe(at, connection, 'Odd `Name')).byName;
  });
  afterAll(() => connection.close());

  test('lists the tables and views of a database', async () => {
    expect(await at.engine.catalog.list(connection, undefined, OPTIONS)).toEqual([
      { table: 'Odd `Name', schema: database, kind: 'table' },
      { table: 'fast', schema: database, kind: 'table' },
      { table: 'old', schema: database, kind: 'table' },
      { table: 'seen', schema: database, kind: 'view' },
    ]);
    expect(await at.engine.catalog.list(connection, 'no_such', OPTIONS)).toBeUndefined();
  });

  test('matches names exactly', async () => {
    for (const table of ['odd `name', 'Odd `Name ', 'OLD', 'old ', 'no_such', "old' OR '1'='1", '%', 'ол']) {
      expect(await at.engine.catalog.describe(connection, { schema: undefined, table }, OPTIONS)).toBeUndefined();
    }
    expect(await at.engine.catalog.describe(connection, { schema: 'no_such', table: 'old' }, OPTIONS)).toBeUndefined();
  });

  test('reads keys in order, the storage engine and its capabilities', async () => {
    const table = await describe(at, connection, 'Odd `Name');
    expect(table.primaryKey.map((column) => column.name)).toEqual(['a', 'b']);
    expect(table).toMatchObject({ kind: 'table', storage: 'InnoDB', transactional: true, schema: database });
    expect(await describe(at, connection, 'old')).toMatchObject({ storage: 'MyISAM', transactional: false, primaryKey: [] });
    expect(await describe(at, connection, 'fast')).toMatchObject({ storage: 'MEMORY', transactional: false });
    expect(await describe(at, connection, 'seen')).toMatchObject({ kind: 'view', transactional: true, primaryKey: [] });
  });

  test.each<[string, Partial<Column>]>([
    ['a', { kind: 'int', min: 0n, max: 18446744073709551615n, primaryKey: true, required: true, nullable: false, default: null }],
    ['b', { kind: 'int', min: -2147483648n, max: 2147483647n, primaryKey: true, required: true }],
    ['id', { kind: 'int', required: false, nullable: false, readOnly: false }],
    ['plain', { kind: 'text', maxLength: 20, required: true, type: 'varchar(20)', default: null }],
    ['named', { required: false, default: "it's" }],
    ['blank', { required: false, default: '', nullable: true }],
    ['nothing', { required: false, default: null }],
    ['word', { default: 'NULL' }],
    ['number', { default: '42' }],
    ['amount', { kind: 'decimal', precision: 12, scale: 3, default: '1.500' }],
    ['moment', { kind: 'timestamp', fraction: 3 }],
    ['stamp', { kind: 'timestamptz', fraction: 0, required: false }],
    ['twice', { readOnly: true, required: false }],
    ['kept', { readOnly: true, required: false }],
    ['color', { kind: 'enum', values: ['red', "it's", 'a,b', 'c\\d'], required: false, default: 'red' }],
    ['flags', { kind: 'set', values: ['x', 'y'] }],
    ['doc', { kind: 'json', sortable: false }],
    ['bits', { kind: 'int', min: 0n, max: 4095n }],
    ['tiny', { kind: 'int', min: -128n, max: 127n, default: '0' }],
    ['since', { kind: 'int', max: 2155n }],
    ['shape', { kind: 'other', sortable: false }],
    ['raw', { kind: 'bytes' }],
    ['long_text', { kind: 'text', maxLength: 65535 }],
  ])('column %s', (name, expected) => {
    expect(columns.get(name)).toMatchObject(expected);
  });

  test('keeps types and expressions as the server prints them', () => {
    expect(columns.get('b')?.type).toBe(label === 'MariaDB' ? 'int(11)' : 'int');
    expect(columns.get('moment')?.default).toBe(label === 'MariaDB' ? 'current_timestamp(3)' : 'CURRENT_TIMESTAMP(3)');
  });

  test('describes a view, whose columns keep their kinds', async () => {
    const view = await describe(at, connection, 'seen');
    expect(view.columns.map((column) => [column.name, column.kind])).toEqual([
      ['a', 'int'],
      ['plain', 'text'],
      ['twice', 'int'],
    ]);
  });
});
