/**
 * Checks a statement without running it: prepares and closes it. A syntax error gets the position
 * of the text that it quotes.
 */
import type { BoundStatement } from '../../sql/dialect.ts';
import { type Connection, DbFailure, type RunOptions } from '../contract/engine.ts';
import { MysqlConnection } from './driver.ts';

const NEAR = /near '([\s\S]*)' at line (\d+)$/;

export async function checkStatement(connection: Connection, { statement }: BoundStatement, options: RunOptions): Promise<void> {
  if (!(connection instanceof MysqlConnection)) return;
  try {
    await connection.prepare(statement.text, options);
  } catch (error) {
    const position = error instanceof DbFailure ? positionOf(error.message, statement.text) : undefined;
    throw error instanceof DbFailure && position !== undefined ? error.placed(position) : error;
  }
}

function positionOf(message: string, text: string): number | undefined {
  const [, near = '', line] = NEAR.exec(message) ?? [];
  if (line === undefined) return undefined;
  const lines = text.split('\n');
  const start = lines.slice(0, Number(line) - 1).join('\n').length + (line === '1' ? 0 : 1);
  const found = near === '' ? text.trimEnd().length : text.indexOf(near, start);
  return (found < 0 ? start : found) + 1;
}
