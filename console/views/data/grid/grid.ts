/**
 * The grid: recycled rows, so that the number of elements does not depend on the rows. Independent
 * of Preact, which would compare what has not changed.
 */
import { ColumnWidths } from './columns.ts';
import { GridHead } from './head.ts';
import { handleKey } from './keyboard.ts';
import { RowChoice } from './row-choice.ts';
import { RowSlot, type ShownColumn } from './row-slot.ts';
import type { CellPlace, GridEvents, GridSource } from './source.ts';

const OVERSCAN = 4;
/** Up to this number, all columns have elements. Beyond it, those near the visible ones. */
const MAX_WHOLE_COLUMNS = 40;
/** Pixels beside the visible ones in which columns are kept. */
const SIDE = 200;

const EMPTY: GridSource = {
  columns: [],
  rowCount: 0,
  isWhole: false,
  sort: [],
  hasSelection: false,
  hasKeys: false,
  cell: () => ({ kind: 'null', text: '' }),
  isPendingCell: () => false,
  keyOf: () => undefined,
  isPendingRow: () => false,
};

export class Grid {
  readonly element = document.createElement('div');
  readonly widths = new ColumnWidths();
  readonly choice = new RowChoice();
  readonly head: GridHead;
  readonly events: GridEvents;
  source: GridSource = EMPTY;
  active: CellPlace = { row: 0, column: 0 };
  readonly #body = document.createElement('div');
  readonly #resize = new ResizeObserver(() => this.#measure());
  #slots: RowSlot[] = [];
  /** A row that has the focus and is not visible. It stays until the focus leaves it. */
  #pinned: RowSlot | undefined;
  #shown: readonly ShownColumn[] = [];
  #shownFirst = -1;
  #shownLast = -1;
  #tabStop: HTMLElement | undefined;
  #rowHeight = 28;
  #height = 0;
  #width = 0;
  #gutter = 0;
  #hasScrolled = false;

