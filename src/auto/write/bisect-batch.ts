/**
 * Finds the row of a batch that the database refuses. Engines do not say which it was: the shortest beginning of the batch that fails ends with it.
 * Each is tried in a transaction that is taken back, so nothing stays written.
 */
import { DbFailure } from '../../engines/contract/engine.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import { type Batch, prefix } from '../rows/insert-body.ts';
import { type AutoSession, NeedsExclusiveConnection } from '../session.ts';
import { findDeferredViolation } from './deferred-violation.ts';
import { checkWritten, ROW_FAILURES, Unwritten } from './transaction.ts';

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

/** What may lie in one row. */
type RowRefusal = DbFailure | Unwritten;

export function isRefusal(error: unknown): error is RowRefusal {
  return error instanceof Unwritten || (error instanceof DbFailure && ROW_FAILURES.has(error.kind));
}

/** A part of a batch as it is written: its statements, and how many rows these must write, if that is known. */
interface WrittenPart {
  readonly statements: readonly BoundStatement[];
  readonly expected: number | undefined;
}

interface RefusedRow {
  readonly refusal: RowRefusal;
  readonly row: number;
}

/** Undefined when no row can be told. */
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
    const found = await attempt(write(prefix(batch, middle)), session);
    if (found === undefined) low = middle + 1;
    else if (!isRefusal(found)) return undefined;
    else {
      high = middle;
      refusal = found;
    }
  }
  return { refusal, row: high - 1 };
}

/** How the database fails over these rows, if it does; nothing stays of them. */
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
