/** Runs a read: the count, if it was asked for, then the rows of the page into the sink. */
import type { Outcome } from '../../engines/contract/engine.ts';
import type { RowSink } from '../../model/cells.ts';
import { compilePage } from '../../sql/compile/compile-page.ts';
import type { Authorized, SelectPlan } from '../../sql/plan.ts';
import { runExpanded } from '../expand/run-expand.ts';
import { CursorSink } from '../plan/cursor.ts';
import type { ReadPlan } from '../plan/plan.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { sendCount } from './count.ts';

export function runRead(plan: ReadPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  return plan.expand.length > 0 ? readExpanded(plan, session, sink) : readRows(plan, session, sink, sink);
}

async function readExpanded(plan: ReadPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const read = (select: ReadPlan['select'], into: RowSink): Promise<AutoResult> => readRows({ ...plan, select }, session, sink, into);
  // A cursor is found by counting the rows.
  const { result, rows } = await runExpanded(plan, session, sink, !plan.keyset, read);
  return { ...result, rows };
}

/** What is known before the first row goes to the answer, the rows where they are wanted. */
function readRows(plan: ReadPlan, session: AutoSession, answer: AnswerSink, sink: RowSink): Promise<AutoResult> {
  if (plan.count === undefined && !plan.keyset) return readPage(plan.select, session, maskedSink(plan.select, sink));
  return readCounted(plan, session, answer, sink);
}

async function readCounted(plan: ReadPlan, session: AutoSession, answer: AnswerSink, sink: RowSink): Promise<AutoResult> {
  if (plan.count !== undefined) await sendCount(plan.count, plan.isEstimated, session, answer);
  const shown = maskedSink(plan.select, sink);
  if (!plan.keyset) return readPage(plan.select, session, shown);
  const positioned = new CursorSink(shown, plan.select.order, plan.visible, plan.seal);
  const { rows } = await readPage(plan.select, session, positioned);
  return { rows, cursor: rows < plan.select.limit ? undefined : positioned.cursor };
}

/** The rows of a page into a sink. */
export function readPage(plan: Authorized<SelectPlan>, { connection, engine, options }: AutoSession, sink: RowSink): Promise<AutoResult> {
  if (engine.readPage !== undefined) return engine.readPage(plan, connection, options, sink).then(allRead);
  const { statement, params } = compilePage(plan, engine.dialect);
  return connection.run(statement, params, options, sink).then(allOf);
}

const allRead = (rows: number): AutoResult => ({ rows, cursor: undefined });
const allOf = ({ rows }: Outcome): AutoResult => allRead(rows);
