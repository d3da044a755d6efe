/** Keys of the whole console, and the list of all keys. Views add theirs while they are shown. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface KeyBinding {
  /** As `keyName` writes it: `Ctrl+K`, `/`, `Shift+F10`. */
  readonly key: string;
  readonly meaning: string;
  /** Absent for keys that a part handles itself and only lists here. */
  readonly run?: () => void;
  /** `true` if it also works while a text is edited. */
  readonly inFields?: boolean;
}

export const bindings = signal<readonly (readonly KeyBinding[])[]>([]);

/** Name of a pressed key. `Cmd` of a Mac counts as `Ctrl`. */
export function keyName(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const modifiers = [
    event.ctrlKey || event.metaKey ? 'Ctrl' : '',
    event.altKey ? 'Alt' : '',
    event.shiftKey && event.key.length > 1 ? 'Shift' : '',
  ];
  return [...modifiers.filter((name) => name !== ''), key].join('+');
}

export function useKeys(own: readonly KeyBinding[], keys: readonly unknown[]): void {
  useEffect(() => {
    bindings.value = [...bindings.value, own];
    return () => {
      bindings.value = bindings.value.filter((group) => group !== own);
    };
  }, keys);
}

/** `true` if the event comes from a place where keys are text. Looks into shadow roots. */
export function isEditing(event: Event): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
}

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
    const name = keyName(event);
    const editing = isEditing(event);
    // The latest binding is that of the innermost view.
    const found = bindings.value
      .flat()
      .findLast(({ key, run, inFields }) => key === name && run !== undefined && (inFields === true || !editing));
    if (found?.run === undefined) return;
    event.preventDefault();
    found.run();
  });
}
