/**
 * Semantics of statements: parameter types, comparisons, counts, procedures, large values,
 * sessions.
 */
import { afterAll, beforeAll, expect, describe as suite, test } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Column, Table } from '../../../src/model/table.ts';
import type { Operator } from '../../../src/sql/operators.ts';
import type { Condition } from '../../../src/sql/plan.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import type { ParamKind, ParamType, ParamValue } from '../../../src/sql/statement.ts';
import { compileDelete, compileSelect, compileUpdate } from '../../support/compile.ts';
import { admin, collect, connect, describe, freshDatabase, OPTIONS, SERVERS, type Server, sql } from './support.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };
const INJECTIONS = [
  "' OR 1=1 -- ",
  "\\' OR 1=1 -- ",
  '" OR ""="',
  "x'; DROP TABLE people; -- ",
  '`; --',
  '\\',
  "'",
  '0',
  '1 OR 1',
  '%',
  '_',
  '!',
  '?',
  'a\u0000b',
];

function columnOf(table: Table, name: string): Column {
  const column = table.byName.get(name);
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
}

suite.each(SERVERS)('%s: statements', (label, at: Server) => {
  const database = 'millrace_statements';
  let connection: Connection;
  let people: Table;

  beforeAll(async () => {
    connection = await freshDatabase(at, database);
    await sql(
      connection,
      `CREATE TABLE people (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50), exact varchar(50) COLLATE utf8mb4_bin, latin varchar(20) CHARACTER SET latin1,
        ratio float, price decimal(20,10), made datetime(3), stamp timestamp(3) NULL, color enum('red','green','blue'), big bigint unsigned)`,
    );
    await sql(
      connection,
      `INSERT INTO people (id, name, exact, latin, ratio, price, made, stamp, color, big) VALUES
        (1, 'alice', 'Alice', 'Ærø', 0.1, 0.1000000000, '2024-01-01 10:00:00.5', '2024-01-01 10:00:00.5', 'red', 18446744073709551615),
        (2, 'bob', 'BOB', 'x', 0.2, 1.5, '2024-01-02 00:00:00', '2024-01-02 00:00:00', 'green', 1),
        (3, '100%_!', '100%_!', '!', 2.5, -3, '2024-01-03 00:00:00', NULL, 'blue', 9007199254740993),
        (4, '0', '0', NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
    );
    people = await describe(at, connection, 'people');
  });
  afterAll(() => connection.close());

  async function ids(where: Condition | undefined, over = connection): Promise<readonly (string | null | undefined)[]> {
    const order = [{ column: columnOf(people, 'id'), direction: 'asc' as const }];
    const plan = { table: people, columns: order.map((term) => term.column), where, order, limit: 100, offset: 0n };
    const { statement, params } = compileSelect(plan, at.engine.dialect);
    return (await collect(over, statement, params)).values.map((row) => row[0]);
  }

  const compare = (column: string, op: Operator, ...values: string[]): Condition => ({ op, column: columnOf(people, column), values });

  test.each<[string, Operator, readonly string[], readonly string[]]>([
    ['name', 'eq', ['0'], ['4']],
    ['name', 'eq', ['zzz'], []],
    ['name', 'ne', ['alice'], ['2', '3', '4']],
    ['name', 'li', ['%'], ['3']],
    ['name', 'li', ['_'], ['3']],
    ['name', 'li', ['!'], ['3']],
    ['name', 'rli', ['ali'], ['1']],
    ['name', 'rli', ['lice'], []],
    ['name', 'nli', ['o'], ['1', '3', '4']],
    ['name', 'il', ['LIC'], ['1']],
    ['exact', 'eq', ['alice'], []],
    ['exact', 'li', ['alice'], []],
    ['exact', 'il', ['aLiCe'], ['1']],
    ['exact', 'il', ['bob'], ['2']],
    ['latin', 'eq', ['Ærø'], ['1']],
    ['latin', 'il', ['æR'], ['1']],
    ['latin', 'il', ['😀'], []],
    ['latin', 'eq', ['😀'], []],
    ['latin', 'ne', ['Ω'], ['1', '2', '3']],
    ['latin', 'nin', ['x'], ['1', '3']],
    ['ratio', 'eq', ['0.1'], ['1']],
    ['ratio', 'in', ['0.1', '0.2'], ['1', '2']],
    ['ratio', 'le', ['0.2'], ['1', '2']],
    ['ratio', 'gt', ['0.1'], ['2', '3']],
    ['price', 'eq', ['0.1'], ['1']],
    ['price', 'bw', ['0.1', '1.5'], ['1', '2']],
    ['price', 'lt', ['0'], ['3']],
    ['made', 'eq', ['2024-01-01T10:00:00.500'], ['1']],
    ['made', 'bw', ['2024-01-01T10:00:00.5', '2024-01-02T00:00:00'], ['1', '2']],
    ['made', 'gt', ['2024-01-02'], ['3']],
    ['stamp', 'eq', ['2024-01-01T12:00:00.5+02:00'], ['1']],
    ['stamp', 'ge', ['2024-01-02T00:00:00Z'], ['2']],
    ['color', 'eq', ['red'], ['1']],
    ['color', 'eq', ['1'], []],
    ['color', 'in', ['red', 'blue'], ['1', '3']],
    ['big', 'eq', ['18446744073709551615'], ['1']],
    ['big', 'eq', ['9007199254740993'], ['3']],
    ['big', 'gt', ['9007199254740993'], ['1']],
    ['id', 'nin', ['1', '2'], ['3', '4']],
  ])('%s %s %j', async (column, op, values, expected) => {
    expect(await ids(compare(column, op, ...values))).toEqual(expected);
  });

  test('orders NULL first when ascending, and enums as text', async () => {
    const term = (direction: 'asc' | 'desc') => ({
      table: people,
      columns: [columnOf(people, 'color')],
      where: undefined,
      order: [{ column: columnOf(people, 'color'), direction }],
      limit: 10,
      offset: 0n,
    });
    const values = async (direction: 'asc' | 'desc') => {
      const { statement, params } = compileSelect(term(direction), at.engine.dialect);
      return (await collect(connection, statement, params)).values.map((row) => row[0]);
    };
    expect(await values('asc')).toEqual([null, 'blue', 'green', 'red']);
    expect(await values('desc')).toEqual(['red', 'green', 'blue', null]);
  });

  test('keeps parameter types apart when one statement is used with several', async () => {
    const kinds: readonly [ParamKind, ParamValue][] = [
      ['text', 'alice'],
      ['int', '0'],
      ['bool', 'true'],
      ['decimal', '0.5'],
      ['float', '0.5'],
      ['temporal', '2024-01-01'],
      ['text', null],
      ['int', null],
      ['bytes', Buffer.from('alice')],
    ];
    for (const [first, firstValue] of kinds) {
      for (const text of ['SELECT id FROM people WHERE name = ?', 'SELECT id FROM people WHERE ? = name']) {
        const fresh = await connect(at, database);
        for (const [kind, value] of [[first, firstValue] as const, ...kinds]) {
          await sql(fresh, text, [{ kind, cast: '' }], [value]);
          expect((await sql(fresh, text, [TEXT], ['zzz'])).values).toEqual([]);
          expect((await sql(fresh, text, [TEXT], ['alice'])).values).toEqual([['1']]);
          expect((await sql(fresh, text, [TEXT], [null])).values).toEqual([]);
        }
        fresh.close();
      }
    }
  });

  test('passes values unchanged, also where backslashes do not escape', async () => {
    const fresh = await connect(at, database);
    try {
      // Set in the session, as a step of a Custom definition could do.
      for (const mode of ['', 'NO_BACKSLASH_ESCAPES']) {
        if (mode !== '') await sql(fresh, `SET SESSION sql_mode = '${mode}'`);
        for (const value of INJECTIONS) {
          for (const op of ['eq', 'in', 'rli', 'il', 'li'] as const) {
            const found = await ids(compare('exact', op, value), fresh);
            const all = ['Alice', 'BOB', '100%_!', '0'];
            const lower = value.toLowerCase();
            const expected = all.flatMap((text, i) => {
              const hit = {
                eq: text === value,
                in: text === value,
                rli: text.startsWith(value),
                li: text.includes(value),
                il: text.toLowerCase().includes(lower),
              }[op];
              return hit ? [String(i + 1)] : [];
            });
            expect({ value, op, found }).toEqual({ value, op, found: expected });
          }
        }
      }
      expect((await sql(fresh, 'SELECT @@sql_mode')).values[0]?.[0]).toBe('NO_BACKSLASH_ESCAPES');
      expect(await fresh.reset()).toBe(true);
      expect((await sql(fresh, 'SELECT @@sql_mode')).values[0]?.[0]).toContain('STRICT_ALL_TABLES');
      expect((await sql(fresh, 'SELECT @@sql_mode')).values[0]?.[0]).not.toContain('BACKSLASH');
    } finally {
      fresh.close();
    }
  });

  test('counts the rows that an update matches, changed or not', async () => {
    await connection.begin(OPTIONS);
    const where = compare('id', 'le', '2');
    const update = compileUpdate({ table: people, set: [{ column: columnOf(people, 'name'), value: 'alice' }], where }, at.engine.dialect);
    expect(await connection.run(update.statement, update.params, OPTIONS)).toEqual({ rows: 2, selected: false });
    const removal = compileDelete({ table: people, where: compare('name', 'eq', 'alice') }, at.engine.dialect);
    expect(await connection.run(removal.statement, removal.params, OPTIONS)).toEqual({ rows: 2, selected: false });
    await connection.rollback(OPTIONS);
    expect(await ids(undefined)).toEqual(['1', '2', '3', '4']);
  });

  /**
   * The same list for the same columns, as the service passes it: a repeated number of rows is
   * recognized by it.
   */
  const lists = new Map<Table, Map<string, readonly Column[]>>();

  function listOf(table: Table, names: readonly string[]): readonly Column[] {
    const known = lists.get(table) ?? new Map<string, readonly Column[]>();
    lists.set(table, known);
    const list = known.get(names.join()) ?? names.map((name) => columnOf(table, name));
    known.set(names.join(), list);
    return list;
  }

  async function insert(
    table: Table,
    columns: readonly string[],
    rows: readonly (readonly ParamValue[])[],
    upsert: boolean,
  ): Promise<number> {
    let count = 0;
    for (const { statement, params } of at.engine.dialect.insert({
      table,
      columns: listOf(table, columns),
      rows: RowValues.of(columns.length, rows),
      upsert: upsert ? table.primaryKey : undefined,
    })) {
      count += (await connection.run(statement, params, OPTIONS)).rows;
    }
    return count;
  }

  test.each([1, 3])('counts each of %i upserted rows once, and reacts to the primary key only', async (size) => {
    await sql(connection, 'DROP TABLE IF EXISTS pairs');
    await sql(connection, 'CREATE TABLE pairs (a int, b int, code varchar(10) UNIQUE, _0 int, note varchar(10), PRIMARY KEY (a, b))');
    const pairs = await describe(at, connection, 'pairs');
    const names = ['a', 'b', 'code', '_0', 'note'];
    const rows = (note: string) => Array.from({ length: size }, (_, i) => ['1', String(i), `c${i}`, '7', note]);
    expect(await insert(pairs, names, rows('new'), true)).toBe(size);
    expect(await insert(pairs, names, rows('new'), true)).toBe(size);
    expect(await insert(pairs, names, rows('changed'), true)).toBe(size);
    const notes = (await sql(connection, 'SELECT DISTINCT note FROM pairs')).values;
    expect(notes).toEqual([['changed']]);
    const foreign = Array.from({ length: size }, (_, i) => ['2', String(i), `c${i}`, '7', 'stolen']);
    await expect(insert(pairs, names, foreign, true)).rejects.toMatchObject({ kind: 'duplicate' });
    await expect(insert(pairs, names, rows('again'), false)).rejects.toMatchObject({ kind: 'duplicate', constraint: 'PRIMARY' });
    expect((await sql(connection, 'SELECT DISTINCT a, note FROM pairs')).values).toEqual([['1', 'changed']]);
    expect(
      await insert(
        pairs,
        ['a', 'b'],
        rows('x').map((row) => row.slice(0, 2)),
        true,
      ),
    ).toBe(size);
  });

  test('returns and rejects the same with a statement for a repeated number of rows', async () => {
    await sql(connection, 'CREATE TABLE again (id int PRIMARY KEY, name varchar(9) NOT NULL, at datetime, f float, j json)');
    const again = await describe(at, connection, 'again');
    const columns = listOf(again, ['id', 'name', 'at', 'f', 'j']);
    const batch = (from: number, name = 'né "x"') =>
      Array.from({ length: 300 }, (_, i): ParamValue[] => [
        String(from + i),
        name,
        i % 2 ? null : '2024-05-06T07:08:09',
        '0.1',
        '[1, "ä"]',
      ]);
    const texts = [0, 1, 2].map(() => {
      const [ready, ...more] = at.engine.dialect.insert({ table: again, columns, rows: RowValues.of(5, batch(0)), upsert: undefined });
      expect(more).toEqual([]);
      return ready?.statement.text ?? '';
    });
    expect(texts[0]).toContain('JSON_TABLE');
    expect(texts[1]).toContain('VALUES');
    expect(texts[2]).toBe(texts[1]);
    const names = columns.map((column) => column.name);
    for (const from of [0, 1000, 2000, 3000]) expect(await insert(again, names, batch(from), false)).toBe(300);
    const rows = 'SELECT count(*), count(DISTINCT id), count(at), count(DISTINCT name, at, f, j) FROM again';
    expect((await sql(connection, rows)).values).toEqual([['1200', '1200', '600', '1']]);
    await expect(insert(again, names, batch(5000, 'x'.repeat(10)), false)).rejects.toMatchObject({ kind: 'invalid', column: 'name' });
    await expect(insert(again, names, batch(1000), false)).rejects.toMatchObject({ kind: 'duplicate', constraint: 'PRIMARY' });
    for (let turn = 0; turn < 3; turn++) expect(await insert(again, names, batch(0, `turn ${turn}`), true)).toBe(300);
    expect((await sql(connection, 'SELECT name, count(*) FROM again GROUP BY name ORDER BY name')).values).toEqual([
      ['né "x"', '900'],
      ['turn 2', '300'],
    ]);
  });

  test.each([
    ['varchar(20)', (i: number): ParamValue => `value ${i}`],
    ['varbinary(20)', (i: number): ParamValue => Buffer.from(`value ${i}`)],
  ])('10,000 rows of seven columns of %s: past 65,535 parameters', async (type, value) => {
    await sql(connection, 'DROP TABLE IF EXISTS wide');
    await sql(connection, `CREATE TABLE wide (id int PRIMARY KEY, ${[1, 2, 3, 4, 5, 6].map((n) => `c${n} ${type}`).join(', ')})`);
    const wide = await describe(at, connection, 'wide');
    const rows = Array.from({ length: 10_000 }, (_, i) => [String(i), ...Array.from({ length: 6 }, () => value(i))]);
    await connection.begin(OPTIONS);
    expect(
      await insert(
        wide,
        wide.columns.map((column) => column.name),
        rows,
        false,
      ),
    ).toBe(10_000);
    await connection.commit(OPTIONS);
    expect((await sql(connection, "SELECT count(*), sum(c6 = concat('value ', id)) FROM wide")).values).toEqual([['10000', '10000']]);
  });

  test('rejects a value that is too long for its column, in any number of rows', async () => {
    await sql(connection, 'CREATE TABLE IF NOT EXISTS short (id int, s varchar(3), y year)');
    const short = await describe(at, connection, 'short');
    const refused = { kind: 'invalid', column: 's' };
    await expect(insert(short, ['id', 's'], [['1', 'abcd']], false)).rejects.toMatchObject(refused);
    await expect(
      insert(
        short,
        ['id', 's'],
        [
          ['1', 'a'],
          ['2', 'abcd'],
        ],
        false,
      ),
    ).rejects.toMatchObject(refused);
    await expect(insert(short, ['id', 'y'], [['1', '5']], false)).rejects.toMatchObject({ kind: 'invalid' });
    expect(
      await insert(
        short,
        ['id', 's'],
        [
          ['1', '😀😀😀'],
          ['2', null],
        ],
        false,
      ),
    ).toBe(2);
    expect((await sql(connection, 'SELECT s FROM short ORDER BY id')).values).toEqual([['😀😀😀'], [null]]);
  });

  test('inserts all defaults for rows without columns', async () => {
    await sql(connection, "CREATE TABLE IF NOT EXISTS defaults (id int AUTO_INCREMENT PRIMARY KEY, s varchar(5) DEFAULT 'x')");
    const defaults = await describe(at, connection, 'defaults');
    expect(await insert(defaults, [], [[]], false)).toBe(1);
    expect(await insert(defaults, [], [[], []], false)).toBe(2);
    expect(await insert(defaults, ['id'], [['0'], [null]], false)).toBe(2);
    expect((await sql(connection, 'SELECT id, s FROM defaults ORDER BY id')).values.map((row) => row.join())).toEqual([
      '0,x',
      '1,x',
      '2,x',
      '3,x',
      '4,x',
    ]);
  });

  test('keeps every character in a database with a smaller character set', async () => {
    await sql(connection, 'CREATE TABLE IF NOT EXISTS letters (id int, s varchar(30)) CHARACTER SET utf8mb4');
    await admin(at, database, `ALTER DATABASE ${database} CHARACTER SET latin1`);
    const letters = await describe(at, connection, 'letters');
    const odd = ['Ωмир😀', 'tab\t"quote"\\', '\u0000\u0001\u001f\u007f', 'line\nbreak', ''];
    await insert(
      letters,
      ['id', 's'],
      odd.map((text, i) => [String(i), text]),
      false,
    );
    await admin(at, database, `ALTER DATABASE ${database} CHARACTER SET utf8mb4`);
    expect((await sql(connection, 'SELECT s FROM letters ORDER BY id')).values).toEqual(odd.map((text) => [text]));
  });

  test('returns the first result of a procedure', async () => {
    await admin(at, database, "CREATE PROCEDURE several(n int) BEGIN SELECT n AS one; SELECT 'two', 2; UPDATE people SET name = name; END");
    const result = await sql(connection, 'CALL several(?)', [{ kind: 'int', cast: '' }], ['7']);
    expect(result).toMatchObject({ rows: 1, selected: true, values: [['7']] });
    expect((await sql(connection, 'SELECT 1')).values).toEqual([['1']]);
  });

  test('rejects a request of the server for a local file', async () => {
    await expect(sql(connection, "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE people")).rejects.toMatchObject({ name: 'Error' });
    expect((await sql(connection, 'SELECT 1')).values).toEqual([['1']]);
  });

  test('passes values around the packet limit of 16 MiB in both directions', async () => {
    await sql(connection, 'SET GLOBAL max_allowed_packet = 268435456');
    const large = await connect(at, database);
    for (const size of [0xffffff - 30, 0xffffff - 20, 0xffffff, 0xffffff + 10, 2 * 0xffffff - 13]) {
      const value = Buffer.alloc(size, 'x');
      value.write('end', size - 3);
      const result = await sql(large, 'SELECT ?, 7', [TEXT], [value.toString()]);
      expect(result.values[0]?.[0] === value.toString()).toBe(true);
      expect(result.values[0]?.[1]).toBe('7');
    }
    // All lengths around the limit of a packet, where the last part is empty or one byte long.
    for (let size = 0xffffff - 8; size <= 0xffffff + 1; size++) {
      const result = await sql(large, 'SELECT repeat(?, ?)', [TEXT, { kind: 'int', cast: '' }], ['y', String(size)]);
      expect(result.values[0]?.[0]?.length).toBe(size);
    }
    large.close();
  });

  test('limits prepared statements and closes them on the server', async () => {
    const busy = await connect(at, database);
    /** Number of commands of this session, as counted by the server. */
    const commands = async (which: 'prepare' | 'close') =>
      Number((await sql(busy, `SHOW SESSION STATUS LIKE 'Com_stmt_${which}'`)).values[0]?.[1]);
    for (let i = 0; i < 300; i++) await sql(busy, `SELECT ${i}`);
    const closed = await commands('close');
    expect((await commands('prepare')) - closed).toBeLessThanOrEqual(102);
    expect(closed).toBeGreaterThanOrEqual(200);
    const prepared = await commands('prepare');
    expect((await sql(busy, 'SELECT 299')).values).toEqual([['299']]);
    expect(await commands('prepare')).toBe(prepared);
    // The reset drops the statements on the server, and the cache too.
    await busy.reset();
    await commands('prepare');
    const anew = await commands('prepare');
    expect((await sql(busy, 'SELECT 299')).values).toEqual([['299']]);
    expect(await commands('prepare')).toBe(anew + 1);
    busy.close();
  });

  test('resets everything that a statement changed in the session', async () => {
    const used = await connect(at, database);
    await sql(used, 'SET @secret = 42');
    await sql(used, "SET time_zone = '+05:00'");
    await sql(used, 'SET autocommit = 0');
    await sql(used, 'CREATE TEMPORARY TABLE scratch (a int)');
    await used.begin(OPTIONS);
    await sql(used, "INSERT INTO people (id, name) VALUES (99, 'ghost')");
    await sql(used, 'USE mysql').catch(() => undefined);
    expect(await used.reset()).toBe(true);
    const state = await sql(used, 'SELECT @secret, @@time_zone, @@autocommit, DATABASE(), (SELECT count(*) FROM people WHERE id = 99)');
    expect(state.values).toEqual([[null, '+00:00', '1', database, '0']]);
    await expect(sql(used, 'SELECT * FROM scratch')).rejects.toMatchObject({ kind: 'missing_table' });
    used.close();
  });

  test('rejects a statement whose placeholders and values differ in number', async () => {
    await expect(sql(connection, 'SELECT ?, ?', [TEXT], ['x'])).rejects.toMatchObject({ kind: 'syntax' });
    await expect(sql(connection, 'SELECT 1', [TEXT], ['x'])).rejects.toMatchObject({ kind: 'syntax' });
    await expect(sql(connection, 'SELECT 1; SELECT 2')).rejects.toMatchObject({ kind: 'syntax' });
    expect((await sql(connection, 'SELECT 1')).values).toEqual([['1']]);
  });

  test('connects to the server of the expected product', async () => {
    const version = (await sql(connection, 'SELECT VERSION()')).values[0]?.[0] ?? '';
    expect(version.includes('MariaDB')).toBe(label === 'MariaDB');
  });
});
