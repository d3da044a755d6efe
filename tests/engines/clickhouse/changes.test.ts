/** UPDATE and DELETE as mutations: those of several callers are one, each is told of its own rows, and one that fails is taken back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeEach, countEach, updateOf } from '../../../src/engines/clickhouse/dialect/changes.ts';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import type { Connection, Outcome, RunOptions } from '../../../src/engines/contract/engine.ts';
import type { Table } from '../../../src/model/table.ts';
import type { BoundStatement } from '../../../src/sql/dialect.ts';
import type { Condition } from '../../../src/sql/plan.ts';
import { compileDelete, compileUpdate } from '../../support/compile.ts';
import { command, failureOf, freshDatabase, open, PORTS, RUN, rowsOf, tableOf } from './support.ts';

const DATABASE = 'millrace_changes';
const { dialect } = clickhouseEngine;

beforeAll(async () => {
  (await freshDatabase(DATABASE)).close();
});

function columnOf(table: Table, name: string) {
  const column = table.byName.get(name);
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
}

const withId = (table: Table, id: number): Condition => ({ op: 'eq', column: columnOf(table, 'id'), values: [String(id)] });

function update(table: Table, id: number, set: Readonly<Record<string, string | null>>): BoundStatement {
  const assignments = Object.entries(set).map(([name, value]) => ({ column: columnOf(table, name), value }));
  return compileUpdate({ table, set: assignments, where: withId(table, id) }, dialect);
}

const remove = (table: Table, id: number): BoundStatement => compileDelete({ table, where: withId(table, id) }, dialect);

describe('texts', () => {
  const types = [
    { kind: 'text', cast: 'String' },
    { kind: 'int', cast: 'Int32' },
  ] as const;

  test('number the parameters of each change', () => {
    const change = updateOf('t', '`s` = {p1:String}', '`id` = {p2:Int32}', types).counted?.change;
    if (change === undefined) throw new Error('cannot be merged');
    expect(countEach(change, 2)).toBe(
      'SELECT countIf(`id` = {p2:Int32}), countIf(`id` = {p4:Int32}) FROM t WHERE (`id` = {p2:Int32}) OR (`id` = {p4:Int32})',
    );
    expect(changeEach(change, [0, 2])).toBe(
      "ALTER TABLE t UPDATE `s` = {p1:String} WHERE (`id` = {p2:Int32}) AND {tag:String} != '', UPDATE `s` = {p5:String} WHERE (`id` = {p6:Int32}) AND {tag:String} != ''",
    );
    expect(changeEach({ ...change, set: undefined }, [0, 1])).toBe(
      "DELETE FROM t WHERE ((`id` = {p2:Int32}) OR (`id` = {p4:Int32})) AND {tag:String} != ''",
    );
  });

  test('with a name that looks like a parameter are not merged', () => {
    expect(updateOf('t', '`{p1:x}` = {p1:String}', '`id` = {p2:Int32}', types).counted?.change).toBeUndefined();
  });
});

describe.each(PORTS)('over the %s port', (label, port) => {
  let connection: Connection;

  beforeAll(async () => {
    connection = await open(port, DATABASE);
  });
  afterAll(() => connection.close());

  async function create(name: string, columns: string, rows: string): Promise<Table> {
    await command(connection, `CREATE TABLE ${name}_${label} (${columns}) ENGINE = MergeTree ORDER BY id`);
    await command(connection, `INSERT INTO ${name}_${label} ${rows}`);
    return tableOf(connection, `${name}_${label}`);
  }

  const run = ({ statement, params }: BoundStatement, options: RunOptions = RUN): Promise<Outcome> =>
    connection.run(statement, params, options);

  async function together(...changes: readonly BoundStatement[]): Promise<readonly unknown[]> {
    connection.hold?.(true);
    const running = changes.map((change) =>
      run(change).then(
        ({ rows }) => rows,
        (error: unknown) => error,
      ),
    );
    connection.send?.();
    return Promise.all(running);
  }

  const mutations = async (table: Table): Promise<unknown> =>
    (
      await rowsOf(
        connection,
        `SELECT uniqExact(mutation_id), countIf(NOT is_done) FROM system.mutations WHERE database = '${DATABASE}' AND table = '${table.name}'`,
      )
    ).rows[0];
  const kept = async (table: Table, columns = 'id, s'): Promise<unknown> =>
    (await rowsOf(connection, `SELECT ${columns} FROM ${table.name} ORDER BY id`)).rows;

  test('updates of several callers are one mutation, in their order, and each is told of its own rows', async () => {
    const table = await create(
      'merged',
      'id UInt32, s Nullable(String), at DateTime64(3)',
      "VALUES (1, 'a', 0), (2, 'b', 0), (2, 'c', 0), (3, 'd', 0)",
    );
    const at = '1969-07-20T20:17:40.000Z';
    expect(
      await together(
        update(table, 1, { s: "it's {p1:String}", at }),
        update(table, 2, { s: 'both', at }),
        update(table, 3, { s: null, at }),
        update(table, 9, { s: 'nobody', at }),
        update(table, 1, { s: 'last', at }),
      ),
    ).toEqual([1, 2, 1, 0, 1]);
    expect(await kept(table, 'id, s, toUnixTimestamp64Milli(at)')).toEqual([
      ['1', 'last', String(Date.parse(at))],
      ['2', 'both', String(Date.parse(at))],
      ['2', 'both', String(Date.parse(at))],
      ['3', null, String(Date.parse(at))],
    ]);
    expect(await mutations(table)).toEqual(['1', '0']);
    expect(await together(update(table, 8, { s: 'x' }), update(table, 9, { s: 'y' }))).toEqual([0, 0]);
    expect(await mutations(table)).toEqual(['1', '0']);
  });

  test('deletes are one, beside updates, and other columns are another', async () => {
    const table = await create('mixed', 'id UInt32, s String, t String', "SELECT number, 'a', 'b' FROM numbers(8)");
    const done = await together(
      remove(table, 0),
      update(table, 1, { s: 'x' }),
      remove(table, 2),
      update(table, 3, { t: 'y' }),
      remove(table, 99),
    );
    expect(done).toEqual([1, 1, 1, 1, 0]);
    expect(await kept(table, 'id, s, t')).toEqual([['1', 'x', 'b'], ['3', 'a', 'y'], ...['4', '5', '6', '7'].map((id) => [id, 'a', 'b'])]);
    expect(await mutations(table)).toEqual(['3', '0']);
  });

  test('one that matches more than it may is not done, and told of it, alone and with others', async () => {
    const table = await create('limited', 'id UInt32, s String', "VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd')");
    const atMost = (id: number, most: number): BoundStatement =>
      compileUpdate({ table, set: [{ column: columnOf(table, 's'), value: 'x' }], where: withId(table, id), maxRows: most }, dialect);
    expect((await run(atMost(2, 1))).rows).toBe(2);
    expect(await mutations(table)).toEqual(['0', '0']);
    expect(await together(atMost(1, 1), atMost(2, 1), update(table, 3, { s: 'y' }), atMost(9, 1))).toEqual([1, 2, 1, 0]);
    expect(await kept(table)).toEqual([
      ['1', 'x'],
      ['2', 'b'],
      ['2', 'c'],
      ['3', 'y'],
    ]);
    expect((await run(compileDelete({ table, where: withId(table, 2), maxRows: 1 }, dialect))).rows).toBe(2);
    expect((await run(compileDelete({ table, where: withId(table, 2), maxRows: 2 }, dialect))).rows).toBe(2);
    expect(await kept(table, 'id')).toEqual([['1'], ['3']]);
  });

  test('one that the server refuses fails by itself, the others are done', async () => {
    const table = await create('refused', 'id UInt32, s String', "SELECT number, 'a' FROM numbers(4)");
    const done = await together(update(table, 0, { id: '7' }), update(table, 1, { id: '7' }), update(table, 2, { s: 'x' }));
    expect(done).toEqual([expect.objectContaining({ code: '420' }), expect.objectContaining({ code: '420' }), 1]);
    expect(await kept(table)).toEqual([
      ['0', 'a'],
      ['1', 'a'],
      ['2', 'x'],
      ['3', 'a'],
    ]);
  });

  test('who has gone away takes no part', async () => {
    const table = await create('left', 'id UInt32, s String', "SELECT number, 'a' FROM numbers(3)");
    const gone = new AbortController();
    connection.hold?.(true);
    const running = [failureOf(run(update(table, 0, { s: 'x' }), { ...RUN, signal: gone.signal })), run(update(table, 1, { s: 'x' }))];
    gone.abort();
    connection.send?.();
    expect(await Promise.all(running)).toEqual([expect.objectContaining({ kind: 'cancelled' }), expect.objectContaining({ rows: 1 })]);
    expect(await kept(table)).toEqual([
      ['0', 'a'],
      ['1', 'x'],
      ['2', 'a'],
    ]);
  });

  const DERIVED = 'id UInt32, s String, n UInt32 MATERIALIZED toUInt32(s)';

  test('one that fails while it runs is taken back, and nobody fails behind it', async () => {
    const table = await create('failing', DERIVED, '(id, s) SELECT number, toString(number) FROM numbers(4)');
    expect(await failureOf(run(update(table, 1, { s: 'none' })))).toMatchObject({ kind: 'invalid', code: '6', effect: 'nothing' });
    expect(await mutations(table)).toEqual(['0', '0']);
    expect((await run(update(table, 2, { s: '20' }))).rows).toBe(1);
    expect(await together(update(table, 0, { s: '100' }), update(table, 1, { s: 'none' }), update(table, 3, { s: '30' }))).toEqual([
      1,
      expect.objectContaining({ kind: 'invalid', effect: 'nothing' }),
      1,
    ]);
    expect(await kept(table, 'id, s, n')).toEqual([
      ['0', '100', '100'],
      ['1', '1', '1'],
      ['2', '20', '20'],
      ['3', '30', '30'],
    ]);
    expect(connection.usable).toBe(true);
  });

  test('one that fails for what somebody else has begun is taken back as well, and tells what it has left', async () => {
    const table = await create('behind', DERIVED, "(id, s) VALUES (1, '1')");
    await command(connection, `INSERT INTO behind_${label} (id, s) VALUES (1, '2')`);
    await command(connection, `ALTER TABLE behind_${label} UPDATE s = if(s = '2', 'none', '10') WHERE id = 1 SETTINGS mutations_sync = 0`);
    const failure = await failureOf(run(update(table, 1, { s: '5' })));
    expect(failure).toMatchObject({ kind: 'invalid', code: '6' });
    expect(await mutations(table)).toEqual(['1', '1']);
    await command(connection, `KILL MUTATION WHERE database = '${DATABASE}' AND table = 'behind_${label}'`);
    const [changed] = (await rowsOf(connection, `SELECT count() FROM behind_${label} WHERE s = '5'`)).rows;
    if (failure.effect === 'nothing') expect(changed).toEqual(['0']);
    else expect([failure.effect, changed]).toEqual(['unknown', [expect.stringMatching(/^[01]$/)]]);
  });
});
