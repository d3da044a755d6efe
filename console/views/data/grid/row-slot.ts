/** A row element that shows one row after another. Writes to the page only what has changed. */
import type { CellView } from '../rows/cell-text.ts';
import type { GridSource } from './source.ts';

export interface CellSlot {
  readonly element: HTMLElement;
  readonly text: Text;
  column: number;
  kind: string;
  shown: string;
  isPending: boolean;
}

/** Places of the visible columns: index, left edge and width. */
export interface ShownColumn {
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

export class RowSlot {
  readonly element = document.createElement('div');
  readonly gutter = document.createElement('div');
  readonly checkbox = document.createElement('input');
  readonly #open = document.createElement('button');
  row = -1;
  #cells: readonly CellSlot[] = [];
  #key: string | undefined;
  #isPending = false;
  #isSelected = false;

  constructor() {
    this.element.className = 'grid-row';
    this.element.setAttribute('role', 'row');
    this.element.dataset['testid'] = 'row';
    this.gutter.className = 'grid-gutter';
    this.gutter.setAttribute('role', 'gridcell');
    this.gutter.setAttribute('aria-colindex', '1');
    this.gutter.tabIndex = -1;
    this.checkbox.type = 'checkbox';
    this.checkbox.tabIndex = -1;
    this.checkbox.dataset['testid'] = 'row-select';
    this.#open.type = 'button';
    this.#open.className = 'plain grid-open';
    this.#open.tabIndex = -1;
    this.#open.setAttribute('aria-label', 'Open the row');
    this.gutter.append(this.checkbox, this.#open);
    this.element.append(this.gutter);
  }

  get cells(): readonly CellSlot[] {
    return this.#cells;
  }

  cellAt(column: number): HTMLElement | undefined {
    if (column < 0) return this.gutter;
    return this.#cells.find((cell) => cell.column === column)?.element;
  }

  /** Lays out one cell for each visible column. */
  setColumns(columns: readonly ShownColumn[], source: GridSource, width: number): void {
    this.checkbox.hidden = !source.hasSelection;
    this.#open.hidden = !source.hasKeys;
    this.#cells = assignCells(this.#cells, columns, () => newCell(this.element));
    this.element.style.width = `${width}px`;
    columns.forEach(({ index, left, width: cellWidth }, at) => {
      const cell = this.#cells[at];
      const column = source.columns[index];
      if (cell === undefined || column === undefined) return;
      if (cell.column !== index || cell.element.dataset['column'] !== column.name) {
        cell.column = index;
        cell.element.dataset['column'] = column.name;
        cell.element.setAttribute('aria-colindex', String(index + 2));
        cell.element.classList.toggle('is-right', column.isRight);
      }
      cell.element.style.left = `${left}px`;
      cell.element.style.width = `${cellWidth}px`;
    });
  }

  /** Shows a row. `isSelected` is the user's choice. */
  bind(row: number, source: GridSource, rowHeight: number, isSelected: boolean): void {
    if (row !== this.row) {
      this.row = row;
      this.element.style.transform = `translateY(${row * rowHeight}px)`;
      this.element.setAttribute('aria-rowindex', String(row + 2));
      this.checkbox.setAttribute('aria-label', `Choose row ${row + 1}`);
    }
    this.#setKey(source.keyOf(row));
    this.#setPending(source.isPendingRow(row));
    this.setSelected(isSelected);
    for (const cell of this.#cells) showCell(cell, source.cell(row, cell.column), source.isPendingCell(row, cell.column));
  }

  setSelected(isSelected: boolean): void {
    this.checkbox.checked = isSelected;
    if (isSelected === this.#isSelected) return;
    this.#isSelected = isSelected;
    this.element.setAttribute('aria-selected', String(isSelected));
  }

  #setKey(key: string | undefined): void {
    if (key === this.#key) return;
    this.#key = key;
    if (key === undefined) delete this.element.dataset['key'];
    else this.element.dataset['key'] = key;
  }

  #setPending(isPending: boolean): void {
    if (isPending === this.#isPending) return;
    this.#isPending = isPending;
    mark(this.element, isPending);
  }
}

interface Assigned {
  readonly element: HTMLElement;
  column: number;
}

/** One cell for each column. A column that stays keeps its element, which may have the focus. */
export function assignCells<T extends Assigned>(cells: readonly T[], columns: readonly ShownColumn[], make: () => T): readonly T[] {
  const wanted = new Set(columns.map(({ index }) => index));
  const byColumn = new Map(cells.map((cell) => [cell.column, cell]));
  const free = cells.filter((cell) => !wanted.has(cell.column) || byColumn.get(cell.column) !== cell);
  const assigned = columns.map(({ index }) => byColumn.get(index) ?? free.pop() ?? make());
  for (const cell of free) cell.element.remove();
  return assigned;
}

function newCell(row: HTMLElement): CellSlot {
  const element = document.createElement('div');
  element.className = 'grid-cell';
  element.setAttribute('role', 'gridcell');
  element.dataset['testid'] = 'cell';
  element.tabIndex = -1;
  const text = document.createTextNode('');
  element.append(text);
  row.append(element);
  return { element, text, column: -1, kind: '', shown: '', isPending: false };
}

function showCell(cell: CellSlot, { kind, text }: CellView, isPending: boolean): void {
  if (text !== cell.shown) {
    cell.shown = text;
    cell.text.data = text;
  }
  const shownKind = kind === 'text' && isBlank(text) ? 'blank' : kind;
  if (shownKind !== cell.kind) {
    cell.kind = shownKind;
    cell.element.dataset['kind'] = kind;
    cell.element.classList.toggle('is-blank', shownKind === 'blank');
  }
  if (isPending !== cell.isPending) {
    cell.isPending = isPending;
    mark(cell.element, isPending);
  }
}

/** Blanks are visible only by a mark. */
const isBlank = (text: string): boolean => text.charCodeAt(0) === 0x20 && text.trim() === '';

function mark(element: HTMLElement, isPending: boolean): void {
  if (isPending) element.dataset['pending'] = 'true';
  else delete element.dataset['pending'];
}
