/** The rows of a feed and the changes that are pending, as the grid shows them. */
import type { Column, TableDetail } from '../../api/types.ts';
import type { PendingEdits } from './edit/pending.ts';
import type { GridColumn, GridSource } from './grid/source.ts';
import { isGrouped, readQuery, type TableQuery, writeQuery } from './query/query.ts';
import { type CellView, viewCell } from './rows/cell-text.ts';
import type { RowFeed } from './rows/row-feed.ts';
import { keyColumns, rowKey } from './rows/row-key.ts';
import type { RowStore } from './rows/row-store.ts';
import type { TableRights } from './table-rights.ts';

const RIGHT = new Set(['int', 'decimal', 'float']);

export class TableSource implements GridSource {
  readonly columns: readonly GridColumn[];
  readonly sort;
  readonly hasSelection: boolean;
  readonly hasKeys: boolean;
  readonly #feed: RowFeed;
  readonly #pending: PendingEdits;
  readonly #keys: readonly Column[];
  readonly #byName: ReadonlyMap<string, Column>;
  /** Positions of the shown columns in the rows. */
  readonly #places: readonly number[];

  constructor(detail: TableDetail, search: string, rights: TableRights, feed: RowFeed, pending: PendingEdits) {
    const query = readQuery(search);
    this.#feed = feed;
    this.#pending = pending;
    this.#keys = keyColumns(detail);
    this.hasKeys = rights.hasKeys;
    this.#byName = new Map(isGrouped(query) ? [] : detail.columns.map((column) => [column.name, column]));
    this.sort = query.order;
    this.hasSelection = rights.canDelete && rights.hasKeys;
    const names = shownNames(detail, query, feed.store);
    this.#places = names.map((name) => feed.store.columns.indexOf(name));
    this.columns = names.map((name) => this.#describe(name, isGrouped(query)));
  }

  get rowCount(): number {
    return this.#feed.store.rowCount;
  }

  get isWhole(): boolean {
    return this.#feed.state.peek() === 'end' && !this.#feed.isCut.peek();
  }

  columnAt(column: number): Column | undefined {
    return this.#byName.get(this.columns[column]?.name ?? '');
  }

  /** JSON of a value, with the change that is pending. */
  raw(row: number, column: number): string | undefined {
    const key = this.#pending.edits.peek().size === 0 ? undefined : this.keyOf(row);
    const changed = key === undefined ? undefined : this.#pending.change(key, this.columns[column]?.name ?? '');
    return changed ?? this.stored(row, column);
  }

  /** JSON of a value as it was loaded. */
  stored(row: number, column: number): string | undefined {
    return this.#feed.store.raw(row, this.#places[column] ?? -1);
  }

  cell(row: number, column: number): CellView {
    return viewCell(this.raw(row, column), this.columnAt(column)?.kind);
  }

  isPendingCell(row: number, column: number): boolean {
    if (this.#pending.edits.peek().size === 0) return false;
    const key = this.keyOf(row);
    return key !== undefined && this.#pending.change(key, this.columns[column]?.name ?? '') !== undefined;
  }

  isPendingRow(row: number): boolean {
    if (this.#pending.edits.peek().size === 0) return false;
    const key = this.keyOf(row);
    return key !== undefined && this.#pending.edits.peek().has(key);
  }

  keyOf(row: number): string | undefined {
    return this.hasKeys ? rowKey(this.#keys, (name) => this.#feed.store.rawNamed(row, name)) : undefined;
  }

  #describe(name: string, hasGroups: boolean): GridColumn {
    const column = this.#byName.get(name);
    if (column === undefined) {
      const first = this.#feed.store.rawNamed(0, name);
      return { name, type: '', isKey: false, isRight: /^[-\d]/.test(first ?? ''), isSortable: hasGroups, title: name };
    }
    const { type, kind, primary_key, sortable, nullable, masked } = column;
    const notes = [
      `${name}: ${type}`,
      nullable ? 'may be NULL' : 'not NULL',
      ...(primary_key ? ['primary key'] : []),
      ...(masked ? ['masked'] : []),
    ];
    return {
      name,
      type: shortType(type),
      isKey: primary_key,
      isRight: RIGHT.has(kind),
      isSortable: sortable && !masked,
      title: notes.join(', '),
    };
  }
}

/** Long names of SQL in the words that PostgreSQL takes as well. */
const SHORT: readonly (readonly [RegExp, string])[] = [
  [/^character varying/, 'varchar'],
  [/^character\b/, 'char'],
  [/^(timestamp|time)(\(\d\))? with time zone/, '$1tz$2'],
  [/^(timestamp|time)(\(\d\))? without time zone/, '$1$2'],
  [/^double precision/, 'double'],
];

const shortType = (type: string): string => SHORT.reduce((text, [long, short]) => text.replace(long, short), type);

/** Columns of the response. Excludes columns that only the key needs. */
function shownNames(detail: TableDetail, query: TableQuery, store: RowStore): readonly string[] {
  if (store.columns.length > 0) {
    if (query.select.length === 0) return store.columns;
    const hidden = new Set(missingKeys(detail, query));
    return store.columns.filter((name) => !hidden.has(name));
  }
  if (query.select.length > 0) return query.select;
  return isGrouped(query) ? [] : detail.columns.filter(({ operations }) => operations.includes('read')).map(({ name }) => name);
}

/** Columns of the key that `$select` leaves out. Rows need them for their addresses. */
function missingKeys(detail: TableDetail, { select }: TableQuery): readonly string[] {
  if (select.length === 0) return [];
  return keyColumns(detail)
    .map(({ name }) => name)
    .filter((name) => !select.includes(name));
}

/** The query that asks for the rows of an address, without its question mark. */
export function rowsQuery(search: string, detail: TableDetail): string {
  const query = readQuery(search);
  const select = query.select.length === 0 ? [] : [...query.select, ...missingKeys(detail, query)];
  return writeQuery({ ...query, select }).slice(1);
}
