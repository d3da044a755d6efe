/**
 * Runs an insert that returns its rows in the order of the body: with RETURNING where available,
 * otherwise by keys from the body, the presets or the database.
 */
import { DbFailure, type Outcome } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import { type Backpressure, type Cells, copyRow, type ResultColumn, type RowSink } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import { compileSelect } from '../../sql/compile/compile.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import { cellText } from '../plan/cursor.ts';
import type { InsertBodyPlan, ReturnedRows } from '../plan/plan-write.ts';
import { Gate } from '../rows/gate.ts';
import type { Batch, Group } from '../rows/insert-body.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import type { AnswerSink, AutoSession } from '../session.ts';
import { authorizeGroup, expectedRows, groupStatements, isComplete, keysIn, statementsOf } from './insert-statements.ts';
import { generatedKeys, JoinedSink, KeySink, type ReadBack, type RowKey, readByKeys, readWritten } from './read-back.ts';
import { checkWritten, inTransaction, isCountedOnly, markUncertain, type Progress } from './transaction.ts';

export function insertAndReturn(
  batch: Batch,
  plan: InsertBodyPlan,
  returned: ReturnedRows,
  session: AutoSession,
  sink: AnswerSink,
): Promise<number> {
  const { capabilities, label } = session.engine;
  if (!capabilities.transactions) throw apiError('not_on_engine', '$return=rows', label);
  if (isCountedOnly(plan, plan.table, session)) throw apiError('not_on_engine', '$return=rows', label);
  const isReturned = returned.isOpen && capabilities.returning.includes('insert') && expectedRows(batch.groups, plan) === undefined;
  if (!isReturned) return insertAndRead(batch, plan, returned, session, sink);
  const returning = returned.columns;
  const groups = batch.groups.map((group) => ({ group, statements: groupStatements(group, plan, session, { returning }) }));
  const [first] = groups;
  const [only] = first?.statements ?? [];
  const isOne = groups.length === 1 && first?.statements.length === 1;
  if (isOne && only !== undefined && !plan.dryRun && plan.maxAffected === undefined) {
    const running = run(only, session, sink).then(({ rows }) => rows);
    return plan.table.transactional ? running : running.catch(markUncertain);
  }
  const ordered = groups.length === 1 ? undefined : new OrderedRows(sink, batch.count);
  const joined = new JoinedSink(sink);
  return inTransaction(plan, session, async (progress) => {
    for (const { group, statements } of groups) {
      ordered?.next(group.places);
      for (const statement of statements) {
        await run(statement, session, ordered ?? joined);
        progress.hasRun = true;
      }
    }
    ordered?.end();
    return batch.count;
  });
}

function run({ statement, params }: BoundStatement, { connection, options }: AutoSession, sink?: RowSink): Promise<Outcome> {
  return connection.run(statement, params, options, sink);
}

function insertAndRead(
  batch: Batch,
  plan: InsertBodyPlan,
  returned: ReturnedRows,
  session: AutoSession,
  sink: AnswerSink,
): Promise<number> {
  const { table } = plan;
  const { label } = session.engine;
  // Rows of an upsert are identified by its key.
  const key = plan.upsert ?? table.primaryKey;
  if (key.length === 0) throw apiError('not_on_engine', '$return=rows without a primary key', label);
  if (!table.transactional) throw apiError('not_on_engine', '$return=rows', `${label} ${table.storage}`);
  const { columns, access } = returned;
  const readBack = { table: returned.table, columns, access, key };
  const together = insertAndReadOne(batch, plan, readBack, session, sink);
  if (together !== undefined) return together;
  return inTransaction(plan, session, async (progress) => {
    const keys: RowKey[] = new Array(batch.count);
    for (const group of batch.groups) {
      const groupKeys = await insertGroup(group, key, plan, progress, session);
      for (const [i, place] of group.places.entries()) keys[place] = groupKeys[i] ?? [];
    }
    const order = isAscending(keys, key) ? 'by key' : 'as given';
    await readByKeys(keys, readBack, order, session, sink);
    return batch.count;
  });
}

/**
 * Inserts and reads one row in a single round trip. `undefined` if that is not possible or the
 * write may have to be rolled back.
 */
function insertAndReadOne(
  { count, groups: [group] }: Batch,
  plan: InsertBodyPlan,
  readBack: ReadBack & { readonly key: readonly Column[] },
  session: AutoSession,
  sink: RowSink,
): Promise<number> | undefined {
  const { connection, options, engine } = session;
  const { dialect } = engine;
  if (connection.writeAndRead === undefined || count !== 1 || group === undefined || plan.dryRun || plan.maxAffected !== undefined)
    return undefined;
  const { key } = readBack;
  const authorized = authorizeGroup(group, plan);
  const { how, given } = keySource(authorized, key, session);
  const place = readBack.columns.indexOf(key[0] as Column);
  if (how === 'returned' || (how === 'generated' && (place < 0 || dialect.generatedKey === undefined))) return undefined;
  const select = readWritten(key, given[0] ?? 'generated', readBack);
  const [write] = statementsOf(authorized, session, INSERT_OPTIONS[how]);
  if (write === undefined) return undefined;
  const row = new PendingRow();
  const { statement, params } = compileSelect(select, dialect);
  return connection.writeAndRead(write, { statement, params, sink: row }, options).then(async ({ rows, generated }) => {
    checkWritten(rows, expectedRows([group], plan));
    // A trigger may have changed the key, and the columns may have changed their types.
    const isConfirmed = row.isStarted && (how === 'given' || row.text(place) === String(generated));
    if (isConfirmed) row.passOn(maskedSink(select, sink));
    else await readCommitted(given[0] ?? generatedKey(generated), readBack, session, sink);
    return count;
  });
}

