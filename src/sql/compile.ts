/**
 * Plan + dialect → statement text and parameters. Pure: what it builds is the same for the same plan, so texts repeat and the
 * engines' prepared statements are found again. Nothing of a request reaches the text except names of the catalogue, quoted.
 */

import type { Column, Kind, Table } from '../model/table.ts';
import type { BoundStatement, Comparing, Dialect, ParamBinder } from './dialect.ts';
import { OPERATORS } from './operators.ts';
import type { Assignment, Condition, CountPlan, DeletePlan, InsertPlan, Narrowed, OrderTerm, SelectPlan, UpdatePlan } from './plan.ts';
import type { ParamKind, ParamType, ParamValue, Statement } from './statement.ts';

const PARAM_KINDS: Readonly<Record<Kind, ParamKind>> = {
  int: 'int',
  decimal: 'decimal',
  float: 'float',
  bool: 'bool',
  text: 'text',
  enum: 'text',
  set: 'text',
  uuid: 'other',
  date: 'temporal',
  time: 'temporal',
  timestamp: 'temporal',
  timestamptz: 'temporal',
  bytes: 'bytes',
  json: 'json',
  other: 'other',
};

/** The parameter type of a column: what its values are bound as. */
export function paramType(column: Column): ParamType {
  return { kind: PARAM_KINDS[column.kind], cast: column.cast };
}

/** The parameters of one statement, in the order of their placeholders. */
export class Parameters implements ParamBinder {
  readonly types: ParamType[] = [];
  readonly values: ParamValue[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  value(column: Column, value: ParamValue): string {
    return this.#add(paramType(column), value);
  }

  text(value: string): string {
    return this.#add(this.#dialect.textType, value);
  }

  int(value: number | bigint): string {
    return this.#add(this.#dialect.intType, String(value));
  }

  #add(type: ParamType, value: ParamValue): string {
    this.types.push(type);
    this.values.push(value);
    return this.#dialect.placeholder(this.types.length, type.cast);
  }
}

export function compileSelect(plan: Narrowed<SelectPlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const text =
    source(plan, dialect) +
    where(plan.where, dialect, bind, isConfirmed(plan) ? 'plain' : 'strict') +
    orderBy(plan.order, dialect) +
    dialect.page(plan.limit, plan.offset, bind);
  return { statement: selecting(plan, text, bind), params: bind.values };
}

/** `columns` of the plan are what the statement yields. */
function selecting({ columns, kinds }: SelectPlan, text: string, { types }: Parameters): Statement {
  return kinds === 'described' ? { text, types, columns } : { text, types, columns, onOtherKinds: 'fail' };
}

/** Does the result show the kind of every column that is compared? Then a comparison on an old picture is found out with it. */
function isConfirmed({ kinds, columns, table, where: given }: SelectPlan): boolean {
  if (given === undefined) return true;
  return kinds !== 'described' && (columns === table.columns || isShown(given, columns));
}

function isShown(given: Condition, columns: readonly Column[]): boolean {
  switch (given.op) {
    case 'and':
    case 'or':
      return given.of.every((part) => isShown(part, columns));
    case 'not':
      return isShown(given.of, columns);
    default:
      return columns.includes(given.column);
  }
}

/** A statement that may give a page, and the rows beside it, by which to know whether it does. */
export interface KeyOrderedPage extends BoundStatement {
  /** Where the columns of the key stand among the selected ones; none when every row has the same key. */
  readonly key: readonly number[];
  /** Rows before the first of the page: one, unless there are none. The row behind the page, if there is one, comes too. */
  readonly before: 0 | 1;
}

/**
 * A page of a table that the engine keeps sorted by a key that may repeat. Its order is the key's and then that of every other column, which
 * costs the engine much. The key's own order costs nothing, and is the same as long as no two neighbours have the same key, in the page and
 * beside it. Rows of one key need no order at all as long as there is one of them. Undefined where there is no such key, another order is
 * asked for, or other filters leave few rows to be ordered.
 */
export function compileInKeyOrder(plan: Narrowed<SelectPlan>, dialect: Dialect): KeyOrderedPage | undefined {
  if (plan.table.sortedBy.length === 0) return undefined;
  return plan.where === undefined ? pageInKeyOrder(plan, dialect) : rowOfKey(plan, plan.where, dialect);
}

function pageInKeyOrder(plan: SelectPlan, dialect: Dialect): KeyOrderedPage | undefined {
  const { table, columns, limit, offset, order } = plan;
  const { sortedBy } = table;
  if (order.length !== table.order.length) return undefined;
  if (!order.every((term, i) => term.column === table.order[i] && term.direction === 'asc')) return undefined;
  const key = sortedBy.map((column) => columns.indexOf(column));
  if (key.includes(-1)) return undefined;
  const before = offset === 0 ? 0 : 1;
  const bind = new Parameters(dialect);
  const text =
    source(plan, dialect) +
    ` ORDER BY ${sortedBy.map((column) => dialect.orderItem(column, 'asc')).join(', ')}` +
    dialect.page(before + limit + 1, typeof offset === 'bigint' ? offset - BigInt(before) : offset - before, bind);
  return { statement: selecting(plan, text, bind), params: bind.values, key, before };
}

