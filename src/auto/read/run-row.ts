/**
 * Reads one row: 404 if it does not exist, an ETag header, and 304 if the caller has it already.
 */
import { apiError } from '../../errors.ts';
import { type Backpressure, type Cells, copyRow, type ResultColumn, type RowSink } from '../../model/cells.ts';
import type { Authorized, SelectPlan } from '../../sql/plan.ts';
import { ExpandedPage, memoryError } from '../expand/expanded-page.ts';
import type { ExpandedRowPlan, RowPlan } from '../plan/plan.ts';
import { hasTag, rowTag, weakTag } from '../request/entity-tags.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import type { AnswerSink, AutoResult, AutoSession } from '../session.ts';
import { readPage } from './run-read.ts';

export async function runRow(plan: RowPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const row = new SingleRow(plan, sink);
  const rows = await readOne(plan.select, session, row);
  row.passOn();
  return { rows, cursor: undefined, unchanged: row.isKnown };
}

export async function runExpandedRow(plan: ExpandedRowPlan, session: AutoSession, sink: AnswerSink): Promise<AutoResult> {
  const page = new ExpandedPage(plan, session, false);
  try {
    await page.begin();
    await readOne(page.select, session, page.store).finally(() => page.checkRows());
    await page.readItems();
    return { rows: await page.send(sink), cursor: undefined };
  } catch (error) {
    throw memoryError(error);
  } finally {
    await page.end();
  }
}

async function readOne(plan: Authorized<SelectPlan>, session: AutoSession, sink: RowSink): Promise<number> {
  const { rows } = await readPage(plan, session, maskedSink(plan, sink));
  if (rows === 0) throw apiError('row_unknown');
  if (rows > 1) throw apiError('key_repeats');
  return rows;
}

/**
 * Passes on the requested columns of the row. If keys may repeat, waits until no second row has
 * arrived.
 */
class SingleRow implements RowSink {
  readonly #plan: RowPlan;
  readonly #sink: AnswerSink;
  #columns: readonly ResultColumn[] = [];
  #row: Cells | undefined;
  isKnown = false;

  constructor(plan: RowPlan, sink: AnswerSink) {
    this.#plan = plan;
    this.#sink = sink;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#columns = columns;
    const { chosen } = this.#plan;
    this.#sink.start(chosen === undefined ? columns : chosen.map((place) => columns[place] as ResultColumn), flow);
  }

  row(cells: Cells): void {
    const { chosen, ifNoneMatch, select } = this.#plan;
    const tag = rowTag(cells, this.#columns.length);
    this.#sink.header('ETag', weakTag(tag));
    this.isKnown = ifNoneMatch !== undefined && hasTag(ifNoneMatch, tag);
    if (this.isKnown) return;
    const shown = chosen === undefined ? cells : pick(cells, chosen);
    if (select.table.primaryKey.length > 0) this.#sink.row(shown);
    else this.#row = copyRow(shown);
  }

  passOn(): void {
    if (this.#row !== undefined) this.#sink.row(this.#row);
  }
}

function pick({ bytes, from, to }: Cells, places: readonly number[]): Cells {
  return {
    bytes,
    from: Int32Array.from(places, (place) => from[place] as number),
    to: Int32Array.from(places, (place) => to[place] as number),
  };
}