  constructor(events: GridEvents) {
    this.events = events;
    this.head = new GridHead(this.widths, {
      onSort: events.onSort,
      onWidth: (column, width) => {
        this.widths.choose(column, width);
        this.widths.place(this.source);
        this.#layColumns();
      },
      onSelectAll: (isChosen) => this.changeChoice(() => this.choice.setAll(isChosen ? this.source.rowCount : 0)),
    });
    this.element.className = 'grid';
    this.element.setAttribute('role', 'grid');
    this.element.setAttribute('aria-multiselectable', 'true');
    this.element.dataset['testid'] = 'grid';
    this.#body.className = 'grid-body';
    this.#body.setAttribute('role', 'rowgroup');
    this.element.append(this.head.element, this.#body);
    this.element.addEventListener('scroll', () => this.#scroll(), { passive: true });
    this.element.addEventListener('keydown', (event) => handleKey(this, event));
    this.element.addEventListener('focusin', (event) => this.#focusIn(event));
    this.element.addEventListener('focusout', () => queueMicrotask(() => this.#unpin()));
    this.element.addEventListener('click', (event) => this.#click(event));
    this.element.addEventListener('dblclick', (event) => this.#doubleClick(event));
    this.element.addEventListener('contextmenu', (event) => this.#contextMenu(event));
    this.#resize.observe(this.element);
  }

  dispose(): void {
    this.#resize.disconnect();
    this.element.remove();
  }

  /** Shows other rows, from the first one on. */
  setSource(source: GridSource): void {
    const hadFocus = this.#body.contains(document.activeElement);
    const isNewTable = source.columns.map(({ name }) => name).join() !== this.source.columns.map(({ name }) => name).join();
    this.source = source;
    this.choice.clear();
    this.events.onSelection(this.choice.rows);
    if (isNewTable) this.active = { row: 0, column: 0 };
    else this.active = { ...this.active, row: Math.min(this.active.row, 0) };
    this.#hasScrolled = false;
    this.element.scrollTop = 0;
    this.widths.measure(source);
    this.#layColumns();
    this.refresh();
    if (hadFocus) this.focusCell(this.active);
  }

  /** Shows changed values and rows that were added. */
  refresh(): void {
    const { rowCount, columns, isWhole } = this.source;
    this.element.setAttribute('aria-rowcount', String(isWhole ? rowCount + 1 : -1));
    this.element.setAttribute('aria-colcount', String(columns.length + 1));
    this.#body.style.height = `${rowCount * this.#rowHeight}px`;
    this.#showRows(true);
  }

  get visibleRows(): number {
    return Math.max(1, Math.floor(this.#height / this.#rowHeight) - 1);
  }

  changeChoice(change: () => void): void {
    change();
    for (const slot of this.#allSlots()) slot.setSelected(this.choice.has(slot.row));
    const { size } = this.choice.rows;
    this.head.selectAll.checked = size > 0 && size === this.source.rowCount;
    this.head.selectAll.indeterminate = size > 0 && size < this.source.rowCount;
    this.events.onSelection(this.choice.rows);
  }

  cellAt({ row, column }: CellPlace): HTMLElement | undefined {
    if (row < 0) return this.head.cellAt(column);
    return this.#slotOf(row)?.cellAt(column);
  }

  /** Moves the focus to a cell and scrolls it into view. */
  focusCell(place: CellPlace): void {
    const row = Math.min(Math.max(place.row, -1), this.source.rowCount - 1);
    const column = Math.min(Math.max(place.column, -1), this.source.columns.length - 1);
    this.active = { row, column };
    this.#reveal(this.active);
    this.#showRows(false);
    this.#markTabStop();
    this.cellAt(this.active)?.focus({ preventScroll: true });
  }

  #allSlots(): readonly RowSlot[] {
    return this.#pinned === undefined ? this.#slots : [...this.#slots, this.#pinned];
  }

  #slotOf(row: number): RowSlot | undefined {
    const slot = this.#slots[row % this.#slots.length];
    return slot?.row === row ? slot : this.#pinned?.row === row ? this.#pinned : undefined;
  }

  #measure(): void {
    const style = getComputedStyle(this.element);
    this.#rowHeight = Number.parseFloat(style.getPropertyValue('--row')) || 28;
    this.#gutter = Number.parseFloat(style.getPropertyValue('--gutter')) || 0;
    this.#height = this.element.clientHeight;
    this.#width = this.element.clientWidth;
    this.#layColumns();
    this.refresh();
  }

  #scroll(): void {
    this.#hasScrolled ||= this.element.scrollTop > 0;
    const { scrollLeft } = this.element;
    const [first, last] = this.widths.between(scrollLeft - this.#gutter, scrollLeft + this.#width);
    const isWhole = this.source.columns.length <= MAX_WHOLE_COLUMNS;
    if (!isWhole && (first < this.#shownFirst || last > this.#shownLast)) this.#layColumns();
    this.#showRows(false);
  }

  /** Decides which columns have elements: the visible ones, and the one with the focus. */
  #layColumns(): void {
    const { scrollLeft } = this.element;
    const [first, last] = this.widths.between(scrollLeft - SIDE, scrollLeft + this.#width + SIDE);
    this.#shownFirst = first;
    this.#shownLast = last;
    const isWhole = this.source.columns.length <= MAX_WHOLE_COLUMNS;
    const shown: ShownColumn[] = [];
    const { lefts } = this.widths;
    for (let index = 0; index < this.source.columns.length; index++) {
      if ((index < first || index > last) && index !== this.active.column && !isWhole) continue;
      const left = lefts[index] ?? 0;
      shown.push({ index, left: left + this.#gutter, width: (lefts[index + 1] ?? left) - left });
    }
    this.#shown = shown;
    const width = this.widths.total + this.#gutter;
    this.#body.style.width = `${width}px`;
    this.head.setColumns(shown, this.source, width);
    for (const slot of this.#allSlots()) {
      slot.setColumns(shown, this.source, width);
      if (slot.row >= 0 && slot.row < this.source.rowCount) this.#bind(slot, slot.row);
    }
    this.#markTabStop();
  }

  #bind(slot: RowSlot, row: number): void {
    slot.bind(row, this.source, this.#rowHeight, this.choice.has(row));
  }

  #newSlot(): RowSlot {
    const slot = new RowSlot();
    slot.setColumns(this.#shown, this.source, this.widths.total + this.#gutter);
    this.#body.append(slot.element);
    return slot;
  }

  /** Binds the elements to the visible rows. `isAll` also where the row is the same. */
  #showRows(isAll: boolean): void {
    const { rowCount } = this.source;
    const { scrollTop } = this.element;
    const size = Math.min(rowCount, Math.ceil(this.#height / this.#rowHeight) + 2 * OVERSCAN);
    this.#setSlotCount(size);
    const first = Math.max(0, Math.min(Math.floor(scrollTop / this.#rowHeight) - OVERSCAN, rowCount - size));
    for (let row = first; row < first + size; row++) this.#showRow(row, isAll);
    if (isAll && this.#pinned !== undefined && this.#pinned.row < rowCount) this.#bind(this.#pinned, this.#pinned.row);
    this.#keepTabStop(first, first + size - 1);
    this.events.onShown(Math.ceil((scrollTop + this.#height) / this.#rowHeight), this.visibleRows, this.#hasScrolled);
  }

  /** The place of a row in the list depends on its length, so the row with the focus leaves it. */
  #setSlotCount(size: number): void {
    if (this.#slots.length === size) return;
    const focused = this.#slots.find(this.#hasFocus);
    if (focused !== undefined) this.#pinned = focused;
    const slots = this.#slots.filter((slot) => slot !== focused);
    for (const slot of slots.splice(size)) slot.element.remove();
    for (const slot of slots) slot.row = -1;
    while (slots.length < size) slots.push(this.#newSlot());
    this.#slots = slots;
  }

  #showRow(row: number, isAll: boolean): void {
    const at = row % this.#slots.length;
    let slot = this.#slots[at];
    if (slot === undefined || (slot.row === row && !isAll)) return;
    if (slot.row !== row) {
      if (this.#pinned?.row === row) {
        slot.element.remove();
        slot = this.#pinned;
        this.#pinned = undefined;
        this.#slots[at] = slot;
      } else if (this.#hasFocus(slot)) {
        this.#pinned = slot;
        slot = this.#newSlot();
        this.#slots[at] = slot;
      }
    }
    this.#bind(slot, row);
  }

  readonly #hasFocus = (slot: RowSlot): boolean => slot.element.contains(document.activeElement);

  #unpin(): void {
    if (this.#pinned === undefined || this.#hasFocus(this.#pinned)) return;
    this.#pinned.element.remove();
    this.#pinned = undefined;
  }

  /** One cell can be reached with Tab. If it is not shown and has no focus, another one is it. */
  #keepTabStop(first: number, last: number): void {
    const { row } = this.active;
    const isShown = row < 0 || (row >= first && row <= last) || this.#pinned?.row === row;
    if (!isShown) this.active = { row: Math.min(first + OVERSCAN, last), column: this.active.column };
    this.#markTabStop();
  }

  #markTabStop(): void {
    const cell = this.cellAt(this.active) ?? this.head.cellAt(this.active.column);
    if (cell === this.#tabStop) return;
    if (this.#tabStop !== undefined) this.#tabStop.tabIndex = -1;
    if (cell !== undefined) cell.tabIndex = 0;
    this.#tabStop = cell;
  }

  #reveal({ row, column }: CellPlace): void {
    const head = this.#rowHeight;
    if (row >= 0) {
      const top = row * this.#rowHeight;
      const { scrollTop } = this.element;
      if (top < scrollTop) this.element.scrollTop = top;
      else if (top + head + this.#rowHeight > scrollTop + this.#height)
        this.element.scrollTop = top + head + this.#rowHeight - this.#height;
    }
    if (column < 0) return;
    const { lefts } = this.widths;
    const [left = 0, right = 0] = [lefts[column], lefts[column + 1]];
    const room = this.#width - this.#gutter;
    const { scrollLeft } = this.element;
    if (left < scrollLeft || right - left > room) this.element.scrollLeft = left;
    else if (right > scrollLeft + room) this.element.scrollLeft = right - room;
    if (!this.#shown.some(({ index }) => index === column)) this.#layColumns();
  }

  /** The cell of an event; `undefined` outside of cells. */
  placeOf(target: EventTarget | null): CellPlace | undefined {
    if (!(target instanceof Node)) return undefined;
    const cell = (target instanceof Element ? target : target.parentElement)?.closest('[aria-colindex]');
    const row = cell?.closest('[aria-rowindex]');
    if (cell == null || row == null) return undefined;
    return { row: Number(row.getAttribute('aria-rowindex')) - 2, column: Number(cell.getAttribute('aria-colindex')) - 2 };
  }

  #focusIn(event: FocusEvent): void {
    const place = this.placeOf(event.target);
    if (place === undefined) return;
    this.active = place;
    this.#markTabStop();
    this.events.onActive(place);
  }

  #click(event: MouseEvent): void {
    const place = this.placeOf(event.target);
    if (place === undefined || place.row < 0) return;
    if (event.target instanceof HTMLInputElement && event.target.type === 'checkbox' && place.column < 0) {
      const { checked } = event.target;
      this.changeChoice(() => this.choice.set(place.row, checked, event.shiftKey));
    } else if (event.target instanceof Element && event.target.closest('.grid-open') !== null) {
      this.events.onOpen(place.row);
    }
  }

  #doubleClick(event: MouseEvent): void {
    const place = this.placeOf(event.target);
    if (place !== undefined && place.row >= 0 && place.column >= 0) this.startEdit(place);
  }

  startEdit(place: CellPlace): void {
    const cell = this.cellAt(place);
    if (cell !== undefined && cell.querySelector('input, textarea') === null) this.events.onEdit(place, cell);
  }

  #contextMenu(event: MouseEvent): void {
    const place = this.placeOf(event.target);
    if (place === undefined || (event.target instanceof Element && event.target.closest('input, textarea') !== null)) return;
    event.preventDefault();
    this.focusCell(place);
    this.events.onMenu(place, event.clientX, event.clientY);
  }
}
