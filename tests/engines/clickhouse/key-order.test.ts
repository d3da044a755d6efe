// Pages of tables with repeated keys are slices of one order, independent of the read method.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNRESTRICTED } from '../../../src/auto/plan/access.ts';
import { authorize } from '../../../src/auto/plan/authorize.ts';
import { encodeCursor } from '../../../src/auto/plan/cursor.ts';
import { planRequest } from '../../../src/auto/plan/plan.ts';
import { parseRead } from '../../../src/auto/request/parse-request.ts';
import { compileInKeyOrder } from '../../../src/engines/clickhouse/dialect/key-order.ts';
import { type Column, makeTable } from '../../../src/model/table.ts';
import type { Condition, SelectPlan } from '../../../src/sql/plan.ts';
import { parseQuery } from '../../../src/util/text/query.ts';
import { sampled } from '../../support/times.ts';
import { Session } from '../conformance/session.ts';

const ROWS = 4000;

describe('pages are slices of one order', () => {
  let session: Session;
  beforeAll(async () => {
    session = await Session.open('clickhouse');
  });
  afterAll(() => session.close());

  const tables: readonly (readonly [string, string, string])[] = [
    ['keys that never repeat', 'k', 'toInt32(number), number % 100'],
    ['keys that come twice', 'k', 'toInt32(intDiv(number, 2)), cityHash64(number) % 100'],
    ['one key that comes three times', 'k', 'toInt32(if(number BETWEEN 1799 AND 1801, 1800, number)), cityHash64(number) % 100'],
    ['few keys', 'k', 'toInt32(number % 7), cityHash64(number) % 100'],
    ['one key that comes twice', 'k', 'toInt32(if(number = 1801, 1800, number)), cityHash64(number) % 100'],
    ['keys of two columns', '(k, v)', 'toInt32(intDiv(number, 3)), number % 3'],
    ['keys behind an expression', '(k % 10, k)', 'toInt32(number), number % 100'],
  ];

  test.each(sampled(3, tables))('%s', async (name, key, values) => {
    const table = name.replaceAll(' ', '_');
    await session.database.run(`CREATE TABLE ${table} (k Int32, v UInt64, t String) ENGINE = MergeTree ORDER BY ${key}`);
    for (const part of [0, 1, 2])
      await session.database.run(
        `INSERT INTO ${table} SELECT ${values}, toString(cityHash64(number, 1)) FROM numbers(${ROWS}) WHERE number % 3 = ${part}`,
      );
    for (const { k, v } of [
      { k: 3, v: undefined },
      { k: 1800, v: undefined },
      { k: 600, v: 1 },
    ]) {
      const filter = [{ name: 'k', value: `eq.${k}` }, ...(v === undefined ? [] : [{ name: 'v', value: `eq.${v}` }])];
      const rows = await session.database.run(`SELECT k, v, t FROM ${table} WHERE k = ${k} AND v = ${v ?? 'v'} ORDER BY k, v, t LIMIT 5`);
      const expected = rows.map((row) => [row['k'], row['v'], row['t']].map(String));
      for (const size of [1, 5]) {
        const reader = new Session(session.database);
        const query = [{ name: 'pg', value: '0' }, { name: 'ps', value: String(size) }, ...filter];
        expect((await reader.read(table, query).finally(() => reader.end())).rows, `key ${k}, ${v}`).toEqual(expected.slice(0, size));
      }
    }
    const passes = [
      { filter: [], sizes: [1, 3, 100, 1700] },
      { filter: [{ name: 'v', value: 'lt.60' }], sizes: [2, 999] },
    ];
    for (const { filter, sizes } of passes) {
      // Repeated keys are remembered as long as the cached table, so each page is read with a new
      // one.
      const read = async (page: number, size: number): Promise<(string | null)[][]> => {
        const query = [{ name: 'pg', value: String(page) }, { name: 'ps', value: String(size) }, ...filter];
        const reader = new Session(session.database);
        return (await reader.read(table, query).finally(() => reader.end())).rows;
      };
      const where = filter.length === 0 ? '' : 'WHERE v < 60';
      const rows = await session.database.run(`SELECT k, v, t FROM ${table} ${where} ORDER BY k, v, t`);
      const all = rows.map((row) => [row['k'], row['v'], row['t']].map(String));
      expect(all.length).toBeGreaterThan(2000);
      for (const size of sizes) {
        const last = Math.floor((all.length - 1) / size);
        const pages = [0, 1, 2, Math.floor(1800 / size), Math.ceil(1800 / size), Math.floor(last / 2), last - 1, last, last + 1];
        for (const page of new Set(pages))
          expect(await read(page, size), `${size} rows from page ${page}`).toEqual(all.slice(page * size, (page + 1) * size));
      }
      // Reads the page after each row by its cursor, as a reader that has not met a repeated key.
      const behind = async (cursor: string, size: number) => {
        const reader = new Session(session.database);
        const query = Object.entries({ pg: '0', ps: String(size), $after: cursor }).map(([name, value]) => ({ name, value }));
        return reader.read(table, [...query, ...filter]).finally(() => reader.end());
      };
      for (const at of [5, 1799, 1800]) {
        const { cursor } = await behind('', at + 1);
        for (const size of [1, 900])
          expect((await behind(cursor ?? '', size)).rows, `${size} rows behind row ${at}`).toEqual(all.slice(at + 1, at + 1 + size));
      }
    }
  });
});

