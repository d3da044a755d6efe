/**
 * Copies a text into memory of its own. In V8, a substring keeps the whole string alive: detach whatever was cut out of a request and is kept
 * for long. Handles Latin-1 only, the encoding in which request heads are read.
 */
export function detached(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
