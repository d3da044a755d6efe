/** What the grid says about its rows: that they come, that there are none, or what went wrong. */
import { navigate, place, withSearch } from '../../app/router.ts';
import { Empty, ErrorState, Loading } from '../../parts/states.tsx';
import { MAX_ROWS } from './rows/row-feed.ts';
import type { TableSession } from './table-session.ts';

const number = (count: number): string => count.toLocaleString('en-US');

/** Lies over the grid while it has no rows. */
export function FeedState({ session }: { readonly session: TableSession }) {
  const { value: feed } = session.feed;
  if (feed === undefined) return null;
  const state = feed.state.value;
  const loaded = feed.loaded.value;
  if (state === 'loading') {
    return (
      <div class="grid-state">
        <Loading what="rows" onStop={() => feed.stopLoading()} />
      </div>
    );
  }
  if (loaded > 0) return null;
  return (
    <div class="grid-state">
      {state === 'error' && feed.error.value !== undefined && <ErrorState error={feed.error.value} onRetry={() => feed.retry()} />}
      {state === 'end' && <NoRows session={session} />}
    </div>
  );
}

function NoRows({ session }: { readonly session: TableSession }) {
  if (place.value.search !== '') {
    const clear = (): void => void navigate(withSearch(''), { keepsChanges: true });
    return (
      <Empty
        action={
          <button type="button" onClick={clear}>
            Show all rows
          </button>
        }
      >
        No row matches. The rows that match will be here.
      </Empty>
    );
  }
  const insert = session.rights.canInsert && (
    <button type="button" onClick={() => (session.isInserting.value = true)}>
      Insert the first row
    </button>
  );
  return <Empty action={insert}>The table has no rows that you may see. They will be here.</Empty>;
}

/** The line below the grid. */
export function StatusLine({ session }: { readonly session: TableSession }) {
  const { value: feed } = session.feed;
  const loaded = feed?.loaded.value ?? 0;
  const state = feed?.state.value;
  const chosen = session.chosen.value.length;
  return (
    <footer class="status-line">
      <span role="status">
        {feed === undefined || state === 'loading' || (state === 'error' && loaded === 0)
          ? ''
          : countText(loaded, state === 'end', feed.isCut.value)}
      </span>
      {feed?.isBusy.value === true && loaded > 0 && <Loading what="more rows" onStop={() => feed.stopLoading()} />}
      {chosen > 0 && <span>{chosen === 1 ? '1 row chosen' : `${number(chosen)} rows chosen`}</span>}
      {session.rights.reason !== undefined && <span class="muted">{session.rights.reason}</span>}
      {state === 'error' && loaded > 0 && feed?.error.value !== undefined && (
        <ErrorState error={feed.error.value} onRetry={() => feed.retry()} />
      )}
    </footer>
  );
}

function countText(loaded: number, isEnd: boolean, isCut: boolean): string {
  if (isCut) return `The first ${number(MAX_ROWS)} rows are shown. Add a filter to see others.`;
  if (isEnd) return loaded === 1 ? '1 row' : `${number(loaded)} rows`;
  return `${number(loaded)} rows loaded; scroll for more`;
}
