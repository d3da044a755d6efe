/** One table on the screen: grid, feed of rows, pending changes, and what is open. */
import { effect, signal } from '@preact/signals';
import type { TableDetail } from '../../api/types.ts';
import { navigate, withSearch } from '../../app/router.ts';
import { copyText } from '../../parts/copy-text.tsx';
import { toast } from '../../parts/toasts.tsx';
import { type Move, openEditor } from './edit/cell-editor.ts';
import { isSameValue, PendingEdits, rawOfTyped } from './edit/pending.ts';
import type { Outcome, Plan } from './edit/plan.ts';
import { planDeleteMatching, planDeleteRows, planEdits, planInsert } from './edit/plans.ts';
import { Grid } from './grid/grid.ts';
import type { CellPlace } from './grid/source.ts';
import { filterText, readOrder, writeOrder } from './query/query.ts';
import { plainText } from './rows/cell-text.ts';
import { readRow } from './rows/read-rows.ts';
import { RowFeed } from './rows/row-feed.ts';
import { keyColumns, rowKey } from './rows/row-key.ts';
import type { RawRow } from './rows/row-store.ts';
import { canEditColumn, type TableRights, tableRights } from './table-rights.ts';
import { rowsQuery, TableSource } from './table-source.ts';
import { rowAddress, type TableTarget } from './table-target.ts';

interface OpenMenu extends CellPlace {
  readonly x: number;
  readonly y: number;
}

export class TableSession {
  readonly target: TableTarget;
  readonly detail: TableDetail;
  readonly pending = new PendingEdits();
  readonly grid: Grid;
  readonly feed = signal<RowFeed | undefined>(undefined);
  readonly active = signal<CellPlace | undefined>(undefined);
  readonly chosen = signal<readonly number[]>([]);
  readonly menu = signal<OpenMenu | undefined>(undefined);
  readonly plan = signal<Plan | undefined>(undefined);
  readonly isInserting = signal(false);
  rights: TableRights;
  source: TableSource | undefined;
  #search = '';
  #closeEditor = (): void => {};
  #stopWatching = (): void => {};
  readonly #stopPending: () => void;

