/** Parses double quotes in requests, which make a name or a value literal. */
import { apiError } from '../../errors.ts';

/** Parses a column name. Quotes allow names with special characters. */
export function columnName(text: string): string {
  if (!text.startsWith('"')) return text;
  const { value, next } = quoted(text, 0, text);
  if (next !== text.length) throw apiError('value_quoting', text, 'there is something after the closing quote');
  return value;
}

/** Reads `"…"` at an offset. A backslash escapes a quote or a backslash. */
export function quoted(text: string, start: number, column: string): { readonly value: string; readonly next: number } {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '"') return { value, next: at + 1 };
    if (character === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++;
    value += text[at];
  }
  throw apiError('value_quoting', column, 'a closing quote is missing');
}
