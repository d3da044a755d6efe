/**
 * Runs a read with `$expand`: the rows first, then one statement for each item with the keys of all rows, all of them in one snapshot where the engine
 * has any. Nothing is sent before everything is read.
 */
import type { StatementRun } from '../engines/engine.ts';
import { apiError } from '../errors.ts';
import type { Cells, RowSink } from '../model/cells.ts';
import type { Column } from '../model/table.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Narrowed, SelectPlan } from '../sql/plan.ts';
import { compileRelated } from '../sql/related-rows.ts';
import type { Operand } from '../sql/statement.ts';
import { MemoryBusy, type MemoryLease } from '../util/memory-lease.ts';
import { cellText } from './cursor.ts';
import { type ReadItem, type ReadRows, sendRows } from './expanded-rows.ts';
import { maskedSink } from './mask-sink.ts';
import type { Expansion } from './plan-expand.ts';
import { RowStore } from './row-store.ts';
import type { AnswerSink, AutoSession } from './session.ts';
import { fromText, InvalidValue } from './values.ts';

/** Engines take so many parameters in a statement. */
const MOST_KEY_VALUES = 60_000;

export interface ExpandedRead {
  readonly select: Narrowed<SelectPlan>;
  readonly visible: number;
  readonly expand: readonly Expansion[];
}

/** `read` runs the first statement, in the snapshot, into the sink that it is given. */
export async function runExpanded<T>(
  plan: ExpandedRead,
  session: AutoSession,
  sink: AnswerSink,
  read: (select: Narrowed<SelectPlan>, rows: RowSink) => Promise<T>,
): Promise<T> {
  const { connection, options, engine } = session;
  const lease = session.memory.lease(session.owner);
  const snapshot = connection.beginSnapshot !== undefined;
  let ended: Promise<unknown> | undefined;
  try {
    await connection.beginSnapshot?.(options);
    const reading = new Reading(session, lease);
    const columns = withEqualBytes(plan.select.columns, plan.expand, engine.dialect);
    const store = new RowStore(columns.length, lease);
    const result = await read(columns === plan.select.columns ? plan.select : { ...plan.select, columns }, store);
    const rows = {
      shape: plan.expand,
      store,
      visible: plan.visible,
      items: await reading.items(plan.expand, columns, store, undefined, ''),
    };
    if (reading.truncated.length > 0) sink.header('X-Expand-Truncated', reading.truncated.join(', '));
    // Nothing is read any more: the transaction ends while the rows are on their way.
    if (snapshot) ended = reading.isOver ? Promise.resolve() : endSnapshot(session);
    await sendRows(rows, sink);
    return result;
  } catch (error) {
    throw error instanceof MemoryBusy ? apiError('memory_busy') : error;
  } finally {
    if (snapshot) await (ended ?? endSnapshot(session));
    lease.release();
  }
}

/** Whether the caller still waits or not: a connection with an open transaction is of no use to anybody. */
export function endSnapshot({ connection, options }: AutoSession): Promise<unknown> {
  return connection.rollback({ timeoutMs: options.timeoutMs }).catch(() => connection.close());
}

/** Behind the columns, what shows which keys are equal where their own bytes do not. */
function withEqualBytes(columns: readonly Column[], expansions: readonly Expansion[], dialect: Dialect): readonly Column[] {
  if (dialect.equalBytes === undefined) return columns;
  const added = new Map<Column, Column>();
  for (const { rows } of expansions) {
    for (const column of rows.link.columns) {
      const equal = dialect.equalBytes(column);
      if (equal !== column) added.set(column, equal);
    }
  }
  return added.size === 0 ? columns : [...columns, ...added.values()];
}

/** Where a key stands in rows: its values as they are, and the bytes by which equal ones are found. */
interface KeyPlaces {
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
  readonly #lease: MemoryLease;

  constructor(session: AutoSession, lease: MemoryLease) {
    this.#session = session;
    this.#lease = lease;
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
    for (const item of asked) items.push(await this.#item(item, store, path));
    return items;
  }

  #ask(expansion: Expansion, columns: readonly Column[], parents: RowStore, shown: readonly number[] | undefined): AskedItem {
    const { dialect } = this.#session.engine;
    const { rows, nested } = expansion;
    const { link } = rows;
    const places = placesOf(link.columns, columns, dialect);
    const keys = distinctKeys(parents, shown, places, link.through?.columns ?? link.key);
    const own = withEqualBytes(rows.select.columns, nested, dialect);
    const store = new RowStore(own.length + link.key.length, this.#lease);
    const item = { expansion, places, own, store };
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

  async #item({ expansion, places, own, store }: AskedItem, parents: RowStore, path: string): Promise<ReadItem> {
    const { dialect } = this.#session.engine;
    const { key, kind, rows, size, nested, visible } = expansion;
    const { link } = rows;
    const place = `${path}${headerText(key)}`;
    const groups = new Map<string, number[]>();
    const used: number[] = [];
    const ends = placesBehind(own.length, link.through?.columns ?? link.key, dialect);
    let isCut = false;
    for (let row = 0; row < store.count; row++) {
      const id = equalText(store, row, ends) ?? '';
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
    const read: ReadRows = { shape: expansion, store, visible, items: await this.items(nested, own, store, used, `${place}.`) };
    return { key, kind, rows: read, of: (row) => groups.get(equalText(parents, row, places) ?? NO_KEY) ?? NONE };
  }
}

/** What is read for an item, and where its rows go; nothing is when no row has a key. */
interface AskedItem {
  readonly expansion: Expansion;
  readonly places: KeyPlaces;
  readonly own: readonly Column[];
  readonly store: RowStore;
  readonly run?: StatementRun;
}

const NONE: readonly number[] = [];
/** No key is written so. */
const NO_KEY = 'NULL';

function placesOf(wanted: readonly Column[], columns: readonly Column[], dialect: Dialect): KeyPlaces {
  const values = wanted.map((column) => columns.indexOf(column));
  const equal = wanted.map((column, i) => {
    const other = dialect.equalBytes?.(column) ?? column;
    if (other === column) return values[i] as number;
    return columns.findIndex((one) => one !== column && one.name === column.name && one.kind === other.kind);
  });
  return { columns: wanted, values, equal, kinds: equal.map((place) => columns[place]?.kind ?? 'text') };
}

/** The key that a row belongs to stands behind its columns. */
function placesBehind(start: number, key: readonly Column[], dialect: Dialect): KeyPlaces {
  const equal = key.map((_, i) => start + i);
  return { columns: key, values: equal, equal, kinds: key.map((column) => (dialect.equalBytes?.(column) ?? column).kind) };
}

/** The same for keys that the database holds to be equal; undefined for one with NULL in it, which belongs to nothing. */
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

/** The keys of the rows, each once; those that cannot be values of the other column belong to nothing. */
function distinctKeys(
  store: RowStore,
  shown: readonly number[] | undefined,
  places: KeyPlaces,
  others: readonly Column[],
): readonly (readonly Operand[])[] {
  const keys = new Map<string, readonly Operand[]>();
  const count = shown === undefined ? store.count : shown.length;
  for (let i = 0; i < count; i++) {
    const row = shown === undefined ? i : (shown[i] as number);
    const id = equalText(store, row, places);
    if (id === undefined || keys.has(id)) continue;
    const key = places.values.map((place, at) => operand(store, row, place, places.columns[at] as Column, others[at] as Column));
    if (!key.includes(undefined)) keys.set(id, key as readonly Operand[]);
    if (keys.size * others.length > MOST_KEY_VALUES) throw apiError('expand_too_many', String(MOST_KEY_VALUES));
  }
  return [...keys.values()];
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
