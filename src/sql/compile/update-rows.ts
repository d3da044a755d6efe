/** Rows that are found by their keys and changed: one statement for all of them where the engine can, else one for each. */
import type { Column } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, Condition, UpdateRowsPlan } from '../plan.ts';
import type { Operand } from '../statement.ts';
import { assigned, condition, Parameters } from './compile.ts';

/** Which columns are set. */
export function changedColumns({ columns, key, set }: UpdateRowsPlan): readonly Column[] {
  return set ?? columns.filter((column) => !key.includes(column));
}

export function compileUpdateRows(plan: Authorized<UpdateRowsPlan>, dialect: Dialect): readonly BoundStatement[] {
  const together = plan.rows.count === 1 ? undefined : dialect.updateRows?.(plan);
  if (together === undefined) return Array.from({ length: plan.rows.count }, (_, row) => updateRow(plan, row, dialect));
  const { where: more } = plan;
  if (more === undefined) return together;
  return together.map((bound) => {
    const bind = new Parameters(dialect, bound);
    const text = `${bound.statement.text} AND (${condition(more, dialect, bind, 'strict')})`;
    return { statement: { ...bound.statement, text, types: bind.types }, params: bind.values };
  });
}

function updateRow(plan: UpdateRowsPlan, index: number, dialect: Dialect): BoundStatement {
  const { table, key, columns, rows, where } = plan;
  const values = rows.row(index);
  const given = (column: Column) => values[columns.indexOf(column)] ?? null;
  const bind = new Parameters(dialect);
  const set = changedColumns(plan).map((column) => assigned({ column, value: given(column) }, dialect, bind));
  const found = key.map((column): Condition => {
    const value = given(column);
    return value === null ? NEVER : { op: 'eq', column, values: [value as Operand] };
  });
  const matched = condition({ op: 'and', of: where === undefined ? found : [...found, where] }, dialect, bind, 'strict');
  const text = `UPDATE ${dialect.table(table)} SET ${set.join(', ') || unchanged(key, dialect)} WHERE ${matched}`;
  return { statement: { text, types: bind.types }, params: bind.values };
}

/** NULL is the key of no row. */
const NEVER: Condition = { op: 'or', of: [] };

/** An assignment that changes nothing, where a row is only looked for. */
function unchanged([column]: readonly Column[], dialect: Dialect): string {
  const name = dialect.quote(column?.name ?? '');
  return `${name} = ${name}`;
}
