/**
 * Items of `$expand` that come with the page itself, in one statement: rows that are referred to stand beside their row, and a row is repeated for each
 * row of one list. Says which items can, and finds them in what was read.
 */
import { DbFailure } from '../../engines/contract/engine.ts';
import type { Column, Table } from '../../model/table.ts';
import { isJoinable, isJoinableList, joinedColumns, LISTED_MOST } from '../../sql/compile/joined-rows.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { RelatedRows, SelectPlan } from '../../sql/plan.ts';
import { memo } from '../../util/memo.ts';
import type { Expansion } from '../plan/plan-expand.ts';
import type { RowStore } from '../rows/row-store.ts';
import type { ReadItem } from './expanded-rows.ts';

/** What of the items comes with the rows themselves, and what after them. */
export interface Division {
  readonly joined: readonly Expansion[];
  /** The one that has its rows repeated. */
  readonly list: Expansion | undefined;
  /** What is joined, in its order: the list is the last. */
  readonly rows: readonly RelatedRows[];
  readonly apart: readonly Expansion[];
}

/** Pages up to so many rows come with their lists. */
const MAX_PAGE = 100;
/** Rows of a page that are repeated may take so much. */
const REPEATED_MOST = 256 * 1024;

interface Divisions {
  readonly plain: Division;
  readonly listed: Division;
}

const divisionsOf = memo(divisionsFor);
/** Tables whose lists were too long to come with a page, or the rows of the page too large to be repeated. */
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

/** A row that comes twice has two rows beside it: their key has been unique no longer than the catalogue's picture says. */
export function checkOnce(store: RowStore, { table, columns }: SelectPlan): void {
  const places = table.primaryKey.map((column) => columns.indexOf(column));
  for (let row = 1; row < store.count; row++) if (isSameRow(store, row - 1, row, places)) throw notUnique();
}

function notUnique(): DbFailure {
  return new DbFailure('stale', 'a row has several rows beside it', { code: 'UNIQUE' });
}

/** NULL is the same as nothing: a key may be none any more. */
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

/** The row beside a row stands in its columns from `first` on; where there is none, the key is NULL too. */
export function joinedItem(expansion: Expansion, store: RowStore, first: number): ReadItem {
  const { key, kind, rows } = expansion;
  const place = keyPlace(rows, first);
  return { key, kind, rows: rowsFrom(expansion, store, first), of: (row) => (store.from(row, place) < 0 ? NONE : [row]) };
}

interface JoinedLists {
  /** Each row of the page, where it comes first. */
  readonly rows: readonly number[];
  readonly item: ReadItem;
  /** There is more of a list than is shown. */
  readonly isCut: boolean;
}

/** Undefined when not all of the rows have come. */
export function joinedLists(list: Expansion, store: RowStore, { table, columns }: SelectPlan, first: number): JoinedLists | undefined {
  const { key, kind, rows: related, size } = list;
  const theirs = related.select.table;
  if (store.count > LISTED_MOST) {
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
      // One that is repeated without another row of the list has several rows beside it.
      if (store.from(row, place) < 0 || isSameRow(store, row - 1, row, own)) throw notUnique();
    } else {
      // Without a key rows cannot be told apart.
      if (ours.some((one) => store.from(row, one) < 0)) throw notUnique();
      rest = [];
      rows.push(row);
      lists.set(row, rest);
    }
    if (store.from(row, place) < 0) continue;
    if (rest.length < size) rest.push(row);
    else isCut = true;
  }
  if (store.length > REPEATED_MOST) longLists.add(theirs);
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
