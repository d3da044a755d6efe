// The column types that all four engines have, under one logical name each: declaration,
// comparison, and conversion to query, body and cell. The oracle and the generators use types only
// through this table.
import fc from 'fast-check';
import type { EngineName } from '../../support/engines.ts';

export type LogicalValue = bigint | number | string | boolean;

export interface LogicalType {
  readonly name: string;
  /** The type in CREATE TABLE; undefined where the engine has nothing of the kind. */
  readonly declared: Readonly<Record<EngineName, string | undefined>>;
  readonly isText: boolean;
  readonly stored: fc.Arbitrary<LogicalValue>;
  /** Values to compare with: also some that no column of the type can hold. */
  readonly compared: fc.Arbitrary<LogicalValue>;
  compare(a: LogicalValue, b: LogicalValue): number;
  /** The value in a filter. */
  text(value: LogicalValue): string;
  /** The value in a POST body. */
  json(value: LogicalValue): string;
  /** From a cell's canonical text. */
  read(text: string): LogicalValue;
}

function byOrder(a: LogicalValue, b: LogicalValue): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders strings by code points, as UTF-8 bytes are ordered. JavaScript compares UTF-16 units. */
function byCodePoints(a: LogicalValue, b: LogicalValue): number {
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const everywhere = (type: string): LogicalType['declared'] => ({ postgres: type, mysql: type, mariadb: type, clickhouse: type });

const bigInts = (min: bigint, max: bigint): fc.Arbitrary<bigint> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.bigInt({ min: min > -9n ? min : -9n, max: 9n }) },
    { weight: 2, arbitrary: fc.bigInt({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max, min + 1n, max - 1n) },
  );

function whole(name: string, bits: bigint, declared: LogicalType['declared'], unsigned = false): LogicalType {
  const min = unsigned ? 0n : -(2n ** (bits - 1n));
  const max = unsigned ? 2n ** bits - 1n : 2n ** (bits - 1n) - 1n;
  return {
    name,
    declared,
    isText: false,
    stored: bigInts(min, max),
    compared: bigInts(min, max),
    compare: byOrder,
    text: String,
    json: String,
    read: (text) => BigInt(text),
  };
}

/** Decimals are whole numbers of 1e-9; a column keeps six digits, a filter may have nine. */
const DECIMAL_UNIT = 9;
const decimalText = (value: LogicalValue): string => {
  const units = BigInt(value as bigint);
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMAL_UNIT + 1, '0');
  const fraction = digits.slice(-DECIMAL_UNIT).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -DECIMAL_UNIT)}${fraction === '' ? '' : `.${fraction}`}`;
};
const readDecimal = (text: string): bigint => {
  const [, sign = '', integer = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const units = BigInt(integer + fraction.padEnd(DECIMAL_UNIT, '0'));
  return sign === '-' ? -units : units;
};
const DECIMAL_MOST = 10n ** 20n - 1n;

const decimal: LogicalType = {
  name: 'decimal',
  declared: { ...everywhere('decimal(20,6)'), clickhouse: 'Decimal(20,6)' },
  isText: false,
  stored: bigInts(-DECIMAL_MOST, DECIMAL_MOST).map((micros) => micros * 1000n),
  compared: bigInts(-DECIMAL_MOST, DECIMAL_MOST).chain((micros) =>
    fc.constantFrom(micros * 1000n, micros * 1000n + 1n, micros * 10n ** 7n),
  ),
  compare: byOrder,
  text: decimalText,
  json: decimalText,
  read: readDecimal,
};

const finite = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 0.5, 1.5, 1e21, -1e-7, 123456.789),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const double: LogicalType = {
  name: 'double',
  declared: { postgres: 'double precision', mysql: 'double', mariadb: 'double', clickhouse: 'Float64' },
  isText: false,
  stored: finite,
  compared: finite,
  compare: byOrder,
  text: String,
  json: String,
  read: Number,
};

const single: LogicalType = {
  ...double,
  name: 'single',
  declared: { postgres: 'real', mysql: 'float', mariadb: 'float', clickhouse: 'Float32' },
  stored: fc.oneof(
    fc.constantFrom(0, 1, -1, 0.1, 0.5, 1.5, 16777217).map(Math.fround),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => Math.fround(value)),
  ),
  compared: fc.oneof(
    fc.constantFrom(0, 1, -1, 0.1, 0.5, 1.5, 16777217).map(Math.fround),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => Math.fround(value)),
  ),
  read: (text) => Math.fround(Number(text)),
};

const bool: LogicalType = {
  name: 'bool',
  declared: { postgres: 'boolean', mysql: 'tinyint(1)', mariadb: 'tinyint(1)', clickhouse: 'Bool' },
  isText: false,
  stored: fc.boolean(),
  compared: fc.boolean(),
  compare: (a, b) => Number(a) - Number(b),
  text: (value) => (value ? '1' : '0'),
  json: String,
  read: (text) => text.startsWith('t') || text === '1',
};

/**
 * Strings that break careless SQL, LIKE patterns, quoting or encodings. Some pairs differ only in
 * case, in scripts with simple case mapping.
 */
const PIECES = [
  'a', 'A', 'b', 'é', 'É', 'Я', 'я', 'ω', 'Ω', '%', '_', '\\', '!', "'", '"', '`', ',', '.', ' ', '(', ')', '=', '$1', '?', ':x', '{p1}', '--', '\n', '\t', '0', '1', '日本', '😀', '\u{10ffff}', '\ufffd', '\u0301', '\u200b', 'null', '%%', '\\%',
]; // biome-ignore format: a list of short pieces

export const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));

