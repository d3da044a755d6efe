/** Whether the server would take a statement: prepared under a name of its own, never run. What cannot be prepared is passed over. */
import type { BoundStatement } from '../../../sql/dialect.ts';
import { type Connection, DbFailure, type RunOptions } from '../../engine.ts';

const PREFIX = 'PREPARE millrace_check AS ';
const PREPARABLE = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|WITH|TABLE|\()/i;

export async function checkStatement(connection: Connection, { statement }: BoundStatement, options: RunOptions): Promise<void> {
  if (!PREPARABLE.test(statement.text)) return;
  try {
    await connection.run({ text: PREFIX + statement.text, types: [] }, [], options);
  } catch (error) {
    throw error instanceof DbFailure && error.position !== undefined ? error.placed(error.position - PREFIX.length) : error;
  }
  await connection.run({ text: 'DEALLOCATE millrace_check', types: [] }, [], options);
}
