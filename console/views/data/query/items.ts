/** Lists, quotes and groups of the API's query grammar. Pure. */

const OPEN = '(';
const CLOSE = ')';

/** Splits at a separator that is outside of quotes and parentheses. */
export function splitItems(text: string, separator: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (isQuoted && letter === '\\') at++;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === OPEN) depth++;
    else if (letter === CLOSE) depth--;
    else if (letter === separator && depth === 0) {
      items.push(text.slice(start, at));
      start = at + 1;
    }
  }
  items.push(text.slice(start));
  return items;
}

/** Text inside of double quotes, unescaped; any other text as it is. */
export function unquote(text: string): string {
  if (!isQuotedText(text)) return text;
  return text.slice(1, -1).replace(/\\(["\\])/g, '$1');
}

export const isQuotedText = (text: string): boolean => text.length > 1 && text.startsWith('"') && text.endsWith('"');

const PLAIN_VALUE = /^[\p{L}\p{N}_:+@/-](?:[\p{L}\p{N}_:+@/ -]*[\p{L}\p{N}_:+@/-])?$/u;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(['pg', 'ps', 'format', 'set', 'version', 'pwt']);

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A value as a filter writes it: quoted unless it cannot be misread. */
export const quoteValue = (text: string): string => (PLAIN_VALUE.test(text) ? text : quote(text));

/** A column as a filter names it. */
export const quoteName = (name: string): string => (PLAIN_NAME.test(name) && !RESERVED.has(name) ? name : quote(name));

/** Text inside of the outermost parentheses, and the text in front. */
export function splitGroup(text: string): { readonly head: string; readonly inside: string | undefined } {
  const open = indexOutsideQuotes(text, OPEN);
  if (open < 0 || !text.endsWith(CLOSE)) return { head: text, inside: undefined };
  return { head: text.slice(0, open), inside: text.slice(open + 1, -1) };
}

/** First position of a letter outside of quotes, or -1. */
export function indexOutsideQuotes(text: string, wanted: string): number {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (isQuoted && letter === '\\') at++;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === wanted) return at;
  }
  return -1;
}
