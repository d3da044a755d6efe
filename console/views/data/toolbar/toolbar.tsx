/** What is done with a table besides its rows: filters, columns, relations, groups, counts, copies. */
import './toolbar.css';
import { useEffect, useState } from 'preact/hooks';
import type { TableDetail } from '../../../api/types.ts';
import { Icon } from '../../../parts/icon.tsx';
import { type Filter, isComplete } from '../query/filters.ts';
import { operatorsFor } from '../query/operators.ts';
import { isGrouped, readQuery, type TableQuery, writeQuery } from '../query/query.ts';
import { ColumnsPanel } from './columns-panel.tsx';
import { CopyPanel } from './copy-panel.tsx';
import { Count } from './count.tsx';
import { ExpandPanel } from './expand-panel.tsx';
import { ExportPanel } from './export-panel.tsx';
import { FilterList } from './filter-list.tsx';
import { GroupPanel } from './group-panel.tsx';

export interface ToolbarProps {
  /** `pg/shop` or `pg/shop.sales`. */
  readonly database: string;
  readonly table: TableDetail;
  /** The query of the address. */
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

export function Toolbar({ database, table, search, onSearch }: ToolbarProps) {
  const query = readQuery(search);
  const change = (part: Partial<TableQuery>): void => onSearch(writeQuery({ ...query, ...part }));
  const [draft, setDraft] = useState<readonly Filter[]>(query.filters);
  // The address may change by Back or by a link.
  useEffect(() => setDraft(readQuery(search).filters), [search]);
  const first = table.columns.find((column) => operatorsFor(column).length > 0);
  const add = (): void => {
    if (first === undefined) return;
    setDraft([...draft, { type: 'comparison', column: first.name, operator: operatorsFor(first)[0] ?? 'eq', values: [''] }]);
  };
  const shared = { database, table, query, search };
  return (
    <div class="toolbar">
      <div class="toolbar-line" role="toolbar" aria-label="Rows">
        <button type="button" class={query.filters.length > 0 ? 'plain in-force' : 'plain'} data-testid="filter-add" onClick={add}>
          <Icon name="filter" /> Filter
          {query.filters.length > 0 && <span class="count-mark">{query.filters.length}</span>}
        </button>
        {!isGrouped(query) && <ColumnsPanel {...shared} onChange={change} />}
        {table.relations.length > 0 && !isGrouped(query) && <ExpandPanel {...shared} onChange={change} />}
        <GroupPanel {...shared} onChange={change} />
        <span class="toolbar-space" />
        <Count {...shared} />
        <ExportPanel {...shared} />
        <CopyPanel {...shared} />
      </div>
      {draft.length > 0 && (
        <form
          class="filter-panel"
          aria-label="Filters"
          onSubmit={(event) => {
            event.preventDefault();
            change({ filters: draft.filter(isComplete) });
          }}
        >
          <FilterList
            filters={draft}
            columns={table.columns}
            relations={table.relations}
            database={database}
            onChange={(filters) => {
              setDraft(filters);
              // Removing the last filter shows all rows at once.
              if (filters.length === 0 && query.filters.length > 0) change({ filters: [] });
            }}
          />
          <button type="submit" class="primary" data-testid="filter-apply" disabled={!draft.every(isComplete)}>
            Apply the filters
          </button>
        </form>
      )}
    </div>
  );
}
