/**
 * Copies a Latin-1 string into memory of its own. In V8 a substring keeps the whole string alive,
 * so strings cut out of a request are detached before they are kept.
 */
export function detached(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
