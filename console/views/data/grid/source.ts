/** Contract of the grid: its rows and its events. Independent of tables and requests. */
import type { CellView } from '../rows/cell-text.ts';

export interface GridColumn {
  readonly name: string;
  /** Shown beside the name. */
  readonly type: string;
  readonly isKey: boolean;
  readonly isRight: boolean;
  readonly isSortable: boolean;
  readonly title: string;
}

export interface ShownSort {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface GridSource {
  readonly columns: readonly GridColumn[];
  readonly rowCount: number;
  /** `true` if there are no rows behind the last one. */
  readonly isWhole: boolean;
  readonly sort: readonly ShownSort[];
  readonly hasSelection: boolean;
  /** `true` if rows can be opened. */
  readonly hasKeys: boolean;
  cell(row: number, column: number): CellView;
  isPendingCell(row: number, column: number): boolean;
  /** `undefined` if the row cannot be addressed. */
  keyOf(row: number): string | undefined;
  isPendingRow(row: number): boolean;
}

export interface CellPlace {
  /** -1 for the header. */
  readonly row: number;
  /** -1 for the column that chooses rows. */
  readonly column: number;
}

export interface GridEvents {
  onShown(lastRow: number, visibleRows: number, hasScrolled: boolean): void;
  onActive(place: CellPlace): void;
  /** The user wants to change a cell. `element` is the cell, which holds the editor. */
  onEdit(place: CellPlace, element: HTMLElement): void;
  onNull(place: CellPlace): void;
  onMenu(place: CellPlace, x: number, y: number): void;
  onSort(column: string, isAdded: boolean): void;
  onOpen(row: number): void;
  onCopy(place: CellPlace): void;
  onEscape(): void;
  onSelection(rows: ReadonlySet<number>): void;
}
