/**
 * Runs an insert and finds the row that the database rejects. No row is kept in memory while the
 * database works; after a failure, the body is read again.
 */
import { apiError } from '../../errors.ts';
import type { InsertBodyPlan } from '../plan/plan-write.ts';
import { readBatch, rowsToInsert } from '../rows/insert-body.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { bisectBatch, isRefusal, LocatedFailure } from './bisect-batch.ts';
import { insertAndReturn } from './insert-returning.ts';
import { expectedRows, explainUnwritten, toStatements } from './insert-statements.ts';
import { checkAtomic, checkMaxAffected, isCountedOnly, releaseParameters, runStatements, Unwritten } from './transaction.ts';

export async function runInsert(plan: InsertBodyPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const { table, body, upsert } = plan;
  if (upsert?.length === 0) throw apiError('not_on_engine', '$upsert without a primary key', session.engine.label);
  const read = readBatch(body, table, session.owner, rowsToInsert(upsert));
  const batch = read instanceof Promise ? await read : read;
  const { count } = batch;
  checkAtomic(count, table);
  checkMaxAffected(count, plan.maxAffected);
  if (plan.returning === undefined && isCountedOnly(plan, table, session)) {
    releaseParameters(toStatements(batch, plan, session));
    return { rows: count, cursor: undefined };
  }
  const writing =
    plan.returning === undefined
      ? runStatements(toStatements(batch, plan, session), plan, table, session, expectedRows(batch.groups, plan))
      : insertAndReturn(batch, plan, plan.returning, session, sink);
  return writing.then(
    () => ({ rows: count, cursor: undefined }),
    async (error: unknown) => {
      throw await locateFailure(error, count, plan, session);
    },
  );
}

async function locateFailure(error: unknown, count: number, plan: InsertBodyPlan, session: AutoSession): Promise<unknown> {
  const { connection, engine, owner } = session;
  if (!isRefusal(error) || !connection.usable || (count > 1 && !engine.capabilities.transactions)) return error;
  const batch = await readBatch(plan.body, plan.table, owner, rowsToInsert(plan.upsert));
  const rejected = await bisectBatch(error, batch, session, (part) => ({
    statements: toStatements(part, plan, session),
    expected: expectedRows(part.groups, plan),
  }));
  if (rejected === undefined) return error;
  const { refusal, row } = rejected;
  return refusal instanceof Unwritten ? explainUnwritten(row, batch, plan, session) : new LocatedFailure(refusal, row);
}
