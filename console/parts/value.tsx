/** A value of a row as a cell shows it. NULL, an empty text and blanks look different. */
import { Digits, type Exact, writeExact } from '../../ui/exact.ts';

const MAX_SHOWN = 200;
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const codeOf = (letter: string): string => `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Line breaks, tabs and invisible characters become visible. */
export function visibleText(text: string): string {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return cut.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(INVISIBLE, codeOf);
}

function kindOf(value: Exact): string {
  if (value === null) return 'null';
  if (value === '') return 'empty';
  if (value instanceof Digits) return 'number';
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'string' ? 'text' : 'json';
}

function shown(value: Exact): string {
  if (value === null) return 'NULL';
  if (value === '') return '(empty)';
  if (typeof value === 'string') return visibleText(value);
  return visibleText(value instanceof Digits ? value.text : writeExact(value));
}

export function Value({ value }: { readonly value: Exact }) {
  return <span class={`value is-${kindOf(value)}`}>{shown(value)}</span>;
}
