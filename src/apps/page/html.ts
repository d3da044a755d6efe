/** Writes text into HTML. Pure. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** An element with text in it; nothing without a text. */
export function element(name: string, text: string | undefined, attributes = ''): string {
  return text === undefined || text === '' ? '' : `<${name}${attributes}>${escapeHtml(text)}</${name}>`;
}