const text: LogicalType = {
  name: 'text',
  declared: {
    postgres: 'varchar(200) COLLATE "C"',
    mysql: 'varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin',
    mariadb: 'varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin',
    clickhouse: 'String',
  },
  isText: true,
  stored: texts,
  compared: texts,
  compare: byCodePoints,
  text: String,
  json: (value) => JSON.stringify(value),
  read: (value) => value,
};

/** Declared in alphabetical order, so that ordering by declaration equals ordering by label. */
export const ENUM_LABELS = ['', 'Blue', "it's", 'red %'];
const labels = ENUM_LABELS.map((label) => `'${label.replaceAll("'", "''")}'`);

const enumeration: LogicalType = {
  ...text,
  name: 'enum',
  declared: {
    postgres: 'color',
    mysql: `enum(${labels}) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin`,
    mariadb: `enum(${labels}) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`,
    clickhouse: `Enum8(${ENUM_LABELS.map((label, index) => `'${label.replaceAll("'", "\\'")}' = ${index - 1}`)})`,
  },
  stored: fc.constantFrom(...ENUM_LABELS),
  compared: fc.constantFrom(...ENUM_LABELS),
};

const dates = (from: string, to: string): fc.Arbitrary<string> =>
  fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }).map((day) => day.toISOString().slice(0, 10));

const date: LogicalType = {
  name: 'date',
  declared: { ...everywhere('date'), clickhouse: 'Date32' },
  isText: false,
  stored: fc.oneof(fc.constantFrom('1970-01-01', '2000-02-29', '2024-12-31'), dates('1900-01-01', '2299-12-31')),
  compared: fc.oneof(
    fc.constantFrom('1970-01-01', '2000-02-29', '2024-12-31', '1000-01-01', '9999-12-31'),
    dates('1600-01-01', '2500-12-31'),
  ),
  compare: byOrder,
  text: String,
  json: (value) => JSON.stringify(value),
  read: (value) => value,
};

const moments = (from: string, to: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }),
      fc.constantFrom('000000', '500000', '000001', '999999'),
    )
    .map(([moment, micros]) => `${moment.toISOString().slice(0, 19)}.${micros}`);
const MOMENTS = fc.constantFrom('2024-02-29T12:00:00.000000', '2024-02-29T12:00:00.000001', '1999-12-31T23:59:59.999999');

/**
 * Timestamps are strings of equal length in UTC, so their alphabetical order is the order in time.
 */
function moment(name: string, zone: string, declared: LogicalType['declared']): LogicalType {
  return {
    name,
    declared,
    isText: false,
    stored: fc.oneof(MOMENTS, moments('1970-01-02T00:00:00Z', '2037-12-31T00:00:00Z')),
    compared: fc.oneof(MOMENTS, moments('1000-01-01T00:00:00Z', '9999-12-31T00:00:00Z')),
    compare: byOrder,
    text: (value) => `${value}${zone}`,
    json: (value) => JSON.stringify(`${value}${zone}`),
    read: (value) => `${value.replace(/Z$/, '').split('.')[0]}.${(/\.(\d+)/.exec(value)?.[1] ?? '').padEnd(6, '0')}`,
  };
}

const uuid: LogicalType = {
  name: 'uuid',
  declared: { postgres: 'uuid', mysql: 'char(36) CHARACTER SET ascii COLLATE ascii_bin', mariadb: 'uuid', clickhouse: 'UUID' },
  isText: false,
  stored: fc.oneof(
    fc.constantFrom('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-4fff-8fff-ffffffffffff'),
    fc.uuid({ version: [1, 4, 5] }),
  ),
  compared: fc.oneof(
    fc.constantFrom('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-4fff-8fff-ffffffffffff'),
    fc.uuid({ version: [1, 4, 5] }),
  ),
  compare: byOrder,
  text: String,
  json: (value) => JSON.stringify(value),
  read: (value) => value,
};

/** Values are hexadecimal strings, which have the same order as their bytes. */
const bytes: LogicalType = {
  name: 'bytes',
  declared: { postgres: 'bytea', mysql: 'varbinary(40)', mariadb: 'varbinary(40)', clickhouse: undefined },
  isText: false,
  stored: fc.uint8Array({ maxLength: 8 }).map((value) => Buffer.from(value).toString('hex')),
  compared: fc.uint8Array({ maxLength: 3 }).map((value) => Buffer.from(value).toString('hex')),
  compare: byOrder,
  text: (value) => Buffer.from(String(value), 'hex').toString('base64'),
  json: (value) => JSON.stringify(Buffer.from(String(value), 'hex').toString('base64')),
  read: (value) => value,
};

export const LOGICAL_TYPES: readonly LogicalType[] = [
  whole('small', 16n, { ...everywhere('smallint'), clickhouse: 'Int16' }),
  whole('int', 32n, { ...everywhere('int'), clickhouse: 'Int32' }),
  whole('big', 64n, { ...everywhere('bigint'), clickhouse: 'Int64' }),
  whole('unsigned', 64n, { postgres: 'numeric(20)', mysql: 'bigint unsigned', mariadb: 'bigint unsigned', clickhouse: 'UInt64' }, true),
  decimal,
  double,
  single,
  bool,
  text,
  enumeration,
  date,
  moment('timestamp', '', { postgres: 'timestamp', mysql: 'datetime(6)', mariadb: 'datetime(6)', clickhouse: "DateTime64(6, 'UTC')" }),
  moment('timestamptz', 'Z', {
    postgres: 'timestamptz',
    mysql: 'timestamp(6)',
    mariadb: 'timestamp(6)',
    clickhouse: "DateTime64(6, 'Europe/Berlin')",
  }),
  uuid,
  bytes,
];
