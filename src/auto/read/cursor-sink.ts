/**
 * Passes the rows of a page on without hidden columns, and finds the cursor after the last one.
 * Where rows may tie, it also takes the first row of the next page, which shows whether they do.
 */
import { createHash } from 'node:crypto';
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Column } from '../../model/table.ts';
import { withoutTrailingZeros } from '../../util/text/decimal.ts';
import { cellText, encodeCursor } from '../plan/cursor.ts';
import type { ReadPlan } from '../plan/plan.ts';

type Texts = readonly (string | null)[];

interface Place {
  readonly index: number;
  readonly kind: Column['kind'];
}

export class CursorSink implements RowSink {
  readonly #inner: RowSink;
  readonly #plan: ReadPlan;
  readonly #order: readonly Place[];
  readonly #compared: readonly Place[];
  #last: Texts = [];
  /** The last row as the database compares it, and the number of rows that tie with it. */
  #lastCompared: Texts = [];
  #ties = 0;
  #nextTies = false;
  /** Number of rows that were passed on. */
  rows = 0;

  /** `compared`: for each order column, the column of the plan whose equal bytes mean a tie. */
  constructor(inner: RowSink, plan: ReadPlan, compared: readonly Column[]) {
    const { columns, order } = plan.select;
    const place = (column: Column): Place => ({ index: columns.indexOf(column), kind: column.kind });
    this.#inner = inner;
    this.#plan = plan;
    this.#order = order.map(({ column }) => place(column));
    this.#compared = compared.map(place);
  }

  /** Cursor after the last row; `undefined` if the page is not full. */
  get cursor(): string | undefined {
    const { select, seal, size } = this.#plan;
    if (this.rows < size) return undefined;
    const ties = this.#nextTies ? { sent: this.#ties, digest: digestOf(this.#lastCompared) } : undefined;
    return encodeCursor(select.order, { texts: this.#last, ties }, seal);
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#inner.start(columns.slice(0, this.#plan.visible), flow);
  }

  row(cells: Cells): void {
    if (this.#plan.mayTie && !this.#countTies(cells)) return;
    this.#last = this.#order.map(({ index, kind }) => cellText(cells, index, kind));
    this.rows++;
    this.#inner.row(cells);
  }

  /** Returns `false` for the row behind the page. */
  #countTies(cells: Cells): boolean {
    const { after, size } = this.#plan;
    const compared = this.#compared.map((place) => comparedText(cells, place));
    const isTied = this.rows > 0 && isSame(compared, this.#lastCompared);
    if (this.rows === size) {
      this.#nextTies = isTied;
      return false;
    }
    const before = this.rows === 0 && after?.digest === digestOf(compared) ? after.sent : 0;
    this.#ties = isTied ? this.#ties + 1 : before + 1;
    this.#lastCompared = compared;
    return true;
  }
}

/** `1.50` and `1.5` are equal to the database. */
function comparedText(cells: Cells, { index, kind }: Place): string | null {
  const text = cellText(cells, index, kind);
  return text !== null && kind === 'decimal' ? withoutTrailingZeros(text) : text;
}

function isSame(a: Texts, b: Texts): boolean {
  return a.every((text, i) => text === b[i]);
}

function digestOf(texts: Texts): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}
