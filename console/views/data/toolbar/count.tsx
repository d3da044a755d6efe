/** The number of rows, counted only when asked for: estimated first, exactly on demand. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../../api/request.ts';
import { Icon } from '../../../parts/icon.tsx';
import { filterText, isGrouped } from '../query/query.ts';
import type { PanelProps } from './panel.ts';
import { getRows, rowsUrl } from './rows-request.ts';

type Counted =
  | { readonly state: 'none' }
  | { readonly state: 'counting' }
  | { readonly state: 'known'; readonly total: string | undefined; readonly isExact: boolean }
  | { readonly state: 'failed'; readonly message: string };

export function Count({ database, table, query, search }: PanelProps) {
  const [counted, setCounted] = useState<Counted>({ state: 'none' });
  const running = useRef<AbortController | undefined>(undefined);
  const counts = isGrouped(query) ? search.replace(/^\?/, '') : filterText(search);
  useEffect(() => {
    setCounted({ state: 'none' });
    return () => running.current?.abort();
  }, [database, table.table, counts]);
  const count = async (how: 'estimated' | 'exact'): Promise<void> => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    setCounted({ state: 'counting' });
    try {
      const url = rowsUrl(database, table.table, counts, ['pg=0', 'ps=1', `$count=${how}`]);
      const response = await getRows(url, stop.signal);
      if (!response.ok) throw await refusalOf(response);
      const total = response.headers.get('x-total-count') ?? undefined;
      setCounted({ state: 'known', total, isExact: response.headers.get('x-count') !== 'estimated' });
    } catch (error) {
      if (stop.signal.aborted) setCounted({ state: 'none' });
      else setCounted({ state: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <span class="count" role="status">
      {counted.state === 'none' && (
        <button type="button" class="plain" data-testid="count" onClick={() => void count('estimated')}>
          <Icon name="sum" /> Count
        </button>
      )}
      {counted.state === 'counting' && (
        <button type="button" class="plain" data-testid="stop" onClick={() => running.current?.abort()}>
          Counting… Stop
        </button>
      )}
      {counted.state === 'failed' && <span class="count-failed">{counted.message}</span>}
      {counted.state === 'known' && (
        <span data-testid="count-value" title={counted.isExact ? 'Counted exactly' : 'An estimate of the engine'}>
          {counted.total === undefined ? 'No estimate' : `${counted.isExact ? '' : '≈ '}${counted.total} rows`}
        </span>
      )}
      {(counted.state === 'failed' ||
        (counted.state === 'known' && !counted.isExact) ||
        (counted.state === 'known' && counted.total === undefined)) && (
        <button type="button" class="plain" data-testid="count-exact" onClick={() => void count('exact')}>
          Count exactly
        </button>
      )}
    </span>
  );
}
