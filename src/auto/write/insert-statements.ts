/**
 * Statements for the rows of a POST. Rows of an upsert that lack what a new row needs can only change rows that are there: they become an UPDATE by
 * their key, which demands nothing of the other columns on any engine. That such a row was not there shows in the number of rows written.
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

/** Which rows were given, and what is wanted of them. */
type InsertTarget = Pick<InsertBodyPlan, 'table' | 'upsert' | 'access'>;

export function toStatements(batch: Batch, plan: InsertTarget, session: AutoSession): readonly BoundStatement[] {
  const { dialect, capabilities } = session.engine;
  if (!capabilities.transactions) return planRows(batch, plan, false).flatMap((rows) => compileInsert(rows, dialect));
  const { groups } = batch;
  const [only] = groups;
  // Most bodies are one row; flatMap would cost more than the rest of this.
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

/** The rows with all that is written of them: what the service gives itself too. */
export function authorizeGroup(group: Group, plan: InsertTarget): GroupPlan {
  const { columns, rows } = group;
  const { table, upsert, access } = plan;
  if (upsert !== undefined && isChange(group, plan)) return authorizeUpsertUpdates({ table, key: upsert, columns, rows }, access);
  return authorize<InsertPlan>({ table, columns, rows, upsert, returning: undefined, keys: undefined }, access, 'insert');
}

export function statementsOf(plan: GroupPlan, { engine }: AutoSession, { returning, keys }: InsertOptions): readonly BoundStatement[] {
  return 'key' in plan ? compileUpdateRows(plan, engine.dialect) : compileInsert({ ...plan, returning, keys }, engine.dialect);
}

/** Can these rows change others only, and never be new? */
export function isChange({ columns, lacks }: Group, { table, upsert, access }: InsertTarget): boolean {
  if (upsert === undefined) return false;
  const isGiven = (column: Column): boolean => columns.includes(column) || hasPreset(table, column);
  return lacks !== undefined || (missingColumn(table, access) !== undefined && upsert.every(isGiven));
}

/**
 * How many rows must be written, where that may be fewer than were given: an upsert passes over rows that its rule forbids to change, and over those
 * that are not there and cannot be new.
 */
export function expectedRows(groups: readonly Group[], plan: InsertTarget): number | undefined {
  const { upsert, access } = plan;
  const isCounted = upsert !== undefined && (access.restriction !== undefined || groups.some((group) => isChange(group, plan)));
  return isCounted ? groups.reduce((sum, { rows }) => sum + rows.count, 0) : undefined;
}

/** The values of a key in each row. */
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

/** Why a row of an upsert was not written. */
export async function explainUnwritten(row: number, batch: Batch, plan: InsertTarget, session: AutoSession): Promise<Error> {
  const { table, upsert = [], access } = plan;
  const group = batch.groups.find(({ places }) => places.includes(row));
  if (group === undefined) throw new Error('a row that is in no group');
  const key = keysIn(authorizeGroup(group, plan), upsert)[group.places.indexOf(row)] ?? [];
  const where: Condition | undefined = isComplete(key) ? isOneOf(upsert, [key]) : undefined;
  const isThere = where !== undefined && (await countRows(authorize({ table, where }, access, 'insert'), session)) !== '0';
  if (!isThere && isChange(group, plan)) {
    const hidden = missingColumn(table, access);
    return hidden === undefined ? apiError('row_not_there', String(row), group.lacks ?? '') : missingColumnError(hidden);
  }
  const isTwice = access.restriction === undefined;
  return apiError('rows_duplicate', `Row ${row}: ${isTwice ? 'it has the key of an earlier row' : 'it is a row that you may not change'}.`);
}
