// The type range of each engine: declarations, and values as JSON responses contain them. Values
// are generated in the form that GET returns, except for types with `same`.
import fc from 'fast-check';
import type { EngineName } from '../../support/engines.ts';
import { sameNested } from './plain-values.ts';

export interface ValueType {
  readonly declared: string;
  /** Values as JSON. */
  readonly values: fc.Arbitrary<string>;
  /**
   * `true` if the posted and the returned JSON are equal. The strings must be identical when
   * absent.
   */
  readonly same?: (given: string, got: string) => boolean;
  /** A column of any JSON, also of a bare text. */
  readonly holdsJson?: true;
}

const string = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> => arbitrary.map((value) => JSON.stringify(value));
const strings = (...values: readonly string[]): fc.Arbitrary<string> => string(fc.constantFrom(...values));

const int = (bits: bigint): fc.Arbitrary<string> => range(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n);
const uint = (bits: bigint): fc.Arbitrary<string> => range(0n, 2n ** bits - 1n);
const range = (min: bigint, max: bigint): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(min, max, min + 1n, max - 1n), fc.bigInt({ min, max })).map(String);

/** With exactly as many digits after the point as the type has. */
function decimal(precision: number, scale: number): fc.Arbitrary<string> {
  const most = 10n ** BigInt(precision) - 1n;
  return fc.oneof(fc.constantFrom(most, -most, 0n, 1n, -1n), fc.bigInt({ min: -most, max: most })).map((units) => {
    const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
    return `${units < 0n ? '-' : ''}${scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`}`;
  });
}

const double = fc.oneof(
  fc.constantFrom(0, 1e21, 0.1, -1e-7, 5e-324, 1.7976931348623157e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const single = fc.float({ noNaN: true, noDefaultInfinity: true });
const SPECIAL = ['NaN', 'Infinity', '-Infinity'] as const;
const special = strings(...SPECIAL);
const number = (arbitrary: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  arbitrary.map((value) => (Object.is(value, -0) ? '0' : String(value)));
const sameNumber = (given: string, got: string): boolean => given === got || Number(given) === Number(got);
const sameSingle = (given: string, got: string): boolean => given === got || Math.fround(Number(given)) === Math.fround(Number(got));

const bool = fc.boolean().map(String);
const PIECES = [
  'a',
  'Z',
  'é',
  '日本',
  '😀',
  '\u{10ffff}',
  '\\',
  '"',
  "'",
  ',',
  '\n',
  '\r',
  '\t',
  ' ',
  '<&>',
  '%',
  '\u0001',
  '{}',
  '=1',
  '\u2028',
  '\ufeff',
  '\x7f',
];
const anyText = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...PIECES), { maxLength: most }).map((pieces) => Array.from(pieces.join('')).slice(0, most).join(''));
const fixed = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom('a', 'B', '0', '_'), { minLength: length, maxLength: length }).map((letters) => letters.join(''));
const base64 = (length: fc.ArrayConstraints): fc.Arbitrary<string> =>
  string(fc.uint8Array({ ...length, min: 0, max: 255 }).map((bytes) => Buffer.from(bytes).toString('base64')));
/** MariaDB rejects UUIDs of versions above 7. */
const uuid = string(fc.uuid({ version: [1, 2, 3, 4, 5] }));

const day = (from: string, to: string): fc.Arbitrary<string> =>
  fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }).map((value) => value.toISOString().slice(0, 10));
const clock = fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
/** A fraction of exactly `digits` digits, or none where the engine cuts zeros off. */
const fraction = (digits: number): fc.Arbitrary<string> =>
  digits === 0 ? fc.constant('') : fc.nat(10 ** digits - 1).map((units) => `.${String(units).padStart(digits, '0')}`);
const trimmed = (digits: number): fc.Arbitrary<string> => fraction(digits).map((text) => text.replace(/\.?0+$/, ''));
const join = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> => string(fc.tuple(...parts).map((texts) => texts.join('')));
const moment = (from: string, to: string, tail: fc.Arbitrary<string>, zone: string): fc.Arbitrary<string> =>
  join(day(from, to), fc.constant('T'), clock, tail, fc.constant(zone));

/** JSON that every engine returns unchanged: short keys in order, numbers with one spelling. */
const json = fc.oneof(
  fc.constantFrom('{}', '[]', '0', '-1', '1.5', 'true', 'null', '"x"', '9007199254740993', '[1,[2,{"a":null}]]', '{"a":"é😀\\n","b":[]}'),
  fc.array(fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), anyText(4)), { maxLength: 4 }).map((items) => JSON.stringify(items)),
);
const list = (of: fc.Arbitrary<string>, constraints: fc.ArrayConstraints = { maxLength: 4 }): fc.Arbitrary<string> =>
  fc.array(of, constraints).map((items) => `[${items.join()}]`);
const orNull = (of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: of }, { weight: 1, arbitrary: fc.constant('null') });
const tuple = (...of: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.tuple(...of).map((items) => `[${items.join()}]`);
const object = (members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> => {
  const names = Object.keys(members);
  return fc.tuple(...Object.values(members)).map((items) => `{${items.map((item, index) => `${JSON.stringify(names[index])}:${item}`)}}`);
};
const ipv4 = string(fc.ipV4());

const POSTGRES: readonly ValueType[] = [
  { declared: 'smallint', values: int(16n) },
  { declared: 'integer', values: int(32n) },
  { declared: 'bigint', values: int(64n) },
  { declared: 'oid', values: uint(32n) },
  { declared: 'numeric', values: fc.oneof(decimal(80, 20), decimal(12, 0), special) },
  { declared: 'numeric(30,10)', values: decimal(30, 10) },
  { declared: 'real', values: fc.oneof(number(single), special), same: sameSingle },
  { declared: 'double precision', values: fc.oneof(number(double), special), same: sameNumber },
  { declared: 'boolean', values: bool },
  { declared: 'text', values: string(anyText(20)) },
  { declared: 'varchar(20)', values: string(anyText(20)) },
  { declared: 'char(5)', values: string(fixed(5)) },
  { declared: 'name', values: string(fixed(9)) },
  { declared: '"char"', values: string(fixed(1)) },
  { declared: 'bytea', values: base64({ maxLength: 20 }) },
  { declared: 'uuid', values: uuid },
  { declared: 'color', values: strings('red', 'it\'s "blue"', '') },
  { declared: 'color[]', values: list(orNull(strings('red', 'it\'s "blue"', ''))) },
  { declared: 'date', values: fc.oneof(string(day('0001-01-01', '9999-12-31')), strings('infinity', '-infinity', '0044-03-15 BC')) },
  { declared: 'time', values: join(clock, trimmed(6)) },
  { declared: 'time(3)', values: join(clock, trimmed(3)) },
  { declared: 'timetz', values: join(clock, trimmed(6), fc.constantFrom('+00', '+05:30', '-08')) },
  { declared: 'timestamp', values: fc.oneof(moment('0001-01-01', '9999-12-31', trimmed(6), ''), strings('infinity', '-infinity')) },
  { declared: 'timestamp(0)', values: moment('0001-01-01', '9999-12-31', fc.constant(''), '') },
  { declared: 'timestamptz', values: fc.oneof(moment('0001-01-02', '9999-12-30', trimmed(6), 'Z'), strings('infinity', '-infinity')) },
  { declared: 'interval', values: strings('P1D', 'P1Y2M3DT4H5M6.789S', 'PT-1S', 'PT0S') },
  { declared: 'json', values: json, same: sameNested, holdsJson: true },
  { declared: 'jsonb', values: json, same: sameNested, holdsJson: true },
  { declared: 'bigint[]', values: list(orNull(int(64n))) },
  { declared: 'numeric(20,5)[]', values: list(orNull(decimal(20, 5))) },
  { declared: 'text[]', values: list(orNull(string(anyText(6)))) },
  {
    declared: 'integer[][]',
    values: fc.oneof(fc.constant('[]'), list(list(int(32n), { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 3 })),
  },
  { declared: 'boolean[]', values: list(orNull(bool)) },
  { declared: 'uuid[]', values: list(uuid) },
  { declared: 'date[]', values: list(string(day('1900-01-01', '2100-01-01'))) },
  { declared: 'jsonb[]', values: fc.constantFrom('[]', '[{"a": 1}, [1, "x"]]', '[null, "text"]'), same: sameNested },
  { declared: 'pair', values: object({ n: orNull(int(32n)), t: orNull(string(anyText(4))) }) },
  { declared: 'positive', values: range(1n, 2n ** 31n - 1n) },
  { declared: 'int4range', values: strings('[1,10)', 'empty', '(,5)', '[3,)', '(,)') },
  { declared: 'numrange', values: strings('[1.5,2.5]', '(0,1)', 'empty') },
  { declared: 'tstzrange', values: strings('["2024-01-01 00:00:00+00","2024-01-02 00:00:00+00")', 'empty') },
  { declared: 'int4multirange', values: strings('{}', '{[1,3),[5,9)}') },
  { declared: 'inet', values: strings('10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32') },
  { declared: 'cidr', values: strings('10.0.0.0/8', '2001:db8::/32') },
  { declared: 'macaddr', values: strings('08:00:2b:01:02:03') },
  { declared: 'macaddr8', values: strings('08:00:2b:ff:fe:01:02:03') },
  { declared: 'bit(8)', values: strings('10101010', '00000000') },
  { declared: 'varbit(20)', values: strings('1', '10101', '') },
  { declared: 'money', values: strings('$1.00', '-$92,233,720,368,547,758.08') },
  { declared: 'point', values: strings('(1.5,-2)') },
  { declared: 'line', values: strings('{1,2,3}') },
  { declared: 'lseg', values: strings('[(0,0),(1,1)]') },
  { declared: 'box', values: strings('(2,2),(1,1)') },
  { declared: 'path', values: strings('[(0,0),(1,1)]', '((0,0),(1,1),(2,0))') },
  { declared: 'polygon', values: strings('((0,0),(1,1),(2,0))') },
  { declared: 'circle', values: strings('<(0,0),5>') },
  { declared: 'tsvector', values: strings("'cat':1 'dog':2,3") },
  { declared: 'pg_lsn', values: strings('16/B374D848') },
];

const integers = (...names: readonly (readonly [string, bigint])[]): readonly ValueType[] =>
  names.flatMap(([name, bits]) => [
    { declared: name, values: int(bits) },
    { declared: `${name} unsigned`, values: uint(bits) },
  ]);

/** MySQL and MariaDB have the same types, but for a few. */
const MYSQL_FAMILY: readonly ValueType[] = [
  ...integers(['tinyint', 8n], ['smallint', 16n], ['mediumint', 24n], ['int', 32n], ['bigint', 64n]),
  { declared: 'tinyint(1)', values: fc.constantFrom('0', '1', '-128') },
  { declared: 'bit(1)', values: uint(1n) },
  { declared: 'bit(64)', values: uint(64n) },
  { declared: 'decimal(65,30)', values: decimal(65, 30) },
  { declared: 'decimal(10,0)', values: decimal(10, 0) },
  { declared: 'float', values: number(single), same: sameSingle },
  { declared: 'double', values: number(double), same: sameNumber },
  { declared: 'year', values: fc.oneof(fc.constant('0'), range(1901n, 2155n)) },
  { declared: 'date', values: string(day('1000-01-01', '9999-12-31')) },
  { declared: 'time', values: string(clock) },
  { declared: 'time(6)', values: fc.oneof(join(clock, fraction(6)), strings('-838:59:59.000000', '838:59:59.000000', '-00:00:00.000001')) },
  { declared: 'datetime', values: moment('1000-01-01', '9999-12-31', fc.constant(''), '') },
  { declared: 'datetime(6)', values: moment('1000-01-01', '9999-12-31', fraction(6), '') },
  { declared: 'timestamp', values: moment('1970-01-02', '2038-01-18', fc.constant(''), 'Z') },
  { declared: 'timestamp(3)', values: moment('1970-01-02', '2038-01-18', fraction(3), 'Z') },
  { declared: 'char(10)', values: string(fixed(7)) },
  { declared: 'varchar(20)', values: string(anyText(20)) },
  { declared: 'text', values: string(anyText(30)) },
  { declared: 'longtext', values: string(anyText(30)) },
  { declared: 'varchar(20) CHARACTER SET latin1', values: string(fixed(4).map((text) => `é${text}`)) },
  { declared: 'binary(4)', values: base64({ minLength: 4, maxLength: 4 }) },
  { declared: 'varbinary(20)', values: base64({ maxLength: 20 }) },
  { declared: 'blob', values: base64({ maxLength: 40 }) },
  { declared: "enum('a','it''s','')", values: strings('a', "it's", '') },
  { declared: "set('a','b','c d')", values: strings('', 'a', 'a,b', 'a,b,c d') },
  { declared: 'json', values: json, same: sameNested, holdsJson: true },
  { declared: 'point', values: strings('POINT(1.5 -2)') },
  { declared: 'linestring', values: strings('LINESTRING(0 0,1 1)') },
  { declared: 'polygon', values: strings('POLYGON((0 0,1 1,1 0,0 0))') },
  { declared: 'geometry', values: strings('POINT(1 1)', 'LINESTRING(0 0,1 1)') },
];

const MARIADB: readonly ValueType[] = [
  ...MYSQL_FAMILY,
  { declared: 'uuid', values: uuid },
  { declared: 'inet4', values: ipv4 },
  { declared: 'inet6', values: strings('::1', '2001:db8::ff00:42:8329') },
];

const CLICKHOUSE_NULLABLE: readonly ValueType[] = [
  ...[8n, 16n, 32n, 64n, 128n, 256n].flatMap((bits): ValueType[] => [
    { declared: `Int${bits}`, values: int(bits) },
    { declared: `UInt${bits}`, values: uint(bits) },
  ]),
  { declared: 'Decimal(9,2)', values: decimal(9, 2) },
  { declared: 'Decimal(18,18)', values: decimal(18, 18) },
  { declared: 'Decimal(38,10)', values: decimal(38, 10) },
  { declared: 'Decimal(76,38)', values: decimal(76, 38) },
  { declared: 'Float32', values: fc.oneof(number(single), special), same: sameSingle },
  { declared: 'Float64', values: fc.oneof(number(double), special), same: sameNumber },
  { declared: 'Bool', values: bool },
  { declared: 'String', values: string(anyText(20)) },
  { declared: 'FixedString(4)', values: string(fixed(4)) },
  { declared: 'UUID', values: uuid },
  { declared: 'Date', values: string(day('1970-01-01', '2149-06-06')) },
  { declared: 'Date32', values: string(day('1900-01-01', '2299-12-31')) },
  { declared: 'DateTime', values: moment('1970-01-01', '2106-02-06', fc.constant(''), 'Z') },
  { declared: "DateTime('Europe/Berlin')", values: moment('1970-01-01', '2106-02-06', fc.constant(''), 'Z') },
  { declared: 'DateTime64(3)', values: moment('1900-01-01', '2299-12-31', fraction(3), 'Z') },
  { declared: "DateTime64(6, 'Asia/Kolkata')", values: moment('1900-01-01', '2299-12-31', fraction(6), 'Z') },
  { declared: 'DateTime64(9)', values: moment('1900-01-01', '2262-04-10', fraction(9), 'Z') },
  { declared: "Enum8('a' = -128, 'it\\'s' = 0, '' = 127)", values: strings('a', "it's", '') },
  { declared: "Enum16('x' = 1000, 'y' = -1000)", values: strings('x', 'y') },
  { declared: 'IPv4', values: ipv4 },
  { declared: 'IPv6', values: strings('::1', '2001:db8::ff00:42:8329') },
];

const CLICKHOUSE: readonly ValueType[] = [
  ...CLICKHOUSE_NULLABLE.map((type) => ({ ...type, declared: `Nullable(${type.declared})`, values: orNull(type.values) })),
  { declared: 'LowCardinality(String)', values: string(anyText(6)) },
  { declared: 'LowCardinality(Nullable(String))', values: orNull(string(anyText(6))) },
  { declared: 'Array(Int64)', values: list(int(64n)) },
  { declared: 'Array(Nullable(Decimal(20,5)))', values: list(orNull(decimal(20, 5))) },
  { declared: 'Array(Array(String))', values: list(list(string(anyText(4)))) },
  { declared: "Array(DateTime64(3, 'UTC'))", values: list(moment('1900-01-01', '2299-12-31', fraction(3), 'Z')) },
  { declared: 'Array(UUID)', values: list(uuid) },
  { declared: 'Tuple(Int32, String)', values: tuple(int(32n), string(anyText(4))) },
  { declared: 'Tuple(n Int32, t Nullable(String))', values: object({ n: int(32n), t: orNull(string(anyText(4))) }) },
  { declared: 'Map(String, UInt64)', values: fc.constantFrom('{}', '{"a":1,"b c":18446744073709551615}') },
  { declared: 'Map(Int32, Array(String))', values: fc.constantFrom('{}', '{"-1":["x"],"7":[]}') },
  { declared: 'JSON', values: fc.constantFrom('{}', '{"a":1}', '{"a":{"b":"x"},"c":true}'), same: sameNested },
  { declared: 'Point', values: fc.constantFrom('[1.5,-2]', '[0,0]') },
  { declared: 'Polygon', values: fc.constantFrom('[[[0,0],[1,1],[1,0]]]', '[]') },
];

export const VALUE_TYPES: Readonly<Record<EngineName, readonly ValueType[]>> = {
  postgres: POSTGRES.map((type) => ({ ...type, values: orNull(type.values) })),
  mysql: MYSQL_FAMILY.map((type) => ({ ...type, values: orNull(type.values) })),
  mariadb: MARIADB.map((type) => ({ ...type, values: orNull(type.values) })),
  clickhouse: CLICKHOUSE,
};

/** Statements to run before a table with all types is created. */
export const PREPARATIONS: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: [
    `CREATE TYPE color AS ENUM ('red', 'it''s "blue"', '')`,
    'CREATE TYPE pair AS (n int, t text)',
    'CREATE DOMAIN positive AS int CHECK (VALUE > 0)',
  ],
  mysql: [],
  mariadb: [],
  clickhouse: [],
};
