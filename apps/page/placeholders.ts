/** Placeholders of inputs in filters: `?:name`, outside of quotes. Pure. */

export const PLACEHOLDER = /"(?:[^"\\]|\\.)*"|\?:([a-z][a-z0-9_]*)/g;

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A filter with its values; `undefined` if one of its inputs has none. */
export function fillPlaceholders(filter: string, textsOf: (name: string) => readonly string[]): string | undefined {
  let isMissing = false;
  const filled = filter.replace(PLACEHOLDER, (found: string, name: string | undefined) => {
    if (name === undefined) return found;
    const texts = textsOf(name);
    isMissing ||= texts.length === 0;
    return texts.map(quote).join(',');
  });
  return isMissing ? undefined : filled;
}
