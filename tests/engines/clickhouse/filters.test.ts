/**
 * Filters follow SQL: all operators on many types agree with an oracle in TypeScript, on both
 * ports.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Table } from '../../../src/model/table.ts';
import type { Operator } from '../../../src/sql/operators.ts';
import type { Comparison, Condition } from '../../../src/sql/plan.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import { compileCount, compileSelect } from '../../support/compile.ts';
import { command, freshDatabase, httpPort, open, PORTS, rowsOf, runAll, tableOf } from './support.ts';

const DATABASE = 'millrace_filters';
const { dialect } = clickhouseEngine;

const COLUMNS = {
  i: 'Nullable(Int32)',
  d: 'Nullable(Decimal(9, 2))',
  s: 'Nullable(String)',
  l: 'LowCardinality(Nullable(String))',
  e: "Nullable(Enum8('beta' = 1, 'alpha' = 2))",
  f: 'Nullable(FixedString(6))',
  t: "Nullable(DateTime('Asia/Tokyo'))",
  m: "Nullable(DateTime64(3, 'America/New_York'))",
  y: 'Nullable(Date)',
  b: 'Nullable(Bool)',
  u: 'Nullable(UUID)',
} as const;
type Name = keyof typeof COLUMNS;

const TEXTS = ['', 'a', 'A', '50%', '50_', 'b\\c', 'Straße', 'ÄÖ', 'äö', "it's", 'x,y'];
const SHORT = ['', 'a', 'ab', 'A', 'b%', 'zz'];
const INSTANTS = ['1970-01-01T00:00:00Z', '2024-03-31T01:30:00Z', '2024-01-01T10:00:00Z', '2024-11-03T05:30:00Z'];
const FINE = [...INSTANTS, '2024-01-01T10:00:00.500Z', '2024-01-01T10:00:00.501Z'];

/** Stored values, and other operands: out of range, finer than the type, with other offsets. */
const STORED: Readonly<Record<Name, readonly string[]>> = {
  i: ['-5', '0', '7', '2147483647'],
  d: ['-1.50', '0.00', '0.10', '9999999.99'],
  s: TEXTS,
  l: TEXTS,
  e: ['alpha', 'beta'],
  f: SHORT,
  t: INSTANTS,
  m: FINE,
  y: ['1970-01-01', '2024-02-29', '2149-06-06'],
  b: ['true', 'false'],
  u: ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-0000000000ff'],
};
const ASKED: Partial<Readonly<Record<Name, readonly string[]>>> = {
  i: ['99999999999', '-99999999999'],
  d: ['0.105', '-1.505', '0.1', '123456789.00', '-123456789012.5', '1e-1'],
  t: ['2024-01-01T12:00:00+02:00', '2024-01-01T10:00:00.5Z', '2200-01-01T00:00:00Z', '1900-01-01T00:00:00Z'],
  m: ['2024-01-01T12:00:00.5+02:00', '2024-01-01T10:00:00.5004Z', '9999-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  y: ['0001-01-01', '9999-12-31', '2024-03-01'],
  s: ['%', '_', '\\', 'ß', 'ss'],
};

const ORDERED: readonly Operator[] = ['eq', 'ne', 'lt', 'gt', 'le', 'ge', 'bw', 'in', 'nin'];
const LIKE: readonly Operator[] = ['li', 'rli', 'nli', 'il'];
const TEXT_COLUMNS: ReadonlySet<Name> = new Set(['s', 'l', 'f']);

/** Maps a value to a number or a string with the order that the column must have. */
function rank(name: Name, text: string): number | string {
  if (name === 'i' || name === 'd') return Number(text);
  if (name === 't' || name === 'm') return Date.parse(text) + Number((/\.\d{3}(\d+)/.exec(text)?.[1] ?? '0').padEnd(6, '0')) / 1e6;
  if (name === 'b') return text === 'true' ? 1 : 0;
  // Enums are ordered by declaration, in filters and in ORDER BY.
  if (name === 'e') return ['beta', 'alpha'].indexOf(text);
  if (TEXT_COLUMNS.has(name)) return Buffer.from(text).toString('latin1');
  return text;
}

function matches(name: Name, op: Operator, stored: string | null, values: readonly string[]): boolean {
  if (stored === null) return false;
  const left = rank(name, stored);
  const right = values.map((value) => rank(name, value));
  const [first = '', second = ''] = right;
  const [text = ''] = values;
  const tests: Readonly<Record<Operator, () => boolean>> = {
    eq: () => left === first,
    ne: () => left !== first,
    lt: () => left < first,
    gt: () => left > first,
    le: () => left <= first,
    ge: () => left >= first,
    bw: () => left >= first && left <= second,
    in: () => right.includes(left),
    nin: () => !right.includes(left),
    li: () => stored.includes(text),
    rli: () => stored.startsWith(text),
    nli: () => !stored.includes(text),
    il: () => stored.toLowerCase().includes(text.toLowerCase()),
  };
  return tests[op]();
}

type Row = Readonly<Record<Name, string | null>>;
const names = Object.keys(COLUMNS) as Name[];

const rows: readonly Row[] = fc.sample(
  fc.record(
    Object.fromEntries(names.map((name) => [name, fc.option(fc.constantFrom(...STORED[name]))])) as Record<
      Name,
      fc.Arbitrary<string | null>
    >,
  ),
  { numRuns: 60, seed: 7 },
);

const comparison = fc.constantFrom(...names).chain((name) => {
  const value = fc.constantFrom(...STORED[name], ...(ASKED[name] ?? []));
  const ops = TEXT_COLUMNS.has(name) ? [...ORDERED, ...LIKE] : ORDERED;
  return fc.record({ name: fc.constant(name), op: fc.constantFrom(...ops), values: fc.array(value, { minLength: 2, maxLength: 4 }) });
});

let table: Table;
let setup: Connection;

beforeAll(async () => {
  setup = await freshDatabase(DATABASE);
  const columns = names.map((name) => `${name} ${COLUMNS[name]}`).join(', ');
  await command(setup, `CREATE TABLE t (n UInt32, ${columns}) ENGINE = MergeTree ORDER BY n`);
  table = await tableOf(setup, 't');
  const batch = rows.map((row, n) => [String(n), ...names.map((name) => row[name])]);
  await runAll(
    setup,
    dialect.insert({ table, columns: table.columns, rows: RowValues.of(table.columns.length, batch), upsert: undefined }),
  );
});

/**
 * The server closes a connection that was idle for long, as this one is during the tests of both
 * ports.
 */
beforeEach(async () => {
  if (!setup.usable) setup = await open(httpPort, DATABASE);
});

afterAll(() => setup.close());

function planOf(name: Name, op: Operator, values: readonly string[]): Comparison {
  const column = table.byName.get(name);
  if (column === undefined) throw new Error(`no column ${name}`);
  return { op, column, values };
}

async function matching(connection: Connection, where: Condition): Promise<number[]> {
  const [id] = table.columns;
  if (id === undefined) throw new Error('no columns');
  const ready = compileSelect({ table, columns: [id], where, order: [{ column: id, direction: 'asc' }], limit: 100, offset: 0n }, dialect);
  return (await rowsOf(connection, ready.statement, ready.params)).rows.map(([n]) => Number(n));
}

describe.each(PORTS)('over the %s port', (_, port) => {
  test('random comparisons, and their negations, agree with the oracle', async () => {
    const connection = await open(port, DATABASE);
    await fc.assert(
      fc.asyncProperty(comparison, async ({ name, op, values }) => {
        const given = values.slice(0, op === 'bw' ? 2 : op === 'in' || op === 'nin' ? values.length : 1);
        const plan = planOf(name, op, given);
        const expected = rows.flatMap((row, n) => (matches(name, op, row[name], given) ? [n] : []));
        expect(await matching(connection, plan)).toEqual(expected);
        const negated = rows.flatMap((row, n) => (row[name] === null || matches(name, op, row[name], given) ? [] : [n]));
        expect(await matching(connection, { op: 'not', of: plan })).toEqual(negated);
      }),
      { numRuns: 250 },
    );
    connection.close();
  });
});

test('IS NULL and IS NOT NULL divide the table, and counts are exact', async () => {
  const column = planOf('s', 'eq', ['']).column;
  const nulls = rows.flatMap((row, n) => (row.s === null ? [n] : []));
  expect(await matching(setup, { op: 'null', column })).toEqual(nulls);
  expect((await matching(setup, { op: 'notnull', column })).length).toBe(rows.length - nulls.length);
  const ready = compileCount({ table, where: { op: 'null', column } }, dialect);
  expect((await rowsOf(setup, ready.statement, ready.params)).rows).toEqual([[String(nulls.length)]]);
});

test('NULLs are first in ascending and last in descending order, and pages join without a gap', async () => {
  const column = planOf('i', 'eq', ['0']).column;
  for (const direction of ['asc', 'desc'] as const) {
    const order = [{ column, direction }, ...table.order.map((term) => ({ column: term, direction: 'asc' as const }))];
    const seen: (string | null)[] = [];
    for (let offset = 0n; offset < 60n; offset += 17n) {
      const ready = compileSelect({ table, columns: [column], where: undefined, order, limit: 17, offset }, dialect);
      seen.push(...(await rowsOf(setup, ready.statement, ready.params)).rows.map(([value]) => value ?? null));
    }
    expect(seen.length).toBe(60);
    const values = seen.filter((value) => value !== null).map(Number);
    expect(values).toEqual([...values].sort((a, b) => (direction === 'asc' ? a - b : b - a)));
    const nulls = seen.length - values.length;
    expect((direction === 'asc' ? seen.slice(0, nulls) : seen.slice(-nulls)).every((value) => value === null)).toBe(true);
  }
});

test('names of columns and tables are quoted, whatever they contain', async () => {
  const connection = await open(httpPort, DATABASE);
  const odd = 'a`b\\c"d; --{p1:String}';
  await command(
    connection,
    `CREATE TABLE ${dialect.quote(odd)} (${dialect.quote(odd)} String) ENGINE = MergeTree ORDER BY ${dialect.quote(odd)}`,
  );
  const found = await tableOf(connection, odd);
  expect(found.columns.map((column) => column.name)).toEqual([odd]);
  expect(found.order.map((column) => column.name)).toEqual([odd]);
  await runAll(connection, dialect.insert({ table: found, columns: found.columns, rows: RowValues.of(1, [['x']]), upsert: undefined }));
  const ready = compileSelect({ table: found, columns: found.columns, where: undefined, order: [], limit: 5, offset: 0n }, dialect);
  expect((await rowsOf(connection, ready.statement, ready.params)).rows).toEqual([['x']]);
  connection.close();
});

test('lists and tuples are compared by value, maps and documents by their string form', async () => {
  await command(
    setup,
    'CREATE TABLE nested (n UInt32, a Array(Int32), p Tuple(x Int8, y String), m Map(String, Int8)) ENGINE = MergeTree ORDER BY n',
  );
  const nested = await tableOf(setup, 'nested');
  const batch = [
    ['1', '[2]', '[1,"a"]', '{"k":1}'],
    ['2', '[10, 1]', '{"x":1,"y":"b"}', '{}'],
  ];
  await runAll(setup, dialect.insert({ table: nested, columns: nested.columns, rows: RowValues.of(4, batch), upsert: undefined }));
  const ask = async (name: string, op: Operator, ...values: string[]): Promise<(string | null)[]> => {
    const column = nested.byName.get(name);
    const [id] = nested.columns;
    if (column === undefined || id === undefined) throw new Error(`no column ${name}`);
    const where: Comparison = { op, column, values };
    const ready = compileSelect({ table: nested, columns: [id], where, order: [], limit: 9, offset: 0n }, dialect);
    return (await rowsOf(setup, ready.statement, ready.params)).rows.map(([n]) => n ?? null);
  };
  expect(await ask('a', 'eq', '[10,1]')).toEqual(['2']);
  expect(await ask('a', 'gt', '[9]')).toEqual(['2']);
  expect(await ask('a', 'in', '[2]', '[3]')).toEqual(['1']);
  expect(await ask('p', 'eq', '[1, "b"]')).toEqual(['2']);
  expect(await ask('p', 'nin', '[1, "b"]', '[1, "c"]')).toEqual(['1']);
  expect(await ask('m', 'eq', '{"k":1}')).toEqual(['1']);
  expect(await ask('m', 'ne', '{"k":1}')).toEqual(['2']);
});
