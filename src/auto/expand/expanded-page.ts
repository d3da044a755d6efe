/**
 * A page with `$expand`. Items are read in one of two ways: joined to the page's own statement, or
 * afterwards by a statement per item, in the same snapshot. No row is sent before all are read.
 */
import { apiError } from '../../errors.ts';
import type { Column } from '../../model/table.ts';
import { joinedColumns } from '../../sql/compile/joined-rows.ts';
import type { Authorized, SelectPlan } from '../../sql/plan.ts';
import { MemoryBusy, type MemoryLease } from '../../util/bytes/memory-lease.ts';
import type { Expansion } from '../plan/plan-expand.ts';
import { RowStore } from '../rows/row-store.ts';
import { type AnswerSink, type AutoSession, endSnapshot, NeedsExclusiveConnection } from '../session.ts';
import { type ReadItem, sendRows } from './expanded-rows.ts';
import { checkOnce, type Division, divide, joinedItem, joinedLists } from './joined-items.ts';
import { headerText, RelatedReader } from './related-reader.ts';
import { withEqualityColumns } from './row-keys.ts';

export interface ExpandedPlan {
  readonly select: Authorized<SelectPlan>;
  /** Number of selected columns that the caller sees; the others are keys. */
  readonly visible: number;
  readonly expand: readonly Expansion[];
}

/**
 * The steps of an expanded read, in their order: `begin`, the caller runs `select` into `store`,
 * `checkRows`, `readItems`, `send`, and `end` in any case.
 */
export class ExpandedPage {
  /** The statement of the page, with its joins. */
  readonly select: Authorized<SelectPlan>;
  readonly store: RowStore;
  readonly #plan: ExpandedPlan;
  readonly #session: AutoSession;
  readonly #division: Division;
  readonly #columns: readonly Column[];
  readonly #lease: MemoryLease;
  readonly #stores: RowStore[] = [];
  readonly #reader: RelatedReader;
  readonly #needsSnapshot: boolean;
  readonly #items = new Map<Expansion, ReadItem>();
  /** First row of each group, if rows of the page are repeated for the rows of a list. */
  #shown: readonly number[] | undefined;
  #ending: Promise<unknown> | undefined;

  /** `mayRepeat`: rows of the page may be repeated for the rows of one list. */
  constructor(plan: ExpandedPlan, session: AutoSession, mayRepeat: boolean) {
    const { connection, engine } = session;
    const { dialect } = engine;
    this.#plan = plan;
    this.#session = session;
    this.#division = divide(plan, dialect, mayRepeat && session.readsOnly !== true);
    const { rows: joined, apart } = this.#division;
    const keys = apart.flatMap(({ rows }) => rows.link.columns);
    this.#columns = withEqualityColumns(plan.select.columns, keys, dialect);
    const select = this.#columns === plan.select.columns ? plan.select : { ...plan.select, columns: this.#columns };
    this.select = joined.length === 0 ? select : { ...select, joined };
    // A single statement is a snapshot without a transaction.
    this.#needsSnapshot = connection.beginSnapshot !== undefined && (apart.length > 0 || session.readsOnly === true);
    if (this.#needsSnapshot && session.isPipelined) throw new NeedsExclusiveConnection();
    this.#lease = session.memory.lease(session.owner);
    this.store = this.#newStore(joined.reduce((width, rows) => width + joinedColumns(rows).length, this.#columns.length));
    this.#reader = new RelatedReader(session, (width) => this.#newStore(width));
  }

  #newStore(width: number): RowStore {
    const store = new RowStore(width, this.#lease);
    this.#stores.push(store);
    return store;
  }

  async begin(): Promise<void> {
    const { connection, options } = this.#session;
    if (this.#needsSnapshot) await connection.beginSnapshot?.(options);
  }

  /** Fails as stale if a row of the page came twice: its to-one relation is no longer unique. */
  checkRows(): void {
    const { rows, list } = this.#division;
    if (rows.length > 0 && list === undefined) checkOnce(this.store, this.select);
  }

  /**
   * Returns `false` if a joined list has too many rows, so that the page must be read without it.
   */
  async readItems(): Promise<boolean> {
    const { apart } = this.#division;
    if (!this.#readJoined()) return false;
    const items = await this.#reader.readAll(apart, { store: this.store, columns: this.#columns, rows: undefined });
    for (const [index, expansion] of apart.entries()) this.#items.set(expansion, items[index] as ReadItem);
    return true;
  }

  /** Finds the items that were joined to the page, in the columns after its own. */
  #readJoined(): boolean {
    const { joined, list } = this.#division;
    let first = this.#columns.length;
    for (const expansion of joined) {
      this.#items.set(expansion, joinedItem(expansion, this.store, first));
      first += joinedColumns(expansion.rows).length;
    }
    if (list === undefined) return true;
    const lists = joinedLists(list, this.store, this.select, first);
    if (lists === undefined) return false;
    this.#shown = lists.rows;
    this.#items.set(list, lists.item);
    if (lists.isCut) this.#reader.truncated.push(headerText(list.key));
    return true;
  }

  /** Sends the rows and returns their number. The snapshot ends while they are sent. */
  async send(sink: AnswerSink): Promise<number> {
    const { expand, visible } = this.#plan;
    const { truncated, hasEndedSnapshot } = this.#reader;
    if (truncated.length > 0) sink.header('X-Expand-Truncated', truncated.join(', '));
    if (this.#needsSnapshot) this.#ending = hasEndedSnapshot ? Promise.resolve() : endSnapshot(this.#session);
    const items = expand.map((expansion) => this.#items.get(expansion) as ReadItem);
    const shown = this.#shown;
    const { store } = this;
    await sendRows({ shape: expand, store, columns: store.columns, first: 0, visible, items, ...(shown && { shown }) }, sink);
    return shown?.length ?? store.count;
  }

  async end(): Promise<void> {
    try {
      if (this.#needsSnapshot) await (this.#ending ?? endSnapshot(this.#session));
    } finally {
      for (const store of this.#stores) store.release();
      this.#lease.release();
    }
  }
}

/** Maps exhausted request memory to its error. */
export function memoryError(error: unknown): unknown {
  return error instanceof MemoryBusy ? apiError('memory_busy') : error;
}
