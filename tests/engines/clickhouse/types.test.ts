/**
 * Values of every type make a round trip over both ports: reading returns canonical text, and
 * inserting that text stores the same value.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Kind } from '../../../src/model/table.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import type { ParamValue } from '../../../src/sql/statement.ts';
import { compileSelect } from '../../support/compile.ts';
import { command, freshDatabase, open, PORTS, rowsOf, runAll, tableOf } from './support.ts';

const DATABASE = 'millrace_types';

/** Type, kind, and values that are returned unchanged, or as the second of a pair. */
type Sample = string | readonly [given: string, back: string];
const GOLDEN: readonly (readonly [type: string, kind: Kind, samples: readonly Sample[]])[] = [
  ['Int8', 'int', ['-128', '127', '0']],
  ['Int16', 'int', ['-32768', '32767']],
  ['Int32', 'int', ['-2147483648', '2147483647']],
  ['Int64', 'int', ['-9223372036854775808', '9223372036854775807', '9007199254740993']],
  ['Int128', 'int', ['-170141183460469231731687303715884105728', '170141183460469231731687303715884105727']],
  ['Int256', 'int', [(-(2n ** 255n)).toString(), (2n ** 255n - 1n).toString()]],
  ['UInt8', 'int', ['0', '255']],
  ['UInt16', 'int', ['65535']],
  ['UInt32', 'int', ['4294967295']],
  ['UInt64', 'int', ['18446744073709551615']],
  ['UInt128', 'int', [(2n ** 128n - 1n).toString()]],
  ['UInt256', 'int', [(2n ** 256n - 1n).toString()]],
  ['Decimal(9, 2)', 'decimal', ['0.10', '-9999999.99', ['5', '5.00'], ['1e3', '1000.00']]],
  ['Decimal(18, 4)', 'decimal', ['99999999999999.9999', '-0.0001']],
  ['Decimal(38, 10)', 'decimal', ['1234567890123456789012345678.0123456789']],
  ['Decimal(76, 20)', 'decimal', ['-12345678901234567890123456789012345678901234567890123456.01234567890123456789']],
  ['Decimal(5, 0)', 'decimal', ['99999', '-1']],
  ['Float32', 'float', ['0.1', '-1.5', 'NaN', 'Infinity', '-Infinity', '3.4028235e38']],
  ['Float64', 'float', ['0.1', '1e100', '5e-324', '-0.000001', 'NaN', 'Infinity', '-Infinity', '1.7976931348623157e308']],
  ['BFloat16', 'float', ['1.5', '-2', 'NaN']],
  ['Bool', 'bool', ['true', 'false', ['1', 'true']]],
  [
    'String',
    'text',
    ['', 'plain', 'tab\tline\nquote"back\\slash/', "it's", 'NUL\0inside', 'snow ☃ 😀', '\u2028', '\u0007\u001f', '[1, "a"]', 'null'],
  ],
  ['FixedString(4)', 'text', ['abcd', 'ab', '']],
  ['LowCardinality(String)', 'text', ['a', 'b', 'a', '']],
  ['Date', 'date', ['1970-01-01', '2024-02-29', '2149-06-06']],
  ['Date32', 'date', ['1900-01-01', '2299-12-31', '1969-12-31']],
  ['DateTime', 'timestamptz', ['1970-01-01T00:00:00Z', ['2024-07-01T12:00:00+02:00', '2024-07-01T10:00:00Z'], '2106-02-07T06:28:15Z']],
  ["DateTime('Asia/Tokyo')", 'timestamptz', ['2024-01-01T10:00:00Z', ['2024-01-01T10:00:00.9Z', '2024-01-01T10:00:00Z']]],
  [
    "DateTime64(3, 'Asia/Tokyo')",
    'timestamptz',
    [
      ['2024-01-01T10:00:00.5Z', '2024-01-01T10:00:00.500Z'],
      '1900-01-01T00:00:00.000Z',
      '2299-12-31T23:59:59.999Z',
      '1969-12-31T23:59:59.001Z',
    ],
  ],
  ['DateTime64(9)', 'timestamptz', ['2024-01-01T10:00:00.123456789Z', '1969-12-31T23:59:59.999999999Z']],
  ['DateTime64(0)', 'timestamptz', ['2024-01-01T10:00:00Z']],
  ['UUID', 'uuid', ['61f0c404-5cb3-11e7-907b-a6006ad3dba0', '00000000-0000-0000-0000-000000000000']],
  ["Enum8('it\\'s' = -2, 'a' = 1, 'x, y' = 3)", 'enum', ['a', "it's", 'x, y']],
  ["Enum16('big' = 1000)", 'enum', ['big']],
  ['IPv4', 'other', ['1.2.3.4', '255.255.255.255']],
  ['IPv6', 'other', ['::1', '2001:db8::ff00:42:8329', ['1.2.3.4', '::ffff:1.2.3.4']]],
  ['Array(Int64)', 'json', ['[]', '[1,-9007199254740993]']],
  ['Array(Nullable(String))', 'json', ['["a\\t\\"q\\"",null,"☃"]']],
  ['Array(Array(UInt64))', 'json', ['[[18446744073709551615],[]]']],
  ['Array(LowCardinality(String))', 'json', ['["a","b","a"]', '[]']],
  ['Array(DateTime64(3))', 'json', ['["2024-01-01T10:00:00.500Z"]']],
  ['Array(Decimal(10, 3))', 'json', ['[0.100,-5.000]']],
  ['Array(Bool)', 'json', ['[true,false]']],
  ['Map(String, Int64)', 'json', ['{"a":1,"b":9007199254740993}', '{}']],
  ['Map(UInt16, Array(String))', 'json', ['{"7":["x"]}']],
  ['Tuple(Int32, String)', 'json', ['[1,"x"]']],
  ['Tuple(a Int64, `b c` Nullable(Float64))', 'json', ['{"a":1,"b c":null}', ['[2,1.5]', '{"a":2,"b c":1.5}']]],
  ['JSON', 'json', ['{"a":9007199254740993,"b":{"c":"x"}}', '{}']],
  ['Variant(Array(Int32), String, UInt64)', 'json', ['"text"', '7', '[1,2]', '"5"', 'null']],
  ['Variant(Bool, Date, Decimal(10, 2))', 'json', ['true', '"2024-01-01"', '1.50', '-3.00']],
  ['Variant(Bool, String)', 'json', ['false', '"true"', '"1"']],
  ['Dynamic', 'json', ['"text"', '-7', '18446744073709551615', '1.5', 'true', '["a",null]', '[1,2]', '[]', 'null']],
  ['Point', 'json', ['[1.5,-2]']],
  ['Ring', 'json', ['[[0,0],[1,0],[1,1]]']],
  ['MultiPolygon', 'json', ['[[[[0,0],[1,0],[1,1]]]]']],
  ['SimpleAggregateFunction(sum, UInt64)', 'int', ['5']],
  ['IntervalDay', 'other', ['-3', '7']],
];

