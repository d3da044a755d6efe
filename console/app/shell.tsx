/** The frame of every view: navigation, bar, dialogs and messages. */
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { context, enterSpace, isServerKey, logOut, mayLogOut } from '../api/context.ts';
import { offline } from '../api/request.ts';
import { stopViewAs, viewAs } from '../api/view-as.ts';
import { ConfirmDialog, confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import { ErrorState, Loading } from '../parts/states.tsx';
import { Toasts, toast } from '../parts/toasts.tsx';
import { VIEWS, type View, viewOf } from '../views/index.ts';
import { finders, isPaletteOpen } from './commands.ts';
import { isKeyListOpen, KeyList } from './key-list.tsx';
import { useKeys } from './keys.ts';
import { isNavigationCollapsed, toggleNavigation } from './navigation.ts';
import { Palette } from './palette.tsx';
import { addressOf, leaving, navigate, place } from './router.ts';
import { setTheme, THEMES, type Theme, theme } from './theme.ts';
import { useTitle } from './title.ts';

// Known at once, also when what is shown next asks the service for nothing.
window.addEventListener('offline', () => {
  offline.value = true;
});
window.addEventListener('online', () => {
  offline.value = false;
});

leaving.ask = (question) => confirm({ title: 'Leave this page?', text: question, action: 'Leave', isDangerous: true });

/** Its file is loaded when something is searched for the first time. */
finders.add(async (text, signal) => (await import('../views/data/table-list.ts')).findTables(text, signal));

export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const isCollapsed = isNavigationCollapsed.value;
  const view = viewOf(place.value.segments);
  useEffect(() => setOpen(false), [place.value]);
  useKeys(
    [
      {
        key: 'Ctrl+K',
        meaning: 'Go to a view, table or endpoint, or run an action',
        inFields: true,
        run: () => (isPaletteOpen.value = true),
      },
      { key: '/', meaning: 'Search', run: focusSearch },
      { key: '?', meaning: 'Show these keys', run: () => (isKeyListOpen.value = true) },
      { key: 'Escape', meaning: 'Close what is open' },
    ],
    [],
  );
  return (
    <div class={['shell', isOpen && 'is-open', isCollapsed && 'is-collapsed'].filter(Boolean).join(' ')}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <PersonaBanner />
      {offline.value && (
        <div class="offline" role="status">
          <Icon name="warn" /> The service cannot be reached. What you have typed is kept.
        </div>
      )}
      <Navigation current={view} onClose={() => setOpen(false)} />
      <div class="menu-bar">
        <button
          type="button"
          class="plain icon-only"
          aria-label="Open the navigation"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
        </button>
        <span class="wordmark">Millrace</span>
      </div>
      <main id="content" class="content" tabIndex={-1}>
        {view === undefined ? <NotFound /> : <Shown key={view.name} view={view} />}
      </main>
      <Palette />
      <KeyList />
      <ConfirmDialog />
      <Toasts />
    </div>
  );
}

/** Focuses the search field of the view, or opens the search of everything. */
function focusSearch(): void {
  const field = document.querySelector<HTMLElement>('[data-search]');
  if (field === null) isPaletteOpen.value = true;
  else field.focus();
}

const loadedViews = new Map<string, ComponentType>();

/** Loads the file of a view and shows it. A failure in it leaves the frame working. */
function Shown({ view }: { readonly view: View }) {
  const [, setLoaded] = useState(0);
  const [failure, setFailure] = useState<Error | undefined>(undefined);
  const [error, reset] = useErrorBoundary();
  const load = (): void => {
    setFailure(undefined);
    view.load().then(
      ({ View }) => {
        loadedViews.set(view.name, View);
        setLoaded((count) => count + 1);
      },
      () => setFailure(new Error('This view could not be loaded. Check the connection, then try again.')),
    );
  };
  useEffect(() => {
    if (!loadedViews.has(view.name)) load();
  }, []);
  const Loaded = loadedViews.get(view.name);
  if (error !== undefined) return <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />;
  if (failure !== undefined) return <ErrorState error={failure} onRetry={load} />;
  return Loaded === undefined ? <Loading what={view.label} /> : <Loaded />;
}

