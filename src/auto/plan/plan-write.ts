/** Requests that write → plans. Rows of a body are read when the plan is run, since they may be many; new values of columns are read here. */
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

/** Written rows that are given back. */
export interface ReturnedRows {
  /** The table as the caller may read it. */
  readonly table: Table;
  readonly columns: readonly Column[];
  /** May every row be shown as it is? Else they are read, as far as the caller may read them. */
  readonly isOpen: boolean;
  readonly access: Access;
}

export interface Conditions {
  readonly dryRun: boolean;
  readonly maxAffected: number | undefined;
  /** The written rows that are the answer; undefined when their number is. */
  readonly returning: ReturnedRows | undefined;
  readonly access: Access;
}

/** Rows of a body, as yet unread. */
export interface InsertBodyPlan extends Conditions {
  readonly do: 'insert';
  readonly table: Table;
  readonly body: Buffer;
  readonly upsert: UpsertKey | undefined;
}

/** Rows of a body, as yet unread, whose keys say which rows they change. */
export interface PatchBodyPlan extends Conditions {
  readonly do: 'patch';
  readonly table: Table;
  readonly body: Buffer;
}

/** One statement that writes to the rows that match. */
export interface WritePlan extends Conditions {
  readonly do: 'write';
  readonly table: Table;
  readonly write:
    | { readonly do: 'update'; readonly plan: Authorized<UpdatePlan> }
    | { readonly do: 'delete'; readonly plan: Authorized<DeletePlan> };
  /** The rows that it will hit. Few writes ask for them. */
  readonly count: () => Authorized<CountPlan>;
  /** The same rows as they are before it, locked. */
  readonly before: () => Authorized<SelectPlan>;
  /** For the row of a key: it must be there, and as the tags say. */
  readonly single: { readonly ifMatch: EntityTags | undefined } | undefined;
  /** More than one row is written only where that can be taken back. */
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

/** A write without a condition cannot be planned. */
function conditionFor(wanted: RowSelector, table: Table): Condition {
  if ('key' in wanted) return keyCondition(wanted.key, table);
  const where = conditionOf(wanted.filters, table);
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
