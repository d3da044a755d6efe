/** How a statement ended, from what the server replied. */
import type { DbFailure, Outcome } from '../contract/engine.ts';
import { lostFailure, stopFailure } from './dialect/failures.ts';
import { otherKeyFailure, upsertedRows } from './dialect/upsert.ts';
import type { ResultReply } from './protocol/replies.ts';
import type { MysqlStatement } from './statement.ts';

export function outcomeOf({ upsert }: MysqlStatement, reply: ResultReply): Outcome {
  if (reply.failure !== undefined) throw upsert === 'by_key' ? otherKeyFailure(reply.failure) : reply.failure;
  if (reply.dropped) throw lostFailure('The rows were no longer wanted');
  if (reply.selected) return { rows: reply.rows, selected: true };
  return { rows: upsert === undefined ? reply.affected : upsertedRows(reply.info), selected: false, generated: reply.generated };
}

/** Statements that MySQL's own time limit covers. */
const SELECTS = /^[\s(]*(?:SELECT|WITH|TABLE|VALUES)\b/i;

/**
 * A sleeping SELECT that MySQL's limit, or a kill for those behind it, wakes up gives a row and no error. Whatever else gives rows has done its work, and
 * what we plan ourselves does not sleep for so short a time.
 */
export function wokenUp({ text, columns }: MysqlStatement, isLate: boolean, mayBeHit: boolean): DbFailure | undefined {
  const isDoubtful = isLate || (mayBeHit && columns === undefined);
  if (!isDoubtful || !SELECTS.test(text)) return undefined;
  return isLate ? stopFailure('timeout') : stopFailure('preempted').withEffect('nothing');
}
