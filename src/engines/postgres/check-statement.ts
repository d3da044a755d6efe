/**
 * Checks a statement without running it: the server parses it under a name. EXPLAIN also checks
 * privileges, which parsing does not.
 */
import type { BoundStatement } from '../../sql/dialect.ts';
import { type Connection, DbFailure, type RunOptions } from '../contract/engine.ts';
import { PostgresConnection } from './driver.ts';

const NAME = 'millrace_check';

export async function checkStatement(connection: Connection, { statement, params }: BoundStatement, options: RunOptions): Promise<void> {
  if (!(connection instanceof PostgresConnection)) return;
  await connection.prepare(NAME, statement.text, options);
  const nulls = params.length === 0 ? '' : ` (${params.map(() => 'NULL').join(', ')})`;
  const denied = await failureOf(connection.run({ text: `EXPLAIN EXECUTE ${NAME}${nulls}`, types: [] }, [], options));
  await failureOf(connection.run({ text: `DEALLOCATE ${NAME}`, types: [] }, [], options));
  // Other rejections of EXPLAIN depend on values, which are known only when the step runs.
  if (denied?.kind === 'denied') throw denied;
}

async function failureOf(run: Promise<unknown>): Promise<DbFailure | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (error instanceof DbFailure) return error;
    throw error;
  }
}
