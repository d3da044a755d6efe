/**
 * The same text in memory of its own. A part of a longer text keeps all of it: whatever is kept for long and was cut out of a request must be
 * detached, or it holds on to the request. Knows Latin-1 only, which is what heads of requests are read as.
 */
export function detached(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
