/** JSON of a value → what a cell shows and what it is. Digits stay as they are. Pure. */
import type { Kind } from '../../../api/types.ts';

export type CellKind = 'null' | 'empty' | 'text' | 'number' | 'boolean' | 'time' | 'binary' | 'json';

export interface CellView {
  readonly kind: CellKind;
  readonly text: string;
}

const MAX_SHOWN = 200;

const NULL_VIEW: CellView = { kind: 'null', text: 'NULL' };
const EMPTY_VIEW: CellView = { kind: 'empty', text: '(empty)' };

/** How strings of a column's kind are shown. Kinds that are absent are text. */
const OF_STRINGS: Readonly<Partial<Record<Kind, CellKind>>> = {
  int: 'number',
  decimal: 'number',
  float: 'number',
  bool: 'boolean',
  date: 'time',
  time: 'time',
  timestamp: 'time',
  timestamptz: 'time',
  bytes: 'binary',
  json: 'json',
};

export function viewCell(raw: string | undefined, kind: Kind | undefined): CellView {
  if (raw === undefined || raw === 'null') return NULL_VIEW;
  const first = raw.charCodeAt(0);
  if (first === 0x22 && kind !== 'json') return viewString(JSON.parse(raw) as string, kind);
  if (first === 0x7b || first === 0x5b || kind === 'json') return { kind: 'json', text: showText(raw) };
  return { kind: raw === 'true' || raw === 'false' ? 'boolean' : 'number', text: raw };
}

function viewString(text: string, kind: Kind | undefined): CellView {
  const shown = (kind === undefined ? undefined : OF_STRINGS[kind]) ?? 'text';
  if (shown === 'binary') return { kind: 'binary', text: `${byteCount(text)} bytes` };
  if (text === '') return EMPTY_VIEW;
  return { kind: shown, text: showText(text) };
}

/** Number of bytes of a base64 text. */
export function byteCount(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

/** The text of a value as it is copied and edited: no quotes, JSON as it is, NULL as nothing. */
export function plainText(raw: string | undefined, kind: Kind | undefined): string {
  if (raw === undefined || raw === 'null') return '';
  return raw.startsWith('"') && kind !== 'json' ? (JSON.parse(raw) as string) : raw;
}

const SIGNS: Readonly<Record<string, string>> = { '\r\n': '⏎', '\n': '⏎', '\r': '⏎', '\u2028': '⏎', '\u2029': '⏎', '\t': '⇥' };
/** Control, format and blank characters. Joiners inside of an emoji are part of what is visible. */
const HIDDEN =
  /\r\n|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?<!\p{Emoji})\ufe0f|(?!\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Most texts have only characters that are visible. */
const MAY_BE_HIDDEN = /[^ -~\u00a1-\u00ac\u00ae-\u02ff]/;

/** Cuts a text for a cell and makes hidden characters visible. */
export function showText(text: string): string {
  const cut = text.length > MAX_SHOWN ? cutAfter(text, MAX_SHOWN) : text;
  const shown = MAY_BE_HIDDEN.test(cut) ? cut.replace(HIDDEN, showHidden) : cut;
  return cut.length < text.length ? `${shown}…` : shown;
}

function showHidden(found: string): string {
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return SIGNS[found] ?? `⟨U+${code}⟩`;
}

/** The first characters of a text, none of them halved. */
function cutAfter(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
