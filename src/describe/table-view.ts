/** The tables and columns that a caller sees, by its persona and its token. Pure. */
import type { SpaceCaller } from '../model/caller.ts';
import type { Entry } from '../model/entry.ts';
import type { Operation } from '../model/persona.ts';
import type { Table } from '../model/table.ts';
import type { SchemaGrants } from '../personas/grants.ts';
import type { DescribedRight, DescribedRights } from './description.ts';

/** The letter that an operation requires in a token's key_type. */
export const LETTERS: Readonly<Record<Operation, string>> = { read: 'r', insert: 'w', update: 'w', delete: 'd' };

export interface TableView {
  sees(table: string): boolean;
  rightsOn(table: Table): DescribedRights;
  reads(table: string, columns: readonly string[]): boolean;
}

export const EVERYTHING: TableView = {
  sees: () => true,
  rightsOn: ({ columns }) => ({ read: { columns }, insert: { columns }, update: { columns }, delete: { columns: [] } }),
  reads: () => true,
};
export const NOTHING: TableView = { sees: () => false, rightsOn: () => ({}), reads: () => false };

export function viewOf(granted: SchemaGrants): TableView {
  const sees = (table: string): boolean => granted.grantsOf(table) !== undefined;
  return {
    sees,
    reads: (table, columns) => granted.reads(table, columns),
    rightsOn(table) {
      // Tables that are not granted by name have no rights.
      const rights = sees(table.name) ? granted.rightsOn(table)?.rights : undefined;
      const found = Object.entries(rights ?? {}).map(([operation, { columns, masks, maxPageSize }]) => {
        const shown = table.columns.filter((column) => columns.has(column));
        return [operation, { columns: shown, maxPageSize, masked: new Set(masks.keys()) }];
      });
      return Object.fromEntries(found) as DescribedRights;
    },
  };
}

/**
 * Rights of the caller on a table. Only the engine knows whether a view is writable, so views are
 * read-only.
 */
export function rightsOf(view: TableView, caller: SpaceCaller, { readOnly: onlyReads = false }: Entry, table: Table): DescribedRights {
  const { read, insert, update, delete: remove } = view.rightsOn(table);
  const isWritten = table.kind === 'table' && !onlyReads;
  const given = ({ columns }: DescribedRight): DescribedRight => ({ columns: columns.filter(({ readOnly }) => !readOnly) });
  // Columns that the engine sorts by cannot be updated.
  const changed = update === undefined ? [] : given(update).columns.filter((column) => !table.sortedBy.includes(column));
  return {
    ...(read !== undefined && allows(caller, LETTERS.read) ? { read } : {}),
    ...(insert !== undefined && isWritten && allows(caller, LETTERS.insert) ? { insert: given(insert) } : {}),
    ...(changed.length > 0 && isWritten && allows(caller, LETTERS.update) ? { update: { columns: changed } } : {}),
    ...(remove !== undefined && isWritten && allows(caller, LETTERS.delete) ? { delete: remove } : {}),
  };
}

/** `true` if the caller has no token, or if its token has the letter. */
export function allows({ keyType }: SpaceCaller, letter: string): boolean {
  return keyType === undefined || keyType.includes(letter);
}