  constructor(target: TableTarget, detail: TableDetail) {
    this.target = target;
    this.detail = detail;
    this.rights = tableRights(detail, '');
    this.grid = new Grid({
      onShown: (lastRow, visible, hasScrolled) => this.feed.peek()?.need(lastRow, visible, hasScrolled),
      onActive: (place) => {
        this.active.value = place;
      },
      onEdit: (place, cell) => this.edit(place, cell),
      onNull: (place) => this.setNull(place),
      onMenu: (place, x, y) => {
        this.menu.value = { ...place, x, y };
      },
      onSort: (column, isAdded) => this.sort(column, isAdded),
      onOpen: (row) => this.openRow(row),
      onCopy: (place) => this.copy(place),
      onEscape: () => {
        this.active.value = undefined;
      },
      onSelection: (rows) => {
        this.chosen.value = [...rows];
      },
    });
    this.grid.element.setAttribute('aria-label', `Rows of ${target.table}`);
    this.#stopPending = effect(() => {
      void this.pending.edits.value;
      this.grid.refresh();
    });
  }

  dispose(): void {
    this.#closeEditor();
    this.#stopWatching();
    this.#stopPending();
    this.feed.peek()?.dispose();
    this.grid.dispose();
  }

  /** Shows the rows of an address. A feed of them may be loading already. */
  show(search: string, started?: RowFeed): void {
    this.#closeEditor();
    this.#stopWatching();
    this.feed.peek()?.dispose();
    this.#search = search;
    this.active.value = undefined;
    const feed = started ?? new RowFeed(this.target, rowsQuery(search, this.detail));
    this.rights = tableRights(this.detail, search);
    this.feed.value = feed;
    const { element } = this.grid;
    let isShown = false;
    this.#stopWatching = effect(() => {
      const state = feed.state.value;
      const { value: loaded } = feed.loaded;
      element.dataset['state'] = state;
      element.dataset['rows'] = String(loaded);
      element.classList.toggle('is-stale', state === 'loading');
      if (state === 'loading') return;
      if (isShown) return this.grid.refresh();
      isShown = true;
      this.source = new TableSource(this.detail, search, this.rights, feed, this.pending);
      this.grid.setSource(this.source);
    });
    if (started === undefined) feed.start();
  }

  reload(): void {
    this.show(this.#search);
  }

  get hasFilter(): boolean {
    return filterText(this.#search) !== '';
  }

  /** Ascending, descending, as it was. With `isAdded`, other columns keep their order. */
  sort(column: string, isAdded: boolean): void {
    const order = readOrder(this.#search);
    const before = order.find((term) => term.column === column);
    const term = { column, isDescending: before !== undefined };
    const next = before?.isDescending === true ? [] : [term];
    const rest = isAdded ? order : [];
    const isPresent = rest.some((other) => other.column === column);
    this.setOrder(isPresent ? rest.flatMap((other) => (other.column === column ? next : [other])) : [...rest, ...next]);
  }

  setOrder(order: ReturnType<typeof readOrder>): void {
    void navigate(withSearch(writeOrder(this.#search, order)), { keepsChanges: true });
  }

  openRow(row: number): void {
    const key = this.source?.keyOf(row);
    if (key !== undefined) void navigate(rowAddress(this.target, key));
  }

  copy({ row, column }: CellPlace): void {
    const found = this.source?.columns[column];
    if (found === undefined) return;
    void copyText(row < 0 ? found.name : plainText(this.source?.raw(row, column), this.source?.columnAt(column)?.kind));
  }

  /** The column if the cell may be changed. */
  editable({ row, column }: CellPlace) {
    const found = row < 0 ? undefined : this.source?.columnAt(column);
    return this.rights.canUpdate && canEditColumn(found) && this.source?.keyOf(row) !== undefined ? found : undefined;
  }

  edit(place: CellPlace, cell: HTMLElement): void {
    const column = this.editable(place);
    if (column === undefined) {
      if (this.rights.reason !== undefined) toast(this.rights.reason);
      return;
    }
    const raw = this.source?.raw(place.row, place.column);
    // The row is read now, so that its entity tag is that of the beginning.
    this.#begin(place.row);
    this.#closeEditor = openEditor(cell, {
      column,
      text: plainText(raw, column.kind),
      isNull: raw === undefined || raw === 'null',
      onKeep: (text) => this.#keep(place, rawOfTyped(text, column)),
      onNull: () => this.#keep(place, 'null'),
      onClose: (move) => this.#moveAfter(place, move),
    });
  }

  setNull(place: CellPlace): void {
    const column = this.editable(place);
    if (column === undefined) return;
    if (!column.nullable) {
      toast(`${column.name} does not take NULL.`);
      return;
    }
    this.#begin(place.row);
    this.#keep(place, 'null');
  }

  /** The row that editing began with, and the request that reads it. */
  #beginning: { readonly key: string; readonly before: RawRow; readonly read: ReturnType<typeof readRow> } | undefined;

  #begin(row: number): void {
    const key = this.source?.keyOf(row);
    if (key === undefined || key === this.#beginning?.key || this.pending.edits.peek().has(key)) return;
    const read = readRow(this.target, key);
    // The review reports a failure; without a change there is none.
    read.catch(() => {});
    this.#beginning = { key, before: this.storedRow(row), read };
  }

  /** A row as it was loaded, with the columns that are shown and those of its key. */
  storedRow(row: number): RawRow {
    return this.feed.peek()?.store.rowOf(row) ?? new Map();
  }

  #keep({ row, column }: CellPlace, raw: string): void {
    const key = this.source?.keyOf(row);
    const found = this.source?.columnAt(column);
    if (key === undefined || found === undefined) return;
    if (isSameValue(this.source?.stored(row, column), raw, found)) {
      this.pending.drop(key, found.name);
      return;
    }
    this.pending.set(key, found.name, raw, () => {
      const begun = this.#beginning;
      return begun?.key === key ? begun : { before: this.storedRow(row), read: readRow(this.target, key) };
    });
  }

  #moveAfter({ row, column }: CellPlace, move: Move): void {
    this.#closeEditor = () => {};
    if (!this.pending.edits.peek().has(this.#beginning?.key ?? '')) this.#beginning = undefined;
    const places: Readonly<Record<Move, CellPlace | undefined>> = {
      stay: { row, column },
      down: { row: row + 1, column },
      next: { row, column: column + 1 },
      previous: { row, column: Math.max(0, column - 1) },
      none: undefined,
    };
    const place = places[move];
    if (place !== undefined) this.grid.focusCell(place);
  }

  async review(): Promise<void> {
    this.#closeEditor();
    if (this.pending.count.peek() === 0) return;
    await this.#open(() =>
      planEdits(
        this.#context((outcome) => this.#saved(outcome)),
        this.pending,
      ),
    );
  }

  reviewInsert(values: RawRow): Promise<void> {
    const done = (): void => {
      this.isInserting.value = false;
      this.reload();
    };
    return this.#open(() => planInsert(this.#context(done), values));
  }

  /** Deletes the chosen rows, or else all that match the filter. */
  reviewDeletion(rows: readonly number[]): Promise<void> {
    const context = this.#context(() => this.reload());
    if (rows.length === 0) return this.#open(() => planDeleteMatching(context, this.#search));
    const chosen = rows.flatMap((row) => {
      const key = this.source?.keyOf(row);
      return key === undefined ? [] : [{ key, row: this.storedRow(row) }];
    });
    return this.#open(() => planDeleteRows(context, chosen));
  }

  readonly #context = (done: (outcome: Outcome) => void) => ({ target: this.target, detail: this.detail, done });

  async #open(make: () => Plan | Promise<Plan>): Promise<void> {
    try {
      this.plan.value = await make();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    }
  }

  /** Shows the rows as the write left them. */
  #saved({ rows }: Outcome): void {
    const edits = [...this.pending.edits.peek().values()];
    this.#beginning = undefined;
    const keys = keyColumns(this.detail);
    const byKey = new Map((rows ?? []).map((row) => [rowKey(keys, (name) => row.get(name)), row]));
    const [first] = rows ?? [];
    this.#replaceRows(
      new Map(edits.map(({ key, changes }) => [key, byKey.get(key) ?? (edits.length === 1 ? first : undefined) ?? changes])),
    );
    this.pending.forget(edits.map(({ key }) => key));
  }

  #replaceRows(byKey: ReadonlyMap<string, RawRow>): void {
    const store = this.feed.peek()?.store;
    if (store === undefined || this.source === undefined) return;
    for (let row = 0, found = 0; row < store.rowCount && found < byKey.size; row++) {
      const values = byKey.get(this.source.keyOf(row) ?? '');
      if (values === undefined) continue;
      found++;
      store.replace(row, new Map([...values].filter(([name]) => store.columns.includes(name))));
    }
  }
}
