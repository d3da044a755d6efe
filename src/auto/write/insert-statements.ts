/**
 * Statements for the rows of a POST. Upsert rows that lack a required column become an UPDATE by
 * key; the number of written rows shows whether the rows existed.
 */
import { apiError } from '../../errors.ts';
import type { Column } from '../../model/table.ts';
import { compileInsert } from '../../sql/compile/compile.ts';
import { compileUpdateRows } from '../../sql/compile/update-rows.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { Authorized, Condition, InsertPlan, UpdateRowsPlan } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import { authorize, authorizeUpsertUpdates, hasPreset, missingColumn, missingColumnError } from '../plan/authorize.ts';
import { isOneOf } from '../plan/keys.ts';
import type { InsertBodyPlan } from '../plan/plan-write.ts';
import { countRows } from '../read/count.ts';
import { type Batch, type Group, planRows } from '../rows/insert-body.ts';
import type { AutoSession } from '../session.ts';
import type { RowKey } from './read-back.ts';

/** The table, the key of an upsert, and the caller's access. */
type InsertTarget = Pick<InsertBodyPlan, 'table' | 'upsert' | 'access'>;

export function toStatements(batch: Batch, plan: InsertTarget, session: AutoSession): readonly BoundStatement[] {
  const { dialect, capabilities } = session.engine;
  if (!capabilities.transactions) return planRows(batch, plan, false).flatMap((rows) => compileInsert(rows, dialect));
  const { groups } = batch;
  const [only] = groups;
  // Most bodies have one row; flatMap would cost more than the rest of this function.
  if (only !== undefined && groups.length === 1) return groupStatements(only, plan, session);
  return groups.flatMap((group) => groupStatements(group, plan, session));
}

type InsertOptions = Pick<InsertPlan, 'returning' | 'keys'>;

export function groupStatements(
  group: Group,
  plan: InsertTarget,
  session: AutoSession,
  more: InsertOptions = {},
): readonly BoundStatement[] {
  return statementsOf(authorizeGroup(group, plan), session, more);
}

type GroupPlan = Authorized<InsertPlan> | Authorized<UpdateRowsPlan>;

/** Authorizes a group and adds its preset values. */
export function authorizeGroup(group: Group, plan: InsertTarget): GroupPlan {
  const { columns, rows } = group;
  const { table, upsert, access } = plan;
  if (upsert !== undefined && isChange(group, plan)) return authorizeUpsertUpdates({ table, key: upsert, columns, rows }, access);
  return authorize<InsertPlan>({ table, columns, rows, upsert, returning: undefined, keys: undefined }, access, 'insert');
}

export function statementsOf(plan: GroupPlan, { engine }: AutoSession, { returning, keys }: InsertOptions): readonly BoundStatement[] {
  return 'key' in plan ? compileUpdateRows(plan, engine.dialect) : compileInsert({ ...plan, returning, keys }, engine.dialect);
}

/** `true` if these rows can only update existing rows. */
export function isChange({ columns, missingColumn: lacked }: Group, { table, upsert, access }: InsertTarget): boolean {
  if (upsert === undefined) return false;
  const isGiven = (column: Column): boolean => columns.includes(column) || hasPreset(table, column);
  return lacked !== undefined || (missingColumn(table, access) !== undefined && upsert.every(isGiven));
}

/**
 * Number of rows that must be written, if fewer are possible: an upsert skips rows that its rule
 * excludes, and missing rows that it cannot insert.
 */
export function expectedRows(groups: readonly Group[], plan: InsertTarget): number | undefined {
  const { upsert, access } = plan;
  const isCounted = upsert !== undefined && (access.restriction !== undefined || groups.some((group) => isChange(group, plan)));
  return isCounted ? groups.reduce((sum, { rows }) => sum + rows.count, 0) : undefined;
}

/** Key values of each row. */
export function keysIn(
  { columns, rows }: Pick<Group, 'columns' | 'rows'>,
  key: readonly Column[],
): readonly (readonly (Operand | null)[])[] {
  const places = key.map((column) => columns.indexOf(column));
  return Array.from({ length: rows.count }, (_, row) => places.map((place) => rows.value(row * rows.width + place)));
}

export function isComplete(key: readonly (Operand | null)[]): key is RowKey {
  return !key.includes(null);
}

/** Returns the reason why a row of an upsert was not written. */
export async function explainUnwritten(row: number, batch: Batch, plan: InsertTarget, session: AutoSession): Promise<Error> {
  const { table, upsert = [], access } = plan;
  const group = batch.groups.find(({ places }) => places.includes(row));
  if (group === undefined) throw new Error('the row is not in a group');
  const key = keysIn(authorizeGroup(group, plan), upsert)[group.places.indexOf(row)] ?? [];
  const where: Condition | undefined = isComplete(key) ? isOneOf(upsert, [key]) : undefined;
  const isThere = where !== undefined && (await countRows(authorize({ table, where }, access, 'insert'), session)) !== '0';
  if (!isThere && isChange(group, plan)) {
    const hidden = missingColumn(table, access);
    return hidden === undefined ? apiError('row_not_there', String(row), group.missingColumn ?? '') : missingColumnError(hidden);
  }
  const isTwice = access.restriction === undefined;
  return apiError('rows_duplicate', `Row ${row}: ${isTwice ? 'it has the key of an earlier row' : 'you may not change this row'}.`);
}
