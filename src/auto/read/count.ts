/** Counts matching rows exactly, or estimates them with the engine's planner or statistics. */
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

/** Sets the count headers. Without an estimate, rows are counted, and the header says `exact`. */
export async function sendCount(
  plan: Authorized<CountPlan>,
  isEstimated: boolean,
  session: AutoSession,
  answer: AnswerSink,
): Promise<void> {
  const estimated = isEstimated ? await estimateRows(plan, session) : undefined;
  answer.header('X-Total-Count', estimated === undefined ? await countRows(plan, session) : String(estimated));
  answer.header('X-Count', estimated === undefined ? 'exact' : 'estimated');
}

async function estimateRows(plan: Authorized<CountPlan>, { connection, engine, options }: AutoSession): Promise<number | undefined> {
  const bound = compileEstimate(plan, engine.dialect);
  if (bound === undefined) return undefined;
  const estimate = new NamedRows();
  await connection.run(bound.statement, bound.params, options, estimate);
  return engine.dialect.estimate?.rows(estimate.named());
}

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
