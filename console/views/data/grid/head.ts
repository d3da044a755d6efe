/** The header row: names, types, sorting, widths, and the choice of all rows. */
import { type ColumnWidths, STEP } from './columns.ts';
import { assignCells, type ShownColumn } from './row-slot.ts';
import type { GridSource } from './source.ts';

interface HeadEvents {
  onSort(column: string, isAdded: boolean): void;
  onWidth(column: string, width: number): void;
  onSelectAll(isChosen: boolean): void;
}

interface HeadCell {
  readonly element: HTMLElement;
  readonly name: Text;
  readonly type: Text;
  readonly sign: Text;
  column: number;
}

const SIGNS = { ascending: '↑', descending: '↓' } as const;

export class GridHead {
  readonly element = document.createElement('div');
  readonly row = document.createElement('div');
  readonly gutter = document.createElement('div');
  readonly selectAll = document.createElement('input');
  #cells: readonly HeadCell[] = [];
  readonly #widths: ColumnWidths;
  readonly #events: HeadEvents;
  #source: GridSource | undefined;

  constructor(widths: ColumnWidths, events: HeadEvents) {
    this.#widths = widths;
    this.#events = events;
    this.element.className = 'grid-head';
    this.element.setAttribute('role', 'rowgroup');
    this.row.className = 'grid-head-row';
    this.row.setAttribute('role', 'row');
    this.row.setAttribute('aria-rowindex', '1');
    this.gutter.className = 'grid-gutter';
    this.gutter.setAttribute('role', 'columnheader');
    this.gutter.setAttribute('aria-colindex', '1');
    this.gutter.tabIndex = -1;
    this.selectAll.type = 'checkbox';
    this.selectAll.tabIndex = -1;
    this.selectAll.setAttribute('aria-label', 'Choose all loaded rows');
    this.selectAll.addEventListener('change', () => events.onSelectAll(this.selectAll.checked));
    this.gutter.append(this.selectAll);
    this.row.append(this.gutter);
    this.element.append(this.row);
    this.row.addEventListener('click', (event) => this.#click(event));
    this.row.addEventListener('pointerdown', (event) => this.#startResize(event));
  }

  cellAt(column: number): HTMLElement | undefined {
    return column < 0 ? this.gutter : this.#cells.find((cell) => cell.column === column)?.element;
  }

  setColumns(columns: readonly ShownColumn[], source: GridSource, width: number): void {
    this.#source = source;
    this.row.style.width = `${width}px`;
    this.selectAll.hidden = !source.hasSelection;
    this.#cells = assignCells(this.#cells, columns, () => newHeadCell(this.row));
    columns.forEach((shown, at) => {
      const cell = this.#cells[at];
      if (cell !== undefined) showHeadCell(cell, shown, source);
    });
  }

  sort(column: number, isAdded: boolean): void {
    const found = this.#source?.columns[column];
    if (found?.isSortable === true) this.#events.onSort(found.name, isAdded);
  }

  widen(column: number, steps: number): void {
    const found = this.#source?.columns[column];
    if (found !== undefined) this.#events.onWidth(found.name, this.#widths.widthOf(found.name) + steps * STEP);
  }

  #cellOf(event: Event): HeadCell | undefined {
    return this.#cells.find(({ element }) => event.target instanceof Node && element.contains(event.target));
  }

  #click(event: MouseEvent): void {
    const cell = this.#cellOf(event);
    if (cell === undefined || isHandle(event.target)) return;
    this.sort(cell.column, event.shiftKey);
  }

  /** Follows the pointer until it is released. */
  #startResize(event: PointerEvent): void {
    const cell = this.#cellOf(event);
    const column = cell === undefined ? undefined : this.#source?.columns[cell.column];
    if (column === undefined || !isHandle(event.target) || !(event.target instanceof HTMLElement)) return;
    event.preventDefault();
    const handle = event.target;
    const start = event.clientX;
    const width = this.#widths.widthOf(column.name);
    handle.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => this.#events.onWidth(column.name, width + moved.clientX - start);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
  }
}

const isHandle = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.classList.contains('grid-handle');

function newHeadCell(row: HTMLElement): HeadCell {
  const element = document.createElement('div');
  element.className = 'grid-column';
  element.setAttribute('role', 'columnheader');
  element.dataset['testid'] = 'column';
  element.tabIndex = -1;
  const [name, type, sign] = ['grid-name', 'grid-type', 'grid-sign'].map((className) => {
    const part = document.createElement('span');
    part.className = className;
    const text = document.createTextNode('');
    part.append(text);
    element.append(part);
    return text;
  }) as [Text, Text, Text];
  const handle = document.createElement('span');
  handle.className = 'grid-handle';
  element.append(handle);
  row.append(element);
  return { element, name, type, sign, column: -1 };
}

function showHeadCell(cell: HeadCell, { index, left, width }: ShownColumn, source: GridSource): void {
  const column = source.columns[index];
  if (column === undefined) return;
  const { element } = cell;
  cell.column = index;
  cell.name.data = column.name;
  cell.type.data = column.type;
  element.title = column.title;
  element.dataset['column'] = column.name;
  element.setAttribute('aria-colindex', String(index + 2));
  element.classList.toggle('is-key', column.isKey);
  element.classList.toggle('is-right', column.isRight);
  element.style.left = `${left}px`;
  element.style.width = `${width}px`;
  const position = source.sort.findIndex((term) => term.column === column.name);
  const term = source.sort[position];
  const direction = term === undefined ? undefined : term.isDescending ? 'descending' : 'ascending';
  element.classList.toggle('is-sortable', column.isSortable);
  if (direction === undefined && !column.isSortable) element.removeAttribute('aria-sort');
  else element.setAttribute('aria-sort', direction ?? 'none');
  cell.sign.data = direction === undefined ? '' : SIGNS[direction] + (source.sort.length > 1 ? String(position + 1) : '');
}
