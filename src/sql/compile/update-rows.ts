/**
 * Compiles updates of rows by their keys: one statement for all rows where the engine can,
 * otherwise one per row. Pure.
 */
import type { Column } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, Condition, UpdateRowsPlan } from '../plan.ts';
import type { Operand } from '../statement.ts';
import { assigned, condition, Parameters } from './compile.ts';

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

/** A key that contains NULL matches no row. */
const NEVER: Condition = { op: 'or', of: [] };

/** Assignment without effect, for rows that are only matched. */
function unchanged([column]: readonly Column[], dialect: Dialect): string {
  const name = dialect.quote(column?.name ?? '');
  return `${name} = ${name}`;
}
