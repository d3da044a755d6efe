/** Inserts of several callers that are sent as one: all of them are there as one part, or none is and each has to come by itself. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection, DbFailure, Outcome, RunOptions } from '../../../src/engines/contract/engine.ts';
import type { Table } from '../../../src/model/table.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import { command, freshDatabase, open, PORTS, RUN, rowsOf, tableOf } from './support.ts';

const DATABASE = 'millrace_held';
const COLUMNS =
  'id UInt32, s Nullable(String), tags Array(LowCardinality(String)), at DateTime64(3) DEFAULT now64(3), CONSTRAINT small CHECK id < 1000';

beforeAll(async () => {
  (await freshDatabase(DATABASE)).close();
});

describe.each(PORTS)('over the %s port', (label, port) => {
  let connection: Connection;
  let table: Table;

  beforeAll(async () => {
    const first = await open(port, DATABASE);
    await command(first, `CREATE TABLE notes_${label} (${COLUMNS}) ENGINE = MergeTree ORDER BY id`);
    table = await tableOf(first, `notes_${label}`);
    first.close();
  });
  beforeEach(async () => {
    connection = await open(port, DATABASE);
  });
  afterEach(() => connection.close());

  function insert(
    names: readonly string[],
    rows: readonly (readonly (string | null)[])[],
    options: RunOptions = RUN,
    into: Table = table,
  ): Promise<Outcome> {
    const columns = into.columns.filter(({ name }) => names.includes(name));
    const [bound] = clickhouseEngine.dialect.insert({ table: into, columns, rows: RowValues.of(columns.length, rows), upsert: undefined });
    if (bound === undefined) throw new Error('no statement');
    return connection.run(bound.statement, bound.params, options);
  }

  const kept = async (): Promise<unknown> =>
    (await rowsOf(connection, `SELECT id, s, arrayStringConcat(tags, '+') FROM notes_${label} ORDER BY id`)).rows;
  const parts = async (): Promise<unknown> => (await rowsOf(connection, `SELECT uniqExact(_part) FROM notes_${label}`)).rows;
  const effectOfSocketError = async (work: Promise<unknown>) => {
    const failure = (await work.catch((error: unknown) => error)) as DbFailure;
    return [failure.kind, failure.effect];
  };

  test('they are one part, and each is told of its own rows', async () => {
    connection.hold?.(true);
    const running = [
      insert(['id', 's', 'tags'], [['1', 'one', '["a"]']]),
      insert(
        ['id', 's', 'tags'],
        [
          ['2', null, '[]'],
          ['3', 'three', '["a","b"]'],
        ],
      ),
      insert(['id', 's', 'tags'], [['4', '', '["c","a"]']]),
    ];
    expect(connection.usable).toBe(true);
    connection.send?.();
    expect(connection.usable).toBe(false);
    expect((await Promise.all(running)).map(({ rows }) => rows)).toEqual([1, 2, 1]);
    expect(connection.usable).toBe(true);
    expect(await kept()).toEqual([
      ['1', 'one', 'a'],
      ['2', null, ''],
      ['3', 'three', 'a+b'],
      ['4', '', 'c+a'],
    ]);
    expect(await parts()).toEqual([['1']]);
  });

  test('they are one block whatever the profile of the user says', async () => {
    const limits = ['min_insert_block_size_rows', 'min_insert_block_size_bytes'];
    const columns = limits.map((name) => `${name} UInt64 DEFAULT getSetting('${name}')`);
    await command(connection, `CREATE TABLE told_${label} (id UInt32, ${columns}) ENGINE = MergeTree ORDER BY id`);
    const told = await tableOf(connection, `told_${label}`);
    connection.hold?.(true);
    const running = [insert(['id'], [['1']], RUN, told), insert(['id'], [['2']], RUN, told)];
    connection.send?.();
    await Promise.all(running);
    const { rows } = await rowsOf(connection, `SELECT DISTINCT ${limits} FROM told_${label}`);
    expect(rows).toEqual([['1048576', '268435456']]);
  });

  test('other columns are another insert', async () => {
    await command(connection, `TRUNCATE TABLE notes_${label}`);
    connection.hold?.(true);
    const running = [insert(['id', 's'], [['1', 'x']]), insert(['id'], [['2']]), insert(['id', 's'], [['3', 'y']])];
    connection.send?.();
    expect((await Promise.all(running)).map(({ rows }) => rows)).toEqual([1, 1, 1]);
    expect(await kept()).toEqual([
      ['1', 'x', ''],
      ['2', null, ''],
      ['3', 'y', ''],
    ]);
    expect(await parts()).toEqual([['2']]);
  });

  test('of those sent with a row that is refused nothing is left, and each has to come again; one alone is told why', async () => {
    await command(connection, `TRUNCATE TABLE notes_${label}`);
    connection.hold?.(true);
    const running = [insert(['id'], [['1']]), insert(['id'], [['1000']]), insert(['id'], [['3']])].map(effectOfSocketError);
    connection.send?.();
    expect(await Promise.all(running)).toEqual([
      ['preempted', 'nothing'],
      ['preempted', 'nothing'],
      ['preempted', 'nothing'],
    ]);
    expect(connection.usable).toBe(false);
    connection = await open(port, DATABASE);
    expect(await kept()).toEqual([]);
    connection.hold?.(true);
    const alone = effectOfSocketError(insert(['id'], [['1000']]));
    connection.send?.();
    expect(await alone).toEqual(['constraint', 'nothing']);
  });

  test('who has gone away takes no part, and whatever is no such insert is to come by itself', async () => {
    await command(connection, `TRUNCATE TABLE notes_${label}`);
    const gone = new AbortController();
    connection.hold?.(true);
    const running = [
      effectOfSocketError(insert(['id'], [['1']], { ...RUN, signal: gone.signal })),
      effectOfSocketError(command(connection, 'SELECT 1')),
    ];
    const stays = insert(['id'], [['2']]);
    gone.abort();
    connection.send?.();
    expect(await Promise.all(running)).toEqual([
      ['cancelled', expect.anything()],
      ['preempted', 'nothing'],
    ]);
    expect((await stays).rows).toBe(1);
    expect(await kept()).toEqual([['2', null, '']]);
  });

  test('with nothing held nothing is sent', async () => {
    connection.hold?.(true);
    connection.send?.();
    connection.send?.();
    expect((await rowsOf(connection, 'SELECT 1')).rows).toEqual([['1']]);
  });
});
