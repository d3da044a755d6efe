/**
 * Plans a request on a table, within the caller's rights. Pure. Batches of rows are read when the
 * plan runs.
 */
import type { Neighbours } from '../../model/relation.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Authorized, Condition, CountPlan, SelectPlan } from '../../sql/plan.ts';
import type { EntityTags } from '../request/entity-tags.ts';
import { type AutoRequest, OPERATIONS, type ReadRequest, type RowRequest } from '../request/request.ts';
import type { Access, CursorSeal } from './access.ts';
import { authorize, checkPageSize, mayEstimate, visibleTable } from './authorize.ts';
import { behindPosition, decodeCursor, type Ties } from './cursor.ts';
import { conditionOf, findColumn } from './filters.ts';
import { keyCondition, ownKey } from './keys.ts';
import { orderOf } from './order.ts';
import { checkVersion, rowsBefore } from './paging.ts';
import { type Expansion, planExpansions, withColumns } from './plan-expand.ts';
import { type GroupedPlan, planGroups } from './plan-groups.ts';
import { type InsertBodyPlan, type PatchBodyPlan, planDelete, planInsert, planPatch, planUpdate, type WritePlan } from './plan-write.ts';
import { Reach, resolveRelations } from './relations.ts';

/** A page of rows. */
export interface ReadPlan {
  readonly do: 'read';
  readonly select: Authorized<SelectPlan>;
  /**
   * Number of selected columns that the caller sees; the others are for cursors and related rows.
   */
  readonly visible: number;
  readonly keyset: boolean;
  /** Maximum number of rows that are sent. */
  readonly size: number;
  /** `true` if rows may tie in the order. `select` then reads one row more than are sent. */
  readonly mayTie: boolean;
  /** Ties of the rows before the page with its first ones. */
  readonly after: Ties | undefined;
  /** Encrypts its cursors for restricted callers. */
  readonly seal: CursorSeal | undefined;
  /** Related rows that are nested in the rows. */
  readonly expand: readonly Expansion[];
  /** Counts all matching rows, if requested. */
  readonly count: Authorized<CountPlan> | undefined;
  /** `true` if the count may be estimated. */
  readonly isEstimated: boolean;
}

/** The row of one key. All columns are selected, because the ETag is made of them. */
export interface RowPlan {
  readonly do: 'row';
  readonly select: Authorized<SelectPlan>;
  /** Indexes of the requested columns; `undefined` means all. */
  readonly chosen: readonly number[] | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
}

/** The row of one key with related rows. It has no ETag. */
export interface ExpandedRowPlan {
  readonly do: 'expanded row';
  readonly select: Authorized<SelectPlan>;
  readonly visible: number;
  readonly expand: readonly Expansion[];
}

export type AutoPlan = ReadPlan | GroupedPlan | RowPlan | ExpandedRowPlan | InsertBodyPlan | PatchBodyPlan | WritePlan;

/** Catalog data beside the table itself. */
export interface PlanContext {
  readonly kinds?: SelectPlan['kinds'];
  /** Related tables; `undefined` if the request uses no relation. */
  readonly neighbours?: Neighbours | undefined;
}

export function planRequest(unresolved: AutoRequest, wholeTable: Table, access: Access, { kinds, neighbours }: PlanContext = {}): AutoPlan {
  const table = visibleTable(wholeTable, access, OPERATIONS[unresolved.do]);
  const reach = neighbours === undefined ? undefined : new Reach(neighbours, access);
  const request = reach === undefined ? unresolved : resolveRelations(unresolved, table, reach);
  switch (request.do) {
    case 'read':
      return planRead(request, table, access, kinds, reach);
    case 'group':
      return planGroups(request, table, access);
    case 'row':
      return planRow(request, table, access, kinds, reach);
    case 'insert':
      return planInsert(request, table, access);
    case 'patch':
      return planPatch(request, table, access);
    case 'update':
      return planUpdate(request, table, access);
    case 'delete':
      return planDelete(request, table, access);
  }
}

function planRead(request: ReadRequest, table: Table, access: Access, kinds: SelectPlan['kinds'], reach: Reach | undefined): ReadPlan {
  checkVersion(request, table);
  checkPageSize(table, access, 'ps', request.size);
  const where = conditionOf(request.filters, table);
  const order = orderOf(request.order, table);
  const visible = request.select === undefined ? table.columns : request.select.map((name) => findColumn(table, name));
  const keyset = request.after !== undefined;
  const seal = access.restriction?.seal;
  const expand = reach === undefined || request.expand === undefined ? NO_EXPANSIONS : planExpansions(request.expand, table, reach);
  const selected = withColumns(visible, expand);
  const hidden = keyset ? order.map((term) => term.column).filter((column) => !selected.includes(column)) : [];
  const position = keyset && request.after !== '' ? decodeCursor(request.after ?? '', order, seal) : undefined;
  const after = position && behindPosition(position, order);
  const mayTie = keyset && ownKey(table).length === 0;
  const select: SelectPlan = {
    table,
    columns: hidden.length === 0 ? selected : [...selected, ...hidden],
    kinds,
    where: and(where, after),
    order,
    limit: mayTie ? request.size + 1 : request.size,
    offset: position?.ties?.sent ?? rowsBefore(request),
    isContinuation: after !== undefined && where === undefined && access.restriction === undefined,
    masks: undefined,
    joined: undefined,
  };
  return {
    do: 'read',
    select: authorize(select, access, 'read'),
    visible: visible.length,
    keyset,
    size: request.size,
    mayTie,
    after: position?.ties,
    seal,
    expand,
    count: request.count === undefined ? undefined : authorize({ table, where }, access, 'read'),
    isEstimated: request.count === 'estimated' && mayEstimate(table, access, reach !== undefined),
  };
}

function planRow(
  request: RowRequest,
  table: Table,
  access: Access,
  kinds: SelectPlan['kinds'],
  reach: Reach | undefined,
): RowPlan | ExpandedRowPlan {
  checkVersion(request, table);
  const where = keyCondition(request.key, table);
  const expand = reach === undefined || request.expand === undefined ? NO_EXPANSIONS : planExpansions(request.expand, table, reach);
  if (expand.length > 0) {
    const visible = request.select === undefined ? table.columns : request.select.map((name) => findColumn(table, name));
    const plan = rowPlan(table, withColumns(visible, expand), where, kinds);
    return { do: 'expanded row', select: authorize(plan, access, 'read'), visible: visible.length, expand };
  }
  const chosen = request.select?.map((name) => table.columns.indexOf(findColumn(table, name)));
  const select = rowPlan(table, table.columns, where, kinds);
  return { do: 'row', select: authorize(select, access, 'read'), chosen, ifNoneMatch: request.ifNoneMatch };
}

function rowPlan(table: Table, columns: readonly Column[], where: Condition, kinds: SelectPlan['kinds']): SelectPlan {
  return { table, columns, kinds, where, order: [], limit: 2, offset: 0, masks: undefined, joined: undefined };
}

const NO_EXPANSIONS: readonly Expansion[] = [];

function and(a: Condition | undefined, b: Condition | undefined): Condition | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { op: 'and', of: [a, b] };
}
