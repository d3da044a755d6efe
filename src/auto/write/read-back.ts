/**
 * Reads written rows by their keys, in the same transaction, for engines without RETURNING. Keys
 * come from the body, from the server, or from the rows before the write.
 */
import type { Outcome } from '../../engines/contract/engine.ts';
import { TextRows } from '../../engines/contract/rows.ts';
import { apiError } from '../../errors.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Column, Table } from '../../model/table.ts';
import { compileSelect } from '../../sql/compile/compile.ts';
import type { Assignment, Authorized, Condition, SelectPlan } from '../../sql/plan.ts';
import type { Operand } from '../../sql/statement.ts';
import { MemoryBusy } from '../../util/bytes/memory-lease.ts';
import type { Access } from '../plan/access.ts';
import { authorize } from '../plan/authorize.ts';
import { cellText } from '../plan/cursor.ts';
import { isOneOf, ownKey } from '../plan/keys.ts';
import { fromText } from '../plan/values.ts';
import { Gate } from '../rows/gate.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import { RowStore } from '../rows/row-store.ts';
import type { AutoSession } from '../session.ts';

export type RowKey = readonly Operand[];

/** Keys per statement. */
const KEYS_PER_STATEMENT = 1000;
const ALL = Number.MAX_SAFE_INTEGER;

/** Collects the keys of rows. */
export class KeySink implements RowSink {
  readonly keys: RowKey[] = [];
  readonly #key: readonly Column[];

  constructor(key: readonly Column[]) {
    this.#key = key;
  }

  start(): void {}

  row(cells: Cells): void {
    this.keys.push(keyOf(cells, this.#key, 0));
  }
}

/** Reads a key from the cells of a row, starting at index `from`. */
function keyOf(cells: Cells, key: readonly Column[], from: number): RowKey {
  return key.map((column, i) => fromText(column, cellText(cells, from + i, column.kind) ?? '', 'compare'));
}

/** Returns the keys after the assignments. */
export function changedKeys(keys: readonly RowKey[], key: readonly Column[], set: readonly Assignment[]): readonly RowKey[] {
  if (!set.some(({ column }) => key.includes(column))) return keys;
  const values = key.map((column) => set.find((one) => one.column === column)?.value ?? undefined);
  return keys.map((given) => given.map((value, i) => values[i] ?? value));
}

/** Joins several results into one. */
export class JoinedSink implements RowSink {
  readonly #inner: RowSink;
  #isStarted = false;

  constructor(inner: RowSink) {
    this.#inner = inner;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#inner.start(columns, flow);
  }

  row(cells: Cells): void {
    this.#inner.row(cells);
  }
}

export interface ReadBack {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly access: Access;
  /** Key of the rows; the primary key by default. */
  readonly key?: readonly Column[];
  /** `described`: accept the result's own column types. */
  readonly kinds?: SelectPlan['kinds'];
}

/**
 * `by key`: rows in key order; `as given`: rows in the order of `keys`. Many rows per statement
 * either way.
 */
export async function readByKeys(
  keys: readonly RowKey[],
  readBack: ReadBack,
  order: 'by key' | 'as given',
  session: AutoSession,
  sink: RowSink,
): Promise<void> {
  const joined = new JoinedSink(sink);
  const { key = ownKey(readBack.table) } = readBack;
  const read = order === 'by key' || keys.length === 1 ? readByKey : readAsGiven;
  if (keys.length === 0) await readWhere({ op: 'or', of: [] }, readBack, session, joined);
  for (let at = 0; at < keys.length; at += KEYS_PER_STATEMENT)
    await read(keys.slice(at, at + KEYS_PER_STATEMENT), key, readBack, session, joined);
}

type ReadKeys = (keys: readonly RowKey[], key: readonly Column[], readBack: ReadBack, session: AutoSession, sink: RowSink) => Promise<void>;

const readByKey: ReadKeys = (keys, key, readBack, session, sink) => readWhere(isOneOf(key, keys), readBack, session, sink);

/**
 * Reads all rows at once and sends them in the order of the keys. A key that is spelled differently
 * in its row is looked up individually.
 */
const readAsGiven: ReadKeys = async (keys, key, readBack, session, sink) => {
  const { columns, table, access } = readBack;
  const lease = session.memory.lease(session.owner);
  try {
    const store = new RowStore(columns.length + key.length, lease);
    // The caller's view may lack the key or mask it.
    const isShown = access.restriction === undefined || key.every((column) => ownKey(table).includes(column));
    const plan = isShown ? planRead(isOneOf(key, keys), { ...readBack, columns: [...columns, ...key] }) : undefined;
    if (plan !== undefined && !key.some((column) => plan.masks?.has(column))) await readPlanned(plan, session, store);
    const places = new Map<string, number>();
    for (let row = 0; row < store.count; row++) places.set(keyText(keyOf(store.cells(row), key, columns.length)), row);
    const gate = new Gate();
    for (const one of keys) {
      const row = places.get(keyText(one));
      if (gate.isClosed) await gate.opened();
      if (row === undefined) await readByKey([one], key, readBack, session, sink);
      else {
        sink.start(store.columns.slice(0, columns.length), gate);
        sink.row(store.cells(row));
      }
    }
  } catch (error) {
    throw error instanceof MemoryBusy ? apiError('memory_busy') : error;
  } finally {
    lease.release();
  }
};

/** Equal for keys with the same spelling. */
export const keyText = (key: RowKey): string => JSON.stringify(key.map(String));

function readWhere(where: Condition, readBack: ReadBack, session: AutoSession, sink: RowSink): Promise<void> {
  return readPlanned(planRead(where, readBack), session, sink);
}

function planRead(where: Condition, { table, columns, access, kinds }: ReadBack): Authorized<SelectPlan> {
  const order = table.order.map((column) => ({ column, direction: 'asc' }) as const);
  return authorize<SelectPlan>({ table, columns, where, order, limit: ALL, offset: 0, kinds }, access, 'read');
}

/**
 * Plans the read that is sent together with an INSERT. `generated`: use the key that the server
 * generates.
 */
export function readWritten(
  key: readonly Column[],
  rowKey: RowKey | 'generated',
  { table, columns, access }: ReadBack,
): Authorized<SelectPlan> {
  const where: Condition = rowKey === 'generated' ? { op: 'generated', column: key[0] as Column } : isOneOf(key, [rowKey]);
  return authorize<SelectPlan>({ table, columns, where, order: UNORDERED, limit: ALL, offset: 0 }, access, 'read');
}

const UNORDERED: SelectPlan['order'] = [];

async function readPlanned(plan: Authorized<SelectPlan>, session: AutoSession, sink: RowSink): Promise<void> {
  const { statement, params } = compileSelect(plan, session.engine.dialect);
  await session.connection.run(statement, params, session.options, maskedSink(plan, sink));
}

/** Returns the keys that the INSERT generated. */
export async function generatedKeys(
  { rows, generated }: Outcome,
  text: string,
  { connection, options }: AutoSession,
): Promise<readonly RowKey[]> {
  if (rows === 1 && generated !== undefined) return [[String(generated)]];
  const result = new TextRows();
  await connection.run({ text, types: [] }, [], options, result);
  const [first = '0', step = '1'] = result.rows[0] ?? [];
  return Array.from({ length: rows }, (_, i) => [String(BigInt(first ?? 0) + BigInt(i) * BigInt(step ?? 1))]);
}
