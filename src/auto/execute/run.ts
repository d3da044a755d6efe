/** Runs a plan of any kind with the function for its kind. */

import type { AutoPlan } from '../plan/plan.ts';
import { runGroups } from '../read/run-groups.ts';
import { runRead } from '../read/run-read.ts';
import { runExpandedRow, runRow } from '../read/run-row.ts';
import { type AnswerSink, type AutoResult, type AutoSession, endSnapshot } from '../session.ts';
import { runInsert } from '../write/run-insert.ts';
import { runPatch } from '../write/run-patch.ts';
import { runWrite } from '../write/run-write.ts';

/**
 * The same in a transaction that only reads, where the engine has one: functions behind a view
 * cannot write either.
 */
export async function runReadOnly(plan: AutoPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const { connection, options } = session;
  // Reads with expansions begin such a transaction themselves.
  const isInOne = plan.do === 'expanded row' || (plan.do === 'read' && plan.expand.length > 0);
  if (isInOne || connection.beginSnapshot === undefined) return runPlan(plan, { ...session, readsOnly: true }, sink);
  await connection.beginSnapshot(options);
  try {
    return await runPlan(plan, session, sink);
  } finally {
    await endSnapshot(session);
  }
}

export function runPlan(plan: AutoPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  switch (plan.do) {
    case 'read':
      return runRead(plan, session, sink);
    case 'group':
      return runGroups(plan, session, sink);
    case 'row':
      return runRow(plan, session, sink);
    case 'expanded row':
      return runExpandedRow(plan, session, sink);
    case 'insert':
      return runInsert(plan, session, sink);
    case 'patch':
      return runPatch(plan, session, sink);
    case 'write':
      return runWrite(plan, session, sink);
  }
}
