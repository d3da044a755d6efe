/**
 * Shortens lines of lists so that all of them fit into a size together. Only long lines are
 * shortened: items are left out and counted, the text around them stays.
 */
import { mapCooperatively } from '../../util/concurrency/slices.ts';

/** A line whose middle is a list. */
export interface ListLine {
  readonly head: string;
  readonly items: readonly string[];
  readonly tail: string;
}

const MIN_LINE_BYTES = 60;
/** A tail is cut to this size if the line is too long without any item. */
const MIN_TAIL_BYTES = 120;

const size = (text: string): number => Buffer.byteLength(text);
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

const textOf = ({ head, items, tail }: ListLine): string => oneLine(head + items.join(', ') + tail);

/** `owner` is the tenant whose time slices are used. */
export async function fitLines(lines: readonly ListLine[], maxBytes: number, owner: string): Promise<readonly string[]> {
  const whole = await mapCooperatively(lines, owner, (line) => ({ line, text: textOf(line), bytes: size(textOf(line)) }));
  const sizes = whole.map(({ bytes }) => bytes);
  const most = longestLine(sizes, maxBytes);
  return mapCooperatively(whole, owner, ({ line, text, bytes }) => (bytes <= most ? text : shorten(line, most)));
}

/** The length at which lines must be cut so that all of them take at most `maxBytes`. */
function longestLine(sizes: readonly number[], maxBytes: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let room = maxBytes;
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(room / (ascending.length - index));
    if (length > share) return Math.max(MIN_LINE_BYTES, share);
    room -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function shorten({ head, items, tail }: ListLine, most: number): string {
  let room = most - size(oneLine(head + tail)) - size(', … 999 more');
  const shown: string[] = [];
  for (const item of items) {
    room -= size(oneLine(item)) + 2;
    if (room < 0) break;
    shown.push(item);
  }
  const left = items.length - shown.length;
  const more = left === 0 ? [] : [`… ${left} more`];
  return textOf({ head, items: [...shown, ...more], tail: clip(oneLine(tail), Math.max(MIN_TAIL_BYTES, most - size(oneLine(head)))) });
}

function clip(text: string, most: number): string {
  if (size(text) <= most) return text;
  const start = Buffer.from(text)
    .subarray(0, most)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${start}…`;
}
