/**
 * Whether the server would take a statement: parsed under a name of its own, never run. Privileges are looked at when a statement begins, not when it is
 * parsed; EXPLAIN goes as far as that.
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
  // What else EXPLAIN refuses depends on values, which are known at the call only.
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
