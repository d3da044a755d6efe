/** The other tables of the database, listed once the rows are there. */
import { useEffect, useState } from 'preact/hooks';
import type { TableItem } from '../../api/types.ts';
import { tablesOf } from './table-list.ts';
import type { TableSession } from './table-session.ts';
import { TableList } from './tables.tsx';

export function TableSidebar({ session }: { readonly session: TableSession }) {
  const [tables, setTables] = useState<readonly TableItem[]>([]);
  const isLoading = session.feed.value === undefined || session.feed.value.state.value === 'loading';
  useEffect(() => {
    if (isLoading || tables.length > 0) return;
    const stop = new AbortController();
    tablesOf(session.target, stop.signal).then(setTables, () => {});
    return () => stop.abort();
  }, [isLoading]);
  return (
    <nav class="table-sidebar" aria-label="Tables">
      {tables.length > 0 && <TableList target={session.target} tables={tables} current={session.target.table} />}
    </nav>
  );
}
