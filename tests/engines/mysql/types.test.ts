/** Values of every type are read exactly, and inserting what was read stores the same value. */
import { afterAll, beforeAll, expect, describe as suite, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Column, Kind } from '../../../src/model/table.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import type { ParamValue } from '../../../src/sql/statement.ts';
import { compileSelect } from '../../support/compile.ts';
import { collect, describe, freshDatabase, OPTIONS, SERVERS, type Server, sql } from './support.ts';

type Golden = readonly [type: string, literal: string, text: string, kind: Kind];

const SHARED: readonly Golden[] = [
  ['tinyint', '-128', '-128', 'int'],
  ['tinyint(1)', '1', '1', 'int'],
  ['tinyint unsigned', '255', '255', 'int'],
  ['smallint', '-32768', '-32768', 'int'],
  ['smallint unsigned', '65535', '65535', 'int'],
  ['mediumint', '-8388608', '-8388608', 'int'],
  ['mediumint unsigned', '16777215', '16777215', 'int'],
  ['int', '-2147483648', '-2147483648', 'int'],
  ['int unsigned', '4294967295', '4294967295', 'int'],
  ['bigint', '-9223372036854775808', '-9223372036854775808', 'int'],
  ['bigint', '9007199254740993', '9007199254740993', 'int'],
  ['bigint', '-4294967297', '-4294967297', 'int'],
  ['bigint', '1000000000', '1000000000', 'int'],
  ['bigint unsigned', '18446744073709551615', '18446744073709551615', 'int'],
  [
    'decimal(65,30)',
    '12345678901234567890123456789012345.123456789012345678901234567890',
    '12345678901234567890123456789012345.123456789012345678901234567890',
    'decimal',
  ],
  ['decimal(10,2)', '0.10', '0.10', 'decimal'],
  ['decimal(10,2)', '-1.5', '-1.50', 'decimal'],
  ['float', '0.1', '0.1', 'float'],
  ['float', '16777216', '16777216', 'float'],
  ['float', '3.402823466e38', '3.4028235e+38', 'float'],
  ['double', '0.1', '0.1', 'float'],
  ['double', '1.7976931348623157e308', '1.7976931348623157e+308', 'float'],
  ['double', '-2.5', '-2.5', 'float'],
  ['bit(1)', "b'1'", '1', 'int'],
  ['bit(20)', "b'11111111111111111111'", '1048575', 'int'],
  ['bit(64)', "b'1111111111111111111111111111111111111111111111111111111111111111'", '18446744073709551615', 'int'],
  ['year', '2024', '2024', 'int'],
  ['year', '0', '0', 'int'],
  ['date', "'2024-02-29'", '2024-02-29', 'date'],
  ['date', "'9999-12-31'", '9999-12-31', 'date'],
  ['date', "'0000-00-00'", '0000-00-00', 'date'],
  ['time', "'10:11:12'", '10:11:12', 'time'],
  ['time', "'-838:59:59'", '-838:59:59', 'time'],
  ['time', "'-00:00:01'", '-00:00:01', 'time'],
  ['time(3)', "'23:59:59.050'", '23:59:59.050', 'time'],
  ['time(6)', "'100:00:00.000001'", '100:00:00.000001', 'time'],
  ['datetime', "'2024-01-01 10:00:00'", '2024-01-01T10:00:00', 'timestamp'],
  ['datetime', "'2024-01-01 00:00:00'", '2024-01-01T00:00:00', 'timestamp'],
  ['datetime', "'0000-00-00 00:00:00'", '0000-00-00T00:00:00', 'timestamp'],
  ['datetime(3)', "'2024-01-01 10:00:00.500'", '2024-01-01T10:00:00.500', 'timestamp'],
  ['datetime(6)', "'1000-01-01 00:00:00.000001'", '1000-01-01T00:00:00.000001', 'timestamp'],
  ['timestamp', "'2024-06-01 12:34:56'", '2024-06-01T12:34:56Z', 'timestamptz'],
  ['timestamp(6)', "'2024-06-01 12:34:56.123456'", '2024-06-01T12:34:56.123456Z', 'timestamptz'],
  ['char(10)', "'abc'", 'abc', 'text'],
  ['varchar(100)', "'Ærø 😀 \\\\ '''", "Ærø 😀 \\ '", 'text'],
  ['varchar(10) character set latin1', "'Ærø'", 'Ærø', 'text'],
  ['varchar(10) character set utf8mb4 collate utf8mb4_bin', "'Ab '", 'Ab ', 'text'],
  ['tinytext', "''", '', 'text'],
  ['text', "repeat('x', 300)", 'x'.repeat(300), 'text'],
  ['mediumtext', "repeat('y', 70000)", 'y'.repeat(70_000), 'text'],
  ['longtext', "'z'", 'z', 'text'],
  ["enum('a','it''s','c,d','e\\\\f')", "'it''s'", "it's", 'enum'],
  ["set('a','b','c')", "'a,c'", 'a,c', 'set'],
  ['binary(4)', "x'00ff10'", '00ff1000', 'bytes'],
  ['varbinary(10)', "x'00ff'", '00ff', 'bytes'],
  ['tinyblob', "x''", '', 'bytes'],
  ['blob', "x'deadbeef'", 'deadbeef', 'bytes'],
  ['longblob', "repeat(x'61', 70000)", '61'.repeat(70_000), 'bytes'],
  ['point', "ST_GeomFromText('POINT(1 2)')", 'POINT(1 2)', 'other'],
  ['geometry', "ST_GeomFromText('LINESTRING(0 0,1 1,2 2.5)')", 'LINESTRING(0 0,1 1,2 2.5)', 'other'],
];

