/**
 * The rows that a write has written, for engines whose statements do not give them back: read by their keys in the same transaction. Which keys
 * these are is known from the body, from the server (keys that it made), or from the rows as they were before.
 */
import { TextRows } from '../engines/rows.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../model/cells.ts';
import type { Column, Table } from '../model/table.ts';
import { compileSelect } from '../sql/compile.ts';
import type { Assignment, Condition, SelectPlan } from '../sql/plan.ts';
import type { Operand } from '../sql/statement.ts';
import { type Access, narrow } from './access.ts';
import { cellText } from './cursor.ts';
import { isOneOf, ownKey } from './keys.ts';
import { maskedSink } from './mask-sink.ts';
import type { AutoSession } from './session.ts';
import { fromText } from './values.ts';

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
    this.keys.push(this.#key.map((column, i) => fromText(column, cellText(cells, i, column.kind) ?? '', 'compare')));
  }
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

export interface Wanted {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly access: Access;
  /** By which they are found; the primary key when nothing is said. */
  readonly key?: readonly Column[];
}

/** `together`: in the order of the key, many at a time; `in turn`: in the order in which they are given. */
export async function readByKeys(
  keys: readonly RowKey[],
  wanted: Wanted,
  order: 'together' | 'in turn',
  session: AutoSession,
  sink: RowSink,
): Promise<void> {
  const joined = new JoinedSink(sink);
  const size = order === 'together' ? KEYS_MOST : 1;
  const { key = ownKey(wanted.table) } = wanted;
  if (keys.length === 0) await readWhere({ op: 'or', of: [] }, wanted, session, joined);
  for (let at = 0; at < keys.length; at += size) {
    await readWhere(isOneOf(key, keys.slice(at, at + size)), wanted, session, joined);
  }
}

async function readWhere(where: Condition, wanted: Wanted, session: AutoSession, sink: RowSink): Promise<void> {
  const { table, columns, access } = wanted;
  const order = table.order.map((column) => ({ column, direction: 'asc' }) as const);
  const plan: SelectPlan = { table, columns, where, order, limit: ALL, offset: 0 };
  const narrowed = narrow(plan, access, 'read');
  const { statement, params } = compileSelect(narrowed, session.engine.dialect);
  await session.connection.run(statement, params, session.options, maskedSink(narrowed, sink));
}

/** Which keys the last INSERT of so many rows has made. */
export async function generatedKeys(count: number, text: string, { connection, options }: AutoSession): Promise<readonly RowKey[]> {
  const told = new TextRows();
  await connection.run({ text, types: [] }, [], options, told);
  const [first = '0', step = '1'] = told.rows[0] ?? [];
  return Array.from({ length: count }, (_, i) => [String(BigInt(first ?? 0) + BigInt(i) * BigInt(step ?? 1))]);
}
