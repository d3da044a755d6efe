/**
 * Whether the server would take a statement: prepared under a name of its own, never run. What cannot be prepared is passed over. Privileges are looked at
 * when a statement begins, not when it is prepared; EXPLAIN goes as far as that.
 */
import type { BoundStatement } from '../../../sql/dialect.ts';
import { type Connection, DbFailure, type RunOptions } from '../../engine.ts';

const PREFIX = 'PREPARE millrace_check AS ';
const FIRST_WORD = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([a-z]*)/i;
/** Statements that PREPARE does not take. Any other first word is one of those that it takes, or a mistake. */
const UNPREPARABLE: ReadonlySet<string> = new Set(
  `ABORT ALTER ANALYZE BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DISCARD DO DROP END EXECUTE EXPLAIN FETCH GRANT
  IMPORT LISTEN LOAD LOCK MOVE NOTIFY PREPARE REASSIGN REFRESH REINDEX RELEASE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW START TRUNCATE UNLISTEN
  VACUUM`.split(/\s+/),
);

export async function checkStatement(connection: Connection, { statement, params }: BoundStatement, options: RunOptions): Promise<void> {
  if (UNPREPARABLE.has(FIRST_WORD.exec(statement.text)?.[1]?.toUpperCase() ?? '')) return;
  try {
    await connection.run({ text: PREFIX + statement.text, types: [] }, [], options);
  } catch (error) {
    throw error instanceof DbFailure && error.position !== undefined ? error.placed(error.position - PREFIX.length) : error;
  }
  const denied = await explain(connection, params.length, options);
  await connection.run({ text: 'DEALLOCATE millrace_check', types: [] }, [], options);
  if (denied !== undefined) throw denied;
}

/** What else EXPLAIN refuses depends on values, which are known at the call only. */
async function explain(connection: Connection, values: number, options: RunOptions): Promise<DbFailure | undefined> {
  const nulls = values === 0 ? '' : ` (${Array.from({ length: values }, () => 'NULL').join(', ')})`;
  try {
    await connection.run({ text: `EXPLAIN EXECUTE millrace_check${nulls}`, types: [] }, [], options);
    return undefined;
  } catch (error) {
    if (!(error instanceof DbFailure)) throw error;
    return error.kind === 'denied' ? error : undefined;
  }
}
