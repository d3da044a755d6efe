/**
 * Searches of strings with a known bound. The engine's own search is fast for most strings, but
 * takes the product of both lengths for some; those are searched in linear time.
 */
import type { Thread } from '../thread.ts';

/** Length of a string, and product of both lengths, up to which the engine searches. */
const SHORT_NEEDLE = 8;
const MAX_PRODUCT = 2 ** 22;
/** Characters between two charges of a linear search. */
const STRIDE = 256;

/** Offset of a string from a position on; -1 if it does not occur. */
export type Finder = (from: number) => number;

/** Charges all searches for a string from the beginning of a text to its end. */
function chargeSearch(thread: Thread, text: string, needle: string): boolean {
  thread.spend((text.length + needle.length) >> 6);
  const product = text.length * needle.length;
  if (needle.length > SHORT_NEEDLE && product > MAX_PRODUCT) return false;
  thread.weigh(product >> 5);
  return true;
}

/** Finds the occurrences of a string one after the other, for positions that do not decrease. */
export function finderOf(thread: Thread, text: string, needle: string): Finder {
  if (chargeSearch(thread, text, needle)) return (from) => text.indexOf(needle, from);
  const borders = bordersOf(thread, needle);
  return (from) => linearSearch(thread, text, needle, borders, from, 'first');
}

export function firstOf(thread: Thread, text: string, needle: string): number {
  return finderOf(thread, text, needle)(0);
}

export function lastOf(thread: Thread, text: string, needle: string): number {
  if (chargeSearch(thread, text, needle)) return text.lastIndexOf(needle);
  return linearSearch(thread, text, needle, bordersOf(thread, needle), 0, 'last');
}

/** Length of the longest proper border of each prefix (Knuth, Morris and Pratt). */
function bordersOf(thread: Thread, needle: string): Int32Array {
  thread.charge(needle.length * 4);
  const borders = new Int32Array(needle.length);
  for (let i = 1, length = 0; i < needle.length; i++) {
    if (i % STRIDE === 0) thread.spend(STRIDE);
    const unit = needle.charCodeAt(i);
    while (length > 0 && unit !== needle.charCodeAt(length)) length = borders[length - 1] as number;
    if (unit === needle.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}

function linearSearch(thread: Thread, text: string, needle: string, borders: Int32Array, from: number, wanted: 'first' | 'last'): number {
  let last = -1;
  for (let i = from, length = 0; i < text.length; i++) {
    if (i % STRIDE === 0) thread.spend(STRIDE);
    const unit = text.charCodeAt(i);
    while (length > 0 && unit !== needle.charCodeAt(length)) length = borders[length - 1] as number;
    if (unit === needle.charCodeAt(length)) length++;
    if (length < needle.length) continue;
    last = i - length + 1;
    if (wanted === 'first') return last;
    length = borders[length - 1] as number;
  }
  return last;
}

/** Pieces of a text between the occurrences of a separator that is not empty. */
export function splitText(thread: Thread, text: string, separator: string): string[] {
  thread.weigh(text.length >> 1);
  if (separator.length <= SHORT_NEEDLE) {
    chargeSearch(thread, text, separator);
    return text.split(separator);
  }
  const find = finderOf(thread, text, separator);
  const pieces: string[] = [];
  let done = 0;
  for (let at = find(0); at >= 0; at = find(done)) {
    pieces.push(text.slice(done, at));
    done = at + separator.length;
  }
  pieces.push(text.slice(done));
  return pieces;
}
