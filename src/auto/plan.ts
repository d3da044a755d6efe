/**
 * AutoRequest and Table → plan, narrowed to what the caller may do. Pure: knows neither SQL nor connections. Rows of a body are read when the plan
 * runs, since they may be many.
 */
import { apiError } from '../errors.ts';
import type { Table } from '../model/table.ts';
import type { Condition, CountPlan, Narrowed, OrderTerm, SelectPlan } from '../sql/plan.ts';
import { type Access, narrow, visibleTable } from './access.ts';
import { cursorCondition } from './cursor.ts';
import type { EntityTags } from './entity-tags.ts';
import { conditionOf, findColumn } from './filters.ts';
import { keyCondition } from './keys.ts';
import { type InsertBodyPlan, type PatchBodyPlan, planDelete, planInsert, planPatch, planUpdate, type WritePlan } from './plan-write.ts';
import type { AutoRequest, ReadRequest, RowRequest } from './request.ts';

/** A page of rows. */
export interface ReadPlan {
  readonly do: 'read';
  readonly select: Narrowed<SelectPlan>;
  /** How many of the selected columns the caller sees: those behind are for the cursor only. */
  readonly visible: number;
  readonly keyset: boolean;
  /** All rows that match, when their number was asked for. */
  readonly count: Narrowed<CountPlan> | undefined;
}

/** The row of one key. All of its columns are selected, since its tag is made of them. */
export interface RowPlan {
  readonly do: 'row';
  readonly select: Narrowed<SelectPlan>;
  /** What the caller wants to see of the selected columns, by their places; undefined for all. */
  readonly chosen: readonly number[] | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
}

export type AutoPlan = ReadPlan | RowPlan | InsertBodyPlan | PatchBodyPlan | WritePlan;

export function planRequest(request: AutoRequest, found: Table, access: Access, kinds?: SelectPlan['kinds']): AutoPlan {
  const table = visibleTable(found, access);
  switch (request.do) {
    case 'read':
      return planRead(request, table, access, kinds);
    case 'row':
      return planRow(request, table, access, kinds);
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

function planRead(request: ReadRequest, table: Table, access: Access, kinds: SelectPlan['kinds']): ReadPlan {
  checkVersion(request, table);
  const where = conditionOf(request.filters, table);
  const order = orderOf(request, table);
  const visible = request.select === undefined ? table.columns : request.select.map((name) => findColumn(table, name));
  const keyset = request.after !== undefined;
  const hidden = keyset ? order.map((term) => term.column).filter((column) => !visible.includes(column)) : [];
  const behind = keyset && request.after !== '' ? cursorCondition(request.after ?? '', order) : undefined;
  const select: SelectPlan = {
    table,
    columns: hidden.length === 0 ? visible : [...visible, ...hidden],
    kinds,
    where: and(where, behind),
    order,
    limit: request.size,
    offset: rowsBefore(request),
  };
  return {
    do: 'read',
    select: narrow(select, access, 'read'),
    visible: visible.length,
    keyset,
    count: request.count ? narrow({ table, where }, access, 'read') : undefined,
  };
}

function planRow(request: RowRequest, table: Table, access: Access, kinds: SelectPlan['kinds']): RowPlan {
  checkVersion(request, table);
  const where = keyCondition(request.key, table);
  const chosen = request.select?.map((name) => table.columns.indexOf(findColumn(table, name)));
  const select: SelectPlan = { table, columns: table.columns, kinds, where, order: [], limit: 2, offset: 0 };
  return { do: 'row', select: narrow(select, access, 'read'), chosen, ifNoneMatch: request.ifNoneMatch };
}

/** Callers of Custom APIs give a version everywhere; with a column of that name it would look like a filter. */
function checkVersion({ version }: { readonly version: string | undefined }, table: Table): void {
  if (version !== undefined && table.byName.has('version'))
    throw apiError('reserved_name', 'version', 'the table has a column of that name');
}

/** Exact also where a product of numbers is not. */
function rowsBefore({ page, size }: ReadRequest): number | bigint {
  const rows = page * size;
  return Number.isSafeInteger(rows) ? rows : BigInt(page) * BigInt(size);
}

function and(a: Condition | undefined, b: Condition | undefined): Condition | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { op: 'and', of: [a, b] };
}

/** The caller's order, and then what makes it total. */
function orderOf(request: ReadRequest, table: Table): readonly OrderTerm[] {
  if (request.order === undefined) return stableOrder(table);
  const asked = request.order.map(({ column: name, direction }): OrderTerm => {
    const column = findColumn(table, name);
    if (!column.sortable) throw apiError('column_not_comparable', name, '$order');
    return { column, direction };
  });
  const named = new Set(asked.map((term) => term.column));
  return [...asked, ...stableOrder(table).filter((term) => !named.has(term.column))];
}

const stableOrders = new WeakMap<Table, readonly OrderTerm[]>();

function stableOrder(table: Table): readonly OrderTerm[] {
  let order = stableOrders.get(table);
  if (order === undefined) {
    order = table.order.map((column): OrderTerm => ({ column, direction: 'asc' }));
    stableOrders.set(table, order);
  }
  return order;
}