/** Two rows are enough to know that there is not just one. */
function rowOfKey(plan: SelectPlan, given: Condition, dialect: Dialect): KeyOrderedPage | undefined {
  const { table, offset } = plan;
  if (offset !== 0 || !table.sortedBy.every((column) => isFixed(column, given))) return undefined;
  const bind = new Parameters(dialect);
  const text = source(plan, dialect) + where(given, dialect, bind, isConfirmed(plan) ? 'plain' : 'strict') + dialect.page(2, 0, bind);
  return { statement: selecting(plan, text, bind), params: bind.values, key: [], before: 0 };
}

function isFixed(column: Column, by: Condition): boolean {
  if (by.op === 'and') return by.of.some((part) => isFixed(column, part));
  return by.op === 'eq' && by.column === column;
}

/** Texts of what most requests ask for: all columns of a table, in its own order. A table belongs to one database and so to one dialect. */
const wholeTables = new WeakMap<Table, string>();
const orders = new WeakMap<readonly OrderTerm[], string>();

function source({ columns, table }: SelectPlan, dialect: Dialect): string {
  const known = columns === table.columns ? wholeTables.get(table) : undefined;
  if (known !== undefined) return known;
  const text = `SELECT ${columns.map((column) => dialect.selectItem(column)).join(', ')} FROM ${dialect.table(table)}`;
  if (columns === table.columns) wholeTables.set(table, text);
  return text;
}

function orderBy(order: readonly OrderTerm[], dialect: Dialect): string {
  const known = orders.get(order);
  if (known !== undefined) return known;
  const items = order.map((term) => dialect.orderItem(term.column, term.direction));
  const text = items.length === 0 ? '' : ` ORDER BY ${items.join(', ')}`;
  orders.set(order, text);
  return text;
}

const COUNT_COLUMNS = [{ name: 'count', kind: 'int' }] as const;

export function compileCount(plan: Narrowed<CountPlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const text = `SELECT count(*) FROM ${dialect.table(plan.table)}${where(plan.where, dialect, bind, 'strict')}`;
  return { statement: { text, types: bind.types, columns: COUNT_COLUMNS }, params: bind.values };
}

/** Rows of one plan, in as few statements as the engine can take them. */
export function compileInsert(plan: Narrowed<InsertPlan>, dialect: Dialect): readonly BoundStatement[] {
  return dialect.insert(plan);
}

export function compileUpdate(plan: Narrowed<UpdatePlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const assigned = ({ column, value }: Assignment): string =>
    `${dialect.quote(column.name)} = ${dialect.assigned?.(column, value, bind) ?? bind.value(column, value)}`;
  const set = plan.set.map(assigned).join(', ');
  const table = dialect.table(plan.table);
  const given = condition(plan.where, dialect, bind, 'strict');
  const { types } = bind;
  const statement = dialect.update?.(table, set, given, types) ?? { text: `UPDATE ${table} SET ${set} WHERE ${given}`, types };
  return { statement, params: bind.values };
}

export function compileDelete(plan: Narrowed<DeletePlan>, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const table = dialect.table(plan.table);
  const given = condition(plan.where, dialect, bind, 'strict');
  const { types } = bind;
  const statement = dialect.delete?.(table, given, types) ?? { text: `DELETE FROM ${table} WHERE ${given}`, types };
  return { statement, params: bind.values };
}

function where(plan: Condition | undefined, dialect: Dialect, bind: ParamBinder, how: Comparing): string {
  return plan === undefined ? '' : ` WHERE ${condition(plan, dialect, bind, how)}`;
}

function condition(plan: Condition, dialect: Dialect, bind: ParamBinder, how: Comparing): string {
  switch (plan.op) {
    case 'and':
    case 'or':
      return joined(plan.of, plan.op, dialect, bind, how);
    case 'not':
      return `NOT (${condition(plan.of, dialect, bind, how)})`;
    case 'null':
      return `${dialect.quote(plan.column.name)} IS NULL`;
    case 'notnull':
      return `${dialect.quote(plan.column.name)} IS NOT NULL`;
    default:
      return OPERATORS[plan.op].sql(dialect.predicates(plan.column, dialect.quote(plan.column.name), bind, how), plan.values);
  }
}

/** An empty AND is true and an empty OR is false; neither may ever widen a write. */
function joined(parts: readonly Condition[], op: 'and' | 'or', dialect: Dialect, bind: ParamBinder, how: Comparing): string {
  if (parts.length === 0) return op === 'and' ? '1 = 1' : '1 = 0';
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return condition(first, dialect, bind, how);
  return parts.map((part) => `(${condition(part, dialect, bind, how)})`).join(op === 'and' ? ' AND ' : ' OR ');
}
