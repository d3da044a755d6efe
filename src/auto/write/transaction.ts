/**
 * Runs writes in a transaction: checks before the commit, rollback, and the effects that a failure
 * leaves.
 */
import { DbFailure, type FailureKind } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import { Lease } from '../../util/bytes/buffer-pool.ts';
import type { Conditions } from '../plan/plan-write.ts';
import { type AutoSession, NeedsExclusiveConnection } from '../session.ts';

/** Progress of a transaction. */
export interface Progress {
  /** `true` once a statement has run, so that the transaction is not repeated. */
  hasRun: boolean;
}

/**
 * Returns `true` for a dry run that must only count its rows, because the engine cannot roll them
 * back. Throws if the caller does not accept that.
 */
export function isCountedOnly({ dryRun }: Pick<Conditions, 'dryRun'>, table: Table, { engine, countsDryRuns }: AutoSession): boolean {
  if (!dryRun || (engine.capabilities.transactions && table.transactional)) return false;
  if (!countsDryRuns) throw apiError('not_on_engine', '$dry_run', `${engine.label} ${table.storage}`.trim());
  return true;
}

/** A table without transactions accepts at most one row. */
export function checkAtomic(count: number, table: Table): void {
  if (!table.transactional && count > 1) throw apiError('rows_not_atomic', table.storage);
}

/** Releases the parameters of statements that are not sent. */
export function releaseParameters(statements: readonly BoundStatement[]): void {
  for (const { params } of statements) for (const value of params) if (value instanceof Lease) value.release();
}

export function checkMaxAffected(rows: number, maxAffected: number | undefined): void {
  if (maxAffected !== undefined && rows > maxAffected) throw apiError('too_many_affected', String(rows), String(maxAffected));
}

/** Commits the writes of `work`, unless there are too many rows or it is a dry run. */
export async function inTransaction(
  conditions: Pick<Conditions, 'dryRun' | 'maxAffected'>,
  { connection, options, isPipelined }: AutoSession,
  work: (progress: Progress) => Promise<number>,
): Promise<number> {
  if (isPipelined) throw new NeedsExclusiveConnection();
  await connection.begin(options);
  const progress: Progress = { hasRun: false };
  let rows = 0;
  try {
    rows = await work(progress);
    checkMaxAffected(rows, conditions.maxAffected);
    if (conditions.dryRun) await connection.checkConstraints?.(options);
  } catch (error) {
    await connection.rollback(options).catch(() => undefined);
    throw progress.hasRun ? uncommitted(error) : error;
  }
  if (conditions.dryRun) await connection.rollback(options);
  else await connection.commit(options);
  return rows;
}

/** Thrown if fewer rows were written than expected. */
export class Unwritten extends Error {}

export function checkWritten(rows: number, expected: number | undefined): void {
  if (expected !== undefined && rows < expected) throw new Unwritten('a row was not written');
}

/**
 * A single statement is atomic. Several statements, or a limit on the count, need a transaction.
 */
export function runStatements(
  statements: readonly BoundStatement[],
  conditions: Pick<Conditions, 'dryRun' | 'maxAffected'>,
  table: Table,
  session: AutoSession,
  expected?: number,
): Promise<number> {
  const { connection, options, engine } = session;
  const { transactions } = engine.capabilities;
  const [only] = statements;
  // A single row that was not written leaves no effect.
  const isCertain = expected === undefined || expected === 1;
  const isPlain = !conditions.dryRun && isCertain && (conditions.maxAffected === undefined || !transactions);
  const isAtomic = table.transactional || !transactions;
  if (statements.length === 1 && only !== undefined && isPlain) {
    const running = connection.run(only.statement, only.params, options).then(({ rows }) => {
      checkWritten(rows, expected);
      return rows;
    });
    return isAtomic ? running : running.catch(markUncertain);
  }
  const transacting = inTransaction(conditions, session, async (progress) => {
    let rows = 0;
    for (const { statement, params } of statements) {
      rows += (await connection.run(statement, params, options)).rows;
      progress.hasRun = true;
    }
    checkWritten(rows, expected);
    return rows;
  });
  return isAtomic ? transacting : transacting.catch(markUncertain);
}

/** Failures that a single row can cause. */
export const ROW_FAILURES: ReadonlySet<FailureKind> = new Set<FailureKind>(['duplicate', 'constraint', 'invalid', 'raised']);
/** Failures of a statement that had started. */
const STARTED_FAILURES: ReadonlySet<FailureKind> = new Set<FailureKind>([
  ...ROW_FAILURES,
  'timeout',
  'cancelled',
  'conflict',
  'lost',
  'other',
]);

/** Without a commit nothing is stored, even if the connection is lost. */
function uncommitted(error: unknown): unknown {
  return error instanceof DbFailure ? error.withEffect('nothing') : error;
}

/** A statement that fails midway leaves its writes in a table without transactions. */
export function markUncertain(error: unknown): never {
  throw error instanceof DbFailure && STARTED_FAILURES.has(error.kind) && error.effect === 'nothing' ? error.withEffect('unknown') : error;
}
