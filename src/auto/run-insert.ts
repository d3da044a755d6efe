/**
 * Runs an insert: reads the rows, writes them, and finds the row that the database refuses. While the database works, nothing keeps the rows alive:
 * many large batches would be too much for the garbage collector. When a row was refused, the body is read again.
 */
import { DbFailure } from '../engines/engine.ts';
import { apiError } from '../errors.ts';
import { compileInsert } from '../sql/compile.ts';
import type { BoundStatement } from '../sql/dialect.ts';
import { type Batch, mustWrite, planRows, prefix, readBatch } from './insert.ts';
import { insertAndReturn } from './inserted-rows.ts';
import { lateRow } from './late-row.ts';
import type { InsertBodyPlan } from './plan-write.ts';
import type { AnswerSink, AutoResult, AutoSession } from './session.ts';
import { OF_A_ROW, runStatements } from './transaction.ts';

export async function runInsert(plan: InsertBodyPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const { table, body, upsert } = plan;
  const read = readBatch(body, table, session.owner);
  const batch = read instanceof Promise ? await read : read;
  const { count } = batch;
  if (count > 1 && !table.transactional) throw apiError('rows_not_atomic', table.storage);
  if (upsert && table.primaryKey.length === 0) throw apiError('not_on_engine', '$upsert without a primary key', session.engine.label);
  const writing =
    plan.returning === undefined
      ? runStatements(toStatements(batch, plan, session), plan, table, session, mustWrite(batch, plan))
      : insertAndReturn(batch, plan, plan.returning, session, sink);
  return writing.then(
    () => ({ rows: count, cursor: undefined }),
    async (error: unknown) => {
      throw await located(error, count, plan, session);
    },
  );
}

function toStatements(batch: Batch, plan: InsertBodyPlan, { engine }: AutoSession): readonly BoundStatement[] {
  return planRows(batch, plan, engine.capabilities.transactions).flatMap((rows) => compileInsert(rows, engine.dialect));
}

/** A failure of a batch with the place of the row that caused it. */
export class LocatedFailure extends Error {
  readonly failure: DbFailure;
  readonly row: number;

  constructor(failure: DbFailure, row: number) {
    super(failure.message);
    this.failure = failure;
    this.row = row;
  }
}

/** Engines do not say which row of a batch they refused: the shortest failing prefix of the batch ends with it. Nothing stays written. */
async function located(error: unknown, count: number, plan: InsertBodyPlan, session: AutoSession): Promise<unknown> {
  const { connection, engine } = session;
  if (!(error instanceof DbFailure) || !OF_A_ROW.has(error.kind) || !connection.usable) return error;
  if (count === 1) return new LocatedFailure(error, 0);
  if (!engine.capabilities.transactions) return error;
  const batch = await readBatch(plan.body, plan.table, session.owner);
  if (connection.checkConstraints !== undefined && (await tryRows(batch, plan, session)) === undefined) {
    const row = lateRow(error, batch);
    return row === undefined ? error : new LocatedFailure(error, row);
  }
  let low = 1;
  let high = count;
  let failure = error;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = await tryRows(prefix(batch, middle), plan, session);
    if (found === undefined) low = middle + 1;
    else if (!OF_A_ROW.has(found.kind)) return error;
    else {
      high = middle;
      failure = found;
    }
  }
  return new LocatedFailure(failure, high - 1);
}

/** How the database fails over these rows, if it does; nothing stays of them. */
async function tryRows(batch: Batch, plan: InsertBodyPlan, session: AutoSession): Promise<DbFailure | undefined> {
  const { connection, options } = session;
  await connection.begin(options);
  try {
    for (const { statement, params } of toStatements(batch, plan, session)) await connection.run(statement, params, options);
    return undefined;
  } catch (error) {
    if (error instanceof DbFailure) return error;
    throw error;
  } finally {
    await connection.rollback(options).catch(() => undefined);
  }
}