const ALWAYS_NULLABLE = /^(Variant|Dynamic)/;
const NULLABLE = /^(U?Int|Decimal|Float|BFloat|Bool|String|FixedString|Date|UUID|Enum|IPv|Interval)/;

const connections: Connection[] = [];

beforeAll(async () => {
  connections.push(await freshDatabase(DATABASE));
});

afterAll(() => {
  for (const connection of connections) connection.close();
});

function wanted(sample: Sample): string {
  return typeof sample === 'string' ? sample : sample[1];
}

async function roundTrip(connection: Connection, name: string, rows: readonly ParamValue[]): Promise<(string | null)[]> {
  const table = await tableOf(connection, name);
  const columns = table.columns;
  const batch = rows.map((value, index): ParamValue[] => [String(index), value]);
  await command(connection, `TRUNCATE TABLE ${name}`);
  await runAll(
    connection,
    clickhouseEngine.dialect.insert({ table, columns, rows: RowValues.of(table.columns.length, batch), upsert: undefined }),
  );
  const order = [{ column: table.columns[0] as (typeof columns)[number], direction: 'asc' as const }];
  const ready = compileSelect({ table, columns, where: undefined, order, limit: 1000, offset: 0n }, clickhouseEngine.dialect);
  return (await rowsOf(connection, ready.statement, ready.params)).rows.map((row) => row[1] ?? null);
}

describe.each(PORTS)('over the %s port', (label, port) => {
  test.each(GOLDEN)('%s', async (type, kind, samples) => {
    const connection = await open(port, DATABASE);
    connections.push(connection);
    const variants = NULLABLE.test(type) ? [type, `Nullable(${type})`] : [type];
    for (const [variant, text] of variants.entries()) {
      const name = `t_${label}_${GOLDEN.findIndex((row) => row[0] === type)}_${variant}`;
      await command(connection, `CREATE TABLE ${name} (n UInt32, v ${text}) ENGINE = MergeTree ORDER BY n`);
      const table = await tableOf(connection, name);
      expect(table.byName.get('v')).toMatchObject({
        type: text,
        kind,
        nullable: variant === 1 || ALWAYS_NULLABLE.test(type),
        required: variant === 0 && !ALWAYS_NULLABLE.test(type),
      });
      const given: (string | null)[] = samples.map((sample) => (typeof sample === 'string' ? sample : sample[0]));
      const expected: (string | null)[] = samples.map((sample) => (kind === 'json' && sample === 'null' ? null : wanted(sample)));
      if (variant === 1) {
        given.push(null);
        expected.push(null);
      }
      const back = await roundTrip(connection, name, given);
      expect(back).toEqual(expected);
      expect(await roundTrip(connection, name, back)).toEqual(back);
    }
  });
});

