/** Runs a read: the count if requested, then the rows of the page. */
import type { Outcome } from '../../engines/contract/engine.ts';
import type { RowSink } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import { compilePage } from '../../sql/compile/compile-page.ts';
import type { Authorized, SelectPlan } from '../../sql/plan.ts';
import { ExpandedPage, memoryError } from '../expand/expanded-page.ts';
import { withEqualityColumns } from '../expand/row-keys.ts';
import type { ReadPlan } from '../plan/plan.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { sendCount } from './count.ts';
import { CursorSink } from './cursor-sink.ts';

export function runRead(plan: ReadPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  return plan.expand.length > 0 ? readExpanded(plan, session, sink) : readRows(plan, session, sink, sink);
}

/** Reads the page once more without joining a list, if the list turns out to be too long. */
async function readExpanded(plan: ReadPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  // A cursor counts rows, so no row may be repeated.
  const result = await readExpandedPage(plan, session, sink, !plan.keyset);
  return result ?? ((await readExpandedPage(plan, session, sink, false)) as AutoResult);
}

async function readExpandedPage(
  plan: ReadPlan,
  session: AutoSession,
  sink: AnswerSink,
  mayRepeat: boolean,
): Promise<AutoResult | undefined> {
  const page = new ExpandedPage(plan, session, mayRepeat);
  try {
    await page.begin();
    const { cursor } = await readRows({ ...plan, select: page.select }, session, sink, page.store).finally(() => page.checkRows());
    if (!(await page.readItems())) return undefined;
    return { rows: await page.send(sink), cursor };
  } catch (error) {
    throw memoryError(error);
  } finally {
    await page.end();
  }
}

/** Sets headers on `answer` before the first row; sends rows to `sink`. */
function readRows(plan: ReadPlan, session: AutoSession, answer: AnswerSink, sink: RowSink): Promise<AutoResult> {
  if (plan.count === undefined && !plan.keyset) return readPage(plan.select, session, maskedSink(plan.select, sink));
  return readCounted(plan, session, answer, sink);
}

async function readCounted(plan: ReadPlan, session: AutoSession, answer: AnswerSink, sink: RowSink): Promise<AutoResult> {
  if (plan.count !== undefined) await sendCount(plan.count, plan.isEstimated, session, answer);
  if (!plan.keyset) return readPage(plan.select, session, maskedSink(plan.select, sink));
  const { select, compared } = comparable(plan, session);
  const positioned = new CursorSink(maskedSink(select, sink), { ...plan, select }, compared);
  await readPage(select, session, positioned);
  return { rows: positioned.rows, cursor: positioned.cursor };
}

/** Selects columns whose bytes show which rows tie, where the order columns do not show it. */
function comparable({ select, mayTie }: ReadPlan, { engine }: AutoSession): Comparable {
  const order = select.order.map(({ column }) => column);
  if (!mayTie) return { select, compared: order };
  const columns = withEqualityColumns(select.columns, order, engine.dialect);
  const added = columns.slice(select.columns.length);
  return { select: { ...select, columns }, compared: order.map((column) => added.find(({ name }) => name === column.name) ?? column) };
}

interface Comparable {
  readonly select: Authorized<SelectPlan>;
  readonly compared: readonly Column[];
}

/** Reads the rows of a page into a sink. */
export function readPage(plan: Authorized<SelectPlan>, { connection, engine, options }: AutoSession, sink: RowSink): Promise<AutoResult> {
  if (engine.readPage !== undefined) return engine.readPage(plan, connection, options, sink).then(allRead);
  const { statement, params } = compilePage(plan, engine.dialect);
  return connection.run(statement, params, options, sink).then(allOf);
}

const allRead = (rows: number): AutoResult => ({ rows, cursor: undefined });
const allOf = ({ rows }: Outcome): AutoResult => allRead(rows);
