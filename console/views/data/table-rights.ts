/** Rights of the caller on a table, and the reason if rows cannot be edited. Pure. */
import type { Column, Operation, TableDetail } from '../../api/types.ts';
import { isGrouped, readQuery } from './query/query.ts';
import { keyColumns } from './rows/row-key.ts';

export interface TableRights {
  readonly canInsert: boolean;
  readonly canDelete: boolean;
  readonly canUpdate: boolean;
  /** Why cells cannot be edited; `undefined` if they can, or if it goes without saying. */
  readonly reason: string | undefined;
  /** `true` if a row has an address of its own. */
  readonly hasKeys: boolean;
}

export function tableRights(detail: TableDetail, search: string): TableRights {
  const may = (operation: Operation): boolean => detail.operations.includes(operation);
  const hasGroups = isGrouped(readQuery(search));
  const keys = keyColumns(detail);
  const hasKeys = keys.length > 0 && !hasGroups && keys.every(({ operations }) => operations.includes('read'));
  return {
    canInsert: may('insert'),
    canDelete: may('delete') && !hasGroups,
    canUpdate: may('update') && hasKeys,
    hasKeys,
    reason:
      may('update') && !hasGroups && !hasKeys ? 'Without a primary key no row can be edited: nothing tells it from others.' : undefined,
  };
}

export const canEditColumn = (column: Column | undefined): column is Column => column?.operations.includes('update') === true;
