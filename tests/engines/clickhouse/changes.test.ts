/**
 * UPDATE and DELETE as mutations: concurrent ones are merged, each caller gets its own row count,
 * and a mutation that fails is killed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  async function inTurn(...changes: readonly BoundStatement[]): Promise<readonly unknown[]> {
    const outcomes: unknown[] = [];
    for (const change of changes)
      outcomes.push(
        await run(change).then(
          ({ rows }) => rows,
          (error: unknown) => error,
        ),
      );
    return outcomes;
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

  test('a change of more rows than its limit is not executed and returns the count, and others are executed', async () => {
    const table = await create('limited', 'id UInt32, s String', "VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd')");
    const atMost = (id: number, most: number): BoundStatement =>
      compileUpdate({ table, set: [{ column: columnOf(table, 's'), value: 'x' }], where: withId(table, id), maxRows: most }, dialect);
    expect((await run(atMost(2, 1))).rows).toBe(2);
    expect(await mutations(table)).toEqual(['0', '0']);
    expect(await inTurn(atMost(1, 1), atMost(2, 1), update(table, 3, { s: 'y' }), atMost(9, 1))).toEqual([1, 2, 1, 0]);
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

  test('a change that the server rejects fails alone, and the others are executed', async () => {
    const table = await create('refused', 'id UInt32, s String', "SELECT number, 'a' FROM numbers(4)");
    const done = await inTurn(update(table, 0, { id: '7' }), update(table, 1, { id: '7' }), update(table, 2, { s: 'x' }));
    expect(done).toEqual([expect.objectContaining({ code: '420' }), expect.objectContaining({ code: '420' }), 1]);
    expect(await kept(table)).toEqual([
      ['0', 'a'],
      ['1', 'a'],
      ['2', 'x'],
      ['3', 'a'],
    ]);
  });

  const DERIVED = 'id UInt32, s String, n UInt32 MATERIALIZED toUInt32(s)';

  test('a mutation that fails while it runs is killed, and later ones succeed', async () => {
    const table = await create('failing', DERIVED, '(id, s) SELECT number, toString(number) FROM numbers(4)');
    expect(await failureOf(run(update(table, 1, { s: 'none' })))).toMatchObject({ kind: 'invalid', code: '6', effect: 'nothing' });
    expect(await mutations(table)).toEqual(['0', '0']);
    expect((await run(update(table, 2, { s: '20' }))).rows).toBe(1);
    expect(await inTurn(update(table, 0, { s: '100' }), update(table, 1, { s: 'none' }), update(table, 3, { s: '30' }))).toEqual([
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

  test('a mutation that fails because of a foreign mutation is killed as well, and reports its effect', async () => {
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
