/** Runs writes: one statement, or several and a condition on their count in a transaction. What a failure leaves behind is said with it. */
import { DbFailure, type FailureKind, type Outcome } from '../engines/engine.ts';
import { apiError } from '../errors.ts';
import type { Table } from '../model/table.ts';
import { compileDelete, compileUpdate } from '../sql/compile.ts';
import type { BoundStatement } from '../sql/dialect.ts';
import type { WritePlan } from './plan.ts';
import type { WriteOptions } from './request.ts';
import { countRows } from './run-read.ts';
import type { AutoResult, AutoSession } from './session.ts';

export async function runWrite(plan: WritePlan, session: AutoSession): Promise<AutoResult> {
  const { engine } = session;
  const { write } = plan;
  if (!engine.capabilities.transactions) await checkMost(plan, session);
  const statement = write.do === 'update' ? compileUpdate(write.plan, engine.dialect) : compileDelete(write.plan, engine.dialect);
  return { rows: await runStatements([statement], plan, write.plan.table, session), cursor: undefined };
}

/** Without transactions a write cannot be taken back: count first. */
async function checkMost({ maxAffected, count }: WritePlan, session: AutoSession): Promise<void> {
  if (maxAffected === undefined) return;
  const rows = await countRows(count, session);
  if (BigInt(rows) > BigInt(maxAffected)) throw apiError('too_many_affected', rows, String(maxAffected));
}

/** One statement is all or nothing by itself; more, or a condition on the count, need a transaction. */
export function runStatements(
  statements: readonly BoundStatement[],
  wanted: WriteOptions,
  table: Table,
  session: AutoSession,
): Promise<number> {
  const { connection, options, engine } = session;
  const { transactions } = engine.capabilities;
  if (wanted.dryRun && !(transactions && table.transactional))
    throw apiError('not_on_engine', '$dry_run', `${engine.label} ${table.storage}`.trim());
  const [only] = statements;
  const plain = !wanted.dryRun && (wanted.maxAffected === undefined || !transactions);
  const isAtomic = table.transactional || !transactions;
  if (statements.length === 1 && only !== undefined && plain) {
    const running = connection.run(only.statement, only.params, options).then(rowsOf);
    return isAtomic ? running : running.catch(halfDone);
  }
  const transacting = transact(statements, wanted, session);
  return isAtomic ? transacting : transacting.catch(halfDone);
}

async function transact(
  statements: readonly BoundStatement[],
  wanted: WriteOptions,
  { connection, options }: AutoSession,
): Promise<number> {
  await connection.begin(options);
  let rows = 0;
  try {
    for (const { statement, params } of statements) rows += (await connection.run(statement, params, options)).rows;
    if (wanted.maxAffected !== undefined && rows > wanted.maxAffected) {
      throw apiError('too_many_affected', String(rows), String(wanted.maxAffected));
    }
    if (wanted.dryRun) await connection.checkConstraints?.(options);
  } catch (error) {
    await connection.rollback(options).catch(() => undefined);
    throw rows > 0 ? uncommitted(error) : error;
  }
  if (wanted.dryRun) await connection.rollback(options);
  else await connection.commit(options);
  return rows;
}

const rowsOf = ({ rows }: Outcome): number => rows;

/** What a database says of one row. */
export const OF_A_ROW: ReadonlySet<FailureKind> = new Set<FailureKind>(['duplicate', 'constraint', 'invalid', 'raised']);
/** Failures of a statement that was under way. */
const IN_THE_MIDDLE: ReadonlySet<FailureKind> = new Set<FailureKind>([...OF_A_ROW, 'timeout', 'cancelled', 'conflict', 'lost', 'other']);

/** The commit was never sent: whatever happened to the connection, nothing stays, and what was sent is not sent again. */
function uncommitted(error: unknown): unknown {
  return error instanceof DbFailure ? error.leaving('nothing') : error;
}

/** A statement that fails in the middle leaves what it wrote in a table without transactions. */
function halfDone(error: unknown): never {
  throw error instanceof DbFailure && IN_THE_MIDDLE.has(error.kind) && error.left === 'nothing' ? error.leaving('unknown') : error;
}
