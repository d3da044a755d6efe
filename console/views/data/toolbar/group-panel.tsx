/** Groups and sums, in the words of `$group` and `$agg`. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Column } from '../../../api/types.ts';
import { Icon } from '../../../parts/icon.tsx';
import { quoteName } from '../query/items.ts';
import { isGrouped } from '../query/query.ts';
import type { EditingPanelProps } from './panel.ts';
import { Popover } from './popover.tsx';

const TIME_PARTS: Readonly<Record<string, readonly string[]>> = {
  date: ['year', 'quarter', 'month', 'week', 'day'],
  timestamp: ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'],
  timestamptz: ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'],
};
const NUMBERS = new Set(['int', 'decimal', 'float']);
const WITHOUT_ORDER = new Set(['json', 'bool', 'bytes']);

const FUNCTIONS: Readonly<Record<string, (column: Column) => boolean>> = {
  sum: ({ kind }) => NUMBERS.has(kind),
  avg: ({ kind }) => NUMBERS.has(kind),
  min: ({ sortable, kind }) => sortable && !WITHOUT_ORDER.has(kind),
  max: ({ sortable, kind }) => sortable && !WITHOUT_ORDER.has(kind),
  count: () => true,
  countd: ({ sortable }) => sortable,
};

const groupsOf = (columns: readonly Column[]): readonly string[] =>
  columns
    .filter(({ sortable }) => sortable)
    .flatMap(({ name, kind }) => [quoteName(name), ...(TIME_PARTS[kind] ?? []).map((part) => `${quoteName(name)}.${part}`)]);

const sumsOf = (name: string, columns: readonly Column[]): readonly string[] =>
  columns.filter((column) => FUNCTIONS[name]?.(column)).map((column) => `${name}.${quoteName(column.name)}`);

export function GroupPanel(props: EditingPanelProps) {
  const { query, onChange } = props;
  return (
    <Popover label="Group" icon="sum" testId="group" count={query.group.length + query.agg.length}>
      {(close) => (
        <GroupForm
          {...props}
          onApply={(group, agg) => {
            // The order and columns of rows mean nothing to groups.
            onChange({ group, agg, order: [], select: [], expand: [], others: query.others.filter(([name]) => name !== '$having') });
            close();
          }}
          onUngroup={
            isGrouped(query)
              ? () => {
                  onChange({ group: [], agg: [], order: [], others: query.others.filter(([name]) => name !== '$having') });
                  close();
                }
              : undefined
          }
        />
      )}
    </Popover>
  );
}

interface FormProps extends EditingPanelProps {
  readonly onApply: (group: readonly string[], agg: readonly string[]) => void;
  readonly onUngroup: (() => void) | undefined;
}

function GroupForm({ table, query, onApply, onUngroup }: FormProps) {
  const [group, setGroup] = useState(query.group.length > 0 ? query.group : ['']);
  const [agg, setAgg] = useState(query.agg.length > 0 ? query.agg : ['count']);
  const chosen = (items: readonly string[]): readonly string[] => items.filter((item) => item !== '');
  return (
    <form
      class="group-form"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(chosen(group), chosen(agg).filter(isWhole));
      }}
    >
      <Choices label="Group by" testId="group-by" items={group} options={[['', groupsOf(table.columns)]]} onChange={setGroup} />
      <Choices
        label="Show"
        testId="group-agg"
        items={agg}
        options={[['', ['count']], ...Object.keys(FUNCTIONS).map((name) => [name, sumsOf(name, table.columns)] as const)]}
        onChange={setAgg}
        more={(item, onItem) => <SumColumn item={item} columns={table.columns} onItem={onItem} />}
      />
      <div class="group-actions">
        {onUngroup !== undefined && (
          <button type="button" onClick={onUngroup}>
            Show rows again
          </button>
        )}
        <button type="submit" class="primary" data-testid="group-apply" disabled={!chosen(agg).every(isWhole)}>
          Group
        </button>
      </div>
    </form>
  );
}

/** `sum` alone lacks its column. */
const isWhole = (item: string): boolean => item === 'count' || !Object.hasOwn(FUNCTIONS, item);

interface SumColumnProps {
  readonly item: string;
  readonly columns: readonly Column[];
  readonly onItem: (item: string) => void;
}

/** The column of a sum. */
function SumColumn({ item, columns, onItem }: SumColumnProps) {
  const dot = item.indexOf('.');
  const name = dot < 0 ? item : item.slice(0, dot);
  const fits = FUNCTIONS[name];
  if (fits === undefined) return null;
  const isCount = name === 'count';
  return (
    <select
      data-testid="group-column"
      aria-label={`Column of ${name}`}
      value={dot < 0 ? '' : item.slice(dot + 1)}
      onChange={(event) => onItem(event.currentTarget.value === '' ? name : `${name}.${event.currentTarget.value}`)}
    >
      <option value="">{isCount ? 'rows' : 'Choose a column'}</option>
      {columns.filter(fits).map((column) => (
        <Option key={column.name} value={quoteName(column.name)} />
      ))}
    </select>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly testId: string;
  readonly items: readonly string[];
  readonly options: readonly (readonly [label: string, values: readonly string[]])[];
  readonly onChange: (items: readonly string[]) => void;
  /** A second control of an item. */
  readonly more?: (item: string, onItem: (item: string) => void) => ComponentChildren;
}

/** A list of selects; the last button adds another one. */
function Choices({ label, testId, items, options, onChange, more }: ChoicesProps) {
  const replace = (at: number, item: string): void => onChange(items.map((old, index) => (index === at ? item : old)));
  const offered = new Set(options.flatMap(([, values]) => values));
  return (
    <div class="choices">
      <span class="label">{label}</span>
      {items.map((item, at) => (
        <div class="choice" key={String(at)}>
          <select
            data-testid={testId}
            aria-label={at === 0 ? label : `${label}, ${at + 1}`}
            value={item}
            onChange={(event) => replace(at, event.currentTarget.value)}
          >
            <option value="">—</option>
            {item !== '' && !offered.has(item) && <option value={item}>{item}</option>}
            {options.map(([group, values]) =>
              group === '' ? (
                values.map((value) => <Option key={value} value={value} />)
              ) : (
                <OptionGroup key={group} {...{ group, values }} />
              ),
            )}
          </select>
          {more?.(item, (next) => replace(at, next))}
          {items.length > 1 && (
            <button
              type="button"
              class="plain icon-only"
              aria-label={`Remove ${item}`}
              onClick={() => onChange(items.filter((_, index) => index !== at))}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      ))}
      <button type="button" class="plain" aria-label={`${label}: one more`} onClick={() => onChange([...items, ''])}>
        <Icon name="plus" /> one more
      </button>
    </div>
  );
}

const Option = ({ value }: { readonly value: string }) => <option value={value}>{value}</option>;

function OptionGroup({ group, values }: { readonly group: string; readonly values: readonly string[] }) {
  if (values.length === 0) return null;
  return (
    <optgroup label={group}>
      {group !== 'count' && <Option value={group} />}
      {values.map((value) => (
        <Option key={value} value={value} />
      ))}
    </optgroup>
  );
}
