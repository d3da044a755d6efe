/** One table: its bar, its rows, and what can be done with them. */
import { effect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TableDetail } from '../../api/types.ts';
import { useCommands } from '../../app/commands.ts';
import { useKeys } from '../../app/keys.ts';
import { addressOf, guardLeaving, navigate, place, withSearch } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await } from '../../parts/states.tsx';
import { CellDetail } from './cell-detail.tsx';
import { CellMenu } from './cell-menu.tsx';
import { InsertForm } from './edit/insert-form.tsx';
import { Review } from './edit/review.tsx';
import { FeedState, StatusLine } from './feed-state.tsx';
import { readQuery, writeQuery } from './query/query.ts';
import { RowFeed } from './rows/row-feed.ts';
import { TableSession } from './table-session.ts';
import { TableSidebar } from './table-sidebar.tsx';
import { databaseAddress, readDetail, type TableTarget, tableAddress } from './table-target.ts';
import { Toolbar } from './toolbar/toolbar.tsx';

export function TablePage({ target }: { readonly target: TableTarget }) {
  useTitle(target.table);
  const early = useMemo(() => startFeed(target, place.value.search), []);
  useEffect(() => () => early?.dispose(), []);
  const detail = useResource((signal) => readDetail(target, signal), []);
  const loaded = detail.loaded.value;
  if (loaded.state === 'ready') return <TableView target={target} detail={loaded.value} early={early} />;
  return (
    <>
      <Bar title={<Crumbs target={target} />} />
      <Await of={detail} what="the table">
        {() => null}
      </Await>
    </>
  );
}

/** Asks for rows beside the columns. Chosen columns need those of the key, so they wait. */
function startFeed(target: TableTarget, search: string): RowFeed | undefined {
  const query = readQuery(search);
  if (query.select.length > 0) return undefined;
  const feed = new RowFeed(target, writeQuery(query).slice(1));
  feed.start();
  return feed;
}

export function Crumbs({ target, behind }: { readonly target: TableTarget; readonly behind?: string }) {
  return (
    <>
      <a class="crumb" href={addressOf(['data'])}>
        Data
      </a>{' '}
      <a class="crumb mono" href={databaseAddress(target)}>
        {target.dbType}/{target.schema}
      </a>{' '}
      {behind === undefined ? (
        <span class="mono">{target.table}</span>
      ) : (
        <>
          <a class="crumb mono" href={tableAddress(target)}>
            {target.table}
          </a>{' '}
          <span class="mono">{behind}</span>
        </>
      )}
    </>
  );
}

const QUESTION = 'There are changes that were not saved. They are lost if you leave.';

interface TableViewProps {
  readonly target: TableTarget;
  readonly detail: TableDetail;
  /** Rows of the address that was opened. */
  readonly early: RowFeed | undefined;
}

function TableView({ target, detail, early }: TableViewProps) {
  const session = useMemo(() => new TableSession(target, detail), []);
  const { search } = place.value;
  useEffect(() => session.show(search, session.feed.peek() === undefined ? early : undefined), [search]);
  useEffect(() => {
    const unguard = guardLeaving(() => (session.pending.count.peek() > 0 ? QUESTION : undefined));
    return () => {
      unguard();
      session.dispose();
    };
  }, []);
  useKeys(KEYS(session), []);
  useCommands(
    [
      ...(session.rights.canInsert
        ? [{ label: `Insert a row into ${target.table}`, hint: 'action', run: () => (session.isInserting.value = true) }]
        : []),
      ...(session.rights.canUpdate ? [{ label: 'Review the changes', hint: 'Ctrl+S', run: () => void session.review() }] : []),
      { label: 'Load the rows again', hint: 'action', run: () => session.reload() },
    ],
    [],
  );
  return (
    <>
      <Bar title={<Crumbs target={target} />} actions={<Actions session={session} />} />
      <Toolbar
        database={`${target.dbType}/${target.schema}`}
        table={detail}
        search={search}
        onSearch={(next) => void navigate(withSearch(next), { keepsChanges: true })}
      />
      <div class="table-layout">
        <TableSidebar session={session} />
        <div class="table-main">
          <GridHost session={session} />
          <CellDetail session={session} />
          <StatusLine session={session} />
        </div>
      </div>
      <CellMenu session={session} />
      {session.isInserting.value && <InsertForm session={session} />}
      {session.plan.value !== undefined && (
        <Review
          plan={session.plan.value}
          detail={detail}
          onClose={() => (session.plan.value = undefined)}
          onAgain={() => session.review()}
        />
      )}
    </>
  );
}

const KEYS = (session: TableSession) => [
  { key: 'Ctrl+S', meaning: 'Review the pending changes', inFields: true, run: () => void session.review() },
  { key: 'Enter', meaning: 'Edit the cell (also F2 and double click)' },
  { key: 'Alt+N', meaning: 'Set the cell to NULL' },
  { key: ' ', meaning: 'Choose the row (with Shift: the rows between)' },
  { key: 'Ctrl+C', meaning: 'Copy the value of the cell' },
  { key: 'Shift+F10', meaning: 'Open the menu of the cell or column' },
  { key: 'Shift+Enter', meaning: 'In a header: add the column to the sorting' },
  { key: 'Shift+ArrowRight', meaning: 'In a header: make the column wider' },
];

function Actions({ session }: { readonly session: TableSession }) {
  const pending = session.pending.count.value;
  const { value: chosen } = session.chosen;
  // Read again when the address changes.
  void session.feed.value;
  const { canInsert, canDelete } = session.rights;
  return (
    <>
      {pending > 0 && (
        <>
          <span class="pending" data-testid="pending" data-count={pending} role="status">
            {pending === 1 ? '1 change' : `${pending} changes`}
          </span>
          <button type="button" data-testid="discard" onClick={() => session.pending.clear()}>
            Discard changes
          </button>
          <button type="button" class="primary" data-testid="review" onClick={() => void session.review()}>
            Review changes
          </button>
        </>
      )}
      {canDelete && (chosen.length > 0 || session.hasFilter) && (
        <button type="button" class="danger" data-testid="delete" onClick={() => void session.reviewDeletion(chosen)}>
          <Icon name="trash" /> {deleteLabel(chosen.length)}
        </button>
      )}
      {canInsert && (
        <button type="button" data-testid="insert" onClick={() => (session.isInserting.value = true)}>
          <Icon name="plus" /> Insert row
        </button>
      )}
    </>
  );
}

function deleteLabel(chosen: number): string {
  if (chosen === 0) return 'Delete all that match';
  return chosen === 1 ? 'Delete 1 row' : `Delete ${chosen} rows`;
}

/** The element of the grid, which Preact leaves alone. */
function GridHost({ session }: { readonly session: TableSession }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    host.current?.prepend(session.grid.element);
    return effect(() => void session.feed.value);
  }, []);
  return (
    <div class="grid-host" ref={host}>
      <FeedState session={session} />
    </div>
  );
}
