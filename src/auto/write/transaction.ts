/** Writes in a transaction: what is checked before it is committed, when it is taken back, and what a failure leaves behind. */
import { DbFailure, type FailureKind } from '../../engines/contract/engine.ts';
import { apiError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { Conditions } from '../plan/plan-write.ts';
import { type AutoSession, NeedsExclusiveConnection } from '../session.ts';

/** How far a transaction has come. */
export interface Progress {
  /** A statement has run: nothing of it is sent again. */
  hasRun: boolean;
}

export function checkDryRun({ dryRun }: Pick<Conditions, 'dryRun'>, table: Table, { engine }: AutoSession): void {
  if (dryRun && !(engine.capabilities.transactions && table.transactional))
    throw apiError('not_on_engine', '$dry_run', `${engine.label} ${table.storage}`.trim());
}

/** Where nothing can be taken back, one row is written at most, and not even that when it is one too many. */
export function checkNotTransactional(count: number, { maxAffected }: Pick<Conditions, 'maxAffected'>, table: Table): void {
  if (table.transactional) return;
  if (count > 1) throw apiError('rows_not_atomic', table.storage);
  checkMaxAffected(count, maxAffected);
}

export function checkMaxAffected(rows: number, maxAffected: number | undefined): void {
  if (maxAffected !== undefined && rows > maxAffected) throw apiError('too_many_affected', String(rows), String(maxAffected));
}

/** Commits what `work` has written, unless it was too much, or was only tried. */
export async function inTransaction(
  wanted: Pick<Conditions, 'dryRun' | 'maxAffected'>,
  { connection, options, isPipelined }: AutoSession,
  work: (progress: Progress) => Promise<number>,
): Promise<number> {
  if (isPipelined) throw new NeedsExclusiveConnection();
  await connection.begin(options);
  const progress: Progress = { hasRun: false };
  let rows = 0;
  try {
    rows = await work(progress);
    checkMaxAffected(rows, wanted.maxAffected);
    if (wanted.dryRun) await connection.checkConstraints?.(options);
  } catch (error) {
    await connection.rollback(options).catch(() => undefined);
    throw progress.hasRun ? uncommitted(error) : error;
  }
  if (wanted.dryRun) await connection.rollback(options);
  else await connection.commit(options);
  return rows;
}

/** Fewer rows were written than were given. */
export class Unwritten extends Error {}

export function checkWritten(rows: number, expected: number | undefined): void {
  if (expected !== undefined && rows < expected) throw new Unwritten('a row was not written');
}

/** One statement is all or nothing by itself; more, or a condition on the count, need a transaction. */
export function runStatements(
  statements: readonly BoundStatement[],
  wanted: Pick<Conditions, 'dryRun' | 'maxAffected'>,
  table: Table,
  session: AutoSession,
  expected?: number,
): Promise<number> {
  const { connection, options, engine } = session;
  const { transactions } = engine.capabilities;
  checkDryRun(wanted, table, session);
  const [only] = statements;
  // Of one row that had to be written and was not, nothing is left.
  const isSure = expected === undefined || expected === 1;
  const plain = !wanted.dryRun && isSure && (wanted.maxAffected === undefined || !transactions);
  const isAtomic = table.transactional || !transactions;
  if (statements.length === 1 && only !== undefined && plain) {
    const running = connection.run(only.statement, only.params, options).then(({ rows }) => {
      checkWritten(rows, expected);
      return rows;
    });
    return isAtomic ? running : running.catch(markUncertain);
  }
  const transacting = inTransaction(wanted, session, async (progress) => {
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

/** What a database says of one row. */
export const ROW_FAILURES: ReadonlySet<FailureKind> = new Set<FailureKind>(['duplicate', 'constraint', 'invalid', 'raised']);
/** Failures of a statement that was under way. */
const IN_THE_MIDDLE: ReadonlySet<FailureKind> = new Set<FailureKind>([
  ...ROW_FAILURES,
  'timeout',
  'cancelled',
  'conflict',
  'lost',
  'other',
]);

/** The commit was never sent: whatever happened to the connection, nothing stays, and what was sent is not sent again. */
function uncommitted(error: unknown): unknown {
  return error instanceof DbFailure ? error.withEffect('nothing') : error;
}

/** A statement that fails in the middle leaves what it wrote in a table without transactions. */
export function markUncertain(error: unknown): never {
  throw error instanceof DbFailure && IN_THE_MIDDLE.has(error.kind) && error.effect === 'nothing' ? error.withEffect('unknown') : error;
}