describe('compileInKeyOrder', () => {
  const column = (name: string): Column => ({
    name,
    type: 'Int32',
    kind: 'int',
    cast: 'Int32',
    nullable: false,
    primaryKey: false,
    default: null,
    required: false,
    readOnly: false,
    sortable: true,
  });
  const [k, v] = [column('k'), column('v')];
  const facts = { schema: 'd', name: 't', kind: 'table', storage: 'MergeTree', transactional: true, columns: [k, v] } as const;
  const plan = (key: readonly string[], changes: Partial<SelectPlan> = {}): SelectPlan => {
    const table = makeTable({ ...facts, key, keyRepeats: true });
    const order = table.order.map((item) => ({ column: item, direction: 'asc' as const }));
    return { table, columns: table.columns, where: undefined, order, limit: 20, offset: 40, ...changes };
  };
  const compile = (of: SelectPlan) => compileInKeyOrder(authorize(of, UNRESTRICTED, 'read'));

  test('reads one row before and one row after the page', () => {
    const page = compile(plan(['k']));
    expect(page?.statement.text).toBe('SELECT `k`, `v` FROM `d`.`t` ORDER BY `k` ASC LIMIT {p1:UInt64} OFFSET {p2:UInt64}');
    expect(page).toMatchObject({ params: ['22', '39'], key: [0], before: 1 });
  });

  test('reads no row before the first page', () => {
    expect(compile(plan(['v'], { offset: 0 }))).toMatchObject({ params: ['21'], key: [1], before: 0 });
  });

  test('continues after a cursor when no other filter is present', () => {
    const where: Condition = { op: 'gt', column: k, values: ['7'] };
    const page = compile(plan(['k'], { offset: 0, where, isContinuation: true }));
    expect(page?.statement.text).toBe('SELECT `k`, `v` FROM `d`.`t` WHERE `k` > {p1:Int32} ORDER BY `k` ASC LIMIT {p2:UInt64}');
    expect(page).toMatchObject({ params: ['7', '21'], key: [0], before: 0 });
    expect(compile(plan(['k'], { offset: 0, where, isContinuation: false }))).toBeUndefined();
  });

  test('marks a plan as a continuation only when the cursor is its only filter', () => {
    const continues = (query: string): boolean | undefined => {
      const { table } = plan(['k']);
      const cursor = encodeCursor(plan(['k']).order, { texts: ['7', '1'], ties: undefined }, undefined);
      const request = parseRead(parseQuery(query.replace('CURSOR', cursor)), 1000);
      const planned = planRequest(request, table, UNRESTRICTED);
      return planned.do === 'read' ? planned.select.isContinuation : undefined;
    };
    expect(continues('pg=0&ps=5&$after=CURSOR')).toBe(true);
    expect(continues('pg=0&ps=5&$after=')).toBe(false);
    expect(continues('pg=0&ps=5')).toBe(false);
    expect(continues('pg=0&ps=5&$after=CURSOR&v=gt.3')).toBe(false);
  });

  test('requests no order within one key, and two rows show that the key repeats', () => {
    const page = compile(plan(['k'], { offset: 0, columns: [v], where: { op: 'eq', column: k, values: ['7'] } }));
    expect(page?.statement.text).toBe('SELECT `v` FROM `d`.`t` WHERE `k` = {p1:Int32} LIMIT {p2:UInt64}');
    expect(page).toMatchObject({ params: ['7', '2'], key: [], before: 0 });
    const both: Condition[] = [
      { op: 'eq', column: v, values: ['1'] },
      { op: 'eq', column: k, values: ['7'] },
    ];
    expect(compile(plan(['k', 'v'], { offset: 0, where: { op: 'and', of: both } }))?.key).toEqual([]);
    for (const where of [
      both[0],
      { op: 'or', of: both },
      { op: 'not', of: both[1] },
      { op: 'gt', column: k, values: ['7'] },
    ] as Condition[])
      expect(compile(plan(['k'], { offset: 0, where }))).toBeUndefined();
    expect(compile(plan(['k', 'v'], { offset: 0, where: both[1] }))).toBeUndefined();
    expect(compile(plan(['k'], { offset: 20, where: both[1] }))).toBeUndefined();
  });

  test.each([
    ['without a key', plan([])],
    [
      'in another order',
      plan(['k'], {
        order: [
          { column: v, direction: 'asc' },
          { column: k, direction: 'asc' },
        ],
      }),
    ],
    [
      'the other way round',
      plan(['k'], {
        order: [
          { column: k, direction: 'desc' },
          { column: v, direction: 'asc' },
        ],
      }),
    ],
    ['with a filter', plan(['k'], { where: { op: 'eq', column: v, values: ['1'] } })],
    ['when the key is not selected', plan(['k'], { columns: [v] })],
  ] as const)('never %s', (_, of) => {
    expect(compile(of)).toBeUndefined();
  });
});
