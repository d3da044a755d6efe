/** How a statement ended, from what the server replied. */
import type { Outcome } from '../contract/engine.ts';
import { lostFailure } from './dialect/failures.ts';
import { otherKeyFailure, upsertedRows } from './dialect/upsert.ts';
import type { ResultReply } from './protocol/replies.ts';
import type { MysqlStatement } from './statement.ts';

export function outcomeOf({ upsert }: MysqlStatement, reply: ResultReply): Outcome {
  if (reply.failure !== undefined) throw upsert === 'by_key' ? otherKeyFailure(reply.failure) : reply.failure;
  if (reply.dropped) throw lostFailure('The rows were no longer wanted');
  if (reply.selected) return { rows: reply.rows, selected: true };
  return { rows: upsert === undefined ? reply.affected : upsertedRows(reply.info), selected: false, generated: reply.generated };
}

const SELECTS = /^[\s(]*(?:SELECT|WITH|TABLE|VALUES)\b/i;

/**
 * Whether the server's time limit may have cut a statement short without an error: a sleeping
 * SELECT returns a row then. Other statements that return rows have done their work.
 */
export function wasCutShort({ text }: MysqlStatement): boolean {
  return SELECTS.test(text);
}
