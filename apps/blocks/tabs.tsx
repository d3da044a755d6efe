/** Tabs over sections that the service has written. A closed tab sends no request. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { setViewState, viewState } from '../page/inputs.ts';

/** The open tab of a block, from 1. */
export function openTab(id: string, count: number): ReadonlySignal<number> {
  return computed(() => {
    const chosen = Number.parseInt(viewState.value.get(id) ?? '1', 10);
    return chosen >= 1 && chosen <= count ? chosen : 1;
  });
}

interface TabListProps {
  readonly id: string;
  readonly titles: readonly string[];
  readonly panels: readonly HTMLElement[];
  readonly open: ReadonlySignal<number>;
}

export function TabList({ id, titles, panels, open }: TabListProps) {
  const shown = open.value;
  useLayoutEffect(() => {
    for (const [at, panel] of panels.entries()) {
      panel.id = `${id}-panel-${at + 1}`;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', `${id}-tab-${at + 1}`);
      panel.dataset['open'] = String(at + 1 === shown);
      if (at + 1 === shown) panel.dataset['opened'] = '';
    }
  }, [shown]);
  const choose = (tab: number): void => setViewState({ [id]: tab === 1 ? undefined : String(tab) });
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = ((shown - 1 + step + titles.length) % titles.length) + 1;
    choose(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div class="tab-list" role="tablist" onKeyDown={move}>
      {titles.map((title, at) => (
        <button
          key={title}
          type="button"
          id={`${id}-tab-${at + 1}`}
          role="tab"
          data-testid={`tab-${at + 1}`}
          aria-selected={at + 1 === shown}
          aria-controls={`${id}-panel-${at + 1}`}
          tabIndex={at + 1 === shown ? 0 : -1}
          onClick={() => choose(at + 1)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