export function NotFound() {
  useTitle('Not found');
  return (
    <div class="state-empty" data-testid="not-found">
      <h1>There is no such view</h1>
      <p>The address leads nowhere in this console.</p>
      <a class="button" href={addressOf([])}>
        Open the overview
      </a>
    </div>
  );
}

function PersonaBanner() {
  const { value } = viewAs;
  if (value === undefined) return null;
  return (
    <div class="persona-banner" data-testid="persona-banner" role="status">
      <Icon name="eye" /> You see the data as the persona <strong>{value.persona}</strong>
      {value.claims !== '' && <code>{value.claims}</code>}
      <button type="button" data-testid="view-as-stop" onClick={stopViewAs}>
        Stop
      </button>
    </div>
  );
}

function Navigation({ current, onClose }: { readonly current: View | undefined; readonly onClose: () => void }) {
  const isCollapsed = isNavigationCollapsed.value;
  return (
    <nav class="navigation" aria-label="Views">
      <div class="navigation-head">
        <span class="wordmark">Millrace</span>
        <button type="button" class="plain icon-only drawer-close" aria-label="Close the navigation" onClick={onClose}>
          <Icon name="close" />
        </button>
        <button
          type="button"
          class="plain icon-only navigation-toggle"
          aria-label={isCollapsed ? 'Expand the navigation' : 'Collapse the navigation'}
          aria-expanded={!isCollapsed}
          onClick={toggleNavigation}
        >
          <Icon name={isCollapsed ? 'right' : 'left'} />
        </button>
      </div>
      {context.value !== undefined && <SpacePicker />}
      <button
        type="button"
        class="navigation-search"
        aria-label={isCollapsed ? 'Go to…' : undefined}
        onClick={() => (isPaletteOpen.value = true)}
      >
        <Icon name="search" /> <span>Go to…</span> <kbd>Ctrl K</kbd>
      </button>
      <ul>
        {VIEWS.filter((view) => view.isAllowed()).map((view) => (
          <li key={view.name}>
            <a
              href={addressOf(view.segment === '' ? [] : [view.segment])}
              data-testid={`nav-${view.name}`}
              aria-current={view === current ? 'page' : undefined}
              aria-label={view.label}
              title={isCollapsed ? view.label : undefined}
            >
              <Icon name={view.icon} /> <span>{view.label}</span>
            </a>
          </li>
        ))}
      </ul>
      <Me />
    </nav>
  );
}

/** The spaces that the caller can reach. Another one is entered with a token made for it. */
function SpacePicker() {
  const { value } = context;
  if (value === undefined) return null;
  const isAdminToken = value.may.system && value.may.write;
  const choices = isAdminToken ? value.spaces : [value.space];
  const choose = async (picker: HTMLSelectElement): Promise<void> => {
    const chosen = value.spaces.find((space) => space.space_id === picker.value);
    if (chosen === undefined || chosen.space_id === value.space.space_id) return;
    try {
      if (await navigate(addressOf([]))) {
        await enterSpace(chosen);
        toast(`You are in the space ${chosen.name}.`);
      }
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    }
    picker.value = context.value?.space.space_id ?? '';
  };
  return (
    <div class="space-picker">
      <span class="project-name">
        {value.org.name} / {value.project.name}
      </span>
      <select
        data-testid="space"
        aria-label="Space"
        value={value.space.space_id}
        disabled={choices.length < 2}
        onChange={(event) => void choose(event.currentTarget)}
      >
        {choices.map(({ space_id, name }) => (
          <option key={space_id} value={space_id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Me() {
  const { value } = context;
  const name = isServerKey.value ? 'Server key' : (value?.token?.name ?? value?.user_id ?? '');
  const detail = isServerKey.value ? 'set-up, live and audit' : (value?.roles.join(', ') ?? '');
  return (
    <div class="navigation-foot">
      <div class="me" data-testid="me" title={value?.user_id}>
        <strong>{name}</strong>
        <span class="muted">{detail}</span>
      </div>
      <div class="foot-line">
        <select
          data-testid="theme"
          aria-label="Theme"
          value={theme.value}
          onChange={(event) => setTheme(event.currentTarget.value as Theme)}
        >
          {THEMES.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
        {mayLogOut.value && (
          <button type="button" data-testid="logout" onClick={logOut}>
            Log out
          </button>
        )}
      </div>
    </div>
  );
}