test('a result describes its kinds when the caller has not planned them', async () => {
  for (const [, port] of PORTS) {
    const connection = await open(port, DATABASE);
    const kept = await rowsOf(
      connection,
      "SELECT 1 AS i, 0.10::Decimal(4, 2) AS d, [1, 2] AS a, NULL AS n, toDateTime(0, 'Asia/Tokyo') AS t, inf AS f WHERE 1",
    );
    expect(kept.columns.map((column) => [column.name, column.kind])).toEqual([
      ['i', 'int'],
      ['d', 'decimal'],
      ['a', 'json'],
      ['n', 'other'],
      ['t', 'timestamptz'],
      ['f', 'float'],
    ]);
    expect(kept.rows).toEqual([['1', '0.10', '[1,2]', null, '1970-01-01T00:00:00Z', 'Infinity']]);
    const empty = await rowsOf(connection, 'SELECT number AS n FROM numbers(0)');
    expect([empty.starts, empty.columns, empty.rows]).toEqual([1, [{ name: 'n', kind: 'int' }], []]);
    connection.close();
  }
});

test('invalid UTF-8 is returned as U+FFFD and never breaks a row', async () => {
  for (const [, port] of PORTS) {
    const connection = await open(port, DATABASE);
    const kept = await rowsOf(connection, "SELECT concat('a', char(255), 'b') AS s, [char(254)] AS l");
    expect(kept.rows).toEqual([['a\u{fffd}b', '["\u{fffd}"]']]);
    connection.close();
  }
});

test('states of aggregates are read as their results', async () => {
  const connection = await open(PORTS[0][1], DATABASE);
  await command(connection, 'CREATE TABLE agg (n UInt32, s AggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY n');
  await command(connection, 'INSERT INTO agg SELECT 1, sumState(toUInt64(41 + number)) FROM numbers(1)');
  const table = await tableOf(connection, 'agg');
  expect(table.byName.get('s')).toMatchObject({ readOnly: true, sortable: false, required: false });
  const ready = compileSelect(
    { table, columns: table.columns, where: undefined, order: [], limit: 1, offset: 0n },
    clickhouseEngine.dialect,
  );
  expect((await rowsOf(connection, ready.statement, ready.params)).rows).toEqual([['1', '41']]);
  connection.close();
});

test('any string, integer, decimal and float is returned as it was inserted', async () => {
  const connection = await open(PORTS[1][1], DATABASE);
  await command(
    connection,
    'CREATE TABLE any_value (n UInt32, s String, i Int256, d Decimal(76, 30), f Float64, l LowCardinality(Nullable(String))) ENGINE = MergeTree ORDER BY n',
  );
  const table = await tableOf(connection, 'any_value');
  const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
  const row = fc.tuple(
    fc.string({ unit: 'binary', maxLength: 40 }),
    digits,
    digits,
    fc.double({ noDefaultInfinity: false }),
    fc.option(fc.string({ maxLength: 5 })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      await command(connection, 'TRUNCATE TABLE any_value');
      const batch = rows.map(([s, i, d, f, l], n): ParamValue[] => [
        String(n),
        s,
        String(i),
        `${d}.5`,
        Object.is(f, -0) ? '0' : String(f),
        l,
      ]);
      await runAll(
        connection,
        clickhouseEngine.dialect.insert({
          table,
          columns: table.columns,
          rows: RowValues.of(table.columns.length, batch),
          upsert: undefined,
        }),
      );
      const kept = await rowsOf(connection, 'SELECT s, i, d, f, l FROM any_value ORDER BY n');
      const back = kept.rows.map(([s, i, d, f, l]) => [s, i, d?.replace(/0+$/, ''), Number(f), l]);
      const sent = rows.map(([s, i, d, f, l]) => [s, String(i), `${d}.5`, Object.is(f, -0) ? 0 : f, l]);
      expect(back).toEqual(sent);
    }),
    { numRuns: 25 },
  );
  connection.close();
});
