/** The field in which a cell is edited. Enter and Tab keep, Escape drops. */

import type { Column } from '../../../api/types.ts';
import { keyName } from '../../../app/keys.ts';
import { problemOfTyped } from './pending.ts';

/** Where the focus goes when the editor closes. */
export type Move = 'stay' | 'down' | 'next' | 'previous' | 'none';

interface EditorOptions {
  readonly column: Column;
  /** The text to begin with; empty for NULL. */
  readonly text: string;
  readonly isNull: boolean;
  onKeep(text: string): void;
  onNull(): void;
  onClose(move: Move): void;
}

/** Values that may have line breaks are edited in a field that keeps them. */
const LINES = new Set(['text', 'json', 'other']);

/** Opens the editor in a cell. Returns the function that closes it and keeps what was typed. */
export function openEditor(cell: HTMLElement, options: EditorOptions): () => void {
  const { column, text, isNull } = options;
  const element = document.createElement('div');
  element.className = 'cell-editor';
  const field = document.createElement(LINES.has(column.kind) ? 'textarea' : 'input');
  field.dataset['testid'] = 'cell-input';
  field.setAttribute('aria-label', `New value of ${column.name}`);
  field.spellcheck = false;
  field.autocomplete = 'off';
  field.value = text;
  if (isNull) field.placeholder = 'NULL';
  if (column.max_length !== undefined) field.title = `At most ${column.max_length} characters`;
  // The browser writes line breaks of its own, so the text is compared as the field gives it back.
  const begun = field.value;
  const hasCrlf = text.includes('\r\n');
  const problem = document.createElement('div');
  problem.className = 'cell-problem';
  problem.setAttribute('role', 'alert');
  let isOpen = true;
  let isTouched = false;
  field.addEventListener('input', () => {
    isTouched = true;
  });

  const close = (move: Move): void => {
    if (!isOpen) return;
    isOpen = false;
    element.remove();
    cell.classList.remove('is-editing');
    cell.closest('.grid-row')?.classList.remove('is-editing');
    options.onClose(move);
  };
  const keep = (move: Move): boolean => {
    if (!isOpen) return true;
    const typed = hasCrlf ? field.value.replaceAll('\n', '\r\n') : field.value;
    // An empty text that was typed into NULL is another value.
    const isChanged = field.value !== begun || (isNull && isTouched);
    const reason = isChanged ? problemOfTyped(typed, column) : undefined;
    problem.textContent = reason ?? '';
    if (reason !== undefined) {
      field.setAttribute('aria-invalid', 'true');
      return false;
    }
    if (isChanged) options.onKeep(typed);
    close(move);
    return true;
  };
  const setNull = (): void => {
    options.onNull();
    close('stay');
  };

  element.append(field);
  if (column.nullable) element.append(nullButton(setNull));
  element.append(problem);
  element.addEventListener('keydown', (event) => {
    const name = keyName(event);
    const actions: Readonly<Record<string, () => void>> = {
      Enter: () => void keep('down'),
      Tab: () => void keep('next'),
      'Shift+Tab': () => void keep('previous'),
      Escape: () => close('stay'),
      ...(column.nullable && { 'Alt+N': setNull }),
    };
    if (name === 'Enter' && event.target !== field) return event.stopPropagation();
    // Keys of the page, such as Ctrl+S, see the text that was typed.
    if (name === 'Ctrl+S') return void keep('stay');
    event.stopPropagation();
    const action = actions[name];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  element.addEventListener('focusout', (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) keep('none');
  });
  element.addEventListener('dblclick', (event) => event.stopPropagation());
  cell.classList.add('is-editing');
  cell.closest('.grid-row')?.classList.add('is-editing');
  cell.append(element);
  field.focus({ preventScroll: true });
  field.select();
  return () => void keep('none');
}

function nullButton(run: () => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset['testid'] = 'cell-null';
  button.textContent = 'NULL';
  button.title = 'Set to NULL (Alt+N)';
  button.addEventListener('click', run);
  return button;
}
