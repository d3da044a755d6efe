/** Relations whose rows are shown inside of the rows. */
import type { EditingPanelProps } from './panel.ts';
import { Popover } from './popover.tsx';

/** Name of the relation of an item: `items:order_items($ps=5)` is `order_items`. */
const relationOf = (item: string): string => item.replace(/\(.*$/s, '').replace(/^[^:"]*:/, '');

export function ExpandPanel({ table, query, onChange }: EditingPanelProps) {
  const shown = new Map(query.expand.map((item) => [relationOf(item), item]));
  const toggle = (name: string): void => {
    const item = shown.get(name);
    onChange({ expand: item === undefined ? [...query.expand, name] : query.expand.filter((other) => other !== item) });
  };
  return (
    <Popover label="Expand" icon="expand" testId="expand" count={query.expand.length}>
      {() => (
        <ul class="check-list">
          {table.relations.map(({ name, kind, table: target }) => (
            <li key={name}>
              <label class="check-line">
                <input
                  type="checkbox"
                  data-testid="expand-item"
                  data-relation={name}
                  checked={shown.has(name)}
                  onChange={() => toggle(name)}
                />
                {name} <span class="faint">{kind === 'one' ? `one row of ${target}` : `rows of ${target}`}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
