/**
 * Pages of a table that is sorted by a key with repeated values. The full order (key, then every
 * other column) is expensive. The order of the key is free, and gives the same page unless two
 * neighbors share a key. It is tried first; `key-order-sink.ts` detects repeats.
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

/**
 * A statement in key order for a page and the rows next to it, which prove whether the page is
 * right.
 */
export interface KeyOrderedPage extends BoundStatement {
  /** Indexes of the key columns in the selected ones. Empty if every row has the same key. */
  readonly key: readonly number[];
  /**
   * Number of rows before the page: 1, unless it is the first. The row after the page is selected
   * too.
   */
  readonly before: 0 | 1;
}

/** Tables with repeated keys. Not tried again while their cached description is valid. */
const repeating = new WeakSet<Table>();

/** Reads a page and returns its number of rows. */
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

/**
 * `undefined` if there is no such key, another order is requested, or other filters leave few rows
 * to sort.
 */
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

/** The same list for each table: its SQL text is cached by it. */
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

/**
 * Reads at most two rows of a single key: one row needs no order, and two prove that there are
 * more.
 */
function rowOfKey(plan: PagePlan, given: Condition): KeyOrderedPage | undefined {
  const { table, offset } = plan;
  if (offset !== 0 || !table.sortedBy.every((column) => isFixed(column, given))) return undefined;
  return { ...compileSelect({ ...plan, order: NO_ORDER, limit: 2 }, clickhouseDialect), key: NO_KEY, before: 0 };
}

function isFixed(column: Column, by: Condition): boolean {
  if (by.op === 'and') return by.of.some((part) => isFixed(column, part));
  return by.op === 'eq' && by.column === column;
}
