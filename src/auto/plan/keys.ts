/**
 * The key that addresses a row: the primary key, or the sorting key on engines without unique keys.
 */
import { apiError } from '../../errors.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Condition } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import type { RawValue } from '../request/filter-syntax.ts';
import { checkOperand } from './filters.ts';

export function keyColumns(table: Table): readonly Column[] {
  return table.primaryKey.length > 0 ? table.primaryKey : table.sortedBy;
}

/** The primary key for internal lookups, even if it is hidden from the caller. */
export function ownKey({ viewRights, primaryKey }: Table): readonly Column[] {
  return viewRights?.key ?? primaryKey;
}

export function keyCondition(values: readonly RawValue[], table: Table): Condition {
  const key = keyColumns(table);
  if (key.length === 0) throw apiError('key_missing');
  if (values.length !== key.length) throw apiError('key_count', String(values.length), key.map(({ name }) => name).join(', '));
  return isKey(
    key,
    values.map(({ text }, i) => checkOperand(key[i] as Column, text)),
  );
}

function isKey(key: readonly Column[], values: readonly Operand[]): Condition {
  const parts = key.map((column, i): Condition => ({ op: 'eq', column, values: [values[i] ?? ''] }));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { op: 'and', of: parts };
}

/** Condition that matches rows with one of the keys. */
export function isOneOf(key: readonly Column[], keys: readonly (readonly Operand[])[]): Condition {
  const [column] = key;
  if (key.length === 1 && column !== undefined) return { op: 'in', column, values: keys.map(([value = '']) => value) };
  return { op: 'or', of: keys.map((values) => isKey(key, values)) };
}
