/**
 * Inserts, updates and deletes: a batch is one block, nothing is wrapped or defaulted silently,
 * mutations are awaited and counted.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Table } from '../../../src/model/table.ts';
import type { Operator } from '../../../src/sql/operators.ts';
import type { Condition } from '../../../src/sql/plan.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import type { ParamValue } from '../../../src/sql/statement.ts';
import { compileDelete, compileUpdate } from '../../support/compile.ts';
import { command, failureOf, freshDatabase, open, PORTS, rowsOf, runAll, tableOf } from './support.ts';

const DATABASE = 'millrace_writes';
const { dialect } = clickhouseEngine;

beforeAll(async () => {
  (await freshDatabase(DATABASE)).close();
});

async function insert(
  connection: Connection,
  table: Table,
  names: readonly string[],
  rows: readonly (readonly ParamValue[])[],
): Promise<number> {
  const columns = names.map((name) => columnOf(table, name));
  return runAll(connection, dialect.insert({ table, columns, rows: RowValues.of(columns.length, rows), upsert: undefined }));
}

function columnOf(table: Table, name: string) {
  const column = table.byName.get(name);
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
}

function where(table: Table, name: string, op: Operator, ...values: string[]): Condition {
  return { op, column: columnOf(table, name), values };
}

async function update(connection: Connection, table: Table, set: readonly [string, ParamValue], condition: Condition): Promise<number> {
  const ready = compileUpdate({ table, set: [{ column: columnOf(table, set[0]), value: set[1] }], where: condition }, dialect);
  return runAll(connection, [ready]);
}

async function remove(connection: Connection, table: Table, condition: Condition): Promise<number> {
  return runAll(connection, [compileDelete({ table, where: condition }, dialect)]);
}

describe.each(PORTS)('over the %s port', (label, port) => {
  let connection: Connection;

  beforeAll(async () => {
    connection = await open(port, DATABASE);
  });

  afterAll(() => connection.close());

  async function create(name: string, columns: string, engine = 'MergeTree ORDER BY id'): Promise<Table> {
    await command(connection, `CREATE TABLE ${name}_${label} (${columns}) ENGINE = ${engine}`);
    return tableOf(connection, `${name}_${label}`);
  }

  test('10,000 rows are inserted as one block and one part', async () => {
    const table = await create('bulk', 'id UInt32, s String, at DateTime64(3) DEFAULT now64(3), tags Array(String)');
    const rows = Array.from({ length: 10_000 }, (_, n): ParamValue[] => [String(n), `row ${n} ${'x'.repeat(1000)}`, '["a","b"]']);
    expect(await insert(connection, table, ['id', 's', 'tags'], rows)).toBe(10_000);
    const kept = await rowsOf(connection, `SELECT count(), uniqExact(_part), countIf(at > '2020-01-01') FROM bulk_${label}`);
    expect(kept.rows).toEqual([['10000', '1', '10000']]);
  });

  test('the same rows inserted twice are stored twice', async () => {
    const table = await create('twice', 'id UInt32', 'MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100');
    await insert(connection, table, ['id'], [['1']]);
    await insert(connection, table, ['id'], [['1']]);
    expect((await rowsOf(connection, `SELECT count() FROM twice_${label}`)).rows).toEqual([['2']]);
  });

  test('a batch with one bad value writes nothing and names the row and column', async () => {
    const table = await create(
      'checked',
      'id Int32, n UInt8, s String, f FixedString(3), a Array(Int8), d Date, CONSTRAINT small CHECK n < 200',
    );
    const good: ParamValue[] = ['1', '1', 'x', 'abc', '[1]', '2024-01-01'];
    const bad: readonly (readonly [number, ParamValue])[] = [
      [0, '99999999999'],
      [0, null],
      [1, '256'],
      [1, '-1'],
      [1, '1.5'],
      [2, null],
      [3, 'abcd'],
      [3, 'é€'],
      [4, '[128]'],
      [4, '[null]'],
      [4, '{"a":1}'],
      [4, 'no json'],
      [5, '2200-01-01'],
      [5, 'yesterday'],
    ];
    for (const [index, value] of bad) {
      const row = good.with(index, value);
      const name = table.columns[index]?.name;
      const failure = await failureOf(
        insert(
          connection,
          table,
          table.columns.map((column) => column.name),
          [good, row],
        ),
      );
      expect(failure, `${name} ${value}`).toMatchObject({ kind: 'invalid', column: name });
      expect(failure.message).toContain('row 1: ');
    }
    const violated = await failureOf(
      insert(
        connection,
        table,
        table.columns.map((column) => column.name),
        [good, good.with(1, '201')],
      ),
    );
    expect(violated).toMatchObject({ kind: 'constraint', code: '469' });
    const after = connection.usable ? connection : await open(port, DATABASE);
    expect((await rowsOf(after, `SELECT count() FROM checked_${label}`)).rows).toEqual([['0']]);
    if (after !== connection) {
      connection.close();
      connection = after;
    }
  });

  test('the table reports required and read-only columns, defaults and ranges', async () => {
    const table = await create(
      'facts',
      "id Int32, d UInt16 DEFAULT 7, m UInt32 MATERIALIZED id + 1, al UInt32 ALIAS id + 2, n Nullable(Int8), e Int8 EPHEMERAL, k LowCardinality(String), dec Decimal(10, 3), en Enum8('a' = 1), fs FixedString(5), ts DateTime64(6)",
      'MergeTree PRIMARY KEY id ORDER BY (id, toDate(ts), k)',
    );
    const facts = table.byName;
    expect([...facts.keys()]).toEqual(['id', 'd', 'm', 'al', 'n', 'k', 'dec', 'en', 'fs', 'ts']);
    expect(facts.get('id')).toMatchObject({
      required: true,
      readOnly: false,
      primaryKey: true,
      default: null,
      min: -2147483648n,
      max: 2147483647n,
    });
    expect(facts.get('d')).toMatchObject({ required: false, default: '7', primaryKey: false });
    expect(facts.get('m')).toMatchObject({ required: false, readOnly: true });
    expect(facts.get('al')).toMatchObject({ required: false, readOnly: true });
    expect(facts.get('n')).toMatchObject({ required: false, nullable: true });
    expect(facts.get('dec')).toMatchObject({ precision: 10, scale: 3 });
    expect(facts.get('en')).toMatchObject({ values: ['a'] });
    expect(facts.get('fs')).toMatchObject({ maxLength: 5 });
    expect(facts.get('ts')).toMatchObject({ fraction: 6 });
    expect(table.primaryKey).toEqual([]);
    expect(table.order.slice(0, 2).map((column) => column.name)).toEqual(['id', 'k']);
    await insert(connection, table, ['id', 'k', 'dec', 'en', 'fs', 'ts'], [['1', 'x', '1', 'a', 'q', '2024-01-01T00:00:00Z']]);
    expect((await rowsOf(connection, `SELECT d, m, al, n FROM facts_${label}`)).rows).toEqual([['7', '2', '3', null]]);
  });

  test('updates and deletes count the matching rows and are complete when they return', async () => {
    const table = await create('mutated', "id UInt32, s Nullable(String), a Array(Int32), t DateTime('Asia/Tokyo')");
    const rows = Array.from({ length: 100 }, (_, n): ParamValue[] => [
      String(n),
      n % 2 === 0 ? 'even' : null,
      '[]',
      '2024-01-01T00:00:00Z',
    ]);
    await insert(connection, table, ['id', 's', 'a', 't'], rows);
    expect(await update(connection, table, ['s', "it's\\"], where(table, 's', 'eq', 'even'))).toBe(50);
    expect((await rowsOf(connection, `SELECT count() FROM mutated_${label} WHERE s = 'it\\'s\\\\'`)).rows).toEqual([['50']]);
    expect(await update(connection, table, ['s', null], where(table, 'id', 'lt', '10'))).toBe(10);
    expect(await update(connection, table, ['a', '[1,2]'], where(table, 'id', 'eq', '5'))).toBe(1);
    expect(await update(connection, table, ['t', '2024-06-01T12:00:00+02:00'], where(table, 'id', 'eq', '5'))).toBe(1);
    expect((await rowsOf(connection, `SELECT s, a, t FROM mutated_${label} WHERE id = 5`)).rows).toEqual([
      [null, '[1,2]', '2024-06-01T10:00:00Z'],
    ]);
    expect(await update(connection, table, ['s', 'x'], where(table, 'id', 'eq', '1000'))).toBe(0);
    expect(await remove(connection, table, where(table, 'id', 'bw', '0', '29'))).toBe(30);
    expect(await remove(connection, table, where(table, 'id', 'bw', '0', '29'))).toBe(0);
    expect((await rowsOf(connection, `SELECT count() FROM mutated_${label}`)).rows).toEqual([['70']]);
  });

  test('NULL for a column that is not nullable leaves no mutation behind', async () => {
    const table = await create('nonull', 'id UInt32, s String');
    await insert(connection, table, ['id', 's'], [['1', 'x']]);
    expect(await failureOf(update(connection, table, ['s', null], where(table, 'id', 'eq', '1')))).toMatchObject({ kind: 'invalid' });
    expect(
      (
        await rowsOf(
          connection,
          `SELECT count() FROM system.mutations WHERE database = '${DATABASE}' AND table = 'nonull_${label}' AND NOT is_done`,
        )
      ).rows,
    ).toEqual([['0']]);
  });

  test('an operation that the table engine lacks is reported as unsupported', async () => {
    const merge = await create('keyed', 'id UInt32, s String');
    await insert(connection, merge, ['id', 's'], [['1', 'x']]);
    expect(await failureOf(update(connection, merge, ['id', '2'], where(merge, 's', 'eq', 'x')))).toMatchObject({
      kind: 'unsupported',
      code: '420',
    });
    const log = await create('logged', 'id UInt32', 'TinyLog');
    await insert(connection, log, ['id'], [['1']]);
    expect(await failureOf(remove(connection, log, where(log, 'id', 'eq', '1')))).toMatchObject({ kind: 'unsupported' });
    expect(await failureOf(update(connection, log, ['id', '2'], where(log, 'id', 'eq', '1')))).toMatchObject({ kind: 'unsupported' });
    await command(connection, `CREATE VIEW seen_${label} AS SELECT * FROM keyed_${label}`);
    const view = await tableOf(connection, `seen_${label}`);
    expect(view.kind).toBe('view');
    expect(await failureOf(remove(connection, view, where(view, 'id', 'eq', '1')))).toMatchObject({ kind: 'unsupported' });
    expect(await failureOf(insert(connection, view, ['id'], [['1']]))).toMatchObject({ kind: 'unsupported' });
    const memory = await create('remembered', 'id UInt32, s String', 'Memory');
    await insert(
      connection,
      memory,
      ['id', 's'],
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    );
    expect(await update(connection, memory, ['s', 'z'], where(memory, 'id', 'eq', '1'))).toBe(1);
    expect(await remove(connection, memory, where(memory, 'id', 'eq', '1'))).toBe(1);
    expect((await rowsOf(connection, `SELECT id FROM remembered_${label}`)).rows).toEqual([['2']]);
  });

  test('writes of a custom statement return the number of written rows', async () => {
    await create('custom', 'id UInt32');
    expect(await command(connection, `INSERT INTO custom_${label} SELECT number FROM numbers(12)`)).toEqual({ rows: 12, selected: false });
    expect(await command(connection, `INSERT INTO custom_${label} VALUES (1), (2)`)).toEqual({ rows: 2, selected: false });
    expect(await command(connection, `SELECT * FROM custom_${label}`)).toEqual({ rows: 14, selected: true });
  });
});

test('$upsert is rejected with an explanation', () => {
  const table = { schema: 'x', name: 't', columns: [] } as unknown as Table;
  expect(() => dialect.insert({ table, columns: [], rows: new RowValues(0), upsert: [] })).toThrow(/unique keys/);
});

test('tables and views are listed, and a missing database is reported', async () => {
  const connection = await open(PORTS[0][1], DATABASE);
  const list = await clickhouseEngine.catalog.list(connection, undefined, { timeoutMs: 5000 });
  expect(list?.find((found) => found.table === 'seen_http')).toEqual({ table: 'seen_http', schema: DATABASE, kind: 'view' });
  expect(list?.find((found) => found.table === 'keyed_http')).toEqual({ table: 'keyed_http', schema: DATABASE, kind: 'table' });
  expect(await clickhouseEngine.catalog.list(connection, 'no_such_database', { timeoutMs: 5000 })).toBeUndefined();
  expect(await clickhouseEngine.catalog.describe(connection, { schema: undefined, table: 'nothing' }, { timeoutMs: 5000 })).toBeUndefined();
  connection.close();
});
