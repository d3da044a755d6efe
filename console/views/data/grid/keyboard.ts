/** Keys of the grid, as WAI-ARIA describes them. */
import { keyName } from '../../../app/keys.ts';
import type { Grid } from './grid.ts';
import type { CellPlace } from './source.ts';

type Action = (grid: Grid, place: CellPlace) => void;

const moveTo = (grid: Grid, place: CellPlace): void => grid.focusCell(place);
const last = (grid: Grid): number => grid.source.rowCount - 1;

const EVERYWHERE: Readonly<Record<string, Action>> = {
  ArrowUp: (grid, { row, column }) => moveTo(grid, { row: row - 1, column }),
  ArrowDown: (grid, { row, column }) => moveTo(grid, { row: row + 1, column }),
  ArrowLeft: (grid, { row, column }) => moveTo(grid, { row, column: column - 1 }),
  ArrowRight: (grid, { row, column }) => moveTo(grid, { row, column: column + 1 }),
  PageUp: (grid, { row, column }) => moveTo(grid, { row: Math.max(Math.min(row, 0), row - grid.visibleRows), column }),
  PageDown: (grid, { row, column }) => moveTo(grid, { row: row + grid.visibleRows, column }),
  Home: (grid, { row }) => moveTo(grid, { row, column: 0 }),
  End: (grid, { row }) => moveTo(grid, { row, column: grid.source.columns.length - 1 }),
  'Ctrl+Home': (grid) => moveTo(grid, { row: 0, column: 0 }),
  'Ctrl+End': (grid) => moveTo(grid, { row: last(grid), column: grid.source.columns.length - 1 }),
  'Ctrl+C': (grid, place) => grid.events.onCopy(place),
  Escape: (grid) => grid.events.onEscape(),
  'Shift+F10': openMenu,
  ContextMenu: openMenu,
};

const edit: Action = (grid, place) => {
  if (place.column < 0) grid.events.onOpen(place.row);
  else grid.startEdit(place);
};

const choose =
  (isRange: boolean): Action =>
  (grid, { row }) => {
    if (grid.source.hasSelection) grid.changeChoice(() => grid.choice.set(row, isRange || !grid.choice.has(row), isRange));
  };

const IN_ROWS: Readonly<Record<string, Action>> = {
  Enter: edit,
  F2: edit,
  ' ': choose(false),
  'Alt+N': (grid, place) => grid.events.onNull(place),
};

const IN_HEAD: Readonly<Record<string, Action>> = {
  Enter: (grid, { column }) => grid.head.sort(column, false),
  ' ': (grid, { column }) => (column < 0 ? grid.head.selectAll.click() : grid.head.sort(column, false)),
  'Shift+Enter': (grid, { column }) => grid.head.sort(column, true),
  'Shift+ArrowLeft': (grid, { column }) => grid.head.widen(column, -1),
  'Shift+ArrowRight': (grid, { column }) => grid.head.widen(column, 1),
};

function openMenu(grid: Grid, place: CellPlace): void {
  const box = grid.cellAt(place)?.getBoundingClientRect();
  if (box !== undefined) grid.events.onMenu(place, box.left + 8, box.bottom);
}

export function handleKey(grid: Grid, event: KeyboardEvent): void {
  const place = grid.placeOf(event.target);
  if (place === undefined || (event.target instanceof Element && event.target.closest('.cell-editor') !== null)) return;
  const name = keyName(event);
  // `keyName` leaves Shift out where it only makes another letter.
  const action =
    name === ' ' && event.shiftKey && place.row >= 0 ? choose(true) : ((place.row < 0 ? IN_HEAD : IN_ROWS)[name] ?? EVERYWHERE[name]);
  if (action === undefined || (name === 'Ctrl+C' && getSelection()?.isCollapsed === false)) return;
  event.preventDefault();
  event.stopPropagation();
  action(grid, place);
}
