/** Counts matching rows exactly, or estimates them with the engine's planner or statistics. */
import { DbFailure, type FailureKind } from '../../engines/contract/engine.ts';
import { TextRows } from '../../engines/contract/rows.ts';
import type { Backpressure, ResultColumn } from '../../model/cells.ts';
import { compileCount, compileEstimate } from '../../sql/compile/compile.ts';
import type { Authorized, CountPlan } from '../../sql/plan.ts';
import type { AnswerSink, AutoSession } from '../session.ts';

export async function countRows(plan: Authorized<CountPlan>, { connection, engine, options }: AutoSession): Promise<string> {
  const { statement, params } = compileCount(plan, engine.dialect);
  const counted = new TextRows();
  await connection.run(statement, params, options, counted);
  return counted.rows[0]?.[0] ?? '0';
}

/** Sets the count headers. An estimate never scans: without one, there is no total. */
export async function sendCount(
  plan: Authorized<CountPlan>,
  isEstimated: boolean,
  session: AutoSession,
  answer: AnswerSink,
): Promise<void> {
  if (!isEstimated) {
    sendTotal(answer, 'exact', await countRows(plan, session));
    return;
  }
  const estimated = await estimateRows(plan, session);
  if (estimated === undefined) sendTotal(answer, 'none');
  else sendTotal(answer, 'estimated', String(estimated));
}

/** `none`: the number is not known. */
export function sendTotal(answer: AnswerSink, count: 'exact' | 'estimated' | 'none', total?: string): void {
  if (total !== undefined) answer.header('X-Total-Count', total);
  answer.header('X-Count', count);
}

async function estimateRows(plan: Authorized<CountPlan>, { connection, engine, options }: AutoSession): Promise<number | undefined> {
  const bound = compileEstimate(plan, engine.dialect);
  if (bound === undefined) return undefined;
  const estimate = new NamedRows();
  try {
    await connection.run(bound.statement, bound.params, options, estimate);
  } catch (error) {
    // Some servers cannot explain some tables.
    if (error instanceof DbFailure && NOT_EXPLAINED.has(error.kind)) return undefined;
    throw error;
  }
  return engine.dialect.estimate?.rows(estimate.named(), plan.table);
}

const NOT_EXPLAINED: ReadonlySet<FailureKind> = new Set<FailureKind>(['unsupported', 'syntax']);

class NamedRows extends TextRows {
  #names: readonly string[] = [];

  override start(columns: readonly ResultColumn[], flow: Backpressure): void {
    super.start(columns, flow);
    this.#names = columns.map(({ name }) => name);
  }

  named(): readonly ReadonlyMap<string, string | null>[] {
    return this.rows.map((row) => new Map(row.map((value, i) => [this.#names[i] ?? '', value])));
  }
}
