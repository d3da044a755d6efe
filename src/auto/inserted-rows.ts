/**
 * Runs an insert that gives back its rows, in the order of the body: with RETURNING where the engine has it, else by their keys, which are those of the
 * body, those that the service gives, or those that the database made.
 */
import type { Outcome } from '../engines/engine.ts';
import { apiError } from '../errors.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../model/cells.ts';
import type { Column } from '../model/table.ts';
import type { BoundStatement } from '../sql/dialect.ts';
import type { Batch, Group } from './insert.ts';
import { groupStatements, isWhole, keysIn, mustWrite, narrowGroup, statementsOf } from './insert-groups.ts';
import type { InsertBodyPlan, ReturnedRows } from './plan-write.ts';
import { generatedKeys, JoinedSink, KeySink, type RowKey, readByKeys } from './returned-rows.ts';
import type { AnswerSink, AutoSession } from './session.ts';
import { checkDryRun, checkWritten, inTransaction, keepsHalf, type Progress } from './transaction.ts';

export function insertAndReturn(
  batch: Batch,
  plan: InsertBodyPlan,
  returned: ReturnedRows,
  session: AutoSession,
  sink: AnswerSink,
): Promise<number> {
  const { capabilities, label } = session.engine;
  if (!capabilities.transactions) throw apiError('not_on_engine', '$return=rows', label);
  checkDryRun(plan, plan.table, session);
  const isReturned = returned.isOpen && capabilities.returning.includes('insert') && mustWrite(batch.groups, plan) === undefined;
  if (!isReturned) return insertAndRead(batch, plan, returned, session, sink);
  const returning = returned.columns;
  const groups = batch.groups.map((group) => ({ group, statements: groupStatements(group, plan, session, { returning }) }));
  const [first] = groups;
  const [only] = first?.statements ?? [];
  const isOne = groups.length === 1 && first?.statements.length === 1;
  if (isOne && only !== undefined && !plan.dryRun && plan.maxAffected === undefined) {
    const running = run(only, session, sink).then(({ rows }) => rows);
    return plan.table.transactional ? running : running.catch(keepsHalf);
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
  const { table, access } = plan;
  const { label } = session.engine;
  // By the key of an upsert rows are known that the body names by no other.
  const key = plan.upsert ?? table.primaryKey;
  if (key.length === 0) throw apiError('not_on_engine', '$return=rows without a primary key', label);
  if (!table.transactional) throw apiError('not_on_engine', '$return=rows', `${label} ${table.storage}`);
  return inTransaction(plan, session, async (progress) => {
    const keys: RowKey[] = new Array(batch.count);
    for (const group of batch.groups) {
      const found = await insertGroup(group, key, plan, progress, session);
      for (const [i, place] of group.places.entries()) keys[place] = found[i] ?? [];
    }
    const order = isAscending(keys, key) ? 'together' : 'in turn';
    await readByKeys(keys, { ...returned, access, key }, order, session, sink);
    return batch.count;
  });
}

/** The keys of the rows, in their order. */
async function insertGroup(
  group: Group,
  primaryKey: readonly Column[],
  plan: InsertBodyPlan,
  progress: Progress,
  session: AutoSession,
): Promise<readonly RowKey[]> {
  const { dialect, label, capabilities } = session.engine;
  const narrowed = narrowGroup(group, plan);
  const given = primaryKey.every((column) => narrowed.columns.includes(column)) ? keysIn(narrowed, primaryKey) : [];
  const isGiven = given.length > 0 && given.every(isWhole);
  const isTold = !isGiven && capabilities.returning.includes('insert');
  if (!isGiven && !isTold && (primaryKey.length > 1 || !isGenerated(primaryKey[0]) || dialect.generatedKeys === undefined))
    throw apiError('not_on_engine', '$return=rows with keys that only the database knows', label);
  const told = new KeySink(primaryKey);
  const keys: RowKey[] = [];
  const more = isGiven ? {} : isTold ? { returning: primaryKey } : { keys: 'generated' as const };
  let written = 0;
  for (const statement of statementsOf(narrowed, session, more)) {
    const outcome = await run(statement, session, isTold ? told : undefined);
    written += outcome.rows;
    progress.hasRun = true;
    if (!isGiven && !isTold) keys.push(...(await generatedKeys(outcome, dialect.generatedKeys ?? '', session)));
  }
  checkWritten(written, mustWrite([group], plan));
  if (isGiven) return given;
  return isTold ? told.keys : keys;
}

/** A number that the database counts up. */
function isGenerated(column: Column | undefined): boolean {
  return column !== undefined && column.kind === 'int' && !column.required && column.default === null;
}

/** In the order of the key anyway? */
function isAscending(keys: readonly RowKey[], key: readonly Column[]): boolean {
  if (key.length !== 1 || key[0]?.kind !== 'int') return false;
  return keys.every((one, i) => i === 0 || BigInt(String(keys[i - 1]?.[0])) < BigInt(String(one[0])));
}

/** Rows that come group by group, passed on in the order of the body. */
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

  /** The rows that come now belong at these places. */
  next(places: readonly number[]): void {
    this.#places = places;
    this.#at = 0;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    if (!this.#isStarted) this.#inner.start(columns, flow);
    this.#isStarted = true;
  }

  row({ bytes, from, to }: Cells): void {
    const ends = to.reduce((most, end) => Math.max(most, end), 0);
    const copy = { bytes: Buffer.from(bytes.subarray(0, ends)), from: from.slice(), to: to.slice() };
    const place = this.#places[this.#at++];
    if (place !== undefined) this.#rows[place] = copy;
  }

  end(): void {
    for (const row of this.#rows) if (row !== undefined) this.#inner.row(row);
  }
}
