/** The order of rows: the requested columns, then columns that make it total. Pure. */
import { apiError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import type { OrderTerm } from '../../sql/plan.ts';
import { memo } from '../../util/memo.ts';
import type { OrderItem } from '../request/column-lists.ts';
import { findQueryable } from './filters.ts';

export function orderOf(items: readonly OrderItem[] | undefined, table: Table): readonly OrderTerm[] {
  if (items === undefined) return stableOrder(table);
  const requested = items.map(({ column: name, direction }): OrderTerm => {
    const column = findQueryable(table, name);
    if (!column.sortable) throw apiError('column_not_comparable', name, '$order');
    return { column, direction };
  });
  const named = new Set(requested.map((term) => term.column));
  return [...requested, ...stableOrder(table).filter((term) => !named.has(term.column))];
}

const stableOrder = memo((table: Table): readonly OrderTerm[] => table.order.map((column) => ({ column, direction: 'asc' })));
