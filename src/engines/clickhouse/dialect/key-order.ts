/**
 * Pages of a table that is sorted by a key whose values may repeat. The full order, by the key and then by every other column, is expensive. The
 * key's own order is free, and gives the same page unless two neighbours, in the page or beside it, share a key.
 * So it is tried first; `key-order-sink.ts` finds out whether it was enough.
 */
import type { RowSink } from '../../../model/cells.ts';
import type { Column, Table } from '../../../model/table.ts';
import { compileSelect } from '../../../sql/compile/compile.ts';
import type { BoundStatement } from '../../../sql/dialect.ts';
import type { Authorized, Condition, OrderTerm, SelectPlan } from '../../../sql/plan.ts';
import type { Connection, RunOptions } from '../../contract/engine.ts';
import { clickhouseDialect } from './dialect.ts';
import { KeyOrderSink } from './key-order-sink.ts';

type PagePlan = Authorized<SelectPlan>;

/** A statement that may give a page, and the rows beside it, by which to know whether it does. */
export interface KeyOrderedPage extends BoundStatement {
  /** Where the columns of the key stand among the selected ones; none when every row has the same key. */
  readonly key: readonly number[];
  /** Rows before the first of the page: one, unless there are none. The row behind the page, if there is one, comes too. */
  readonly before: 0 | 1;
}

/** Tables in which neighbours with the same key were seen: not tried again while the catalogue's description of the table lasts. */
const repeating = new WeakSet<Table>();

/** The rows of a page into a sink; returns how many there were. */
export function readPage(plan: PagePlan, connection: Connection, options: RunOptions, sink: RowSink): Promise<number> {
  const quick = repeating.has(plan.table) ? undefined : compileInKeyOrder(plan);
  return quick === undefined ? readInOrder(plan, connection, options, sink) : readInKeyOrder(plan, quick, connection, options, sink);
}

async function readInOrder(plan: PagePlan, connection: Connection, options: RunOptions, sink: RowSink): Promise<number> {
  const { statement, params } = compileSelect(plan, clickhouseDialect);
  return (await connection.run(statement, params, options, sink)).rows;
}

async function readInKeyOrder(
  plan: PagePlan,
  { statement, params, key, before }: KeyOrderedPage,
  connection: Connection,
  options: RunOptions,
  sink: RowSink,
): Promise<number> {
  const checked = new KeyOrderSink(sink, key, before, plan.limit);
  await connection.run(statement, params, options, checked);
  if (checked.end()) return checked.passed;
  repeating.add(plan.table);
  return readInOrder(plan, connection, options, checked);
}

/** Undefined where there is no such key, another order is asked for, or other filters leave few rows to be ordered. */
export function compileInKeyOrder(plan: PagePlan): KeyOrderedPage | undefined {
  if (plan.table.sortedBy.length === 0) return undefined;
  return plan.where === undefined || plan.isContinuation === true ? pageInKeyOrder(plan) : rowOfKey(plan, plan.where);
}

function pageInKeyOrder(plan: PagePlan): KeyOrderedPage | undefined {
  const { table, columns, limit, offset, order } = plan;
  if (order.length !== table.order.length) return undefined;
  if (!order.every((term, i) => term.column === table.order[i] && term.direction === 'asc')) return undefined;
  const key = table.sortedBy.map((column) => columns.indexOf(column));
  if (key.includes(-1)) return undefined;
  const before = offset === 0 ? 0 : 1;
  const from = typeof offset === 'bigint' ? offset - BigInt(before) : offset - before;
  return { ...compileSelect({ ...plan, order: keyOrder(table), limit: before + limit + 1, offset: from }, clickhouseDialect), key, before };
}

/** Always the same list for a table: its text is found by it. */
const keyOrders = new WeakMap<Table, readonly OrderTerm[]>();

function keyOrder(table: Table): readonly OrderTerm[] {
  const known = keyOrders.get(table);
  if (known !== undefined) return known;
  const order = table.sortedBy.map((column): OrderTerm => ({ column, direction: 'asc' }));
  keyOrders.set(table, order);
  return order;
}

const NO_ORDER: readonly OrderTerm[] = [];
const NO_KEY: readonly number[] = [];

/** Rows of one key need no order as long as there is one of them; two are enough to know that there are more. */
function rowOfKey(plan: PagePlan, given: Condition): KeyOrderedPage | undefined {
  const { table, offset } = plan;
  if (offset !== 0 || !table.sortedBy.every((column) => isFixed(column, given))) return undefined;
  return { ...compileSelect({ ...plan, order: NO_ORDER, limit: 2 }, clickhouseDialect), key: NO_KEY, before: 0 };
}

function isFixed(column: Column, by: Condition): boolean {
  if (by.op === 'and') return by.of.some((part) => isFixed(column, part));
  return by.op === 'eq' && by.column === column;
}
