/** Plans `$expand`: what to read for each item, within the caller's rights. Pure. */
import { apiError } from '../../errors.ts';
import type { Neighbours } from '../../model/relation.ts';
import type { Column, Table } from '../../model/table.ts';
import type { RelatedRows, SelectPlan } from '../../sql/plan.ts';
import type { ExpandItem } from '../request/expand-syntax.ts';
import type { Access } from './access.ts';
import { authorize, checkPageSize, maxPageSize } from './authorize.ts';
import { findColumn } from './filters.ts';
import { orderOf } from './order.ts';
import { conditionWith, type Reach } from './relations.ts';

/** Related rows that are nested in each row under a key. */
export interface Expansion {
  readonly key: string;
  readonly kind: 'one' | 'many';
  readonly rows: RelatedRows;
  /** Number of selected columns that the caller sees; the others are keys of nested items. */
  readonly visible: number;
  /** Maximum number of rows of a list. */
  readonly size: number;
  readonly nested: readonly Expansion[];
}

const DEFAULT_SIZE = 100;

/**
 * The last plan of an `$expand` text for unrestricted callers, valid while its inputs are the same.
 */
interface CachedPlan {
  readonly from: Table;
  readonly neighbours: Neighbours;
  readonly expansions: readonly Expansion[];
}

const lastPlans = new WeakMap<readonly ExpandItem[], CachedPlan>();

export function planExpansions(items: readonly ExpandItem[], from: Table, reach: Reach): readonly Expansion[] {
  const { neighbours, access } = reach;
  if (access.restriction !== undefined) return planExpand(items, from, reach);
  const last = lastPlans.get(items);
  if (last !== undefined && last.from === from && isSame(last.neighbours, neighbours)) return last.expansions;
  const expansions = planExpand(items, from, reach);
  lastPlans.set(items, { from, neighbours, expansions });
  return expansions;
}

function isSame(a: Neighbours, b: Neighbours): boolean {
  if (a.keys !== b.keys || a.tables.size !== b.tables.size) return false;
  for (const [name, table] of a.tables) if (b.tables.get(name) !== table) return false;
  return true;
}

function planExpand(items: readonly ExpandItem[], from: Table, reach: Reach): readonly Expansion[] {
  const keys = new Set<string>();
  return items.map((item) => {
    if (from.byName.has(item.key)) throw apiError('expand_key', item.key, `a column of "${from.name}"`);
    if (keys.has(item.key)) throw apiError('expand_key', item.key, 'another item');
    keys.add(item.key);
    return planItem(item, from, reach);
  });
}

function planItem(item: ExpandItem, from: Table, reach: Reach): Expansion {
  const { relation, table, link } = reach.find(from, item);
  const { kind } = relation;
  if (kind === 'one' && item.size !== undefined) throw apiError('parameter_invalid', '$ps', `"${item.key}" is a single row, not a list`);
  const visible = item.select === undefined ? table.columns : item.select.map((name) => findColumn(table, name));
  const nested = planExpand(item.expand, table, reach);
  const size = kind === 'one' ? 1 : listSize(item.size, table, reach.access);
  const select: SelectPlan = {
    table,
    columns: withColumns(visible, nested),
    where: conditionWith(item.filters, table, reach),
    order: orderOf(item.order, table),
    // One row more shows whether the list is complete. A unique key needs no limit.
    limit: kind === 'many' ? size + 1 : isUnique(table, link.key) ? 0 : 1,
    offset: 0,
  };
  return { key: item.key, kind, rows: { link, select: authorize(select, reach.access, 'read') }, visible: visible.length, size, nested };
}

function listSize(size: number | undefined, table: Table, access: Access): number {
  if (size !== undefined) checkPageSize(table, access, '$ps', size);
  return size ?? Math.min(DEFAULT_SIZE, maxPageSize(table, access) ?? DEFAULT_SIZE);
}

/** Adds the key columns of nested items to the selected ones. */
export function withColumns(visible: readonly Column[], expansions: readonly Expansion[]): readonly Column[] {
  if (expansions.length === 0) return visible;
  const hidden = expansions.flatMap(({ rows }) => rows.link.columns).filter((column) => !visible.includes(column));
  return hidden.length === 0 ? visible : [...visible, ...new Set(hidden)];
}

function isUnique({ primaryKey, unique }: Table, columns: readonly Column[]): boolean {
  return [primaryKey, ...unique].some((key) => key.length > 0 && key.every((column) => columns.includes(column)));
}