function generatedKey(generated: Outcome['generated']): RowKey {
  if (generated === undefined) throw new DbFailure('other', 'The server did not return the key of the new row', { effect: 'unknown' });
  return [String(generated)];
}

/** Reads a committed row. A failure from here on does not undo the write. */
async function readCommitted(key: RowKey, readBack: ReadBack, session: AutoSession, sink: RowSink): Promise<void> {
  try {
    await readByKeys([key], { ...readBack, kinds: 'described' }, 'by key', session, sink);
  } catch (error) {
    throw error instanceof DbFailure ? error.withEffect('unknown') : error;
  }
}

/** Source of the keys: the rows themselves, the statement's result, or a counter of the server. */
interface KeySource {
  readonly how: 'given' | 'returned' | 'generated';
  readonly given: readonly RowKey[];
}

const INSERT_OPTIONS = { given: {}, generated: { keys: 'generated' } } as const;

function keySource(rows: Pick<Group, 'columns' | 'rows'>, key: readonly Column[], { engine }: AutoSession): KeySource {
  const { capabilities, dialect, label } = engine;
  const given = key.every((column) => rows.columns.includes(column)) ? keysIn(rows, key) : [];
  if (given.length > 0 && given.every(isComplete)) return { how: 'given', given };
  if (capabilities.returning.includes('insert')) return { how: 'returned', given: [] };
  if (key.length > 1 || !isGenerated(key[0]) || dialect.generatedKeysQuery === undefined)
    throw apiError('not_on_engine', '$return=rows with keys that only the database knows', label);
  return { how: 'generated', given: [] };
}

/** Inserts a group and returns the keys of its rows in order. */
async function insertGroup(
  group: Group,
  primaryKey: readonly Column[],
  plan: InsertBodyPlan,
  progress: Progress,
  session: AutoSession,
): Promise<readonly RowKey[]> {
  const authorized = authorizeGroup(group, plan);
  const { how, given } = keySource(authorized, primaryKey, session);
  const returned = new KeySink(primaryKey);
  const keys: RowKey[] = [];
  let written = 0;
  for (const statement of statementsOf(authorized, session, how === 'returned' ? { returning: primaryKey } : INSERT_OPTIONS[how])) {
    const outcome = await run(statement, session, how === 'returned' ? returned : undefined);
    written += outcome.rows;
    progress.hasRun = true;
    if (how === 'generated') keys.push(...(await generatedKeys(outcome, session.engine.dialect.generatedKeysQuery ?? '', session)));
  }
  checkWritten(written, expectedRows([group], plan));
  if (how === 'given') return given;
  return how === 'returned' ? returned.keys : keys;
}

/** `true` for an auto-increment column. */
function isGenerated(column: Column | undefined): boolean {
  return column?.kind === 'int' && column.generated === true && !column.readOnly;
}

/** `true` if the keys are in ascending order. */
function isAscending(keys: readonly RowKey[], key: readonly Column[]): boolean {
  if (key.length !== 1 || key[0]?.kind !== 'int') return false;
  return keys.every((one, i) => i === 0 || BigInt(String(keys[i - 1]?.[0])) < BigInt(String(one[0])));
}

/** Reorders rows that arrive group by group into the order of the body. */
class OrderedRows implements RowSink {
  readonly #inner: RowSink;
  readonly #rows: Cells[];
  #places: readonly number[] = [];
  #at = 0;
  #isStarted = false;

  constructor(inner: RowSink, count: number) {
    this.#inner = inner;
    this.#rows = new Array(count);
  }

  /** Sets the positions of the rows that follow. */
  next(places: readonly number[]): void {
    this.#places = places;
    this.#at = 0;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    if (!this.#isStarted) this.#inner.start(columns, flow);
    this.#isStarted = true;
  }

  row(cells: Cells): void {
    const place = this.#places[this.#at++];
    if (place !== undefined) this.#rows[place] = copyRow(cells);
  }

  end(): void {
    for (const row of this.#rows) if (row !== undefined) this.#inner.row(row);
  }
}

/** Holds a row until it is confirmed to be the right one. */
class PendingRow implements RowSink {
  isStarted = false;
  #columns: readonly ResultColumn[] = [];
  #cells: Cells | undefined;

  start(columns: readonly ResultColumn[]): void {
    this.#columns = columns;
    this.isStarted = true;
  }

  row(cells: Cells): void {
    this.#cells = copyRow(cells);
  }

  /** `undefined` if there is no row. */
  text(column: number): string | null | undefined {
    return this.#cells && cellText(this.#cells, column, this.#columns[column]?.kind);
  }

  passOn(sink: RowSink): void {
    sink.start(this.#columns, new Gate());
    if (this.#cells !== undefined) sink.row(this.#cells);
  }
}
