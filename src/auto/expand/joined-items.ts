/**
 * Items of `$expand` that are joined to the page's own statement: any number of to-one relations,
 * and one list, for whose rows the page's rows repeat. Chooses the items and finds them in the
 * result.
 */
import { DbFailure } from '../../engines/contract/engine.ts';
import type { Column, Table } from '../../model/table.ts';
import { isJoinable, isJoinableList, joinedColumns, MAX_JOINED_ROWS } from '../../sql/compile/joined-rows.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { RelatedRows, SelectPlan } from '../../sql/plan.ts';
import { memo } from '../../util/memo.ts';
import type { Expansion } from '../plan/plan-expand.ts';
import type { RowStore } from '../rows/row-store.ts';
import type { ReadItem } from './expanded-rows.ts';

/** Items that are joined to the page, and items that are read afterwards. */
export interface Division {
  readonly joined: readonly Expansion[];
  /** The list for whose rows the page's rows repeat. */
  readonly list: Expansion | undefined;
  /** Joined relations in order; the list is last. */
  readonly rows: readonly RelatedRows[];
  readonly apart: readonly Expansion[];
}

/** Largest page that is read together with a list. */
const MAX_PAGE = 100;
/** If the repeated rows take more bytes, the list is read separately from then on. */
const MAX_REPEATED_BYTES = 256 * 1024;

interface Divisions {
  readonly plain: Division;
  readonly listed: Division;
}

const divisionsOf = memo(divisionsFor);
/** Tables whose lists were too long, or made the result too large, to be joined. */
const longLists = new WeakSet<Table>();

interface Page {
  readonly expand: readonly Expansion[];
  readonly select: SelectPlan;
}

export function divide({ expand, select }: Page, dialect: Dialect, mayRepeat: boolean): Division {
  const { table, columns, kinds, limit } = select;
  const key = table.primaryKey;
  const joins = kinds !== 'described' && key.length > 0 && key.every((column) => columns.includes(column)) && dialect.prefersJoin?.(select);
  if (joins !== true) return { joined: [], list: undefined, rows: [], apart: expand };
  const { plain, listed } = divisionsOf(expand);
  const { list } = listed;
  const isListJoined = mayRepeat && limit <= MAX_PAGE && list !== undefined && !longLists.has(list.rows.select.table);
  return isListJoined ? listed : plain;
}

function divisionsFor(expand: readonly Expansion[]): Divisions {
  const joined = expand.filter(({ rows, nested }) => nested.length === 0 && isJoinable(rows));
  const apart = expand.filter((one) => !joined.includes(one));
  const plain = { joined, list: undefined, rows: joined.map(({ rows }) => rows), apart };
  const [list] = apart;
  const isListed =
    list !== undefined && apart.length === 1 && list.kind === 'many' && list.nested.length === 0 && isJoinableList(list.rows);
  return { plain, listed: isListed ? { joined, list, rows: [...plain.rows, list.rows], apart: [] } : plain };
}

/** Fails as stale if a row came twice: the key of a to-one relation is no longer unique. */
export function checkOnce(store: RowStore, { table, columns }: SelectPlan): void {
  const places = table.primaryKey.map((column) => columns.indexOf(column));
  for (let row = 1; row < store.count; row++) if (isSameRow(store, row - 1, row, places)) throw notUnique();
}

function notUnique(): DbFailure {
  return new DbFailure('stale', 'a to-one relation has several rows', { code: 'UNIQUE' });
}

/** NULL never equals NULL, because the key may have been dropped. */
function isSameRow(store: RowStore, a: number, b: number, places: readonly number[]): boolean {
  for (const place of places) if (!isSameCell(store, a, b, place)) return false;
  return true;
}

function isSameCell(store: RowStore, a: number, b: number, place: number): boolean {
  const { bytes } = store;
  const from = store.from(a, place);
  const other = store.from(b, place);
  const size = store.to(a, place) - from;
  if (from < 0 || other < 0 || store.to(b, place) - other !== size) return false;
  for (let i = 0; i < size; i++) if (bytes[from + i] !== bytes[other + i]) return false;
  return true;
}

/** Finds a to-one row in the columns from `first`. Its key is NULL if the row does not exist. */
export function joinedItem(expansion: Expansion, store: RowStore, first: number): ReadItem {
  const { key, kind, rows } = expansion;
  const place = keyPlace(rows, first);
  return { key, kind, rows: rowsFrom(expansion, store, first), of: (row) => (store.from(row, place) < 0 ? NONE : [row]) };
}

interface JoinedLists {
  /** First occurrence of each row of the page. */
  readonly rows: readonly number[];
  readonly item: ReadItem;
  /** `true` if a list has more rows than are shown. */
  readonly isCut: boolean;
}

/** `undefined` if the result was cut off at the row limit. */
export function joinedLists(list: Expansion, store: RowStore, { table, columns }: SelectPlan, first: number): JoinedLists | undefined {
  const { key, kind, rows: related, size } = list;
  const theirs = related.select.table;
  if (store.count > MAX_JOINED_ROWS) {
    longLists.add(theirs);
    return undefined;
  }
  const ours = table.primaryKey.map((column) => columns.indexOf(column));
  const own = theirs.primaryKey.map((column) => first + joinedColumns(related).indexOf(column));
  const place = keyPlace(related, first);
  const rows: number[] = [];
  const lists = new Map<number, readonly number[]>();
  let isCut = false;
  let rest: number[] = [];
  for (let row = 0; row < store.count; row++) {
    if (row > 0 && isSameRow(store, row - 1, row, ours)) {
      // A row that repeats without another row of the list has a to-one relation that is not
      // unique.
      if (store.from(row, place) < 0 || isSameRow(store, row - 1, row, own)) throw notUnique();
    } else {
      // Rows without a key cannot be distinguished.
      if (ours.some((one) => store.from(row, one) < 0)) throw notUnique();
      rest = [];
      rows.push(row);
      lists.set(row, rest);
    }
    if (store.from(row, place) < 0) continue;
    if (rest.length < size) rest.push(row);
    else isCut = true;
  }
  if (store.length > MAX_REPEATED_BYTES) longLists.add(theirs);
  return { rows, isCut, item: { key, kind, rows: rowsFrom(list, store, first), of: (row) => lists.get(row) ?? NONE } };
}

const NONE: readonly number[] = [];

function keyPlace(rows: RelatedRows, first: number): number {
  return first + joinedColumns(rows).indexOf(rows.link.key[0] as Column);
}

function rowsFrom(expansion: Expansion, store: RowStore, first: number): ReadItem['rows'] {
  const { rows, visible } = expansion;
  return { shape: expansion, store, columns: rows.select.columns, first, visible, items: [] };
}
