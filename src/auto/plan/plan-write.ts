/**
 * Plans writes. Batches of rows are read when the plan runs; values of a single PATCH object are
 * read here.
 */
import { apiError } from '../../errors.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Assignment, Authorized, Condition, CountPlan, DeletePlan, SelectPlan, UpdatePlan } from '../../sql/plan.ts';
import type { ParamValue } from '../../sql/statement.ts';
import type { EntityTags } from '../request/entity-tags.ts';
import type { DeleteRequest, InsertRequest, PatchRowsRequest, RowSelector, UpdateRequest, WriteOptions } from '../request/request.ts';
import type { Access } from './access.ts';
import { authorize, checkWritable, isOpenToRead, readableTable } from './authorize.ts';
import { conditionOf, findColumn } from './filters.ts';
import { keyCondition } from './keys.ts';
import { assignments } from './patch-body.ts';
import { type UpsertKey, upsertKey } from './upsert-key.ts';
import { fromText, InvalidValue } from './values.ts';

/** Written rows that are returned to the caller. */
export interface ReturnedRows {
  readonly table: Table;
  readonly columns: readonly Column[];
  /**
   * `true` if RETURNING may be used. Otherwise the rows are read back under the caller's read rule.
   */
  readonly isOpen: boolean;
  readonly access: Access;
}

export interface Conditions {
  readonly dryRun: boolean;
  readonly maxAffected: number | undefined;
  /** Set if the response contains the written rows instead of their number. */
  readonly returning: ReturnedRows | undefined;
  readonly access: Access;
}

/** An insert whose body is not read yet. */
export interface InsertBodyPlan extends Conditions {
  readonly do: 'insert';
  readonly table: Table;
  readonly body: Buffer;
  readonly upsert: UpsertKey | undefined;
}

/** A PATCH of rows by their keys whose body is not read yet. */
export interface PatchBodyPlan extends Conditions {
  readonly do: 'patch';
  readonly table: Table;
  readonly body: Buffer;
}

/** An update or delete of the rows that match a condition. */
export interface WritePlan extends Conditions {
  readonly do: 'write';
  readonly table: Table;
  readonly write:
    | { readonly do: 'update'; readonly plan: Authorized<UpdatePlan> }
    | { readonly do: 'delete'; readonly plan: Authorized<DeletePlan> };
  /** Plans the count of affected rows; few writes need it. */
  readonly count: () => Authorized<CountPlan>;
  /** Plans the read of the rows before the write, with locks. */
  readonly before: () => Authorized<SelectPlan>;
  /** Set for a write by key: the row must exist and match the tags. */
  readonly single: { readonly ifMatch: EntityTags | undefined } | undefined;
  /** PATCH writes several rows only in a transaction. */
  readonly isPatch: boolean;
}

export function planInsert(request: InsertRequest, table: Table, access: Access): InsertBodyPlan {
  const { body, upsert, dryRun, maxAffected } = request;
  const returning = returnedOf(request, table, access);
  return { do: 'insert', table, body, upsert: upsert && upsertKey(upsert, table), dryRun, maxAffected, returning, access };
}

export function planPatch(request: PatchRowsRequest, table: Table, access: Access): PatchBodyPlan {
  return { do: 'patch', table, body: request.body, ...conditionsOf(request, table, access) };
}

export function planUpdate(request: UpdateRequest, table: Table, access: Access): WritePlan {
  const conditions = conditionsOf(request, table, access);
  const where = conditionFor(request.where, table);
  const plan = authorize({ table, set: assignmentsOf(request, table), where, returning: undefined, maxRows: undefined }, access, 'update');
  return writePlan({ do: 'update', plan }, where, request, table, conditions);
}

export function planDelete(request: DeleteRequest, table: Table, access: Access): WritePlan {
  const conditions = conditionsOf(request, table, access);
  const where = conditionFor(request.where, table);
  const plan = authorize({ table, where, returning: undefined, maxRows: undefined }, access, 'delete');
  return writePlan({ do: 'delete', plan }, where, request, table, conditions);
}

function writePlan(
  write: WritePlan['write'],
  where: Condition,
  request: UpdateRequest | DeleteRequest,
  table: Table,
  conditions: Conditions,
): WritePlan {
  const { dryRun, maxAffected, returning, access } = conditions;
  const { columns } = table;
  return {
    do: 'write',
    table,
    write,
    count: () => authorize({ table, where }, access, write.do),
    before: () => authorize({ table, columns, where, order: [], limit: Number.MAX_SAFE_INTEGER, offset: 0, lock: true }, access, write.do),
    single: 'key' in request.where ? { ifMatch: request.ifMatch } : undefined,
    isPatch: request.do === 'update' && 'body' in request.changes,
    dryRun,
    maxAffected,
    returning,
    access,
  };
}

function conditionsOf(request: WriteOptions, table: Table, access: Access): Conditions {
  const { dryRun, maxAffected } = request;
  return { dryRun, maxAffected, returning: returnedOf(request, table, access), access };
}

function returnedOf({ returning }: WriteOptions, table: Table, access: Access): ReturnedRows | undefined {
  return returning && returnedRows(returning.select, readableTable(table, access), access);
}

function returnedRows(select: readonly string[] | undefined, table: Table, access: Access): ReturnedRows {
  const columns = select === undefined ? table.columns : select.map((name) => findColumn(table, name));
  return { table, columns, isOpen: isOpenToRead(table, access), access };
}

/** Throws for a write without a condition. */
function conditionFor(rows: RowSelector, table: Table): Condition {
  if ('key' in rows) return keyCondition(rows.key, table);
  const where = conditionOf(rows.filters, table);
  if (where === undefined) throw apiError('filter_missing', 'A write');
  return where;
}

function assignmentsOf({ changes }: UpdateRequest, table: Table): readonly Assignment[] {
  if ('body' in changes) return assignments(changes, table);
  const column = findColumn(table, changes.column);
  checkWritable(table, [column]);
  if (column.readOnly) throw apiError('set_value', column.name, 'the column is generated by the database');
  return [{ column, value: storable(column, changes.text) }];
}

function storable(column: Column, text: string): ParamValue {
  try {
    return fromText(column, text, 'store');
  } catch (error) {
    if (error instanceof InvalidValue) throw apiError('set_value', column.name, error.message);
    throw error;
  }
}
