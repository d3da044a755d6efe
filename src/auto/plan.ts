/**
 * AutoRequest + Table → plan, narrowed to what the caller may do. Pure: knows neither SQL nor connections. Rows of a body are read when the plan is
 * run, since they may be many.
 */
import { apiError } from '../errors.ts';
import type { Column, Table } from '../model/table.ts';
import type { Condition, CountPlan, DeletePlan, Narrowed, OrderTerm, SelectPlan, UpdatePlan } from '../sql/plan.ts';
import type { ParamValue } from '../sql/statement.ts';
import { type Access, narrow, visibleTable } from './access.ts';
import { cursorCondition } from './cursor.ts';
import { conditionOf, findColumn } from './filters.ts';
import type { AutoRequest, DeleteRequest, InsertRequest, Options, ReadRequest, UpdateRequest, WriteOptions } from './request.ts';
import { fromText, InvalidValue } from './values.ts';

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

/** Rows of a body, as yet unread. */
export interface InsertBodyPlan extends WriteOptions {
  readonly do: 'insert';
  readonly table: Table;
  readonly body: Buffer;
  readonly upsert: boolean;
  readonly access: Access;
}

/** One statement that writes, and the count of what it will hit for engines that cannot take it back. */
export interface WritePlan extends WriteOptions {
  readonly do: 'write';
  readonly write:
    | { readonly do: 'update'; readonly plan: Narrowed<UpdatePlan> }
    | { readonly do: 'delete'; readonly plan: Narrowed<DeletePlan> };
  readonly count: Narrowed<CountPlan>;
}

export type AutoPlan = ReadPlan | InsertBodyPlan | WritePlan;

export function planRequest(request: AutoRequest, found: Table, access: Access, kinds?: SelectPlan['kinds']): AutoPlan {
  const table = visibleTable(found, access);
  switch (request.do) {
    case 'read':
      return planRead(request, table, access, kinds);
    case 'insert':
      return planInsert(request, table, access);
    case 'update':
      return planUpdate(request, table, access);
    case 'delete':
      return planDelete(request, table, access);
  }
}

function planRead(request: ReadRequest, table: Table, access: Access, kinds: SelectPlan['kinds']): ReadPlan {
  if (request.version !== undefined && table.columns.some(({ name }) => name === 'version'))
    throw apiError('reserved_name', 'version', 'the table has a column of that name');
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

function planInsert({ body, upsert, dryRun, maxAffected }: InsertRequest, table: Table, access: Access): InsertBodyPlan {
  return { do: 'insert', table, body, upsert, access, dryRun, maxAffected };
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

/** What the caller asks for, and behind it what makes the order total. */
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

function planUpdate(request: UpdateRequest, table: Table, access: Access): WritePlan {
  const where = required(request, table, 'PUT');
  const column = findColumn(table, request.set.column);
  if (column.readOnly) throw apiError('set_value', column.name, 'the column is generated by the database');
  const plan = narrow({ table, set: [{ column, value: storable(column, request.set.value) }], where }, access, 'update');
  return { do: 'write', write: { do: 'update', plan }, count: narrow({ table, where }, access, 'update'), ...optionsOf(request) };
}

function storable(column: Column, text: string): ParamValue {
  try {
    return fromText(column, text, 'store');
  } catch (error) {
    if (error instanceof InvalidValue) throw apiError('set_value', column.name, error.message);
    throw error;
  }
}

function planDelete(request: DeleteRequest, table: Table, access: Access): WritePlan {
  const where = required(request, table, 'DELETE');
  const plan = narrow({ table, where }, access, 'delete');
  return { do: 'write', write: { do: 'delete', plan }, count: plan, ...optionsOf(request) };
}

const optionsOf = ({ dryRun, maxAffected }: WriteOptions): WriteOptions => ({ dryRun, maxAffected });

/** A write without a condition cannot be planned. */
function required(request: Options, table: Table, method: string): Condition {
  const where = conditionOf(request.filters, table);
  if (where === undefined) throw apiError('filter_missing', method);
  return where;
}
