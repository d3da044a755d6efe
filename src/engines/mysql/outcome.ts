/** How a statement ended, from what the server replied. */
import type { Outcome } from '../engine.ts';
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
