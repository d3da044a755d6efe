/**
 * Checks a statement without running it: EXPLAIN reports unknown tables, columns and functions of a
 * SELECT, and syntax errors of any other statement.
 */
import type { BoundStatement } from '../../sql/dialect.ts';
import { type Connection, DbFailure, type RunOptions } from '../contract/engine.ts';

const SELECTS = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:SELECT|WITH|\()/i;
/**
 * Failures that the text and the catalog prove. Others depend on values, which are known only when
 * the step runs.
 */
const PROVEN: ReadonlySet<string> = new Set(['syntax', 'missing_table', 'missing_column', 'denied']);
const INTO = /\bINSERT\s+INTO\s+(?:TABLE\s+)?((?:[`"]?[\w$]+[`"]?\.)?[`"]?[\w$]+[`"]?)/i;

export async function checkStatement(connection: Connection, { statement, params }: BoundStatement, options: RunOptions): Promise<void> {
  const explain = SELECTS.test(statement.text) ? 'EXPLAIN ' : 'EXPLAIN AST ';
  await ignoreUnproven(connection.run({ ...statement, text: explain + statement.text }, params, options), explain.length);
  const table = INTO.exec(statement.text)?.[1];
  if (table !== undefined) await ignoreUnproven(connection.run({ text: `DESCRIBE TABLE ${table}`, types: [] }, [], options));
}

const POSITION = /at position (\d+)$/;

async function ignoreUnproven(run: Promise<unknown>, prefix = 0): Promise<void> {
  try {
    await run;
  } catch (error) {
    const isOther = error instanceof DbFailure && error.code !== '' && !PROVEN.has(error.kind);
    const position = error instanceof DbFailure ? POSITION.exec(error.message)?.[1] : undefined;
    if (error instanceof DbFailure && position !== undefined) throw error.placed(Math.max(1, Number(position) - prefix));
    if (!isOther) throw error;
  }
}
