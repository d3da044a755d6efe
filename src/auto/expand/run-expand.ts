/**
 * Runs a read with `$expand`: the rows first, with those that can be joined to them, then one statement for each other item with the keys of all rows,
 * all of them in one snapshot where the engine has any. Nothing is sent before everything is read.
 */
import type { StatementRun } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import type { Cells, RowSink } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import { joinedColumns } from '../../sql/compile/joined-rows.ts';
import { compileRelated } from '../../sql/compile/related-rows.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { Authorized, Link, SelectPlan } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import { MemoryBusy } from '../../util/bytes/memory-lease.ts';
import { cellText } from '../plan/cursor.ts';
import type { Expansion } from '../plan/plan-expand.ts';
import { fromText, InvalidValue } from '../plan/values.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import { RowStore } from '../rows/row-store.ts';
import { type AnswerSink, type AutoSession, NeedsExclusiveConnection } from '../session.ts';
import { type ReadItem, type ReadRows, sendRows } from './expanded-rows.ts';
import { checkOnce, divide, joinedItem, joinedLists } from './joined-items.ts';

/** Engines take so many parameters in a statement. */
const MOST_KEY_VALUES = 60_000;

export interface ExpandedRead {
  readonly select: Authorized<SelectPlan>;
  readonly visible: number;
  readonly expand: readonly Expansion[];
}

/**
 * `read` runs the first statement, in the snapshot, into the sink that it is given. `repeats`: a row may come there once for each row of a list. Returns
 * what `read` did, and how many rows there are.
 */
export async function runExpanded<T>(
  plan: ExpandedRead,
  session: AutoSession,
  sink: AnswerSink,
  repeats: boolean,
  read: (select: Authorized<SelectPlan>, rows: RowSink) => Promise<T>,
): Promise<{ readonly result: T; readonly rows: number }> {
  const { connection, options, engine } = session;
  const lease = session.memory.lease(session.owner);
  const { joined, list, rows: beside, apart } = divide(plan, engine.dialect, repeats && session.readsOnly !== true);
  // One statement is a snapshot by itself.
  const snapshot = connection.beginSnapshot !== undefined && (apart.length > 0 || session.readsOnly === true);
  if (snapshot && session.isPipelined) throw new NeedsExclusiveConnection();
  let ended: Promise<unknown> | undefined;
  const stores: RowStore[] = [];
  const keep = (width: number): RowStore => {
    const store = new RowStore(width, lease);
    stores.push(store);
    return store;
  };
  try {
    if (snapshot) await connection.beginSnapshot?.(options);
    const reading = new Reading(session, keep);
    const columns = withEqualBytes(plan.select.columns, apart, engine.dialect);
    const width = columns.length + beside.reduce((sum, one) => sum + joinedColumns(one).length, 0);
    const store = keep(width);
    const select = columns === plan.select.columns ? plan.select : { ...plan.select, columns };
    const result =
      beside.length === 0
        ? await read(select, store)
        : await read({ ...select, joined: beside }, store).finally(() => {
            if (list === undefined) checkOnce(store, select);
          });
    const found = new Map<Expansion, ReadItem>();
    let first = columns.length;
    for (const expansion of joined) {
      found.set(expansion, joinedItem(expansion, store, first));
      first += joinedColumns(expansion.rows).length;
    }
    let shown: readonly number[] | undefined;
    if (list !== undefined) {
      const lists = joinedLists(list, store, select, first);
      if (lists === undefined) return await runExpanded(plan, session, sink, false, read);
      shown = lists.rows;
      found.set(list, lists.item);
      if (lists.isCut) reading.truncated.push(headerText(list.key));
    }
    const others = await reading.items(apart, columns, store, undefined, '');
    apart.forEach((expansion, i) => {
      found.set(expansion, others[i] as ReadItem);
    });
    const items = plan.expand.map((expansion) => found.get(expansion) as ReadItem);
    const rows: ReadRows = {
      shape: plan.expand,
      store,
      columns: store.columns,
      first: 0,
      visible: plan.visible,
      items,
      ...(shown && { shown }),
    };
    if (reading.truncated.length > 0) sink.header('X-Expand-Truncated', reading.truncated.join(', '));
    // Nothing is read any more: the transaction ends while the rows are on their way.
    if (snapshot) ended = reading.isOver ? Promise.resolve() : endSnapshot(session);
    await sendRows(rows, sink);
    return { result, rows: shown?.length ?? store.count };
  } catch (error) {
    throw error instanceof MemoryBusy ? apiError('memory_busy') : error;
  } finally {
    if (snapshot) await (ended ?? endSnapshot(session));
    for (const store of stores) store.release();
    lease.release();
  }
}

