/** Filters that must all hold, or alternatives: comparisons, groups, and related rows, nested. */
import type { Column, Relation } from '../../../api/types.ts';
import { Icon } from '../../../parts/icon.tsx';
import { type Filter, type Group, isRelated, type Related } from '../query/filters.ts';
import { operatorsFor } from '../query/operators.ts';
import { FilterRow } from './filter-row.tsx';
import { useRelatedTable } from './related-table.ts';

interface ListProps {
  readonly filters: readonly Filter[];
  readonly columns: readonly Column[];
  readonly relations: readonly Relation[];
  /** Database of the tables that relations lead to: `pg/shop`. */
  readonly database: string;
  readonly onChange: (filters: readonly Filter[]) => void;
}

export function FilterList({ filters, columns, relations, database, onChange }: ListProps) {
  const replace = (at: number, filter: Filter): void => onChange(filters.map((old, index) => (index === at ? filter : old)));
  const remove = (at: number): void => onChange(filters.filter((_, index) => index !== at));
  const add = (filter: Filter): void => onChange([...filters, filter]);
  const first = columns.find((column) => operatorsFor(column).length > 0);
  const comparison: Filter = {
    type: 'comparison',
    column: first?.name ?? '',
    operator: (first && operatorsFor(first)[0]) ?? 'eq',
    values: [''],
  };
  return (
    <div class="filter-list">
      {filters.map((filter, at) => (
        <FilterItem
          // Filters have no identity but their place.
          key={`${at} ${filter.type}`}
          {...{ filter, columns, relations, database }}
          onChange={(changed) => replace(at, changed)}
          onRemove={() => remove(at)}
        />
      ))}
      <div class="filter-adds">
        <button type="button" class="plain" onClick={() => add(comparison)}>
          <Icon name="plus" /> and
        </button>
        <button type="button" class="plain" onClick={() => add({ type: 'or', filters: [comparison] })}>
          or
        </button>
        <button type="button" class="plain" onClick={() => add({ type: 'not', filters: [comparison] })}>
          not
        </button>
        {relations[0] !== undefined && (
          <button type="button" class="plain" onClick={() => add({ type: 'has', relation: relations[0]?.name ?? '', filters: [] })}>
            related rows
          </button>
        )}
      </div>
    </div>
  );
}

type ItemProps = Omit<ListProps, 'filters' | 'onChange'> & {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  readonly onRemove: () => void;
};

function FilterItem({ filter, columns, relations, database, onChange, onRemove }: ItemProps) {
  if (filter.type === 'comparison') return <FilterRow {...{ filter, columns, onChange, onRemove }} />;
  if (filter.type === 'raw')
    return (
      <div class="filter-row" data-testid="filter">
        <code class="filter-raw">
          {filter.name}={filter.value}
        </code>
        <RemoveButton what={filter.name} onRemove={onRemove} />
      </div>
    );
  if (isRelated(filter)) return <RelatedItem {...{ filter, relations, database, onChange, onRemove }} />;
  return <GroupItem {...{ filter, columns, relations, database, onChange, onRemove }} />;
}

const GROUP_LABELS: Readonly<Record<Group['type'], string>> = { or: 'any of these', and: 'all of these', not: 'not all of these' };

function GroupItem({ filter, onChange, onRemove, ...rest }: ItemProps & { readonly filter: Group }) {
  return (
    <fieldset class="filter-group">
      <legend>
        <select
          aria-label="Kind of group"
          value={filter.type}
          onChange={(event) => onChange({ ...filter, type: event.currentTarget.value as Group['type'] })}
        >
          {Object.entries(GROUP_LABELS).map(([type, label]) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
        <RemoveButton what="the group" onRemove={onRemove} />
      </legend>
      <FilterList {...rest} filters={filter.filters} onChange={(filters) => onChange({ ...filter, filters })} />
    </fieldset>
  );
}

interface RelatedProps {
  readonly filter: Related;
  readonly relations: readonly Relation[];
  readonly database: string;
  readonly onChange: (filter: Filter) => void;
  readonly onRemove: () => void;
}

function RelatedItem({ filter, relations, database, onChange, onRemove }: RelatedProps) {
  const relation = relations.find(({ name }) => name === filter.relation);
  const related = useRelatedTable(database, relation?.table);
  return (
    <fieldset class="filter-group">
      <legend>
        <select
          aria-label="With or without related rows"
          value={filter.type}
          onChange={(event) => onChange({ ...filter, type: event.currentTarget.value as Related['type'] })}
        >
          <option value="has">with</option>
          <option value="hasnot">without</option>
        </select>
        <select
          aria-label="Relation"
          value={filter.relation}
          onChange={(event) => onChange({ type: filter.type, relation: event.currentTarget.value, filters: [] })}
        >
          {relation === undefined && <option value={filter.relation}>{filter.relation}</option>}
          {relations.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <RemoveButton what="the related rows" onRemove={onRemove} />
      </legend>
      {related !== undefined && (
        <FilterList
          filters={filter.filters}
          columns={related.columns}
          relations={related.relations}
          database={database}
          onChange={(filters) => onChange({ ...filter, filters })}
        />
      )}
    </fieldset>
  );
}

function RemoveButton({ what, onRemove }: { readonly what: string; readonly onRemove: () => void }) {
  return (
    <button type="button" class="plain icon-only" data-testid="filter-remove" aria-label={`Remove ${what}`} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}
