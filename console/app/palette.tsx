/** Ctrl+K: views, tables, endpoints and actions, found while typing. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { logOut, mayLogOut } from '../api/context.ts';
import { VIEWS } from '../views/index.ts';
import { type Command, commands, finders, isPaletteOpen } from './commands.ts';
import { isKeyListOpen } from './key-list.tsx';
import { toggleNavigation } from './navigation.ts';
import { addressOf, navigate } from './router.ts';
import { setTheme, THEMES } from './theme.ts';

const MAX_ITEMS = 50;
const FIND_AFTER_MS = 120;

const FRAME: readonly Command[] = [
  { label: 'Show the keys', hint: 'action', run: () => void (isKeyListOpen.value = true) },
  { label: 'Collapse or expand the navigation', hint: 'action', run: toggleNavigation },
];
const LOG_OUT: Command = { label: 'Log out', hint: 'action', run: logOut };

function ownCommands(): readonly Command[] {
  const views = VIEWS.filter((view) => view.isAllowed()).map(({ label, segment }) => ({
    label,
    hint: 'view',
    run: () => void navigate(addressOf(segment === '' ? [] : [segment])),
  }));
  const themes = THEMES.map((name) => ({ label: `Theme: ${name}`, hint: 'action', run: () => setTheme(name) }));
  return [...views, ...commands.value.flat(), ...FRAME, ...(mayLogOut.value ? [LOG_OUT] : []), ...themes];
}

/** `true` if every word of the text is in the label or the hint. */
function matches({ label, hint = '' }: Command, text: string): boolean {
  const whole = `${label} ${hint}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

function useFound(text: string): readonly Command[] {
  const [found, setFound] = useState<readonly Command[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const searches = [...finders].map((find) => find(text, stop.signal).catch(() => []));
      void Promise.all(searches).then((lists) => !stop.signal.aborted && setFound(lists.flat()));
    }, FIND_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return found;
}

export function Palette() {
  return isPaletteOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const element = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const own = useMemo(ownCommands, [commands.value]);
  const found = useFound(text);
  const items = [...own.filter((command) => matches(command, text)), ...found].slice(0, MAX_ITEMS);
  const close = (): void => {
    isPaletteOpen.value = false;
  };
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const move = (by: number): void => {
    const next = items.length === 0 ? 0 : (chosen + by + items.length) % items.length;
    setChosen(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const KEYS: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => run(items[chosen]),
  };
  return (
    <dialog ref={element} class="palette" data-testid="palette" aria-label="Go to or do" onCancel={close}>
      <input
        data-testid="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={items.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Search views, tables, endpoints and actions"
        placeholder="Search views, tables, endpoints and actions"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const action = KEYS[event.key];
          if (action === undefined) return;
          event.preventDefault();
          action();
        }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="Results">
        {items.map((command, at) => (
          <li
            key={`${command.hint}/${command.label}`}
            id={`palette-${at}`}
            role="option"
            aria-selected={at === chosen}
            data-testid="palette-item"
            onMouseMove={() => setChosen(at)}
            onClick={() => run(command)}
          >
            <span>{command.label}</span>
            <span class="faint">{command.hint}</span>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p class="palette-none">Nothing matches.</p>}
    </dialog>
  );
}