/** Whether the caller still waits or not: a connection with an open transaction is of no use to anybody. */
export function endSnapshot({ connection, options }: AutoSession): Promise<unknown> {
  return connection.rollback({ timeoutMs: options.timeoutMs }).catch(() => connection.close());
}

/** Behind the columns, what shows which keys are equal where their own bytes do not. */
function withEqualBytes(columns: readonly Column[], expansions: readonly Expansion[], dialect: Dialect): readonly Column[] {
  if (dialect.equalityColumn === undefined) return columns;
  const added = new Map<Column, Column>();
  for (const { rows } of expansions) {
    for (const column of rows.link.columns) {
      const equal = dialect.equalityColumn(column);
      if (equal !== column) added.set(column, equal);
    }
  }
  return added.size === 0 ? columns : [...columns, ...added.values()];
}

/** Where a key stands in rows: its values as they are, and the bytes by which equal ones are found. */
interface KeyPlaces {
  /** One whole number on either side. */
  readonly isNumber: boolean;
  readonly columns: readonly Column[];
  readonly values: readonly number[];
  readonly equal: readonly number[];
  readonly kinds: readonly Column['kind'][];
}

class Reading {
  readonly truncated: string[] = [];
  /** The transaction was ended with the last statement. */
  isOver = false;
  readonly #session: AutoSession;
  readonly #keep: (width: number) => RowStore;

  constructor(session: AutoSession, keep: (width: number) => RowStore) {
    this.#session = session;
    this.#keep = keep;
  }

  /** `shown`: the rows that count, when not all of them do. */
  async items(
    expansions: readonly Expansion[],
    columns: readonly Column[],
    store: RowStore,
    shown: readonly number[] | undefined,
    path: string,
  ): Promise<readonly ReadItem[]> {
    const asked = expansions.map((expansion) => this.#ask(expansion, columns, store, shown));
    await this.#run(
      asked.flatMap(({ run }) => run ?? []),
      path === '' && expansions.every(({ nested }) => nested.length === 0),
    );
    const items: ReadItem[] = [];
    for (const item of asked) items.push(await this.#item(item, path));
    return items;
  }

  #ask(expansion: Expansion, columns: readonly Column[], parents: RowStore, shown: readonly number[] | undefined): AskedItem {
    const { dialect } = this.#session.engine;
    const { rows, nested } = expansion;
    const { link } = rows;
    const places = placesOf(link, columns, dialect);
    const { keys, ids } = distinctKeys(parents, shown, places, otherSide(link));
    const own = withEqualBytes(rows.select.columns, nested, dialect);
    const store = this.#keep(own.length + link.key.length);
    const item = { expansion, ids, own, store };
    if (keys.length === 0) return item;
    const select = own === rows.select.columns ? rows.select : { ...rows.select, columns: own };
    return { ...item, run: { ...compileRelated({ link, select }, keys, dialect), sink: maskedSink(select, store) } };
  }

  /** `ends`: nothing is read behind them. */
  async #run(runs: readonly StatementRun[], ends: boolean): Promise<void> {
    const { connection, options } = this.#session;
    if (runs.length === 0) return;
    if (connection.runTogether !== undefined) {
      this.isOver = ends;
      await connection.runTogether(runs, options, ends);
      return;
    }
    for (const { statement, params, sink } of runs) await connection.run(statement, params, options, sink);
  }

  async #item({ expansion, ids, own, store }: AskedItem, path: string): Promise<ReadItem> {
    const { dialect } = this.#session.engine;
    const { key, kind, rows, size, nested, visible } = expansion;
    const { link } = rows;
    const place = `${path}${headerText(key)}`;
    const groups = new Map<KeyId, number[]>();
    const used: number[] = [];
    const ends = placesBehind(own.length, link, dialect);
    let isCut = false;
    for (let row = 0; row < store.count; row++) {
      const id = keyId(store, row, ends) ?? '';
      const group = groups.get(id);
      if (group !== undefined && group.length >= size) {
        isCut = kind === 'many';
        continue;
      }
      if (group === undefined) groups.set(id, [row]);
      else group.push(row);
      used.push(row);
    }
    if (isCut) this.truncated.push(place);
    const items = await this.items(nested, own, store, used, `${place}.`);
    const read: ReadRows = { shape: expansion, store, columns: store.columns, first: 0, visible, items };
    return { key, kind, rows: read, of: (row) => groups.get(ids[row] ?? NO_KEY) ?? NONE };
  }
}

/** What is read for an item, and where its rows go; nothing is when no row has a key. */
interface AskedItem {
  readonly expansion: Expansion;
  /** Of the key of each row that it belongs to. */
  readonly ids: readonly (KeyId | undefined)[];
  readonly own: readonly Column[];
  readonly store: RowStore;
  readonly run?: StatementRun;
}

const NONE: readonly number[] = [];
/** No key is written so. */
const NO_KEY = 'NULL';

