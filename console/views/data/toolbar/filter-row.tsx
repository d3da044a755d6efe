/** One comparison: column, operator, and as many values as the operator takes. */
import { useState } from 'preact/hooks';
import type { Column } from '../../../api/types.ts';
import { Icon } from '../../../parts/icon.tsx';
import type { Comparison } from '../query/filters.ts';
import { quoteValue, splitItems, unquote } from '../query/items.ts';
import { formOf, OPERATORS, operatorsFor } from '../query/operators.ts';

interface RowProps {
  readonly filter: Comparison;
  readonly columns: readonly Column[];
  readonly onChange: (filter: Comparison) => void;
  readonly onRemove: () => void;
}

export function FilterRow({ filter, columns, onChange, onRemove }: RowProps) {
  const column = columns.find(({ name }) => name === filter.column);
  const operators = column === undefined ? Object.keys(OPERATORS) : operatorsFor(column);
  // An operator of the address stays selectable even if the column does not take it: the API says so.
  const offered = operators.includes(filter.operator) ? operators : [...operators, filter.operator];
  const chooseColumn = (name: string): void => {
    const chosen = columns.find((item) => item.name === name);
    const fits = chosen !== undefined && operatorsFor(chosen).includes(filter.operator);
    const operator = fits ? filter.operator : ((chosen && operatorsFor(chosen)[0]) ?? 'eq');
    onChange({ ...filter, column: name, operator });
  };
  return (
    <div class="filter-row" data-testid="filter">
      <select
        data-testid="filter-column"
        aria-label="Column"
        value={filter.column}
        onChange={(event) => chooseColumn(event.currentTarget.value)}
      >
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        data-testid="filter-operator"
        aria-label="Operator"
        value={filter.operator}
        onChange={(event) => onChange({ ...filter, operator: event.currentTarget.value })}
      >
        {offered.map((name) => (
          <option key={name} value={name}>
            {name} · {OPERATORS[name]?.label ?? name}
          </option>
        ))}
      </select>
      <Values filter={filter} column={column} onChange={(values) => onChange({ ...filter, values })} />
      <button
        type="button"
        class="plain icon-only"
        data-testid="filter-remove"
        aria-label={`Remove the filter on ${filter.column}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

interface ValuesProps {
  readonly filter: Comparison;
  readonly column: Column | undefined;
  readonly onChange: (values: readonly string[]) => void;
}

/** Values are texts from beginning to end; the service checks them against the column. */
function Values({ filter: { operator, values }, column, onChange }: ValuesProps) {
  const form = formOf(operator);
  const [first = '', second = ''] = values;
  if (form === 'none') return <span class="filter-values" />;
  if (form === 'list') return <ListValue values={values} onChange={onChange} />;
  const listId = column?.values === undefined ? undefined : `values-of-${column.name}`;
  return (
    <span class="filter-values">
      <input
        data-testid="filter-value"
        aria-label={form === 'range' ? 'Lowest value' : 'Value'}
        list={listId}
        value={first}
        onInput={(event) => onChange(form === 'range' ? [event.currentTarget.value, second] : [event.currentTarget.value])}
      />
      {form === 'range' && (
        <input
          data-testid="filter-value-2"
          aria-label="Highest value"
          value={second}
          onInput={(event) => onChange([first, event.currentTarget.value])}
        />
      )}
      {listId !== undefined && (
        <datalist id={listId}>
          {column?.values?.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </span>
  );
}

/** A list as the API writes it: commas between values, quotes around a value with a comma. */
function ListValue({ values, onChange }: { readonly values: readonly string[]; readonly onChange: (values: readonly string[]) => void }) {
  const [text, setText] = useState(() => values.map(quoteValue).join(',').replace(/^""$/, ''));
  return (
    <span class="filter-values">
      <input
        data-testid="filter-value"
        aria-label="Values, separated by commas"
        placeholder="a,b,&quot;c, d&quot;"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          onChange(splitItems(event.currentTarget.value, ',').map(unquote));
        }}
      />
    </span>
  );
}
