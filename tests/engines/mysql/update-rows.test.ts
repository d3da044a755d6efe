/**
 * Many rows are updated by their keys in one statement, and found by the index whatever the
 * server's statistics.
 */
import { afterAll, beforeAll, expect, describe as suite, test } from 'vitest';
import { UNRESTRICTED } from '../../../src/auto/plan/access.ts';
import { authorize } from '../../../src/auto/plan/authorize.ts';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Table } from '../../../src/model/table.ts';
import { compileUpdateRows } from '../../../src/sql/compile/update-rows.ts';
import type { BoundStatement } from '../../../src/sql/dialect.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import { collect, connect, describe, freshDatabase, SERVERS, type Server, sql } from './support.ts';

const ROWS = 300;
const keyOf = (i: number): readonly [string, string] => [`ключ ${i}`, `2024-02-${String((i % 28) + 1).padStart(2, '0')}`];

suite.each(SERVERS)('%s: rows by their keys', (_, at: Server) => {
  const database = `millrace_update_rows_${process.pid}`;
  let connection: Connection;
  beforeAll(async () => {
    connection = await freshDatabase(at, database);
    await sql(connection, 'CREATE TABLE codes (a varchar(20), b date, v int, PRIMARY KEY (a, b)) STATS_AUTO_RECALC = 0');
    const rows = Array.from({ length: ROWS }, (__, i) => `('${keyOf(i).join("', '")}', 0)`);
    await sql(connection, `INSERT INTO codes VALUES ${rows.join(', ')}`);
    await sql(connection, 'ANALYZE TABLE codes');
  });
  afterAll(async () => {
    await sql(connection, `DROP DATABASE ${database}`);
    connection.close();
  });

  /** Makes the server assume this number of rows, as before it has counted them. */
  async function pretend(rows: number): Promise<void> {
    const mine = `WHERE database_name = '${database}'`;
    await sql(connection, `UPDATE mysql.innodb_table_stats SET n_rows = ${rows}, clustered_index_size = 1 ${mine}`);
    await sql(connection, `UPDATE mysql.innodb_index_stats SET stat_value = ${rows} ${mine} AND stat_name LIKE 'n\\_diff%'`);
    await sql(connection, 'FLUSH TABLE codes');
    await sql(connection, 'SELECT 1 FROM codes LIMIT 1');
  }

  /** Returns the only statement, whose leases are released when it is sent. */
  function compiled(table: Table, rows: RowValues): BoundStatement {
    const plan = authorize({ table, key: table.primaryKey, columns: table.columns, rows }, UNRESTRICTED, 'update');
    const [bound, ...more] = compileUpdateRows(plan, at.engine.dialect);
    if (bound === undefined || more.length > 0) throw new Error('not one statement');
    return bound;
  }

  test.each([ROWS, 2, 1, 0])('finds the rows by the index when the table is assumed to have %i', async (count) => {
    await pretend(ROWS);
    await pretend(count);
    const table = await describe(at, connection, 'codes');
    const rows = RowValues.of(
      3,
      Array.from({ length: ROWS }, (__, i) => [...keyOf(i), String(count)]),
    );
    const explained = compiled(table, rows);
    const shown = await collect(connection, { ...explained.statement, text: `EXPLAIN ${explained.statement.text}` }, explained.params);
    expect(JSON.stringify(shown.values)).toMatch(/Single-row index lookup on codes|"codes",(?:null,)?"eq_ref"/);
    const { statement, params } = compiled(table, rows);
    expect(await collect(connection, statement, params)).toMatchObject({ rows: ROWS });
  });

  test('reports a table without its key as changed', async () => {
    await sql(connection, 'CREATE TABLE gone (a int, v int, PRIMARY KEY (a))');
    const other = await connect(at, database);
    const table = await describe(at, other, 'gone');
    await sql(connection, 'ALTER TABLE gone DROP PRIMARY KEY');
    const rows = RowValues.of(2, [
      ['1', '2'],
      ['2', '3'],
    ]);
    const { statement, params } = compiled(table, rows);
    await expect(collect(other, statement, params)).rejects.toMatchObject({ kind: 'missing_column' });
    other.close();
  });
});