const otherSide = ({ key, through }: Link): readonly Column[] => through?.columns ?? key;

function isNumber(link: Link): boolean {
  const others = otherSide(link);
  return others.length === 1 && others[0]?.kind === 'int' && link.columns[0]?.kind === 'int';
}

function placesOf(link: Link, columns: readonly Column[], dialect: Dialect): KeyPlaces {
  const wanted = link.columns;
  const values = wanted.map((column) => columns.indexOf(column));
  const equal = wanted.map((column, i) => {
    const other = dialect.equalityColumn?.(column) ?? column;
    if (other === column) return values[i] as number;
    return columns.findIndex((one) => one !== column && one.name === column.name && one.kind === other.kind);
  });
  return { isNumber: isNumber(link), columns: wanted, values, equal, kinds: equal.map((place) => columns[place]?.kind ?? 'text') };
}

/** The key that a row belongs to stands behind its columns. */
function placesBehind(start: number, link: Link, dialect: Dialect): KeyPlaces {
  const key = otherSide(link);
  const equal = key.map((_, i) => start + i);
  const kinds = key.map((column) => (dialect.equalityColumn?.(column) ?? column).kind);
  return { isNumber: isNumber(link), columns: key, values: equal, equal, kinds };
}

/** The same for keys that the database holds to be equal. */
type KeyId = string | number;

/** Undefined for a key with NULL in it, which belongs to nothing. */
function keyId(store: RowStore, row: number, places: KeyPlaces): KeyId | undefined {
  if (!places.isNumber) return equalText(store, row, places);
  const place = places.equal[0] as number;
  const from = store.from(row, place);
  if (from < 0) return undefined;
  return smallNumber(store.bytes, from, store.to(row, place)) ?? equalText(store, row, places);
}

/** Numbers of so many digits are exact. */
const EXACT_DIGITS = 15;
const ZERO = 48;

/** The number that digits spell; undefined for a long one, or one with a sign. */
function smallNumber(bytes: Buffer, from: number, to: number): number | undefined {
  if (to - from > EXACT_DIGITS) return undefined;
  let number = 0;
  for (let i = from; i < to; i++) {
    const digit = (bytes[i] as number) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

function equalText(store: RowStore, row: number, { equal, kinds }: KeyPlaces): string | undefined {
  let text = '';
  for (let i = 0; i < equal.length; i++) {
    const place = equal[i] as number;
    const from = store.from(row, place);
    if (from < 0) return undefined;
    const value = store.bytes.toString('latin1', from, store.to(row, place));
    text += `${equal.length === 1 ? '' : `${value.length}:`}${kinds[i] === 'decimal' || kinds[i] === 'float' ? withoutZeros(value) : value}`;
  }
  return `=${text}`;
}

/** `1.50` and `1.5` are equal, and `2.00` is `2`. */
function withoutZeros(digits: string): string {
  return digits.includes('.') && !/[eE]/.test(digits) ? digits.replace(/\.?0+$/, '') : digits;
}

/** The keys of the rows, each once, and which each row has; those that cannot be values of the other column belong to nothing. */
function distinctKeys(
  store: RowStore,
  shown: readonly number[] | undefined,
  places: KeyPlaces,
  others: readonly Column[],
): { readonly keys: readonly (readonly Operand[])[]; readonly ids: readonly (KeyId | undefined)[] } {
  const keys = new Map<KeyId, readonly Operand[]>();
  const ids = new Array<KeyId | undefined>(store.count);
  const count = shown === undefined ? store.count : shown.length;
  for (let i = 0; i < count; i++) {
    const row = shown === undefined ? i : (shown[i] as number);
    const id = keyId(store, row, places);
    ids[row] = id;
    if (id === undefined || keys.has(id)) continue;
    const key = places.values.map((place, at) => operand(store, row, place, places.columns[at] as Column, others[at] as Column));
    if (!key.includes(undefined)) keys.set(id, key as readonly Operand[]);
    if (keys.size * others.length > MOST_KEY_VALUES) throw apiError('expand_too_many', String(MOST_KEY_VALUES));
  }
  return { keys: [...keys.values()], ids };
}

/** One cell to look at. */
const CELL: Cells = { bytes: Buffer.alloc(0), from: new Int32Array(1), to: new Int32Array(1) };

function operand(store: RowStore, row: number, place: number, column: Column, other: Column): Operand | undefined {
  CELL.bytes = store.bytes;
  CELL.from[0] = store.from(row, place);
  CELL.to[0] = store.to(row, place);
  const text = cellText(CELL, 0, column.kind);
  if (text === null) return undefined;
  try {
    return fromText(other, text, 'compare');
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
}

/** A key as a header can hold it. */
function headerText(key: string): string {
  return key.replace(/[^\x21-\x7e]|[,.%]/gu, encodeURIComponent);
}
