/** Which columns are shown. None chosen means all. */
import type { EditingPanelProps } from './panel.ts';
import { Popover } from './popover.tsx';

export function ColumnsPanel({ table, query, onChange }: EditingPanelProps) {
  const all = table.columns.map(({ name }) => name);
  const shown = query.select.length === 0 ? all : query.select;
  const toggle = (name: string): void => {
    const next = all.filter((column) => (column === name ? !shown.includes(name) : shown.includes(column)));
    if (next.length > 0) onChange({ select: next.length === all.length ? [] : next });
  };
  return (
    <Popover label="Columns" icon="columns" testId="columns" count={query.select.length}>
      {() => (
        <ul class="check-list">
          {table.columns.map(({ name, type }) => (
            <li key={name}>
              <label class="check-line">
                <input
                  type="checkbox"
                  data-testid="column-toggle"
                  data-column={name}
                  checked={shown.includes(name)}
                  disabled={shown.length === 1 && shown.includes(name)}
                  onChange={() => toggle(name)}
                />
                {name} <span class="faint">{type}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