const OWN: Readonly<Record<string, readonly Golden[]>> = {
  MySQL: [
    ['json', `'{"a": [1, 2.50, "x"], "b": 9007199254740993}'`, '{"a": [1, 2.5, "x"], "b": 9007199254740993}', 'json'],
    ['point srid 4326', "ST_GeomFromText('POINT(10 20)', 4326)", 'POINT(10 20)', 'other'],
  ],
  MariaDB: [
    ['json', `'{"a": [1, 2.50, "x"]}'`, '{"a": [1, 2.50, "x"]}', 'json'],
    ['uuid', "'123e4567-e89b-12d3-a456-426655440000'", '123e4567-e89b-12d3-a456-426655440000', 'uuid'],
    ['inet6', "'2001:db8::ff00:42:8329'", '2001:db8::ff00:42:8329', 'other'],
    ['inet4', "'192.0.2.1'", '192.0.2.1', 'other'],
  ],
};

suite.each(SERVERS)('%s: types', (label, at: Server) => {
  let connection: Connection;
  const golden = [...SHARED, ...(OWN[label] ?? [])];

  beforeAll(async () => {
    connection = await freshDatabase(at, 'millrace_types');
    const columns = golden.map(([type], i) => `c${i} ${type} NULL`).join(', ');
    await sql(connection, `CREATE TABLE out_of (id int primary key, ${columns}) ROW_FORMAT=DYNAMIC`);
    await sql(connection, 'CREATE TABLE into_again LIKE out_of');
    await sql(connection, `INSERT INTO out_of VALUES (1, ${golden.map(([, literal]) => literal).join(', ')})`);
    await sql(connection, 'INSERT INTO out_of (id) VALUES (2)');
  });
  afterAll(() => connection.close());

  async function read(table: string) {
    const found = await describe(at, connection, table);
    const order = found.order.map((column) => ({ column, direction: 'asc' as const }));
    const { statement, params } = compileSelect(
      { table: found, columns: found.columns, where: undefined, order, limit: 10, offset: 0n },
      at.engine.dialect,
    );
    return { table: found, ...(await collect(connection, statement, params)) };
  }

  test('are read exactly', async () => {
    const { values, table } = await read('out_of');
    const [first = [], second = []] = values;
    golden.forEach(([type, , text, kind], i) => {
      expect({ type, text: first[i + 1], kind: table.columns[i + 1]?.kind }).toEqual({ type, text, kind });
    });
    expect(second.slice(1).every((value) => value === null)).toBe(true);
  });

  test.each([
    ['as parameters', (): boolean => true],
    ['as one document', (column: Column): boolean => column.kind !== 'bytes' && column.kind !== 'other'],
  ])('are accepted again unchanged, %s', async (__, chosen) => {
    const { values, table } = await read('out_of');
    const rows = values.map((row) =>
      row.flatMap((value, i): ParamValue[] => {
        const column = table.columns[i];
        if (column === undefined || !chosen(column)) return [];
        return [value !== null && column.kind === 'bytes' ? Buffer.from(value, 'hex') : value];
      }),
    );
    await sql(connection, 'TRUNCATE into_again');
    const into = await describe(at, connection, 'into_again');
    let inserted = 0;
    for (const { statement, params } of at.engine.dialect.insert({
      table: into,
      columns: into.columns.filter(chosen),
      rows: RowValues.of(into.columns.filter(chosen).length, rows),
      upsert: undefined,
    })) {
      inserted += (await connection.run(statement, params, OPTIONS)).rows;
    }
    expect(inserted).toBe(2);
    const expected = values.map((row) => row.map((value, i) => (chosen(table.columns[i] as Column) ? value : null)));
    expect((await read('into_again')).values).toEqual(expected);
  });

  test('compare equal to themselves', async () => {
    const { values, table } = await read('out_of');
    for (const [i, column] of table.columns.entries()) {
      const value = values[0]?.[i];
      if (!column.sortable || column.kind === 'bytes' || typeof value !== 'string') continue;
      const where = { op: 'eq', column, values: [value] } as const;
      const plan = { table, columns: table.columns.slice(0, 1), where, order: [], limit: 10, offset: 0n };
      const { statement, params } = compileSelect(plan, at.engine.dialect);
      const found = await collect(connection, statement, params);
      expect({ type: column.type, value: value.slice(0, 40), found: found.values }).toEqual({
        type: column.type,
        value: value.slice(0, 40),
        found: [['1']],
      });
    }
  });

  test('are described by the result if they were not planned', async () => {
    const { columns, values } = await sql(connection, 'SELECT * FROM out_of WHERE id = 1');
    golden.forEach(([type, , text, kind], i) => {
      if (kind === 'other' && type !== 'inet6' && type !== 'inet4') return;
      expect({ type, kind: columns[i + 1]?.kind, text: values[0]?.[i + 1] }).toEqual({ type, kind, text });
    });
  });
});
