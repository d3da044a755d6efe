/** Runs aggregates: the number of groups if requested, then the rows of the page. */
import { TextRows } from '../../engines/contract/rows.ts';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Kind } from '../../model/table.ts';
import { compileGroupCount, compileGroups } from '../../sql/compile/compile-groups.ts';
import type { GroupedPlan } from '../plan/plan-groups.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { sendTotal } from './count.ts';

export async function runGroups({ groups, count }: GroupedPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const { connection, engine, options } = session;
  if (count === 'estimated') sendTotal(sink, 'none');
  if (count === 'exact') {
    const { statement, params } = compileGroupCount(groups, engine.dialect);
    const counted = new TextRows();
    await connection.run(statement, params, options, counted);
    sendTotal(sink, 'exact', counted.rows[0]?.[0] ?? '0');
  }
  const { statement, params } = compileGroups(groups, engine.dialect);
  const named = new KindSink(
    sink,
    groups.outputs.map(({ column }) => column),
  );
  return { rows: (await connection.run(statement, params, options, named)).rows, cursor: undefined };
}

/**
 * Result kinds that are accepted in place of the planned kind: engines return SUM(int) as decimal,
 * and some timestamps as text.
 */
const COMPATIBLE: Readonly<Partial<Record<Kind, ReadonlySet<Kind>>>> = {
  decimal: new Set<Kind>(['int']),
  int: new Set<Kind>(['decimal']),
  text: new Set<Kind>(['timestamptz']),
};

class KindSink implements RowSink {
  readonly #inner: RowSink;
  readonly #planned: readonly ResultColumn[];

  constructor(inner: RowSink, planned: readonly ResultColumn[]) {
    this.#inner = inner;
    this.#planned = planned;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    const typed = columns.map(({ name, kind }, i) => {
      const planned = this.#planned[i]?.kind ?? kind;
      return { name, kind: planned === kind || COMPATIBLE[kind]?.has(planned) === true ? planned : kind };
    });
    this.#inner.start(typed, flow);
  }

  row(cells: Cells): void {
    this.#inner.row(cells);
  }
}
