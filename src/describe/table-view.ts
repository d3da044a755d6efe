/** The tables and columns that a caller sees, by its persona and its token. Pure. */
import type { Caller } from '../model/caller.ts';
import type { Entry } from '../model/entry.ts';
import type { Operation } from '../model/persona.ts';
import type { ForeignKey } from '../model/relation.ts';
import type { Table } from '../model/table.ts';
import type { Place } from '../personas/access.ts';
import type { EffectivePersona } from '../personas/effective-persona.ts';
import type { GrantBook, SchemaGrants } from '../personas/grants.ts';
import { type DescribedRight, type DescribedRights, OPERATIONS } from './description.ts';

/** The letter that an operation requires in a token's key_type. */
export const LETTERS: Readonly<Record<Operation, string>> = { read: 'r', insert: 'w', update: 'w', delete: 'd' };

export interface TableView {
  sees(table: string): boolean;
  /** Independent of the token and of the columns, so that a list needs no table's description. */
  grants(table: string, operation: Operation): boolean;
  rightsOn(table: Table): DescribedRights;
  visibleKeys(keys: readonly ForeignKey[]): readonly ForeignKey[];
}

const EVERYTHING: TableView = {
  sees: () => true,
  grants: () => true,
  rightsOn: ({ columns }) => ({ read: { columns }, insert: { columns }, update: { columns }, delete: { columns: [] } }),
  visibleKeys: (keys) => keys,
};
const NOTHING: TableView = { sees: () => false, grants: () => false, rightsOn: () => ({}), visibleKeys: () => [] };

/** The view of a schema that the caller's persona leaves. */
export function viewBy(book: GrantBook, effective: EffectivePersona, { context, caller, entry, schema }: Place): TableView {
  if (effective.kind === 'unrestricted') return EVERYTHING;
  const granted = effective.kind === 'none' ? undefined : book.in(effective.persona, context, caller, entry, schema);
  return granted === undefined ? NOTHING : viewOf(granted);
}

function viewOf(granted: SchemaGrants): TableView {
  const sees = (table: string): boolean => granted.grantsOf(table) !== undefined;
  return {
    sees,
    grants: (table, operation) => granted.grantsOf(table)?.[operation] !== undefined,
    visibleKeys: (keys) => granted.visibleKeys(keys),
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
export function rightsOf(view: TableView, caller: Caller, { readOnly: onlyReads = false }: Entry, table: Table): DescribedRights {
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

/** Operations that the caller may do on a table, as far as its name and kind tell. */
export function operationsOn(
  view: TableView,
  caller: Caller,
  { readOnly = false }: Entry,
  table: string,
  kind: Table['kind'],
): readonly Operation[] {
  const isWritten = kind === 'table' && !readOnly;
  return OPERATIONS.filter(
    (operation) => view.grants(table, operation) && (operation === 'read' || isWritten) && allows(caller, LETTERS[operation]),
  );
}

/** `true` if the caller has no token, or if its token has the letter. */
export function allows({ keyType }: Caller, letter: string): boolean {
  return keyType === undefined || keyType.includes(letter);
}
