/** The order of rows: the caller's, and then what makes it total. */
import { apiError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import type { OrderTerm } from '../../sql/plan.ts';
import type { OrderItem } from '../request/column-lists.ts';
import { findQueryable } from './filters.ts';

export function orderOf(wanted: readonly OrderItem[] | undefined, table: Table): readonly OrderTerm[] {
  if (wanted === undefined) return stableOrder(table);
  const asked = wanted.map(({ column: name, direction }): OrderTerm => {
    const column = findQueryable(table, name);
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
