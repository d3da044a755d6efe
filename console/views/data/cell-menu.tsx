/** The menu of a cell or a column, at the pointer or below the cell. */
import { useEffect, useRef } from 'preact/hooks';
import type { TableSession } from './table-session.ts';

interface Item {
  readonly label: string;
  readonly hint?: string;
  readonly run: () => void;
}

function itemsOf(session: TableSession): readonly Item[] {
  const { value: menu } = session.menu;
  const { source, grid } = session;
  if (menu === undefined || source === undefined) return [];
  return menu.row < 0 ? columnItems(session, menu.column) : rowItems(session, menu, source.keyOf(menu.row) !== undefined, grid);
}

function columnItems(session: TableSession, column: number): readonly Item[] {
  const found = session.source?.columns[column];
  if (found === undefined) return [];
  const { head } = session.grid;
  const sorts: readonly Item[] = found.isSortable
    ? [
        { label: 'Sort ascending', run: () => session.setOrder([{ column: found.name, isDescending: false }]) },
        { label: 'Sort descending', run: () => session.setOrder([{ column: found.name, isDescending: true }]) },
        { label: 'Do not sort', run: () => session.setOrder([]) },
      ]
    : [];
  return [
    ...sorts,
    { label: 'Make wider', hint: 'Shift+→', run: () => head.widen(column, 3) },
    { label: 'Make narrower', hint: 'Shift+←', run: () => head.widen(column, -3) },
    { label: 'Copy the name', hint: 'Ctrl+C', run: () => session.copy({ row: -1, column }) },
  ];
}

function rowItems(
  session: TableSession,
  { row, column }: { readonly row: number; readonly column: number },
  hasKey: boolean,
  grid: TableSession['grid'],
): readonly Item[] {
  const editable = session.editable({ row, column });
  return [
    ...(column >= 0 ? [{ label: 'Copy the value', hint: 'Ctrl+C', run: () => session.copy({ row, column }) }] : []),
    ...(editable ? [{ label: 'Edit the value', hint: 'Enter', run: () => grid.startEdit({ row, column }) }] : []),
    ...(editable?.nullable === true ? [{ label: 'Set to NULL', hint: 'Alt+N', run: () => session.setNull({ row, column }) }] : []),
    ...(hasKey ? [{ label: 'Open the row', run: () => session.openRow(row) }] : []),
    ...(session.source?.hasSelection === true
      ? [
          {
            label: grid.choice.has(row) ? 'Do not choose the row' : 'Choose the row',
            hint: 'Space',
            run: () => grid.changeChoice(() => grid.choice.set(row, !grid.choice.has(row), false)),
          },
          { label: 'Delete the row', run: () => void session.reviewDeletion([row]) },
        ]
      : []),
  ];
}

export function CellMenu({ session }: { readonly session: TableSession }) {
  const { value: menu } = session.menu;
  return menu === undefined ? null : <OpenMenu key={`${menu.row}/${menu.column}`} session={session} x={menu.x} y={menu.y} />;
}

function OpenMenu({ session, x, y }: { readonly session: TableSession; readonly x: number; readonly y: number }) {
  const element = useRef<HTMLDivElement>(null);
  const items = itemsOf(session);
  const { value: menu } = session.menu;
  const close = (): void => {
    session.menu.value = undefined;
  };
  const back = (): void => {
    close();
    if (menu !== undefined) session.grid.focusCell(menu);
  };
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const { width, height } = current.getBoundingClientRect();
    current.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
    current.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
    current.querySelector('button')?.focus();
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !current.contains(event.target)) close();
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, []);
  const move = (by: number): void => {
    const buttons = [...(element.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(at + by + buttons.length) % buttons.length]?.focus();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: back,
    Tab: back,
  };
  return (
    <div
      ref={element}
      class="menu"
      role="menu"
      aria-label="Actions"
      onKeyDown={(event) => {
        const action = keys[event.key];
        if (action === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        action();
      }}
    >
      {items.map(({ label, hint, run }) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            back();
            run();
          }}
        >
          {label} {hint !== undefined && <kbd>{hint}</kbd>}
        </button>
      ))}
    </div>
  );
}
