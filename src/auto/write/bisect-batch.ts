/**
 * Finds the row of a batch that the database rejects, by bisection: the shortest failing prefix
 * ends with it. Every attempt is rolled back.
 */
import { DbFailure } from '../../engines/contract/engine.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import { type Batch, prefix } from '../rows/insert-body.ts';
import { type AutoSession, NeedsExclusiveConnection } from '../session.ts';
import { findDeferredViolation } from './deferred-violation.ts';
import { checkWritten, ROW_FAILURES, Unwritten } from './transaction.ts';

/** Failure of a batch with the position of the row that caused it. */
export class LocatedFailure extends Error {
  readonly failure: DbFailure;
  readonly row: number;

  constructor(failure: DbFailure, row: number) {
    super(failure.message);
    this.failure = failure;
    this.row = row;
  }
}

/** Failures that a single row can cause. */
type RowRefusal = DbFailure | Unwritten;

export function isRefusal(error: unknown): error is RowRefusal {
  return error instanceof Unwritten || (error instanceof DbFailure && ROW_FAILURES.has(error.kind));
}

/** Statements for a part of a batch, and the number of rows that they must write, if known. */
interface WrittenPart {
  readonly statements: readonly BoundStatement[];
  readonly expected: number | undefined;
}

interface RefusedRow {
  readonly refusal: RowRefusal;
  readonly row: number;
}

/** `undefined` if no single row is the cause. */
export async function bisectBatch(
  first: RowRefusal,
  batch: Batch,
  session: AutoSession,
  write: (part: Batch) => WrittenPart,
): Promise<RefusedRow | undefined> {
  if (batch.count === 1) return { refusal: first, row: 0 };
  const { connection, isPipelined } = session;
  if (isPipelined) throw new NeedsExclusiveConnection();
  if (first instanceof DbFailure && connection.checkConstraints !== undefined && (await attempt(write(batch), session)) === undefined) {
    const row = findDeferredViolation(first, batch);
    return row === undefined ? undefined : { refusal: first, row };
  }
  let low = 1;
  let high = batch.count;
  let refusal = first;
  while (low < high) {
    const middle = (low + high) >> 1;
    const failure = await attempt(write(prefix(batch, middle)), session);
    if (failure === undefined) low = middle + 1;
    else if (!isRefusal(failure)) return undefined;
    else {
      high = middle;
      refusal = failure;
    }
  }
  return { refusal, row: high - 1 };
}

/** Returns the failure of these rows, if any, and rolls them back. */
async function attempt(
  { statements, expected }: WrittenPart,
  { connection, options }: AutoSession,
): Promise<DbFailure | Unwritten | undefined> {
  await connection.begin(options);
  try {
    let rows = 0;
    for (const { statement, params } of statements) rows += (await connection.run(statement, params, options)).rows;
    checkWritten(rows, expected);
    return undefined;
  } catch (error) {
    if (error instanceof DbFailure || error instanceof Unwritten) return error;
    throw error;
  } finally {
    await connection.rollback(options).catch(() => undefined);
  }
}
