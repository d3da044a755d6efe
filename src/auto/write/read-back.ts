/**
 * The rows that a write has written, for engines whose statements do not give them back: read by their keys in the same transaction. Which keys
 * these are is known from the body, from the server (keys that it made), or from the rows as they were before.
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

/** So many keys are asked for in one statement. */
const KEYS_MOST = 1000;
const ALL = Number.MAX_SAFE_INTEGER;

/** Reads the keys of rows. */
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

/** The key among the cells of a row, from a place on. */
function keyOf(cells: Cells, key: readonly Column[], from: number): RowKey {
  return key.map((column, i) => fromText(column, cellText(cells, from + i, column.kind) ?? '', 'compare'));
}

/** The keys as they are after the assignments. */
export function changedKeys(keys: readonly RowKey[], key: readonly Column[], set: readonly Assignment[]): readonly RowKey[] {
  if (!set.some(({ column }) => key.includes(column))) return keys;
  const values = key.map((column) => set.find((one) => one.column === column)?.value ?? undefined);
  return keys.map((given) => given.map((value, i) => values[i] ?? value));
}

/** Passes several results on as one. */
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
  /** By which they are found; the primary key when nothing is said. */
  readonly key?: readonly Column[];
  /** `described`: of whatever kinds their columns are by now. */
  readonly kinds?: SelectPlan['kinds'];
}

/** `together`: in the order of the key; `in turn`: in the order in which they are given. Many at a time either way. */
export async function readByKeys(
  keys: readonly RowKey[],
  wanted: ReadBack,
  order: 'together' | 'in turn',
  session: AutoSession,
  sink: RowSink,
): Promise<void> {
  const joined = new JoinedSink(sink);
  const { key = ownKey(wanted.table) } = wanted;
  const read = order === 'together' || keys.length === 1 ? readTogether : readInTurn;
  if (keys.length === 0) await readWhere({ op: 'or', of: [] }, wanted, session, joined);
  for (let at = 0; at < keys.length; at += KEYS_MOST) await read(keys.slice(at, at + KEYS_MOST), key, wanted, session, joined);
}

type ReadKeys = (keys: readonly RowKey[], key: readonly Column[], wanted: ReadBack, session: AutoSession, sink: RowSink) => Promise<void>;

const readTogether: ReadKeys = (keys, key, wanted, session, sink) => readWhere(isOneOf(key, keys), wanted, session, sink);

/** All rows at once, then each where its key stands. A key that is written otherwise in its row is looked up by itself: what is equal, the database says. */
const readInTurn: ReadKeys = async (keys, key, wanted, session, sink) => {
  const { columns, table, access } = wanted;
  const lease = session.memory.lease(session.owner);
  try {
    const store = new RowStore(columns.length + key.length, lease);
    // A caller's own view of the rows may not have the key, or another value for it.
    const isShown = access.restriction === undefined || key.every((column) => ownKey(table).includes(column));
    const plan = isShown ? planned(isOneOf(key, keys), { ...wanted, columns: [...columns, ...key] }) : undefined;
    if (plan !== undefined && !key.some((column) => plan.masks?.has(column))) await readPlanned(plan, session, store);
    const places = new Map<string, number>();
    for (let row = 0; row < store.count; row++) places.set(keyText(keyOf(store.cells(row), key, columns.length)), row);
    const gate = new Gate();
    for (const one of keys) {
      const row = places.get(keyText(one));
      if (gate.isClosed) await gate.opened();
      if (row === undefined) await readTogether([one], key, wanted, session, sink);
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

/** The same for keys that are spelled alike. */
export const keyText = (key: RowKey): string => JSON.stringify(key.map(String));

function readWhere(where: Condition, wanted: ReadBack, session: AutoSession, sink: RowSink): Promise<void> {
  return readPlanned(planned(where, wanted), session, sink);
}

function planned(where: Condition, { table, columns, access, kinds }: ReadBack): Authorized<SelectPlan> {
  const order = table.order.map((column) => ({ column, direction: 'asc' }) as const);
  return authorize<SelectPlan>({ table, columns, where, order, limit: ALL, offset: 0, kinds }, access, 'read');
}

/** Reads the row that an INSERT wrote, and is sent with it. `generated`: by the key that the server makes for it. */
export function readWritten(
  key: readonly Column[],
  known: RowKey | 'generated',
  { table, columns, access }: ReadBack,
): Authorized<SelectPlan> {
  const where: Condition = known === 'generated' ? { op: 'generated', column: key[0] as Column } : isOneOf(key, [known]);
  return authorize<SelectPlan>({ table, columns, where, order: UNORDERED, limit: ALL, offset: 0 }, access, 'read');
}

const UNORDERED: SelectPlan['order'] = [];

async function readPlanned(plan: Authorized<SelectPlan>, session: AutoSession, sink: RowSink): Promise<void> {
  const { statement, params } = compileSelect(plan, session.engine.dialect);
  await session.connection.run(statement, params, session.options, maskedSink(plan, sink));
}

/** Which keys the INSERT has made. */
export async function generatedKeys(
  { rows, generated }: Outcome,
  text: string,
  { connection, options }: AutoSession,
): Promise<readonly RowKey[]> {
  if (rows === 1 && generated !== undefined) return [[String(generated)]];
  const told = new TextRows();
  await connection.run({ text, types: [] }, [], options, told);
  const [first = '0', step = '1'] = told.rows[0] ?? [];
  return Array.from({ length: rows }, (_, i) => [String(BigInt(first ?? 0) + BigInt(i) * BigInt(step ?? 1))]);
}
