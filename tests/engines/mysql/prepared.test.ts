/** The cache of prepared statements of a connection. */
import { expect, test } from 'vitest';
import { makePrepared, PreparedStatements } from '../../../src/engines/mysql/protocol/statements.ts';
import type { MysqlStatement } from '../../../src/engines/mysql/statement.ts';
import { RowValues } from '../../../src/sql/rows.ts';
import type { ParamType, Statement } from '../../../src/sql/statement.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };
const statement = (text: string, parameters: number, rows = false): MysqlStatement => {
  const types = new Array<ParamType>(parameters).fill(TEXT);
  return rows ? { text, types, rows: new RowValues(1) } : { text, types };
};

test('large statements are cached for inserts only, at most two at a time', () => {
  const kept = new PreparedStatements();
  expect(kept.keeps(statement('a', 500))).toBe(true);
  expect(kept.keeps(statement('a', 501))).toBe(false);
  expect(kept.keeps(statement('a', 9000, true))).toBe(true);
  const [small, ...large] = [statement('small', 3), ...[1, 2, 3].map((n) => statement(`large ${n}`, 9000, true))];
  expect(kept.keep(makePrepared(small as Statement, 1))).toEqual([]);
  expect(kept.keep(makePrepared(large[0] as Statement, 2))).toEqual([]);
  expect(kept.keep(makePrepared(large[1] as Statement, 3))).toEqual([]);
  kept.find(small as Statement);
  expect(kept.keep(makePrepared(large[2] as Statement, 4)).map(({ text }) => text)).toEqual(['large 1']);
  expect(kept.find(large[0] as Statement)).toBeUndefined();
  for (const found of [small, large[1], large[2]]) expect(kept.find(found as Statement)?.text).toBe(found?.text);
  kept.clear();
  expect(kept.keep(makePrepared(large[2] as Statement, 5))).toEqual([]);
});

test('the least recently used of a hundred statements is evicted', () => {
  const kept = new PreparedStatements();
  for (let n = 0; n < 100; n++) expect(kept.keep(makePrepared(statement(`s${n}`, 1), n))).toEqual([]);
  kept.find(statement('s0', 1));
  expect(kept.keep(makePrepared(statement('more', 1), 100)).map(({ text }) => text)).toEqual(['s1']);
});
