// The maximum number of rows of a write: enforced by engines that count first, rejected by the
// others.
// rejected where it cannot be checked.
import { expect, test } from 'vitest';
import type { ClickhouseStatement } from '../../src/engines/clickhouse/statement.ts';
import { ENGINES } from '../../src/engines/index.ts';
import type { Column } from '../../src/model/table.ts';
import type { Condition } from '../../src/sql/plan.ts';
import { compileDelete, compileUpdate } from '../support/compile.ts';
import { DIALECTS, kindsTable } from './kinds-table.ts';

test.each(DIALECTS)('%s enforces or rejects a maximum of rows', (name) => {
  const dialect = ENGINES.find(name)?.dialect;
  if (dialect === undefined) throw new Error(`no engine ${name}`);
  const table = kindsTable(name);
  const column = table.columns[0] as Column;
  const where: Condition = { op: 'eq', column, values: ['1'] };
  for (const maxRows of [0, 1]) {
    const compile = [
      () => compileUpdate({ table, set: [{ column, value: '2' }], where, maxRows }, dialect),
      () => compileDelete({ table, where, maxRows }, dialect),
    ];
    for (const one of compile) {
      if (name === 'ch') expect((one().statement as ClickhouseStatement).counted?.maxRows).toBe(maxRows);
      else expect(one).toThrow('cannot limit');
    }
  }
});
